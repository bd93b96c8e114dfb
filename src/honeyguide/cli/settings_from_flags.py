"""The settings that a command line stands for: its files, its flags and `--set`, laid over one another."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from honeyguide.errors import SettingsError
from honeyguide.settings import Settings, load_settings, with_overrides

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def whole_number(text: str | None) -> int | str | None:
    """A flag's number; what is none stays text, so that the settings refuse it along with everything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def settings_of(
    config: Path | None, assignments: list[str], flags: Mapping[str, Any], topic: Mapping[str, Any]
) -> Settings:
    """The config file, then the topic file or preset, `--set`, and the other flags; each over what came before.

    Of flags only None counts as not given.
    """
    base = Settings() if config is None else load_settings(config)
    given = {key: value for key, value in flags.items() if value is not None}
    return with_overrides(base, dict(topic) | dict(map(parse_assignment, assignments)) | given)


def parse_assignment(text: str) -> tuple[str, Any]:
    """Read `section.key=value`. The value is TOML where it can be, else the text as it stands."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingsError([f"--set {text}: write it as section.key=value, as in politeness.delay_s=2"])
    try:
        document = tomllib.loads(f"value = {value}")
    except ValueError:
        document = {}
    return key.strip(), document["value"] if document.keys() == {"value"} else value
