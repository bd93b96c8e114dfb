"""Crawls that are started from the dashboard, each a process of its own that survives it.

A new crawl is made from the fields of a form and nothing else, so that it can name no code, proxy or private network,
and files only where all who may look are on this machine. It runs `honeyguide crawl` in a session of its own; its
output is kept in the run folder, as `crawl.log`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import HoneyguideError, SettingsError, StoreError
from honeyguide.locks import OPEN_FLAGS
from honeyguide.model import Url
from honeyguide.runs import RunFolder, is_being_crawled
from honeyguide.settings import SETTINGS_BY_KEY, Settings, shown, validate
from honeyguide.settings.schema import merged
from honeyguide.topic.examples import FILE_SIGN, is_reference, text_example

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

LOG: Final = "crawl.log"
START_PATIENCE_S: Final = 20.0  # until a process has begun to crawl
LOOK_EVERY_S: Final = 0.05
LONGEST_FIELD: Final = 20_000  # characters
LONGEST_NAME: Final = 80
WORLDS: Final = ("live", "synthetic")
WORLDS_OF_FILES: Final = ("wiki", "site", "replay")  # each with a path behind a colon
_NAME: Final = re.compile(r"[^\W_][\w. -]*")
_TAIL_BYTES: Final = 4096  # of a log, in which a failed command says why


def _usual(key: str) -> Any:  # noqa: ANN401 - of the setting's type
    return SETTINGS_BY_KEY[key].default


@dataclass(frozen=True, slots=True)
class NewCrawl:
    """A crawl to be started. What is left out is as `honeyguide crawl` has it."""

    topic: str = ""  # in a few words or a sentence
    keywords: tuple[str, ...] = ()
    like: tuple[str, ...] = ()  # examples of what is wanted: texts, or URLs of pages
    unlike: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()  # URLs; without any, entry pages that are known for the topic
    world: str = "live"  # live, synthetic, wiki:FOLDER, site:FOLDER@URL, site:FILE.warc.gz or replay:RUN
    budget: int | str = _usual("budget.fetches")  # fetches
    stay_on: str = _usual("scope.stay_on")
    pages_per_host: int | str = _usual("scope.max_pages_per_host")  # 0 sets no limit
    delay_s: float | str = _usual("politeness.delay_s")  # between two requests to one host
    contact: str = ""  # where a site's owner can reach you
    name: str = ""  # of the run folder; made from the topic where empty


KEY_BY_FIELD: Final = {
    "topic": "topic.name",
    "keywords": "topic.keywords",
    "like": "topic.like",
    "unlike": "topic.unlike",
    "seeds": "crawl.seed_urls",
    "world": "crawl.world",
    "budget": "budget.fetches",
    "stay_on": "scope.stay_on",
    "pages_per_host": "scope.max_pages_per_host",
    "delay_s": "politeness.delay_s",
    "contact": "fetch.contact",
}
_FLAG_BY_FIELD: Final = {
    "topic": "--topic=",
    "keywords": "--keyword=",
    "like": "--like=",
    "unlike": "--unlike=",
    "seeds": "--seed-url=",
    "world": "--world=",
    "budget": "--budget=",
    "stay_on": "--set=scope.stay_on=",
    "pages_per_host": "--max-pages-per-host=",
    "delay_s": "--set=politeness.delay_s=",
    "contact": "--contact=",
}
LISTS: Final = ("keywords", "like", "unlike", "seeds")


class CrawlRefused(HoneyguideError):  # noqa: N818 - reads as a statement about the form
    """A new crawl that cannot be started; `mistakes` has all reasons, by field, under "" those about no field."""

    def __init__(self, mistakes: Mapping[str, Sequence[str]]) -> None:
        self.mistakes = {field: list(reasons) for field, reasons in mistakes.items()}
        super().__init__("; ".join(reason for reasons in mistakes.values() for reason in reasons))


def read_form(values: Mapping[str, str]) -> NewCrawl:
    """Read a form: a list has one entry a line, keywords also between commas; what is no number stays text."""
    given: dict[str, Any] = {}
    for name in (each.name for each in fields(NewCrawl)):
        text = values.get(name, "").strip()
        if name in LISTS:
            separator = r"[\n,]" if name == "keywords" else r"\n"
            given[name] = tuple(part.strip() for part in re.split(separator, text) if part.strip())
        elif name in ("budget", "pages_per_host", "delay_s"):
            given[name] = _number(text, float if name == "delay_s" else int) if name in values else _default(name)
        elif name in values:
            given[name] = text
    return NewCrawl(**given)


def _default(name: str) -> Any:  # noqa: ANN401
    return next(each.default for each in fields(NewCrawl) if each.name == name)


def _number(text: str, kind: type[int | float]) -> float | str:
    try:
        return kind(text)
    except ValueError:
        return text


def start(home: Path, crawl: NewCrawl, *, may_name_files: bool = False) -> Path:
    """Start a crawl in a new folder below `home` and return that folder, once it is there.

    CrawlRefused with everything that is wrong; then no folder is made.
    """
    mistakes = dict(_mistakes(home, crawl, (*WORLDS, *WORLDS_OF_FILES) if may_name_files else WORLDS))
    if mistakes:
        raise CrawlRefused(mistakes)
    path = home.resolve() / (crawl.name or _free_name(home, crawl.topic or "crawl"))
    values = {field: value for field, value in asdict(crawl).items() if field in _FLAG_BY_FIELD and value != ""}
    arguments = [
        f"{_FLAG_BY_FIELD[field]}{each}"
        for field, value in values.items()
        for each in (value if isinstance(value, tuple | list) else (value,))
    ]
    draft = path.with_name(f".{path.name}.{LOG}")  # the folder of a new run must be empty
    try:
        _launch(["crawl", str(path), *arguments], draft, partial(has_started, path))
        if path.exists():
            draft.rename(path / LOG)
    except StoreError as error:
        draft.unlink(missing_ok=True)
        raise CrawlRefused({_field_named_in(str(error), crawl): [str(error)]}) from error
    return path


def resume(path: Path) -> None:
    """Go on with a run in a process of its own. StoreError with its reason where it ends at once."""
    _launch(["resume", str(path.resolve())], path / LOG, partial(is_being_crawled, path))


def _mistakes(home: Path, crawl: NewCrawl, worlds: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields that are wrong, with the reasons."""
    found: dict[str, list[str]] = {}
    for field, value in asdict(crawl).items():
        texts = value if isinstance(value, tuple | list) else (str(value),)
        if reasons := [reason for text in texts if (reason := _unusable(text))]:
            found[field] = reasons
            crawl = replace(crawl, **{field: _default(field)})  # so that everything else can still be checked
    for mistake in _setting_mistakes(crawl):
        field = _field_of(mistake)  # at a field, the key of a setting says nothing more
        found.setdefault(field, []).append(mistake.removeprefix(KEY_BY_FIELD.get(field, "")).lstrip())
    for field in ("like", "unlike"):
        found.setdefault(field, []).extend(_example_mistakes(getattr(crawl, field)))
    if crawl.world.partition(":")[0] not in worlds:
        found["world"] = [f"is {shown(crawl.world)}: choose {', '.join(worlds[:-1])} or {worlds[-1]}"]
    if crawl.name and (reason := _name_mistake(home, crawl.name)):
        found.setdefault("name", []).append(reason)
    yield from ((field, reasons) for field, reasons in found.items() if reasons)


