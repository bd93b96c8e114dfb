"""Robots.txt files that outlive the process."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import RunDamaged
from honeyguide.model import FailureReason, RefusalReason, SiteFile
from honeyguide.runs import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    SiteFile("http://a.test", 100.0, b"User-agent: *\nDisallow: /\n"),
    SiteFile("http://b.test", 100.5, b""),
    SiteFile("http://c.test", 7.0),
    SiteFile("https://d.test:8443", 9.0, None, RefusalReason.ROBOTS, "cannot be had", 3),
    SiteFile("http://e.test", 9.0, None, FailureReason.DNS, "no such host"),
]


def test_what_is_kept_is_found_by_the_next_process(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        for file in FILES:
            store.keep_site_file(file)
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        assert [store.site_file(file.origin) for file in FILES] == FILES
        assert store.site_file("http://nobody.test") is None


def test_the_latest_counts(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        store.keep_site_file(SiteFile("http://a.test", 1.0, b"old"))
        store.keep_site_file(SiteFile("http://a.test", 2.0))
        assert store.site_file("http://a.test") == SiteFile("http://a.test", 2.0)


def test_each_change_of_a_file_is_kept_with_its_time(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        for asked_at, body in ((1.0, b"old"), (2.0, b"old"), (3.0, b"new"), (4.0, b"old"), (5.0, None)):
            store.keep_site_file(SiteFile("http://a.test", asked_at + 1, body, asked_at=asked_at))
        rows = store._db.execute("SELECT asked_at, expires, times, digest <> '' FROM site_files ORDER BY 1").fetchall()
    assert rows == [(1.0, 3.0, 2, 1), (3.0, 4.0, 1, 1), (4.0, 5.0, 1, 1), (5.0, 6.0, 1, 0)]


def test_there_are_never_many_more_bodies_than_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.runs.state.MOST_KEPT", 10)
    monkeypatch.setattr("honeyguide.runs.state.LOOK_EVERY", 5)
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        for number in range(40):
            store.keep_site_file(SiteFile(f"http://h{number}.test", float(number), b"x"))
        kept = [number for number in range(40) if store.site_file(f"http://h{number}.test")]
        ((known,),) = store._db.execute("SELECT count(*) FROM site_files WHERE digest <> ''")
    assert kept == list(range(30, 40))
    assert known == 40, "digests stay"


@pytest.mark.parametrize("damage", ["body = x'00'", "closed_by = 'whim'"])
def test_a_file_that_no_crawl_wrote_is_reported_as_damage(tmp_path: Path, damage: str) -> None:
    with closing(SqliteStore(tmp_path / "crawl.sqlite")) as store:
        store.keep_site_file(FILES[0])
        store._db.execute(f"UPDATE site_files SET {damage}")
        with pytest.raises(RunDamaged, match="restore"):
            store.site_file(FILES[0].origin)
