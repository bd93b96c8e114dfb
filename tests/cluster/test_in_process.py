"""Several shards in one process crawl as one: nothing is lost, nothing comes twice, and the budget is kept."""

from __future__ import annotations

import asyncio
import json
import random
from shutil import copytree, rmtree
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from crawler.small_crawls import settings_for
from deep_strategies import thorough
from honeyguide.cluster import seat
from honeyguide.cluster.in_process import InProcess, run_shard, settings_of_shard
from honeyguide.crawler import StopReason, crawl
from honeyguide.crawler.build import Builder, open_world
from honeyguide.errors import RunDamaged
from honeyguide.model import LinkState, Url
from honeyguide.runs import open_run
from honeyguide.runs.records import split_snapshot
from honeyguide.runs.shards import refuse_mixed_copies, shard_folder, write_cluster_file
from honeyguide.settings import validate
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.cluster import ShardReport
    from honeyguide.runs.parcels import Delivery
    from honeyguide.settings import Settings


def crawl_in_shards(path: Path, settings: Settings, shards: int = 4, kind: type[InProcess] = InProcess) -> InProcess:
    """Crawl, or go on, with all shards in this process."""
    path.mkdir(exist_ok=True)
    write_cluster_file(path, shards)

    async def run() -> InProcess:
        builder = Builder(settings, hashed_vectors())
        async with open_world(settings) as world:
            seeds = builder.seed_urls(world)
        cluster = kind(path, shards, builder.settings, seeds, most_out=8)
        await cluster.run({"vectors": hashed_vectors()})
        return cluster

    return asyncio.run(run())


class SlowPost(InProcess):
    """Messages between shards take long, each another time; those of the hub to one shard stay in order."""

    DELAY_S = 0.02

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._chance = random.Random(7)
        self._order_at = dict.fromkeys(range(len(self.seats)), 0.0)

    async def send(self, shard: int, delivery: Delivery) -> int:
        await self._pause()
        mark = await super().send(shard, delivery)
        await self._pause()
        return mark

    async def report(self, report: ShardReport) -> None:
        await self._pause()
        loop = asyncio.get_running_loop()
        for shard, orders in self.hub.take(report):
            moment = max(self._order_at[shard], loop.time() + self._chance.uniform(0, self.DELAY_S))
            self._order_at[shard] = moment + 1e-6
            loop.call_at(moment, self.seats[shard].order, orders)

    async def _pause(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, self.DELAY_S))


class Unreachable(InProcess):
    """No shard can be reached, and the first one is told to leave as soon as much waits for others."""

    async def send(self, shard: int, delivery: Delivery) -> int:
        if self.seats[0].pending_links > seat.MOST_PENDING:
            self.seats[0].leave()
        raise ConnectionError(f"shard {shard} is on its way to another worker")


def test_a_shard_leaves_while_more_waits_for_others_than_it_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "MOST_PENDING", 20)
    settings = settings_for("breadth-first", budget=2000)
    write_cluster_file(tmp_path, 2)

    async def run() -> StopReason:
        async with open_world(settings) as world:
            seeds = Builder(settings, hashed_vectors()).seed_urls(world)
        cluster = Unreachable(tmp_path, 2, settings, seeds, most_out=8)
        work = [run_shard(shard_folder(tmp_path, number), settings, cluster.seats[number], {}) for number in range(2)]
        tasks = [asyncio.create_task(each) for each in work]
        async with asyncio.timeout(60):
            reason = await tasks[0]
        cluster.seats[1].leave()
        await tasks[1]
        return reason

    assert asyncio.run(run()) is StopReason.INTERRUPTED


def urls_by_state(path: Path, shards: int = 4) -> dict[LinkState, list[str]]:
    """The URLs of all shards, by their state."""
    found: dict[LinkState, list[str]] = {state: [] for state in LinkState}
    for number in range(shards):
        with open_run(path / "shards" / f"{number:03}") as run:
            for state, url in run._db.execute("SELECT state, url FROM links"):
                found[LinkState(state)].append(url)
    return found


