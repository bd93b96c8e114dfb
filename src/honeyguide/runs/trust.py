"""Whether a run may use what lies outside its folder.

A run folder may come from a stranger, and its `settings.toml` may name code, a login, a proxy, a private network or any
file of this machine. Such settings count where the user has given them: in the crawl that made the run, on the command
line now, or by saying that the run is to be trusted. What was given is remembered by folder and values in the user's
state folder, so that one's own runs go on without a word and a copy, or a changed setting, does not.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import SettingsError
from honeyguide.registry import JUDGES, STRATEGIES
from honeyguide.runs.folder import RunFolder
from honeyguide.settings import (
    SETTINGS_BY_KEY,
    files_named,
    judges_named,
    load_run_settings,
    load_settings_to_resume,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from honeyguide.settings import Settings

# Files are declared as such. Of these any value counts: code, a program, a folder, and where requests go.
_REACH_OUT: Final = (
    "judge.classifier",
    "render.browser",
    "crawl.starting_points",
    "vectors.cache_folder",
    "refresh.run",
    "fetch.proxies",
    "fetch.allow_private",
    "ask.url",  # is sent pages, and the user's key
    "ask.model",  # alone, it sends them to a server on this machine
)
_WORLDS_OF_OUR_OWN: Final = ("live", "synthetic", "synthetic+http")  # the others are files
_REACH_OUT_IF: Final[Mapping[str, Callable[[Settings], bool]]] = {
    "crawl.world": lambda settings: settings.crawl.world.partition(":")[0] not in _WORLDS_OF_OUR_OWN,
    "crawl.on_page": lambda settings: bool(settings.crawl.on_page) and ".py:" not in settings.crawl.on_page,
    "crawl.strategy": lambda settings: not STRATEGIES.is_own(settings.crawl.strategy),
    "judge.kind": lambda settings: not all(map(JUDGES.is_own, judges_named(settings))),
    "topic.like": lambda settings: any(example.startswith("@") for example in settings.topic.like),
    "topic.unlike": lambda settings: any(example.startswith("@") for example in settings.topic.unlike),
}
_ONLY_TO_BEGIN: Final = ("crawl.learn_from",)  # not read again once a run has stored a step
_STRANGE_INSIDE_TOO: Final = ("vectors.encoder", "crawl.on_page")  # parsed by native code, or run, wherever it lies


def keys_that_need_trust() -> list[str]:
    """Return the settings by which a run may reach out of its folder."""
    files = (setting.key for setting in SETTINGS_BY_KEY.values() if setting.names_file)
    return sorted({*_REACH_OUT, *_REACH_OUT_IF, *files})


def outside_of(run: Path, settings: Settings) -> dict[str, Any]:
    """Return the settings that name something outside of a run folder, or a model for native code to read, by key."""
    found: dict[str, Any] = {}
    for key, value in sorted(_reaching_out(run.resolve(), settings)):
        found[key] = value if key not in found else f"{found[key]}, {value}"  # a list of files
    return found


def _reaching_out(run: Path, settings: Settings) -> Iterator[tuple[str, Any]]:
    for key in _REACH_OUT:
        if value := SETTINGS_BY_KEY[key].value_in(settings):
            yield key, value
    for setting, path in files_named(settings, SETTINGS_BY_KEY.values()):
        if setting.key in _STRANGE_INSIDE_TOO or not path.resolve().is_relative_to(run):
            yield setting.key, str(path)
    for key, reaches_out in _REACH_OUT_IF.items():
        if reaches_out(settings):
            yield key, SETTINGS_BY_KEY[key].value_in(settings)


def refuse_strange(
    run: Path, settings: Settings, given: Collection[str] = (), among: Collection[str] | None = None
) -> None:
    """SettingsError where a run names something outside of it that its user has not given.

    `given` are keys whose values come from the user now; `among` are the only ones that count here.
    """
    named = outside_of(run, settings)
    strange = [key for key in named if key not in given and (among is None or key in among)]
    if strange and not _note(run, named).exists():
        key = strange[0]
        more = f" and {', '.join(strange[1:])}" if strange[1:] else ""
        raise SettingsError(
            [
                (
                    f"{run / 'settings.toml'} names what is outside of the run: {key} = {shown(named[key])}{more}; "
                    f"if you trust whoever made it, give --trust, or the value again with --set {key}=…"
                )
            ]
        )


def settings_to_build(
    run: RunFolder, given: Collection[str] = (), *, trust: bool = False, goes_on: bool = True
) -> Settings:
    """Return the settings of a run to build a crawl or a judge from; those of `Run` are to look at only.

    SettingsError where they name something outside of the run that its user has not given (see `refuse_strange`), and,
    where its crawl `goes_on`, a strategy or a judge that is not installed.
    """
    if not trust:
        begun = _ONLY_TO_BEGIN if run.has_started else ()
        refuse_strange(run.path, load_run_settings(run.settings_file), {*given, *begun})
    return (load_settings_to_resume if goes_on else load_run_settings)(run.settings_file)


def trust_run(path: Path | str) -> None:
    """Note that the user trusts whoever made a run."""
    run = RunFolder.open(Path(path))
    remember(run.path, load_run_settings(run.settings_file))


def remember(run: Path, settings: Settings) -> None:
    """Note that the user has given what this run names outside of it. Without a place to note it, nothing happens."""
    named = outside_of(run, settings)
    if not named:
        return
    note = _note(run, named)
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for other in note.parent.iterdir():  # runs that are no longer there need none
            if not Path(other.read_text(encoding="utf-8")).exists():
                other.unlink(missing_ok=True)
        note.write_text(str(run.resolve()), encoding="utf-8")


def _note(run: Path, named: dict[str, Any]) -> Path:
    """Return the file whose existence says that these values were given for this folder, here."""
    users = os.environ.get("XDG_STATE_HOME", "")
    state = Path(users) if users.startswith("/") else Path.home() / ".local" / "state"
    found = run.stat()  # another folder that takes its name is another run
    together = json.dumps([str(run.resolve()), found.st_dev, found.st_ino, named], sort_keys=True)
    return state / "honeyguide" / "trusted" / hashlib.sha256(together.encode()).hexdigest()
