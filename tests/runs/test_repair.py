"""A damaged run gives what it still holds; nothing that it gives makes a reader stumble."""

from __future__ import annotations

import sqlite3
from random import Random
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

import honeyguide
from crawler.small_crawls import settings_for
from honeyguide.crawler.reporting import write_report
from honeyguide.errors import HoneyguideError, RunDamaged, RunExists, StoreError
from honeyguide.runs import open_run
from honeyguide.runs.repair import repair
from honeyguide.search import search_runs

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096
FETCHES = 150


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("repair") / "run"
    honeyguide.crawl(run, settings_for("breadth-first", budget=FETCHES, store__snapshot_every=50)).close()
    return run


@pytest.fixture
def run(tmp_path: Path, crawled: Path) -> Path:
    return copytree(crawled, tmp_path / "run")


def overwrite(run: Path, pages: list[int]) -> None:
    file = run / "crawl.sqlite"
    content = bytearray(file.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = Random(page).randbytes(PAGE)
    file.write_bytes(content)


def looked_at(run: Path, tmp_path: Path) -> int:
    """Read a repaired run in every way there is, and return its pages."""
    with open_run(run) as opened:
        pages = list(opened.pages())
        assert opened.progress.pages == len(pages)
        assert len(list(opened.steps())) == opened.progress.steps
        list(opened.edges())
        opened.graph()
        for page in pages:
            try:
                opened.body(page.url)
            except KeyError:
                continue
    search_runs(run, "rock")
    write_report(run)
    for name in ("jsonl", "csv", "graphml", "warc", "edges"):
        honeyguide.export(run, tmp_path / f"{run.name}.{name}", name)
    honeyguide.stats(run)
    return len(pages)


def test_a_whole_run_is_copied_and_goes_on(run: Path, tmp_path: Path) -> None:
    before = looked_at(run, tmp_path)
    saved = repair(run, tmp_path / "new")
    assert saved.is_whole
    assert (saved.pages, saved.pages_before) == (before, before)
    with (
        honeyguide.resume(tmp_path / "new", budget=FETCHES + 20) as gone_on,
        honeyguide.resume(run, budget=FETCHES + 20) as expected,
    ):
        assert [page.url for page in gone_on.pages()] == [page.url for page in expected.pages()]


def test_of_a_file_that_is_cut_the_rest_is_saved(run: Path, tmp_path: Path) -> None:
    file = run / "crawl.sqlite"
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size * 6 // 10)
    with pytest.raises(RunDamaged, match="honeyguide repair"):
        search_runs(run, "rock")
    saved = repair(run, tmp_path / "new")
    assert not saved.is_whole
    assert 20 < looked_at(tmp_path / "new", tmp_path) == saved.pages
    with pytest.raises(RunDamaged, match="was repaired, and its crawl cannot go on; honeyguide refresh"):
        honeyguide.resume(tmp_path / "new", budget=500)


@pytest.mark.thorough
def test_a_first_page_that_is_lost_is_made_again(run: Path, tmp_path: Path) -> None:
    before = looked_at(run, tmp_path)
    overwrite(run, [0])
    with pytest.raises(RunDamaged):
        open_run(run)
    assert repair(run, tmp_path / "new").pages == before
    assert looked_at(tmp_path / "new", tmp_path) == before


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(3, 40))])
def test_pages_that_are_overwritten_cost_what_was_on_them(run: Path, tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    count = (run / "crawl.sqlite").stat().st_size // PAGE
    overwrite(run, chance.sample(range(30, count), max(1, count // 100)))
    saved = repair(run, tmp_path / "new")
    assert looked_at(tmp_path / "new", tmp_path) == saved.pages


def test_nothing_is_left_behind_where_nothing_can_be_read(run: Path, tmp_path: Path) -> None:
    (run / "crawl.sqlite").write_bytes(Random(1).randbytes(200_000))
    with pytest.raises(RunDamaged, match="nothing can be read"):
        repair(run, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_repair_writes_over_nothing(run: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "precious").touch()
    with pytest.raises(RunExists):
        repair(run, tmp_path / "new")
    with pytest.raises(HoneyguideError):
        repair(tmp_path / "new", tmp_path / "other")


def test_a_repair_writes_nothing_into_the_damaged_run(run: Path) -> None:
    before = sorted(run.iterdir())
    with pytest.raises(StoreError, match="is inside of"):
        repair(run, run / "new")
    assert sorted(run.iterdir()) == before


def test_a_damaged_description_of_tables_is_damage_too(run: Path) -> None:
    """SQLite quotes it in its message, which is then no text."""
    file = run / "crawl.sqlite"
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"\xff" * 12))
    with pytest.raises(RunDamaged, match="is damaged"):
        open_run(run)


def test_a_table_that_computes_its_values_is_not_read(run: Path, tmp_path: Path) -> None:
    with sqlite3.connect(run / "crawl.sqlite") as database:
        database.execute("DROP TABLE edges")
        endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n, n FROM t"
        database.execute(f"CREATE VIEW edges (source, target) AS {endless}")
    database.close()
    saved = repair(run, tmp_path / "new")
    assert not saved.is_whole
    assert saved.rows_by_table["edges"] == 0
    assert looked_at(tmp_path / "new", tmp_path) == saved.pages > 0


def test_a_repair_that_is_ended_leaves_nothing_behind(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object) -> None:
        raise SystemExit(143)

    monkeypatch.setattr("honeyguide.runs.repair.own_tables", end)
    with pytest.raises(SystemExit):
        repair(run, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
