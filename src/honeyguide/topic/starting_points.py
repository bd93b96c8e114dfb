"""Well-known places on the live web to start from, by topic: a shipped list that a user may replace.

The list is TOML: one table per topic with its `aliases` and `urls`, and a table `general` for all others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.model import Url
from honeyguide.settings import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import Topic

GENERAL = "general"

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class StartingPoints:
    """The places to start from for one topic of the list."""

    name: str
    aliases: tuple[str, ...]
    urls: tuple[Url, ...]

    def is_about(self, topic: Topic) -> bool:
        """Return whether the name or an alias stands in the topic, word for word."""
        asked = [_fold_words(phrase) for phrase in topic.phrases]
        return any(_fold_words(word) in phrase for word in (self.name, *self.aliases) for phrase in asked)


def starting_urls(topic: Topic, path: Path | None = None) -> tuple[Url, ...]:
    """Collect the URLs of every table that is about `topic`, or the general ones, each URL once.

    `path` names a list of the user's own, which then stands alone: the shipped one is not consulted.
    """
    points = _read_points(path)
    about_topic = [point for point in points if point.name != GENERAL and point.is_about(topic)]
    chosen = about_topic or [point for point in points if point.name == GENERAL]
    if not chosen:
        raise SettingsError(
            [f"{path} has no starting point for {topic.name!r}: add a table for it or one named {GENERAL}"]
        )
    return tuple(dict.fromkeys(url for point in chosen for url in point.urls))


def _fold_words(phrase: str) -> str:
    """Reduce a phrase to its words between single spaces, so that `in` compares whole words."""
    return f" {' '.join(_WORD.findall(phrase.casefold()))} "


def _read_points(path: Path | None) -> list[StartingPoints]:
    if path is not None:
        return _parse(read_toml(path), str(path))
    with resources.as_file(resources.files("honeyguide.topic") / "starting_points.toml") as shipped:
        return _parse(read_toml(shipped), shipped.name)


def _parse(document: Mapping[str, Any], source: str) -> list[StartingPoints]:
    mistakes = [f"{source}: {mistake}" for name, table in document.items() for mistake in _mistakes(name, table)]
    if mistakes:
        raise SettingsError(mistakes)
    return [
        StartingPoints(name, tuple(table.get("aliases", ())), tuple(map(Url.parse, table["urls"])))
        for name, table in document.items()
    ]


def _mistakes(name: str, table: object) -> Iterator[str]:
    if not isinstance(table, Mapping):
        yield f"{name} must be a table with urls and aliases: write [{name}]"
        return
    for key in table.keys() - {"aliases", "urls"}:
        yield f"unknown key {name}.{key}: a table has urls and aliases"
    for key in ("aliases", "urls"):
        if not _is_list_of_text(table.get(key, [])):
            yield f'{name}.{key} must be a list of texts, as in ["one", "two"]'
            return
    if not table.get("urls"):
        yield f"[{name}] needs urls: at least one"
    yield from _url_mistakes(name, table.get("urls", []))


def _url_mistakes(name: str, texts: list[str]) -> Iterator[str]:
    for text in texts:
        try:
            Url.parse(text)
        except InvalidUrl as error:
            yield f"{name}.urls: {error}"


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
