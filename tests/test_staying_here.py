"""The guard in `conftest.py` that keeps tests on this machine."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

import honeyguide
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path


def test_another_machine_can_be_neither_called_nor_looked_up() -> None:
    with pytest.raises(AssertionError, match="a test asks for 192"), socket.socket() as calling:
        calling.connect(("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="a test asks for example"):
        socket.getaddrinfo("example.org", 80)


def test_a_crawl_without_a_world_of_its_own_fails_at_once(tmp_path: Path) -> None:
    settings = honeyguide.settings_from({"topic": {"name": "geology"}, "crawl": {"strategy": "breadth-first"}})
    with pytest.raises(AssertionError, match="a test asks for"):
        honeyguide.crawl(tmp_path / "run", settings, vectors=hashed_vectors())
