"""A crawl in shards is read as one run: by everything that reads runs, while it goes on and afterwards."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from itertools import count
from shutil import copytree, rmtree
from typing import TYPE_CHECKING, Any

import pytest

from crawler.small_crawls import settings_for
from honeyguide.cluster.in_process import InProcess
from honeyguide.cluster.partition import Partition
from honeyguide.crawler import answer, crawl, explain, refresh, resume, what_pays
from honeyguide.crawler.build import Builder, open_world
from honeyguide.errors import RunDamaged, StoreError
from honeyguide.learn import OnlineRidge
from honeyguide.model import LinkState, Url
from honeyguide.runs import RunFolder, gather, gathering, open_run
from honeyguide.runs.gathering import rows_in_batches
from honeyguide.runs.ranking import GraphSource, rank_graph
from honeyguide.runs.shards import shard_folders, write_cluster_file
from honeyguide.search import Searcher
from honeyguide.settings import to_toml
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.crawler import CrawlOptions
    from honeyguide.settings import Settings

SHARDS = 5


def created(path: Path) -> Path:
    folder, lock = RunFolder.create(path, to_toml(settings_for()))
    lock.close()
    folder.mark_started()
    write_cluster_file(path, SHARDS)
    return path


async def crawl_on(path: Path, settings: Settings, world: ScriptedWorld | None = None) -> None:
    builder = Builder(settings, hashed_vectors())
    options: CrawlOptions = {"vectors": hashed_vectors()}
    if world is None:
        async with open_world(settings) as named:
            seeds = builder.seed_urls(named)
    else:
        seeds, options = world.entry_urls(), {**options, "world": world}
    cluster = InProcess(path, SHARDS, builder.settings, seeds, most_out=8)
    await cluster.run(options)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawled, gathered, and gone on with."""
    path = created(tmp_path_factory.mktemp("cluster") / "run")
    asyncio.run(crawl_on(path, settings_for(budget=60)))
    assert gather(path)
    asyncio.run(crawl_on(path, settings_for(budget=120)))
    return path


def told(path: Path) -> dict[str, object]:
    with open_run(path) as opened, closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        return {
            "links": database.execute(
                """SELECT l.url, l.state, l.score, p.url, f.url FROM links l LEFT JOIN links p ON p.id = l.page
                   LEFT JOIN links f ON f.id = l.found_on ORDER BY l.url"""
            ).fetchall(),
            "fetches": sorted((step.url.text, step.outcome, step.score, step.reward or 0.0) for step in opened.steps()),
            "pages": sorted((page.url.text, page.relevance, page.depth) for page in opened.pages()),
            "edges": sorted((source.text, target.text) for source, target in opened.edges()),
            "seeds": sorted(url.text for url in opened.seed_urls()),
            "counts": opened.progress._replace(chance_state=""),
        }


def test_a_run_gathered_in_two_turns_is_that_gathered_at_once(run: Path) -> None:
    before = told(run)
    for file in run.glob("crawl.sqlite*"):
        file.unlink()
    assert told(run) == before


def test_a_run_gathered_in_pieces_through_the_owners_of_its_shards_is_the_same(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = told(run)
    for file in run.glob("crawl.sqlite*"):
        file.unlink()
    asked: set[int] = set()

    sizes: list[int] = []
    monkeypatch.setattr(gathering, "ROWS_AT_ONCE", 7)

    def read(shard: int, query: str, values: Any) -> Iterator[tuple[Any, ...]]:
        asked.add(shard)
        for batch in rows_in_batches(shard_folders(run)[shard] / "crawl.sqlite", query, values):
            sizes.append(len(batch))
            yield from batch

    assert gather(run, lock_is_held=True, read=read)
    assert asked == set(range(SHARDS))
    assert max(sizes) == 7
    assert told(run) == before


def test_long_rows_travel_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "BYTES_AT_ONCE", 100)
    with closing(sqlite3.connect(tmp_path / "some.sqlite")) as database:
        database.executescript("CREATE TABLE texts (text); INSERT INTO texts VALUES ('short'), ('short')")
        database.executemany("INSERT INTO texts VALUES (?)", [("long" * 50,), (b"long" * 50,)])
        database.commit()
    batches = list(rows_in_batches(tmp_path / "some.sqlite", "SELECT text FROM texts", ()))
    assert [len(batch) for batch in batches] == [3, 1]


def test_every_url_of_every_shard_is_there_once_in_the_state_that_its_owner_gives(run: Path) -> None:
    state_by_url: dict[str, int] = {}
    for folder in shard_folders(run):
        with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
            for url, state in database.execute("SELECT url, state FROM links"):
                if state != LinkState.ELSEWHERE or url not in state_by_url:
                    state_by_url[url] = state
    with open_run(run) as opened, closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        assert opened.progress.steps == 120
        assert dict(database.execute("SELECT url, state FROM links")) == state_by_url
        ((count,),) = database.execute("SELECT count(*) FROM links")
        assert count == len(state_by_url)
        assert opened.progress.waiting == sum(state == LinkState.WAITING for state in state_by_url.values())


def test_the_run_knows_every_page_that_a_link_is_described_by_also_where_a_redirect_led_into_a_shard(
    tmp_path: Path,
) -> None:
    shard_of = Partition(SHARDS).shard_of
    here = "http://site0.test"
    elsewhere = next(
        url for url in (f"http://site{n}.test" for n in count(1)) if shard_of(Url(url)) != shard_of(Url(here))
    )
    world = ScriptedWorld({
        f"{here}/": page_with(f"{here}/moved"),
        f"{here}/moved": redirect_to(f"{elsewhere}/"),
        f"{elsewhere}/": page_with(),
    })  # fmt: skip
    run = created(tmp_path / "run")
    asyncio.run(crawl_on(run, settings_for("breadth-first"), world))
    with open_run(run), closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        no_page = """SELECT p.url FROM links l JOIN links p ON p.id = l.page
                     WHERE l.page NOT IN (SELECT link FROM pages) AND l.page IN (SELECT link FROM pages_elsewhere)"""
        assert database.execute(no_page).fetchall() == [(f"{here}/moved",)]


