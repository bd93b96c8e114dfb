"""Settings from TOML and flags, and back to TOML. Unknown keys and values of the wrong type are refused at once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.errors import SettingsError
from honeyguide.settings.checks import value_mistakes
from honeyguide.settings.profiles import with_profile
from honeyguide.settings.schema import SETTINGS_BY_KEY, Settings, is_table, merged, tables, with_paths_seen_from


def load_settings(path: str | Path) -> Settings:
    """Read settings from a TOML file; what it leaves out keeps its default.

    Files are named in it as seen from its own folder.
    """
    document = with_paths_seen_from(Path(path).parent, read_toml(path))
    topic = document.get("topic")
    if isinstance(topic, Mapping):
        document["topic"] = with_examples_seen_from(Path(path).parent, topic)
    return settings_from(document)


def settings_from(mapping: Mapping[str, Any], base: Settings = Settings()) -> Settings:  # noqa: B008 - frozen
    """Lay the values of a parsed TOML document over `base`. Ranges and choices are left to `validate`."""
    return _laid_over(base, dict(_dotted(mapping)))


def with_overrides(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """Lay flags over `settings`, by dotted key (`budget.fetches`). None is a flag nobody gave."""
    return _laid_over(settings, {key: value for key, value in overrides.items() if value is not None})


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file, or raise a `SettingsError` of one line that says where it stops being one."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise SettingsError([f"cannot read {path}: {error.strerror or error}"]) from None
    try:
        # Some editors put a byte order mark in front, which TOML has no place for.
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError([f"{path} is not UTF-8 text (at line {line}): save it as UTF-8"]) from None
    except (ValueError, RecursionError) as error:
        raise SettingsError([f"{path} is not valid TOML: {error}"]) from None


def with_examples_seen_from(folder: Path, topic: Mapping[str, Any]) -> dict[str, Any]:
    """A [topic] table whose `@FILE` examples were named as seen from `folder`."""
    examples = {name: topic[name] for name in ("like", "unlike") if isinstance(topic.get(name), list)}
    return {**topic, **{name: [_seen_from(folder, entry) for entry in entries] for name, entries in examples.items()}}


def _seen_from(folder: Path, entry: object) -> object:
    # "@-" is standard input, which is in no folder.
    return f"@{folder / entry[1:]}" if isinstance(entry, str) and entry.startswith("@") and entry != "@-" else entry


def _dotted(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Pair values with dotted keys; an unknown table stays whole, so that it is named as one."""
    for table, content in document.items():
        if isinstance(content, Mapping) and is_table(table):
            yield from ((f"{table}.{name}", value) for name, value in content.items())
        else:
            yield table, content


def _laid_over(base: Settings, values: Mapping[str, Any]) -> Settings:
    settings, mistakes = merged(base, with_profile(base, values))
    if mistakes:
        # There is no going on, so tell everything: mending one mistake should not uncover the next.
        raise SettingsError([*mistakes, *value_mistakes(settings)])
    return replace(settings, set_keys=base.set_keys | values.keys())


def to_toml(settings: Settings) -> str:
    """Write every setting, defaults included, so that a run stays what it was when a default changes."""
    return "\n".join(f"[{table}]\n{_lines(settings, table)}" for table in tables())


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