@pytest.mark.parametrize("strategy", ["online-ridge", "breadth-first", "lfa-sync"])
def test_the_budget_is_spent_to_the_last_fetch_and_no_page_comes_twice(tmp_path: Path, strategy: str) -> None:
    cluster = crawl_in_shards(tmp_path / "run", settings_for(strategy, budget=120))
    assert cluster.hub.stop_reason is StopReason.FETCHES
    assert sum(report.progress.fetches for report in cluster.hub.reports) == 120
    fetched = urls_by_state(tmp_path / "run")[LinkState.DONE]
    assert len(fetched) == len(set(fetched)) == 120
    assert sum(report.progress.fetches > 0 for report in cluster.hub.reports) > 1, "one shard did it all"


def test_a_slow_network_costs_time_and_nothing_else(tmp_path: Path) -> None:
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=80), kind=SlowPost)
    assert cluster.hub.stop_reason is StopReason.FETCHES
    assert sum(report.progress.fetches for report in cluster.hub.reports) == 80
    fetched = urls_by_state(tmp_path / "run")[LinkState.DONE]
    assert len(fetched) == len(set(fetched)) == 80
    assert sum(report.progress.fetches > 0 for report in cluster.hub.reports) > 1, "one shard did it all"


@pytest.mark.thorough
def test_a_slow_network_lets_a_crawl_that_finds_nothing_more_end(tmp_path: Path) -> None:
    settings = settings_for("breadth-first", budget=5000, crawl__world="synthetic:seed=5,pages=200,hosts=12")
    with crawl(tmp_path / "one", settings, vectors=hashed_vectors()) as run:
        expected = {page.url for page in run.pages()}
    cluster = crawl_in_shards(tmp_path / "run", settings, kind=SlowPost)
    assert cluster.hub.stop_reason is StopReason.EXHAUSTED
    found = urls_by_state(tmp_path / "run")[LinkState.DONE]
    assert expected <= {Url(url) for url in found}


@pytest.mark.thorough
def test_without_a_limit_all_that_one_crawl_finds_is_found(tmp_path: Path) -> None:
    settings = settings_for("breadth-first", budget=5000, crawl__world="synthetic:seed=5,pages=250,hosts=12")
    with crawl(tmp_path / "one", settings, vectors=hashed_vectors()) as run:
        expected = {page.url for page in run.pages()}
        assert run.progress.stop_reason == StopReason.EXHAUSTED
    cluster = crawl_in_shards(tmp_path / "run", settings)
    assert cluster.hub.stop_reason is StopReason.EXHAUSTED
    found: list[Url] = []
    for number in range(4):
        with open_run(tmp_path / "run" / "shards" / f"{number:03}") as run:
            found += [page.url for page in run.pages()]
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_what_one_shard_hands_over_the_others_have(tmp_path: Path) -> None:
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=100))
    states = urls_by_state(tmp_path / "run")
    own = {url for state, urls in states.items() if state is not LinkState.ELSEWHERE for url in urls}
    handed = sum(report.progress.handed_over for report in cluster.hub.reports)
    taken = sum(report.progress.taken_over for report in cluster.hub.reports)
    # Where the budget is spent first, the last links may be on their way; they are in the outbox of their shard.
    assert handed >= taken > 0
    if handed == taken:
        assert set(states[LinkState.ELSEWHERE]) <= own


def test_a_crawl_goes_on_with_a_larger_budget(tmp_path: Path) -> None:
    crawl_in_shards(tmp_path / "run", settings_for(budget=60))
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=100))
    assert sum(report.progress.fetches for report in cluster.hub.reports) == 100
    fetched = urls_by_state(tmp_path / "run")[LinkState.DONE]
    assert len(fetched) == len(set(fetched)) == 100


