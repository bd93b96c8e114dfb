"""What can happen to the database of a run: a step that fails midway, a full disk, damage."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import settings_for, story
from honeyguide.crawler import crawl, resume
from honeyguide.errors import DiskFull, RunDamaged
from honeyguide.runs import SqliteStore, open_run
from honeyguide.runs import sqlite as sqlite_module
from runs.step_records import FIRST, found, visit
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.crawler import Event


def dump(path: Path) -> list[str]:
    database = sqlite3.connect(path)
    lines = list(database.iterdump())
    database.close()
    return lines


class FailingAt:
    """A connection whose n-th statement fails."""

    def __init__(self, inner: sqlite3.Connection, countdown: int, error: BaseException) -> None:
        self._inner = inner
        self._countdown = countdown
        self._error = error

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def execute(self, *arguments: object) -> object:
        self._count(str(arguments[0]))
        return self._inner.execute(*arguments)  # type: ignore[arg-type]

    def executemany(self, *arguments: object) -> object:
        self._count(str(arguments[0]))
        return self._inner.executemany(*arguments)  # type: ignore[arg-type]

    def _count(self, statement: str) -> None:
        self._countdown -= 1
        if self._countdown == 0 and statement != "ROLLBACK":
            raise self._error


@pytest.mark.parametrize("error", [sqlite3.InternalError("broken"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_a_step_that_fails_at_any_statement_leaves_the_step_before_intact(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "crawl.sqlite"
    second = visit(1, 2, [found(3, page=1), found(4, page=1)], learner=b"new")
    statements = 0
    for countdown in range(1, 100):
        path.unlink(missing_ok=True)
        store = SqliteStore(path)
        store.record(FIRST)
        store.record(visit(0, 1, [found(1), found(2)]))
        before = dump(path)
        real = store._db
        store._db = store._writer._db = FailingAt(real, countdown, error)  # type: ignore[assignment]
        try:
            store.record(second)
        except (RunDamaged, KeyboardInterrupt):
            statements += 1
        else:
            store.close()
            break
        store._db = store._writer._db = real
        assert dump(path) == before
        store.record(second)  # and the store is not stuck in a transaction
        progress = store.progress()
        store.close()
        assert progress == second.progress
    assert statements >= 10, "every statement of a step was made to fail"


def test_a_full_disk_gives_a_one_line_error_and_the_run_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(budget=60, concurrency=3)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    with monkeypatch.context() as small:
        small.setattr(sqlite_module, "_PRAGMAS", f"{sqlite_module._PRAGMAS} PRAGMA max_page_count = 70;")
        with pytest.raises(DiskFull) as caught:
            crawl(tmp_path / "full", settings, vectors=hashed_vectors())
    assert "\n" not in str(caught.value)
    assert "free some space" in str(caught.value)
    with open_run(tmp_path / "full") as run:
        assert 0 < run.progress.steps < 60
    resume(tmp_path / "full", vectors=hashed_vectors()).close()
    assert story(tmp_path / "full") == story(tmp_path / "whole")


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    crawl(path, settings_for(budget=30), vectors=hashed_vectors()).close()
    return path


def _overwrite_header(content: bytearray) -> bytes:
    content[:100] = bytes(range(100))
    return bytes(content)


def _garble_pages(content: bytearray) -> bytes:
    for start in range(4096, len(content), 4096):
        content[start : start + 64] = bytes((7 * n) % 256 for n in range(64))
    return bytes(content)


DAMAGE: dict[str, Callable[[bytearray], bytes]] = {
    "random bytes": lambda content: bytes((37 * n) % 251 for n in range(len(content))),
    "text": lambda content: b"this is no database",
    "header lost": _overwrite_header,
    "pages garbled": _garble_pages,
    "cut in half": lambda content: bytes(content[: len(content) // 2]),
    "only one page": lambda content: bytes(content[:4096]),
}


THOROUGH = ("text", "pages garbled", "only one page")


@pytest.mark.parametrize(
    "damage",
    [pytest.param(DAMAGE[name], id=name, marks=[pytest.mark.thorough] * (name in THOROUGH)) for name in DAMAGE],
)
def test_a_damaged_database_is_refused_in_one_line(
    tmp_path: Path, whole_run: Path, damage: Callable[[bytearray], bytes]
) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole_run, path)
    database = path / "crawl.sqlite"
    database.write_bytes(damage(bytearray(database.read_bytes())))
    with pytest.raises(RunDamaged, match=r"damaged.*restore it from a copy") as opening:
        read_all(path)
    with pytest.raises(RunDamaged, match=r"damaged.*restore it from a copy") as resuming:
        resume(path, budget="+5", vectors=hashed_vectors())
    assert "\n" not in f"{opening.value}{resuming.value}"


def changed_copy(run: Path, path: Path, statement: str) -> Path:
    shutil.copytree(run, path)
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database, database:
        database.execute(statement)
    return path


def read_all(path: Path) -> None:
    with open_run(path) as run:
        list(run.pages())
        list(run.steps())
        list(run.edges())


@pytest.mark.parametrize(
    "statement", ["DROP TABLE progress", "DROP TABLE steps", "UPDATE links SET url = CAST(x'ff' AS TEXT)"]
)
def test_tables_that_are_not_ours_are_damage_too(tmp_path: Path, whole_run: Path, statement: str) -> None:
    path = changed_copy(whole_run, tmp_path / "run", statement)
    with pytest.raises(RunDamaged):
        read_all(path)
    with pytest.raises(RunDamaged):
        resume(path, budget="+5", vectors=hashed_vectors())


def test_a_body_that_cannot_be_unpacked_is_damage(tmp_path: Path, whole_run: Path) -> None:
    with open_run(changed_copy(whole_run, tmp_path / "run", "UPDATE bodies SET body = x'00010203'")) as run:
        url = next(run.pages()).url
        with pytest.raises(RunDamaged, match="damaged"):
            run.body(url)


def test_a_store_killed_before_its_tables_were_made_makes_them_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.close()
    assert path.exists()
    store = SqliteStore(path)
    assert store.progress() is None
    store.close()


def test_the_last_snapshot_is_stored(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "crawl.sqlite")
    store.record(FIRST)
    for step in range(1, 4):
        store.record(visit(step - 1, step, [found(step)], learner=b"state %d" % step))
    stored = store._db.execute("SELECT step, state FROM learner").fetchall()
    store.close()
    assert stored == [(3, b"state 3")]


def test_a_run_can_be_read_while_a_crawl_writes_it(tmp_path: Path) -> None:
    seen = []

    def read(event: Event) -> None:
        with open_run(tmp_path / "run") as run:
            seen.append((len(list(run.pages())), run.progress.pages))

    crawl(tmp_path / "run", settings_for(budget=30), listeners=[read], vectors=hashed_vectors()).close()
    assert len(seen) == 32
    assert all(pages == counted for pages, counted in seen)


def test_a_reader_that_stays_open_does_not_stop_the_crawl(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=10), vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as reader:
        reading = reader.steps()
        assert next(reading).step == 1
        resume(tmp_path / "run", budget=40, vectors=hashed_vectors()).close()
        assert len(list(reading)) == 9, "an answer begun is of one moment"
        assert len(list(reader.steps())) == 40


@pytest.mark.parametrize(
    "title", ["", "🪨 \u200eעברית\u200f e\u0301", "nul\x00inside", "\ufffd", "'; DROP TABLE pages; --"]
)
def test_titles_in_any_script_and_bodies_of_any_bytes_survive(tmp_path: Path, title: str, whole_run: Path) -> None:
    body = bytes(range(256)) * 40
    path = tmp_path / "run"
    shutil.copytree(whole_run, path)
    (path / "crawl.sqlite").unlink()
    store = SqliteStore(path / "crawl.sqlite")
    store.record(FIRST)
    store.record(visit(0, 1, body=body, title=title))
    store.close()
    with open_run(path) as run:
        (page,) = run.pages()
        assert page.title == title
        assert run.body(page.url) == body
        with pytest.raises(KeyError):
            run.body(found(1).url)
