"""Settings out, as TOML that reads back to the same settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from honeyguide.settings.known import SETTINGS_BY_KEY, TABLES

if TYPE_CHECKING:
    from honeyguide.settings.schema import Settings


def to_toml(settings: Settings) -> str:
    """Write every setting, defaults included, so that a run stays what it was when a default changes."""
    tables = [f"[{table}]\n{_lines(settings, table)}" for table in TABLES]
    return "\n".join(tables)


def _lines(settings: Settings, table: str) -> str:
    inside = [setting for setting in SETTINGS_BY_KEY.values() if setting.table == table]
    return "".join(f"{setting.name} = {toml_value(setting.value_in(settings))}\n" for setting in inside)


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            # TOML's escapes are JSON's, but it also forbids a bare DEL and knows no surrogate pairs.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple() | list():
            return f"[{', '.join(toml_value(item) for item in value)}]"
        case _:
            raise TypeError(f"no TOML form for {value!r}: call validate() on settings before writing them")
