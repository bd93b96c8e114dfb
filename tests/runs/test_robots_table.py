"""Robots.txt files that outlive the process."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import RunDamaged
from honeyguide.model import FailureReason, RefusalReason, RobotsFile
from honeyguide.runs import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    RobotsFile("http://a.test", 100.0, b"User-agent: *\nDisallow: /\n"),
    RobotsFile("http://b.test", 100.5, b""),
    RobotsFile("http://c.test", 7.0),
    RobotsFile("https://d.test:8443", 9.0, None, RefusalReason.ROBOTS, "cannot be had", 3),
    RobotsFile("http://e.test", 9.0, None, FailureReason.DNS, "no such host"),
]


def test_what_is_kept_is_found_by_the_next_process(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        for file in FILES:
            store.keep_robots_file(file)
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        assert [store.robots_file(file.origin) for file in FILES] == FILES
        assert store.robots_file("http://nobody.test") is None


def test_the_latest_counts(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        store.keep_robots_file(RobotsFile("http://a.test", 1.0, b"old"))
        store.keep_robots_file(RobotsFile("http://a.test", 2.0))
        assert store.robots_file("http://a.test") == RobotsFile("http://a.test", 2.0)


def test_there_are_never_many_more_than_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.runs.state.MOST_KEPT", 10)
    monkeypatch.setattr("honeyguide.runs.state.LOOK_EVERY", 5)
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        for number in range(40):
            store.keep_robots_file(RobotsFile(f"http://h{number}.test", float(number)))
        kept = [number for number in range(40) if store.robots_file(f"http://h{number}.test")]
    assert kept == list(range(30, 40))


@pytest.mark.parametrize("damage", ["body = x'00'", "closed_by = 'whim'"])
def test_a_file_that_no_crawl_wrote_is_reported_as_damage(tmp_path: Path, damage: str) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        store.keep_robots_file(FILES[0])
        store._db.execute(f"UPDATE robots SET {damage}")
        with pytest.raises(RunDamaged, match="restore"):
            store.robots_file(FILES[0].origin)
