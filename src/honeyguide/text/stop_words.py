"""Words that say nothing of a text's subject, by language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, lower-cased; KeyError where there is no list for it."""
    groups: dict[str, str] = _lists()[language]
    words = {word for group in groups.values() for word in group.split()}
    return frozenset(words | {word.replace("'", "’") for word in words})


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a list."""
    return tuple(_lists())


@cache
def _lists() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files("honeyguide.text").joinpath("stop_words.toml").read_text(encoding="utf-8"))
