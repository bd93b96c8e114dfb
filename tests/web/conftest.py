"""The dashboard as a browser meets it: a real server on loopback, over real runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from shutil import copytree
from time import monotonic, sleep
from typing import TYPE_CHECKING

import httpx
import pytest

import honeyguide
from honeyguide.web.safety import CSRF_COOKIE, CSRF_HEADER
from honeyguide.web.serving import serving_beside

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.web.safety import Access

Serve = Callable[..., httpx.Client]


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again whether something has come to be."""
    deadline = monotonic() + seconds
    while not is_so():
        assert monotonic() < deadline, "it never came to that"
        sleep(0.05)


@contextmanager
def served(*places: Path, access: Access | None = None) -> Iterator[httpx.Client]:
    """Serve the dashboard over some folders, and give a client of it that may make changes."""
    with serving_beside(places, access) as address:
        client = httpx.Client(base_url=address.partition("?")[0], headers={CSRF_HEADER: "ours"}, timeout=60)
        client.cookies.set(CSRF_COOKIE, "ours")
        with client:
            yield client


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start dashboards over folders; all end with the test."""
    with ExitStack() as stack:
        yield lambda *places, **options: stack.enter_context(served(*places, **options))


def settings_of(budget: int) -> honeyguide.Settings:
    """Return the settings of a small crawl about geology on a synthetic web."""
    return honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:pages=2000,hosts=20", "workers": 0},
            "budget": {"fetches": budget},
        }
    )


@pytest.fixture(scope="session")
def _crawled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawled") / "geology"
    honeyguide.crawl(path, settings_of(120)).close()
    return path


@pytest.fixture
def run(_crawled_once: Path, tmp_path: Path) -> Path:
    """A finished run of 120 fetches, for one test alone."""
    return copytree(_crawled_once, tmp_path / "runs" / "geology")
