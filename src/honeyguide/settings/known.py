"""Every setting the schema declares, looked up by its dotted key (`fetch.timeout_s`)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from honeyguide.settings.schema import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
