"""Declaring a setting: its default, its meaning, and the values it may take."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from honeyguide.settings.schema import Settings

T = TypeVar("T")
_LARGEST: Final = sys.float_info.max


class MethodSettings(Protocol):
    """The settings dataclass of a strategy or judge: frozen, every field declared with `setting`.

    It may have a method `mistakes(settings)` that yields what is at odds in it, or with the other settings.
    """

    table: ClassVar[str]  # of the TOML file; several classes may share one


def setting(
    default: T,
    meaning: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: Collection[str] = (),
    everyday: bool = False,
    names_file: Callable[[str], bool] | None = None,
) -> T:
    """Declare a field of a section.

    `everyday` puts it into the first part of the reference. `names_file` says whether a value, or one in a list, is
    the name of a file.
    """
    limits = {"at_least": at_least, "above": above, "at_most": at_most, "choices": choices}
    return field(
        default=default, metadata={"meaning": meaning, **limits, "everyday": everyday, "names_file": names_file}
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of value: how it is called to a user, what fits it, and how TOML's form becomes ours."""

    words: str
    fits: Callable[[object], bool]
    convert: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of one section, with everything declared about it."""

    key: str  # as a user writes it: table.name
    section: str | type  # attribute of Settings, or the settings dataclass of a strategy or judge
    name: str  # attribute of the section
    kind: Kind
    default: Any
    meaning: str
    at_least: float | None
    above: float | None
    at_most: float | None
    choices: Collection[str]
    everyday: bool
    names_file: Callable[[str], bool] | None

    def value_in(self, settings: Settings) -> Any:  # noqa: ANN401 - the type is the field's own
        section = self.section
        return getattr(getattr(settings, section) if isinstance(section, str) else settings.of(section), self.name)

    @property
    def table(self) -> str:
        """The TOML table the setting is written in."""
        return self.key.partition(".")[0]

    @property
    def bounds(self) -> str:
        """The allowed range in words, empty when there is none."""
        limits = (("at least", self.at_least), ("above", self.above), ("at most", self.at_most))
        return " and ".join(f"{words} {limit:,.12g}" for words, limit in limits if limit is not None)

    def is_within(self, number: float) -> bool:
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
        )


def settings_declared(table: str, section: str | type, declaration: type) -> dict[str, Setting]:
    """Return the settings that a section's dataclass declares, by key."""
    kinds = get_type_hints(declaration)
    return {
        (key := f"{table}.{each.name}"): Setting(
            key, section, each.name, _KINDS[kinds[each.name]], each.default, **each.metadata
        )
        for each in fields(declaration)
    }


def shown(value: object) -> str:
    """Write a value as a user would recognise it, cut when it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def nearest(given: str, known: Iterable[str]) -> str:
    """Ask whether the known word most like `given` was meant; empty when none is alike."""
    close = get_close_matches(given, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


def _is_text(value: object) -> bool:
    # A lone surrogate comes from an undecodable command-line byte and could not be written beside the run.
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST


def _list_of(is_item: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(is_item, value))


def _as_numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(map(float, values))


_KINDS: Final[dict[object, Kind]] = {
    str: Kind("text in quotes", _is_text, str),
    bool: Kind("true or false", lambda value: isinstance(value, bool), bool),
    int: Kind("a whole number", _is_whole, int),
    float: Kind("a finite number", _is_number, float),
    tuple[str, ...]: Kind('a list of texts, as in ["one", "two"]', _list_of(_is_text), tuple),
    tuple[int, ...]: Kind("a list of whole numbers, as in [128, 256]", _list_of(_is_whole), tuple),
    tuple[float, ...]: Kind("a list of numbers, as in [0.5, 0.4]", _list_of(_is_number), _as_numbers),
}
