"""The dashboard as a browser meets it: a real server on loopback, over real runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from shutil import copytree
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

import httpx
import pytest

import honeyguide
from honeyguide.web.safety import CSRF_COOKIE, CSRF_HEADER, Access
from honeyguide.web.serving import listening, server_of

if TYPE_CHECKING:
    from pathlib import Path

Serve = Callable[..., httpx.Client]


@contextmanager
def served(*places: Path, access: Access | None = None) -> Iterator[httpx.Client]:
    """Serve the dashboard over some folders, and give a client of it that may make changes."""
    with listening("127.0.0.1", 0) as sock:
        server = server_of(places, access or Access())
        thread = Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        client = httpx.Client(
            base_url=f"http://127.0.0.1:{sock.getsockname()[1]}", headers={CSRF_HEADER: "ours"}, timeout=60
        )
        client.cookies.set(CSRF_COOKIE, "ours")
        with client:
            yield client
        server.should_exit = True
        thread.join(10)


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
