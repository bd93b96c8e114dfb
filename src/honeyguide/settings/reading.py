"""Settings from TOML and flags, and back to TOML. Unknown keys and values of the wrong type are refused at once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.errors import SettingsError
from honeyguide.registry import JUDGES, STRATEGIES
from honeyguide.settings.checks import value_mistakes
from honeyguide.settings.profiles import with_profile
from honeyguide.settings.schema import (
    SETTINGS_BY_KEY,
    Settings,
    is_table,
    judges_named,
    merged,
    settings_to_write,
    with_paths_seen_from,
)


def load_settings(path: str | Path) -> Settings:
    """Read settings from a TOML file; what it leaves out keeps its default.

    Files are named in it as seen from its own folder.
    """
    return settings_from(_document(path))


def load_run_settings(path: str | Path) -> Settings:
    """Read the settings of a run, to look at it; those of packages that are no longer installed are left out."""
    values = dict(_dotted(_document(path)))
    return _laid_over(Settings(), {key: value for key, value in values.items() if key in SETTINGS_BY_KEY})


def load_settings_to_resume(path: str | Path) -> Settings:
    """Read the settings of a run, to go on with it. SettingsError if its strategy or judge is not installed."""
    found = load_run_settings(path)
    named = [(STRATEGIES, found.crawl.strategy), *((JUDGES, name) for name in judges_named(found))]
    missing = [f"{kinds.kind} {name!r} is not installed" for kinds, name in named if name not in kinds]
    if missing:
        raise SettingsError([f"{each}: install the package that it came with" for each in missing])
    for kinds, name in named:
        kinds[name]  # says so where it cannot be loaded
    return load_settings(path)


def _document(path: str | Path) -> dict[str, Any]:
    document = with_paths_seen_from(Path(path).parent, read_toml(path))
    topic = document.get("topic")
    if isinstance(topic, Mapping):
        document["topic"] = with_examples_seen_from(Path(path).parent, topic)
    return document


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
        if table == "fields" and isinstance(content, Mapping):
            yield "parse.fields", [f"{name}={value}" for name, value in content.items()]
        elif isinstance(content, Mapping) and is_table(table):
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
    """Write the settings with their defaults, so that a run stays what it was when a default changes.

    Of other packages, only the strategy and judges that are chosen have theirs written.
    """
    lines: dict[str, str] = {}
    for each in settings_to_write(settings):
        line = f"{each.name} = {toml_value(each.value_in(settings))}\n"
        lines[each.table] = lines.get(each.table, f"[{each.table}]\n") + line
    return "\n".join(lines.values())


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