def _unusable(text: str) -> str:
    """Return why a text cannot be given to a program; empty where it can."""
    if len(text) > LONGEST_FIELD:
        return f"it has {len(text):,} characters: give at most {LONGEST_FIELD:,}"
    try:
        is_text = b"\0" not in text.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        is_text = False
    return "" if is_text else "it has characters that are no text: write it anew"


def _setting_mistakes(crawl: NewCrawl) -> list[str]:
    """Return everything that the settings find wrong, in their words."""
    values = {key: getattr(crawl, field) for field, key in KEY_BY_FIELD.items()}
    checkable, mistakes = merged(
        Settings(), {key: list(each) if isinstance(each, tuple) else each for key, each in values.items()}
    )
    try:
        validate(checkable)
    except SettingsError as error:
        mistakes += error.mistakes
    return mistakes


def _field_of(mistake: str) -> str:
    """Return the field that a mistake of the settings is about; empty where it is about none."""
    if mistake.startswith("topic is empty"):
        return "topic"
    named = (field for field, key in KEY_BY_FIELD.items() if re.match(rf"{re.escape(key)}\b", mistake))
    return next(named, "")


def _field_named_in(reason: str, crawl: NewCrawl) -> str:
    """Return the field whose text a program has named when it ended; empty where it has named none."""
    for field in ("world", *LISTS):
        given = getattr(crawl, field)
        texts = (given.partition(":")[2],) if isinstance(given, str) else given
        if any(text and text in reason for text in texts):
            return field
    return ""


def _example_mistakes(examples: Sequence[str]) -> Iterator[str]:
    for example in examples:
        if example.startswith(FILE_SIGN):
            yield f"{shown(example)} names a file: paste its text, or give the URL of a page"
            continue
        try:
            if is_reference(example):
                Url.parse(example)
            else:
                text_example(example)
        except HoneyguideError as error:
            yield str(error)


def _name_mistake(home: Path, name: str) -> str:
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        return f"{shown(name)} is no name for a folder here: give letters, digits, spaces, dots and dashes"
    if os.path.lexists(home / name):
        return f"{shown(name)} is there already: choose another name"
    return ""


def _free_name(home: Path, topic: str) -> str:
    """Return a name made from a topic that nothing in a folder has."""
    base = "-".join(re.findall(r"[^\W_]+", topic.lower()))[:50].strip("-") or "crawl"
    name, number = base, 2
    while os.path.lexists(home / name):
        name, number = f"{base}-{number}", number + 1
    return name


def _launch(arguments: Sequence[str], log: Path, has_begun: Callable[[], bool]) -> None:
    """Run a command of ours in a session of its own, and wait until it has begun. StoreError where it ends before."""
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | OPEN_FLAGS, 0o666)
    except OSError as error:
        raise StoreError(f"cannot write {log}: {error.strerror}; free some space or change its rights") from error
    with os.fdopen(handle, "ab") as output:
        began_at = output.seek(0, os.SEEK_END)
        process = subprocess.Popen(  # noqa: S603 - this program, and values that it has checked
            [sys.executable, "-P", "-m", "honeyguide", *arguments, "--verbose"],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=log.parent, start_new_session=True,
        )  # fmt: skip
    Thread(target=process.wait, daemon=True).start()  # or it would stay a zombie
    deadline = monotonic() + START_PATIENCE_S
    while process.poll() is None and not has_begun() and monotonic() < deadline:
        sleep(LOOK_EVERY_S)
    if process.poll():
        reason = _reason(log, began_at)
        raise StoreError(reason or f"honeyguide {arguments[0]} ended with status {process.returncode}; see {log}")


def has_started(path: Path) -> bool:
    """Return whether the first step of a run is stored."""
    try:
        return RunFolder.open(path).has_started
    except StoreError:  # its folder is being made
        return False


def _reason(log: Path, began_at: int) -> str:
    """Return the last line that a command has written."""
    with log.open("rb") as opened:
        opened.seek(max(began_at, log.stat().st_size - _TAIL_BYTES))
        lines = [line for line in opened.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("honeyguide: ") if lines else ""
