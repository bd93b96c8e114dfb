"""A crawl spends its budget and no more, and says which limit ended it."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.driving import HandWired, script_settings
from honeyguide.crawler import CrawlStopped, Dispatch, Stop, StopReason, Wait, crawl, limit_reached, resume
from honeyguide.crawler.core import GRACE_S
from honeyguide.crawler.machine_limits import (
    CALLS_BETWEEN_LOOKS,
    MachineLimits,
    memory_of_machine,
    memory_of_process,
)
from honeyguide.errors import SettingsError
from honeyguide.runs import Progress, open_run
from honeyguide.settings import BudgetSettings, validate, with_overrides
from scripted_world import ScriptedWorld, page_with, taking
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

SEED = "http://h0.test/"


def wide_world(count: int, *, hosts: int = 30, text: str = "", **cost: float) -> ScriptedWorld:
    """A seed that links to `count` pages on several hosts."""
    urls = [f"http://h{n % hosts}.test/{n}" for n in range(count)]
    elapsed_s, delay_s = cost.get("elapsed_s", 0.1), cost.get("host_delay_s", 0.0)
    pages = {url: taking(elapsed_s, f"<p>{text}</p>", host_delay_s=delay_s) for url in urls}
    return ScriptedWorld({SEED: taking(elapsed_s, page_with(*urls), host_delay_s=delay_s), **pages})


@settings(max_examples=25, deadline=None)
@given(budget=st.integers(1, 40), concurrency=st.integers(1, 20))
def test_the_budget_of_fetches_is_spent_exactly_at_any_concurrency(
    tmp_path_factory: pytest.TempPathFactory, budget: int, concurrency: int
) -> None:
    path = tmp_path_factory.mktemp("budget") / "run"
    world = wide_world(60)
    wired = HandWired(path, world, script_settings(budget__fetches=budget, crawl__concurrency=concurrency))
    assert wired.run() is StopReason.FETCHES
    assert world.fetches.total() == budget
    assert (wired.core.progress.steps, wired.core.in_flight) == (budget, 0)


def test_a_crawl_with_nothing_left_to_fetch_is_exhausted(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", wide_world(5), script_settings(crawl__concurrency=3))
    assert wired.run() is StopReason.EXHAUSTED
    assert wired.core.progress.steps == 6
    assert wired.core.progress.waiting == 0


def test_the_budget_of_seconds_ends_a_crawl(tmp_path: Path) -> None:
    world = wide_world(200, hosts=200, elapsed_s=1.0)
    wired = HandWired(tmp_path / "run", world, script_settings(budget__seconds=10.0))
    assert wired.run() is StopReason.SECONDS
    assert 10.0 <= wired.core.progress.spent_seconds < 11.5


def test_no_fetch_begins_after_the_seconds_are_spent_waiting_for_a_host(tmp_path: Path) -> None:
    world = wide_world(20, hosts=1, host_delay_s=30.0)
    wired = HandWired(tmp_path / "run", world, script_settings(budget__seconds=10.0))
    assert wired.run() is StopReason.SECONDS
    assert world.fetches.total() == 1
    assert wired.core.progress.spent_seconds <= 10.0, "it does not sit out a pause after which it may not fetch"


def test_answers_under_way_are_awaited_when_the_seconds_are_spent(tmp_path: Path) -> None:
    slow = {f"http://h{n}.test/": taking(20.0, "slow") for n in range(1, 4)}
    world = ScriptedWorld({SEED: taking(1.0, page_with(*slow)), **slow})
    wired = HandWired(tmp_path / "run", world, script_settings(budget__seconds=10.0, crawl__concurrency=2))
    assert wired.run() is StopReason.SECONDS
    assert wired.core.progress.steps == 3
    assert wired.core.in_flight == 0


def test_a_live_crawl_gives_answers_a_short_grace_when_the_seconds_are_spent(tmp_path: Path) -> None:
    world = ScriptedWorld({SEED: "rock"}, is_offline=False)
    wired = HandWired(tmp_path / "run", world, script_settings(budget__seconds=10.0))
    begun_at = wired.core.progress.now
    assert isinstance(wired.core.choose(begun_at), Dispatch)
    over_at = begun_at + 10.0 + GRACE_S
    choice = wired.core.choose(begun_at + 11.0)
    assert isinstance(choice, Wait)
    assert choice.until == pytest.approx(over_at)
    assert wired.core.choose(over_at + 0.01) == Stop(StopReason.SECONDS)
    wired.store.record(wired.core.stop(StopReason.SECONDS, over_at + 0.01).record)
    wired.close()
    again = HandWired(tmp_path / "run", world, script_settings(budget__seconds=100.0))
    assert [dispatch.url.text for dispatch in again.in_flight] == [SEED], "it is fetched again"
    again.close()


def test_the_budget_of_received_bytes_ends_a_crawl(tmp_path: Path) -> None:
    world = wide_world(50, text="x" * 100_000)
    wired = HandWired(tmp_path / "run", world, script_settings(budget__megabytes=0.5))
    assert wired.run() is StopReason.BYTES
    assert 500_000 <= wired.core.progress.body_bytes <= 620_000


def test_the_budget_of_disk_space_ends_a_crawl_and_holds_for_the_resumed_one(tmp_path: Path) -> None:
    chosen = script_settings(budget__disk_megabytes=0.6)
    world = wide_world(400, text="word " * 50)
    first = HandWired(tmp_path / "run", world, chosen)
    assert first.run() is StopReason.DISK
    steps = first.core.progress.steps
    assert 1 < steps < 300
    again = HandWired(tmp_path / "run", world, script_settings(budget__disk_megabytes=0.001))
    assert again.run() is StopReason.DISK
    assert again.core.progress.steps == steps, "a run that takes too much room already fetches nothing more"


def test_the_reason_is_stored_and_announced(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", wide_world(9), script_settings(budget__fetches=4))
    wired.run()
    assert wired.events[-1] == CrawlStopped(StopReason.FETCHES, wired.core.progress)
    with open_run(tmp_path / "run") as run:
        assert run.progress.stop_reason == StopReason.FETCHES.value
        assert run.progress == wired.core.progress


@pytest.mark.parametrize(
    ("progress", "disk_bytes", "expected"),
    [
        (Progress(dispatches=9, spent_seconds=9.9, body_bytes=1_999_999), 2_999_999, None),
        (Progress(dispatches=10), 0, StopReason.FETCHES),
        (Progress(spent_seconds=10.0), 0, StopReason.SECONDS),
        (Progress(body_bytes=2_000_000), 0, StopReason.BYTES),
        (Progress(), 3_000_000, StopReason.DISK),
        (Progress(relevant=6), 0, None),
        (Progress(relevant=7), 0, StopReason.RELEVANT),
    ],
)
def test_a_limit_is_reached_when_all_of_it_is_spent(
    progress: Progress, disk_bytes: int, expected: StopReason | None
) -> None:
    budget = BudgetSettings(fetches=10, relevant=7, seconds=10.0, megabytes=2.0, disk_megabytes=3.0)
    assert limit_reached(budget, progress, disk_bytes) is expected


def test_a_limit_of_zero_is_no_limit() -> None:
    spent = Progress(dispatches=1, spent_seconds=1e9, body_bytes=10**12)
    assert limit_reached(BudgetSettings(fetches=2), spent, 10**12) is None


class TestYield:
    """A crawl that no longer pays may stop before its budget is spent."""

    def world_that_dries_up(self, paying: int, others: int) -> ScriptedWorld:
        """Relevant pages come first, breadth-first, then others."""
        urls = [f"http://h{number % 9}.test/{number}" for number in range(paying + others)]
        texts = ["rock mineral " * 20] * paying + ["music " * 40] * others
        pages = {url: f"<p>{text}</p>" for url, text in zip(urls, texts, strict=True)}
        return ScriptedWorld({SEED: page_with(*urls), **pages})

    def test_enough_relevant_pages_end_a_crawl(self, tmp_path: Path) -> None:
        wired = HandWired(tmp_path / "run", self.world_that_dries_up(9, 9), script_settings(budget__relevant=4))
        assert wired.run() is StopReason.RELEVANT
        assert (wired.core.progress.relevant, wired.core.progress.steps) == (4, 5)

    def test_too_few_relevant_pages_among_the_last_fetches_end_a_crawl(self, tmp_path: Path) -> None:
        settings = script_settings(budget__stop_when="yield < 20% over 10")
        wired = HandWired(tmp_path / "run", self.world_that_dries_up(15, 60), settings)
        assert wired.run() is StopReason.YIELD
        # The seed, 15 that pay, and as many others until one of the last ten pays.
        assert (wired.core.progress.relevant, wired.core.progress.steps) == (15, 1 + 15 + 9)

    def test_a_crawl_younger_than_the_rule_goes_on(self, tmp_path: Path) -> None:
        settings = script_settings(budget__stop_when="yield < 100% over 30")
        wired = HandWired(tmp_path / "run", self.world_that_dries_up(0, 28), settings)
        assert wired.run() is StopReason.EXHAUSTED

    @pytest.mark.parametrize("stopped_after", [3, 16, 24])
    def test_a_resumed_crawl_remembers_what_paid(self, tmp_path: Path, stopped_after: int) -> None:
        rule, world = "yield < 20% over 10", self.world_that_dries_up(15, 60)
        part = HandWired(
            tmp_path / "run", world, script_settings(budget__stop_when=rule, budget__fetches=stopped_after)
        )
        assert part.run() is StopReason.FETCHES
        again = HandWired(tmp_path / "run", world, script_settings(budget__stop_when=rule))
        assert again.run() is StopReason.YIELD
        assert (again.core.progress.relevant, again.core.progress.steps) == (15, 1 + 15 + 9)

    @pytest.mark.parametrize("rule", ["yield < 0% over 9", "yield < 101% over 9", "yield < 2% over 0", "yield > 2%"])
    def test_a_rule_that_is_none_is_refused(self, rule: str) -> None:
        with pytest.raises(SettingsError, match=r"budget\.stop_when is .*%"):
            validate(script_settings(budget__stop_when=rule))


class TestMachineLimits:
    def reached(self, tmp_path: Path, free: int = 10**12, used: int = 0, **budget: Any) -> list[StopReason | None]:
        limits = MachineLimits(
            tmp_path,
            BudgetSettings(**budget),
            free_bytes=lambda _: free,
            used_bytes=lambda: used,
        )
        return [limits() for _ in range(CALLS_BETWEEN_LOOKS + 1)]

    def test_it_looks_now_and_then(self, tmp_path: Path) -> None:
        found = self.reached(tmp_path, free=0)
        assert found == [StopReason.DISK_FULL, *[None] * (CALLS_BETWEEN_LOOKS - 1), StopReason.DISK_FULL]

    def test_some_room_is_left_on_the_disk(self, tmp_path: Path) -> None:
        assert self.reached(tmp_path, free=200_000_000)[0] is None
        assert self.reached(tmp_path, free=199_999_999)[0] is StopReason.DISK_FULL
        assert self.reached(tmp_path, free=0, free_disk_megabytes=0.0)[0] is None

    def test_memory_has_a_limit_by_default_and_by_number(self, tmp_path: Path) -> None:
        assert self.reached(tmp_path, used=memory_of_machine() // 2)[0] is None
        assert self.reached(tmp_path, used=memory_of_machine())[0] is StopReason.MEMORY
        assert self.reached(tmp_path, used=2_000_001, memory_megabytes=2.0)[0] is StopReason.MEMORY
        assert self.reached(tmp_path, used=2_000_000, memory_megabytes=2.0)[0] is None

    def test_what_the_process_takes_is_measured(self) -> None:
        before = memory_of_process()
        block = mmap.mmap(
            -1, 100_000_000, flags=mmap.MAP_PRIVATE
        )  # a bytearray may get memory that was freed and never given back
        block[:: mmap.PAGESIZE] = b"x" * len(block[:: mmap.PAGESIZE])
        assert memory_of_process() - before > 90_000_000
        del block

    @pytest.mark.parametrize("key", ["memory_megabytes", "free_disk_megabytes"])
    def test_a_crawl_that_meets_one_says_so_and_can_be_resumed(self, tmp_path: Path, key: str) -> None:
        beyond = {"memory_megabytes": 0.1, "free_disk_megabytes": 1e12}[key]
        settings = with_overrides(script_settings(budget__fetches=3), {f"budget.{key}": beyond})
        world = wide_world(9)
        with crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()) as run:
            assert f"budget.{key}" in run.progress.stop_reason
            assert run.progress.fetches == 0
        enough = {f"budget.{key}": 0.0}
        with resume(tmp_path / "run", enough, world=world, vectors=hashed_vectors()) as run:
            assert run.progress.stop_reason == StopReason.FETCHES
