"""Every setting the schema declares, looked up by its dotted key (`fetch.timeout_s`).

Values laid over settings by dotted key; whatever cannot be laid is a mistake in words.

Settings that name a file, and where the file is looked for: a run must find it again from any folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from honeyguide.settings.schema import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.settings.judge_sections import JudgeSettings

_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of value: how it is called to a user, what fits it, and how TOML's form becomes ours."""

    words: str
    fits: Callable[[object], bool]
    convert: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of one section, with everything declared about it."""

    key: str  # as a user writes it: section.name
    section: str  # attribute of Settings
    name: str  # attribute of the section
    kind: Kind
    default: Any
    meaning: str
    at_least: float | None
    above: float | None
    at_most: float | None
    choices: tuple[str, ...]

    def value_in(self, settings: Settings) -> Any:  # noqa: ANN401 - the type is the field's own
        return getattr(getattr(settings, self.section), self.name)

    @property
    def table(self) -> str:
        """The TOML table the setting is written in."""
        return self.key.partition(".")[0]

    @property
    def bounds(self) -> str:
        """The allowed range in words, empty when there is none."""
        limits = (("at least", self.at_least), ("above", self.above), ("at most", self.at_most))
        return " and ".join(f"{words} {limit:g}" for words, limit in limits if limit is not None)

    def is_within(self, number: float) -> bool:
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
        )


def _is_text(value: object) -> bool:
    # A lone surrogate comes from an undecodable command-line byte and could not be written beside the run.
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_text(item) for item in value)


def _is_list_of_whole(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_whole(item) for item in value)


def _is_list_of_numbers(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_number(item) for item in value)


def _as_numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


_KINDS: Final[dict[object, Kind]] = {
    str: Kind("text in quotes", _is_text, str),
    bool: Kind("true or false", lambda value: isinstance(value, bool), bool),
    int: Kind("a whole number", _is_whole, int),
    float: Kind("a finite number", _is_number, float),
    tuple[str, ...]: Kind('a list of texts, as in ["one", "two"]', _is_list_of_text, tuple),
    tuple[int, ...]: Kind("a list of whole numbers, as in [128, 256]", _is_list_of_whole, tuple),
    tuple[float, ...]: Kind("a list of numbers, as in [0.5, 0.4]", _is_list_of_numbers, _as_numbers),
}


def _declared_settings() -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    sections = get_type_hints(Settings)
    for part in fields(Settings):
        if not is_dataclass(sections[part.name]):
            continue
        table = part.metadata.get("table", part.name)
        kinds = get_type_hints(sections[part.name])
        for declared in fields(sections[part.name]):
            key = f"{table}.{declared.name}"
            kind = _KINDS[kinds[declared.name]]
            found[key] = Setting(key, part.name, declared.name, kind, declared.default, **declared.metadata)
    return found


SETTINGS_BY_KEY: Final = _declared_settings()
TABLES: Final = tuple(dict.fromkeys(setting.table for setting in SETTINGS_BY_KEY.values()))


def merged(base: Settings, values: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """Lay `values` over `base`; also return the mistakes among them: unknown keys, values of the wrong type.

    A mistaken value leaves the one in `base` standing, so that everything else can still be checked.
    """
    mistakes: list[str] = []
    changes: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        setting = SETTINGS_BY_KEY.get(key)
        if setting is None:
            mistakes.append(_unknown(key, value))
        elif not setting.kind.fits(value):
            mistakes.append(f"{key} is {shown(value)}: it must be {setting.kind.words}")
        else:
            changes.setdefault(setting.section, {})[setting.name] = setting.kind.convert(value)
    sections = {name: replace(getattr(base, name), **change) for name, change in changes.items()}
    return replace(base, **sections), mistakes


def shown(value: object) -> str:
    """Write a value as a user would recognise it, cut when it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def nearest(given: str, known: Iterable[str]) -> str:
    """Ask whether the known word most like `given` was meant; empty when none is alike."""
    close = get_close_matches(given, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


def _unknown(key: str, value: object) -> str:
    if key in TABLES:
        return f"{key} is a table of settings: write [{key}] and its settings below it"
    if isinstance(value, Mapping):
        return f"unknown table [{key}]; {nearest(key, TABLES) or _known_tables()}"
    return f"unknown setting {key}; {_nearest_setting(key) or _known_tables()}"


def _nearest_setting(key: str) -> str:
    """Guess what was meant: this name in another table, one alike in this table, or one alike anywhere."""
    table, _, name = key.rpartition(".")
    elsewhere = [known for known in SETTINGS_BY_KEY if known.endswith(f".{name}")]
    if elsewhere:
        return f"did you mean {elsewhere[0]}?"
    beside = [setting.name for setting in SETTINGS_BY_KEY.values() if setting.table == table]
    if beside:
        return nearest(name, beside) or f"[{table}] has {', '.join(beside)}"
    return nearest(key, SETTINGS_BY_KEY)


def _known_tables() -> str:
    return f"the tables are {', '.join(TABLES)}"


# By table and name; each may also hold something that is no file.
IS_A_FILE: Final[dict[tuple[str, str], Callable[[str], bool]]] = {
    ("fetch", "proxy_login"): bool,
    ("judge", "idf"): lambda value: value not in ("", "seen"),
    ("judge", "classifier"): lambda value: value.endswith(".joblib"),
    ("lfa", "start_weights"): lambda value: bool(value.strip()),
    ("search", "blocked_words"): lambda value: bool(value.strip()),
    ("vectors", "source"): lambda value: bool(value.strip()) and value != "wordllama",
}


def with_paths_seen_from(folder: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """A parsed TOML document whose files were named as seen from `folder`."""
    seen = dict(document)
    for (table, name), is_a_file in IS_A_FILE.items():
        content = seen.get(table)
        value = content.get(name) if isinstance(content, Mapping) else None
        if isinstance(value, str) and is_a_file(value):
            seen[table] = {**seen[table], name: str(folder / _from_home(value))}
    return seen


def with_absolute_paths(settings: Settings) -> Settings:
    """The settings with every file named from the root of the file system."""
    named = {(table, name): getattr(getattr(settings, table), name) for table, name in IS_A_FILE}
    files = {key: value for key, value in named.items() if IS_A_FILE[key](value)}
    absolute = {f"{table}.{name}": str(_from_home(path).absolute()) for (table, name), path in files.items()}
    return merged(settings, absolute)[0]


def files_of_the_judge(judge: JudgeSettings) -> list[Path]:
    """The files that this judge reads."""
    kinds = {judge.kind} if judge.kind != "combined" else {part.partition(":")[0] for part in judge.parts}
    readers = {"idf": {"tfidf", "embedding-tfidf"}, "classifier": {"classifier"}}
    return [
        Path(getattr(judge, name))
        for name, readers_of_it in readers.items()
        if kinds & readers_of_it and IS_A_FILE["judge", name](getattr(judge, name))
    ]


def _from_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # nobody of this name has a home, so it is a file's
        return Path(path)
