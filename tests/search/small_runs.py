"""Runs of a few pages written in a test, and indexes of texts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import honeyguide
from honeyguide.model import Url
from honeyguide.search.indexing import IndexedPage
from honeyguide.search.page_index import PageIndex
from honeyguide.settings import settings_from, with_overrides
from pages import page_of
from scripted_world import ScriptedWorld
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from honeyguide.settings import Settings
    from scripted_world import Script

SETTINGS = settings_from({"topic": {"name": "rock", "keywords": ["rock"]}, "judge": {"kind": "keyword"}})


def html(title: str, text: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">onwards</a> ' for link in links)
    return f"<title>{title}</title><body><nav>{anchors}</nav><main><p>{text}</p></main></body>"


def settings_for(**overrides: object) -> Settings:
    """Of a crawl that takes the pages in order."""
    values = {
        "crawl.strategy": "breadth-first",
        "politeness.delay_s": 0.0,
        "search.live": "off",
        **{key.replace("__", "."): value for key, value in overrides.items()},
    }
    return with_overrides(SETTINGS, values)


def run_of(path: Path, pages: Script, **overrides: object) -> Path:
    """A run that has fetched these pages, by URL, in order."""
    world = ScriptedWorld(pages, entry_urls=list(pages))
    honeyguide.crawl(path, settings_for(**overrides), world=world, vectors=hashed_vectors()).close()
    return path


def index_of(texts: Iterable[str], language: str = "english") -> PageIndex:
    """An index in memory of pages with these texts; their steps count from 1."""
    index = PageIndex.in_memory(language)
    pages = (
        IndexedPage.of(
            page_of(text, Url.parse(f"http://t.test/{step}")),
            step=step,
            fetched_at=float(step),
            relevance=0.0,
            is_relevant=False,
        )
        for step, text in enumerate(texts, 1)
    )
    index.add_all(pages, 1_000)
    index.close()
    return index
