"""What more fetches would bring, and what links drawn at random tell: numbers by hand, laws, and a run."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.small_crawls import settings_for
from honeyguide.crawler import crawl
from honeyguide.runs import Estimate, Progress, forecast, open_run
from honeyguide.runs.forecast import FARTHEST, HORIZONS, MOST_LOOKED_AT, read_outlook, relevant_left
from scripted_guard import guarded_by
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs import Outlook

FLAGS = st.lists(st.booleans(), min_size=100, max_size=600)


def test_the_last_fetches_and_the_last_quarter_are_told_from_and_the_yield_falls() -> None:
    flags = [True] * 300 + [False] * 75 + [True] * 5 + [False] * 20  # 5 of the last 25, 5 of the last 100
    told = forecast(flags, 400, 100)
    assert told is not None
    assert told.fetches == 100
    assert told.relevant.expected == pytest.approx(90 * ((5.5 / 26) * (5.5 / 101) / 1.25) ** 0.5)
    # √8.5 = 2.9 and log 1.25 = 0.22: (0.42 · 2.9 - 0.13)² and (1.15 + 1.05 · 2.9)², a quarter less, in whole pages
    assert (told.relevant.low, told.relevant.high) == (1, 17)


@pytest.mark.parametrize(("is_relevant", "fetches", "ends"), [(False, 800, (0, 3)), (True, 400, (13, 100))])
def test_where_nothing_came_an_interval_is_a_few_pages_wide_and_a_good_web_may_end(
    is_relevant: bool,
    fetches: int,
    ends: tuple[int, int],
) -> None:
    told = forecast([is_relevant] * 400, fetches, 100)
    assert told is not None
    assert (told.relevant.low, told.relevant.high) == ends


@pytest.mark.parametrize(("seen", "fetches", "ahead"), [(99, 99, 10), (100, 1000, 10), (100, 100, 0), (100, 100, 501)])
def test_nothing_is_told_where_too_little_is_known(seen: int, fetches: int, ahead: int) -> None:
    assert forecast([True] * seen, fetches, ahead) is None


@given(FLAGS, st.integers(1, 400))
def test_an_interval_holds_its_estimate_and_no_more_pages_than_fetches(flags: list[bool], ahead: int) -> None:
    told = forecast(flags, len(flags), ahead)
    assert told is not None
    assert 0 <= told.relevant.low <= told.relevant.expected <= told.relevant.high <= ahead


@given(FLAGS, st.integers(1, 100), st.integers(1, 100))
def test_more_fetches_bring_more_and_are_less_certain(flags: list[bool], fewer: int, more: int) -> None:
    assert fewer + more <= FARTHEST * len(flags)
    near, far = forecast(flags, len(flags), fewer), forecast(flags, len(flags), fewer + more)
    assert near is not None
    assert far is not None
    assert near.relevant.expected < far.relevant.expected
    assert near.relevant.high <= far.relevant.high
    assert near.relevant.low <= far.relevant.low + 1  # a round number of pages


@given(FLAGS, st.data())
def test_one_more_relevant_page_lately_promises_more(flags: list[bool], data: st.DataObject) -> None:
    place = data.draw(st.integers(len(flags) - 25, len(flags) - 1))
    poor, rich = [*flags], [*flags]
    poor[place], rich[place] = False, True
    less, more = forecast(poor, len(flags), 50), forecast(rich, len(flags), 50)
    assert less is not None
    assert more is not None
    assert less.relevant.expected < more.relevant.expected
    assert less.relevant.high <= more.relevant.high


@pytest.mark.parametrize(
    ("relevant", "among", "reachable"),
    [
        (0, Estimate(4.9, 1, 16), Estimate(12.3, 2, 60)),  # 1,000 · 0.04 · 0.13 · 2 / (2 + 0.13 · 0.05 · 20)
        (4, Estimate(14.6, 2, 38), Estimate(36.6, 6, 149)),  # (2 + 4) in place of 2
    ],
)
def test_draws_say_how_much_poorer_waiting_links_are(relevant: int, among: Estimate, reachable: Estimate) -> None:
    told = relevant_left(1000, 0.04, 0.05, 20, relevant)
    assert [(each.low, each.high) for each in told] == [(each.low, each.high) for each in (among, reachable)]
    assert [each.expected for each in told] == pytest.approx([among.expected, reachable.expected], abs=0.1)


@given(st.integers(0, 10_000), st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 300), st.data())
def test_more_draws_without_a_hit_promise_less_and_a_hit_more(
    waiting: int, lately: float, half: float, drawn: int, data: st.DataObject
) -> None:
    relevant = data.draw(st.integers(0, drawn))
    told, poorer = (relevant_left(waiting, lately, half, many, relevant) for many in (drawn, drawn + 10))
    richer = relevant_left(waiting, lately, half, drawn, relevant + 1)
    for less, here, more in zip(poorer, told, richer, strict=True):
        assert 0 <= here.low <= here.expected <= here.high
        assert less.expected <= here.expected <= more.expected
    assert told[0].high <= waiting
    assert told[0].expected <= told[1].expected


@pytest.mark.thorough
def test_the_outlook_of_a_run_counts_its_draws_and_what_waits_now(tmp_path: Path) -> None:
    settings = settings_for(budget=150, crawl__blind_spots=0.3, online_ridge__exploration=0.0)
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        told, steps, progress = run.outlook(), list(run.steps()), run.progress
    drawn = [step.is_relevant for step in steps if step.explored and step.step > 75]
    assert told.blind_spots is not None
    assert (told.blind_spots.since, told.blind_spots.drawn, told.blind_spots.relevant) == (75, len(drawn), sum(drawn))
    assert told.waiting == progress.waiting - progress.behind
    flags = [step.is_relevant for step in steps if step.outcome != "unknown"]
    half = (sum(step.is_relevant for step in steps[75:]) + 0.5) / 76
    left = relevant_left(told.waiting, (sum(flags[-37:]) + 0.5) / 38, half, len(drawn), sum(drawn))
    assert (told.blind_spots.relevant_waiting, told.blind_spots.relevant_reachable) == left
    assert told.next_fetches == tuple(forecast(flags, 150, ahead) for ahead in (100, 500))


def test_links_behind_others_are_counted_as_the_database_has_them(tmp_path: Path) -> None:
    with guarded_by(), crawl(tmp_path / "run", settings_for(budget=60), vectors=hashed_vectors()) as run:
        progress = run.progress
    with closing(sqlite3.connect(tmp_path / "run" / "crawl.sqlite")) as database:
        (counts,) = database.execute("SELECT count(*), sum(level > 0) FROM links WHERE state = 0")
    assert counts == (progress.waiting, progress.behind)
    assert progress.behind > 0


@pytest.mark.thorough
def test_a_crawl_without_draws_says_how_to_get_some_and_a_spent_one_promises_nothing(tmp_path: Path) -> None:
    settings = settings_for(budget=120, online_ridge__exploration=0.0)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        assert run.outlook().blind_spots is None
        assert any("--blind-spots" in sentence for sentence in run.outlook().sentences())
    settings = settings_for("iterative-deepening", budget=120)
    with crawl(tmp_path / "by-depth", settings, vectors=hashed_vectors()) as run:
        assert not any("--blind-spots" in sentence for sentence in run.outlook().sentences())
    settings = settings_for(budget=1000, scope__max_pages=110)
    with crawl(tmp_path / "dry", settings, vectors=hashed_vectors()) as run:
        assert (run.progress.waiting, run.progress.fetches >= 100) == (0, True)
        assert run.outlook().next_fetches == ()
        assert next(run.outlook().sentences()) == "Nothing waits: more fetches are not expected to bring anything."
        assert not any("may" in sentence or "told" in sentence for sentence in run.outlook().sentences())


class Database:
    """Answers what an outlook asks: the last fetches, and draws of which none was relevant."""

    def __init__(self, fetches: int, draws: int = 0) -> None:
        self._fetches, self._draws = fetches, draws

    def __call__(self, query: str, *_: object) -> Iterator[tuple[int, ...]]:
        half = self._fetches // 2
        if "explored" in query:
            return iter([(half, half - self._draws, self._draws, 0)])
        return iter([(1,)] * min(self._fetches, MOST_LOOKED_AT))


def told_of(progress: Progress, *horizons: int, draws: int = 0) -> Outlook:
    return read_outlook(Database(progress.fetches, draws), progress, horizons or HORIZONS)


def test_a_site_near_its_end_promises_no_more_than_waits() -> None:
    told = told_of(Progress(steps=212, waiting=5, behind=2))
    assert told.next_fetches == (forecast([True] * 212, 212, 3),)
    (said,) = told.sentences()
    assert said.startswith("All that waits (3 links) may bring about ")
    assert [each.fetches for each in told_of(Progress(steps=212, waiting=300)).next_fetches] == [100, 300]


def test_only_links_behind_others_promise_nothing() -> None:
    told = told_of(Progress(steps=212, waiting=2, behind=2))
    assert list(told.sentences()) == [
        "Nothing waits but 2 links that the guard holds back: more fetches are not expected to bring anything."
    ]


@pytest.mark.parametrize(
    ("fetches", "asked", "said"),
    [
        (40, (30, 7), "The yield of the next 30 and 7 fetches is told only after 100 fetches; 40 fetches so far."),
        (
            120,
            (50, 9999),
            "The yield of the next 9,999 fetches is too far: at most 5 times those made, here 600; 120 fetches so far.",
        ),
    ],
)
def test_what_cannot_be_told_is_named_with_the_limit(fetches: int, asked: tuple[int, ...], said: str) -> None:
    told = told_of(Progress(steps=fetches, waiting=20_000), *asked)
    assert said in told.sentences()
    assert [each.fetches for each in told.next_fetches] == [ahead for ahead in asked if 100 <= fetches > ahead]


def test_draws_and_what_they_tell_are_said_in_words() -> None:
    told = told_of(Progress(steps=212, waiting=1000), draws=20)
    assert list(told.sentences())[-3:] == [
        "Of 20 links drawn at random after step 106, 0 led to a relevant page.",
        "By these and the harvest about 63 (8 to 137) of 1,000 waiting links may do so.",
        "With pages behind them about 157 (27 to 552) relevant ones may be left to reach.",
    ]
