"""Values laid over settings by dotted key; whatever cannot be laid is a mistake in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from honeyguide.settings.known import SETTINGS_BY_KEY, TABLES

if TYPE_CHECKING:
    from honeyguide.settings.schema import Settings


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