@pytest.mark.parametrize("which", [0, *map(thorough, (1, 2, 3))])
def test_a_shard_that_alone_was_put_back_from_a_copy_is_noticed(tmp_path: Path, which: int) -> None:
    run = tmp_path / "run"
    crawl_in_shards(run, settings_for(budget=60))
    refuse_mixed_copies(run)
    copytree(shard_folder(run, which), tmp_path / "copy")
    crawl_in_shards(run, settings_for(budget=140))
    refuse_mixed_copies(run)
    rmtree(shard_folder(run, which))
    copytree(tmp_path / "copy", shard_folder(run, which))
    with pytest.raises(RunDamaged, match=rf"shards/{which:03} is older than other shards .*restore all shards"):
        refuse_mixed_copies(run)


def test_a_shard_whose_making_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    cut_short = shard_folder(tmp_path / "run", 2)
    cut_short.mkdir(parents=True)
    for name in ("lock", "settings.toml"):
        (cut_short / name).touch()
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=30))
    assert sum(report.progress.fetches for report in cluster.hub.reports) == 30


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"budget__seconds": 3.0}, StopReason.SECONDS),
        ({"budget__free_disk_megabytes": 1e12}, StopReason.DISK_FULL),
        ({"budget__memory_megabytes": 0.1}, StopReason.MEMORY),
    ],
)
def test_a_limit_that_each_shard_reaches_by_itself_ends_the_crawl(
    tmp_path: Path, limit: dict[str, Any], reason: StopReason
) -> None:
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=2000, **limit))
    assert cluster.hub.stop_reason is reason


class LosesReports(InProcess):
    """The hub does not get the first reports that tell of fingerprints."""

    lost: ClassVar[set[Url]] = set()
    told: ClassVar[set[Url]] = set()

    async def report(self, report: ShardReport) -> None:
        urls = {url for url, _ in report.prints}
        if urls - self.lost and len(self.lost) < 10:
            self.lost.update(urls)
            raise ConnectionError("lost")
        self.told.update(urls)
        await super().report(report)


@pytest.mark.thorough
def test_fingerprints_of_a_report_that_was_lost_are_told_again(tmp_path: Path) -> None:
    crawl_in_shards(tmp_path / "run", settings_for(budget=120), kind=LosesReports)
    assert LosesReports.lost
    assert LosesReports.lost <= LosesReports.told


def test_settings_that_are_changed_reach_every_shard(tmp_path: Path) -> None:
    crawl_in_shards(tmp_path / "run", settings_for(budget=60))
    crawl_in_shards(tmp_path / "run", settings_for(budget=70, politeness__delay_s=6.0, judge__threshold=0.9))
    for shard in (tmp_path / "run" / "shards").iterdir():
        with open_run(shard) as run:
            assert run.settings.politeness.delay_s == 6.0
            assert run.settings.judge.threshold == 0.9


def test_learners_of_all_shards_end_with_the_weights_of_all_pages(tmp_path: Path) -> None:
    cluster = crawl_in_shards(tmp_path / "run", settings_for(budget=80))
    assert cluster.hub.exchanges > 0
    assert cluster.hub.stalest < 80


def test_the_words_that_the_judge_of_one_shard_has_counted_are_known_to_all(tmp_path: Path) -> None:
    crawl_in_shards(tmp_path / "run", settings_for(budget=120, judge__kind="tfidf"))
    counted = []
    for number in range(4):
        with open_run(tmp_path / "run" / "shards" / f"{number:03}") as run:
            snapshot = run.learner_snapshot()
        assert snapshot is not None
        counted.append(json.loads(split_snapshot(snapshot.state)[1]))
    pages = sum(each["pages"] for each in counted)
    for each in counted:
        told, _ = each["others"]
        assert told >= 0.5 * (pages - each["pages"]), "as of the last time that they were told"


def test_the_driver_asks_for_all_shards_whose_settings_are_valid_without_it() -> None:
    asking: dict[str, Any] = {
        "ask__questions": 3,
        "ask__model": "any",
        "ask__url": "http://127.0.0.1:1/v1",
        "ask__answers": "a.csv",
    }
    ours = settings_of_shard(settings_for(**asking))
    validate(ours)
    assert not ours.ask.model
    assert not ours.ask.questions
