"""Topics that are shipped with their categories and seeds: those that the papers experiment on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from honeyguide.domain import Topic
from honeyguide.errors import SettingsError
from honeyguide.settings import read_toml
from honeyguide.settings.merging import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Preset:
    """A topic ready to crawl."""

    key: str  # what a user asks for it by
    topic: Topic
    seed_titles: tuple[str, ...]  # of the page to start from in a wiki world; the first that is there
    seed_urls: tuple[str, ...]  # of the same page on the live web
    step_size: float  # of the linear learners in the paper
    source: str


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by their keys, in the order of the papers."""
    with resources.as_file(resources.files("honeyguide.topics") / "presets.toml") as shipped:
        document = read_toml(shipped)
    return {
        key: Preset(
            key=key,
            topic=Topic(table["name"], tuple(table["keywords"]), categories=tuple(table["categories"])),
            seed_titles=tuple(table["seed_titles"]),
            seed_urls=tuple(table["seed_urls"]),
            step_size=table["step_size"],
            source=table["source"],
        )
        for key, table in document.items()
    }


def preset(name: str) -> Preset:
    """The preset of this name, capitals or not. SettingsError if there is none."""
    known = presets()
    found = known.get(name.strip().lower())
    if found is None:
        hint = nearest(name.lower(), known) or f"choose one of {', '.join(known)}"
        raise SettingsError([f"no preset topic is called {name!r}; {hint}"])
    return found