def test_the_way_to_a_page_leads_through_the_shards_to_a_seed(run: Path) -> None:
    with open_run(run) as opened:
        seeds = set(opened.seed_urls())
        paths = {page.url: opened.path_to(page) for page in opened.pages()}
        assert all(path[0][0] in seeds for url, path in paths.items() if url not in seeds)
        hosts = [{url.host for url, _ in path} for path in paths.values()]
    assert max(map(len, hosts)) > 1


def test_a_link_is_explained_by_the_learner_of_the_shard_that_has_it(run: Path) -> None:
    with open_run(run) as opened:
        busiest = opened.learner_snapshot()
        step_of = {(shard, own): step for step, shard, own in opened.steps_in_shards()}
    assert busiest is not None
    told_apart = 0
    for number, folder in enumerate(shard_folders(run)):
        with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
            waiting = database.execute("SELECT url FROM links WHERE state = ? LIMIT 1", (LinkState.WAITING,)).fetchone()
            state, own = database.execute("SELECT state, step FROM learner").fetchone()
        reasons = explain(run, waiting[0], vectors=hashed_vectors()).link
        with open_run(run) as opened:
            snapshot = opened.learner_snapshot(Url(waiting[0]))
        assert snapshot is not None
        assert reasons is not None
        assert snapshot.state == state
        assert reasons.learned_until == snapshot.step == step_of[number, own]
        told_apart += snapshot.step != busiest.step
    assert told_apart


def test_learner_says_where_each_shard_has_learned_by_itself(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not what_pays(run, vectors=hashed_vectors()).is_of_one_shard
    monkeypatch.setattr(OnlineRidge, "begin_sharing", lambda _: False)
    assert what_pays(run, vectors=hashed_vectors()).is_of_one_shard


def test_a_crawl_in_shards_can_be_ranked_and_searched(run: Path) -> None:
    with open_run(run) as opened:
        ranking = rank_graph(GraphSource.of_run(opened))
        pages = sum(1 for _ in opened.pages())
    assert len(ranking.source.parts) == SHARDS
    assert ranking.values.sum() == pytest.approx(1.0)
    with Searcher(run) as searcher:
        assert searcher.pages == pages


def test_a_shard_alone_is_read_and_not_gone_on_with(run: Path) -> None:
    shard = run / "shards" / "002"
    with open_run(shard) as opened:
        steps, page = opened.progress.steps, next(opened.pages()).url
    with pytest.raises(StoreError, match=rf"use the whole run: {run}"):
        resume(shard, budget="+5", vectors=hashed_vectors())
    with pytest.raises(StoreError, match="use the whole run"):
        refresh(shard, vectors=hashed_vectors())
    with pytest.raises(StoreError, match="use the whole run"):
        answer(shard, page, "yes", vectors=hashed_vectors())
    with open_run(shard) as opened:
        assert opened.progress.steps == steps


def test_a_shard_of_an_older_run_is_known_by_its_place(run: Path, tmp_path: Path) -> None:
    older = copytree(run, tmp_path / "older")
    for file, key in [(older / "cluster.json", "run"), (older / "shards" / "002" / "honeyguide.json", "began_with")]:
        about = json.loads(file.read_text(encoding="utf-8"))
        del about[key]
        file.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(StoreError, match="use the whole run"):
        resume(older / "shards" / "002", budget="+5", vectors=hashed_vectors())
    (older / "crawl.sqlite").unlink()
    with open_run(older) as opened, open_run(run) as whole:
        assert opened.progress.pages == whole.progress.pages


@pytest.mark.parametrize("name", ["geology", "003"])
def test_a_run_that_somebody_keeps_in_a_folder_of_that_name_is_no_shard(tmp_path: Path, name: str) -> None:
    own = tmp_path / "shards" / name
    crawl(own, settings_for(budget=10), vectors=hashed_vectors()).close()
    with resume(own, budget="+5", vectors=hashed_vectors()) as opened:
        assert opened.progress.fetches == 15


@pytest.mark.parametrize("taken_from", ["001", "the other run"])
def test_another_shard_in_the_place_of_one_is_noticed(run: Path, tmp_path: Path, taken_from: str) -> None:
    copy = copytree(run, tmp_path / "copy")
    (copy / "crawl.sqlite").unlink()
    rmtree(copy / "shards" / "002")
    other = run / "shards" / "001"
    if taken_from == "the other run":
        created(tmp_path / "other")
        asyncio.run(crawl_on(tmp_path / "other", settings_for(budget=30)))
        other = tmp_path / "other" / "shards" / "002"
    copytree(other, copy / "shards" / "002")
    with pytest.raises(RunDamaged, match="shards/002 is another shard, or of another run"):
        open_run(copy)


def test_a_run_of_shards_is_looked_at_again_only_when_it_was_crawled_to_its_end(run: Path, tmp_path: Path) -> None:
    stopped = copytree(run, tmp_path / "stopped")
    with closing(sqlite3.connect(stopped / "crawl.sqlite")) as database, database:
        database.execute("UPDATE progress SET state = json_set(state, '$.stop_reason', 'interrupted')")
    with pytest.raises(StoreError, match=r"first honeyguide resume .*--new-run NEW"):
        refresh(stopped, vectors=hashed_vectors())
    with open_run(stopped) as opened:
        assert len(opened.passes()) <= 1
