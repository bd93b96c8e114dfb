"""Any earlier run is a world; what it never fetched is unknown, costs nothing and teaches nothing."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import contents, settings_for, story
from honeyguide.crawler import LinkUnknown, crawl, resume
from honeyguide.errors import WorldError
from honeyguide.model import (
    Answer,
    Failed,
    FailureReason,
    Fetched,
    LinkState,
    Redirected,
    RefusalReason,
    Refused,
    Unknown,
    Url,
)
from honeyguide.runs import open_run
from honeyguide.settings import with_overrides
from honeyguide.worlds.replay import ReplayWorld
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.crawler import Event

TROUBLED = "synthetic:seed=5,pages=3000,hosts=25"


def made_run(path: Path, strategy: str = "online-ridge", budget: int = 200, **overrides: object) -> Path:
    settings = with_overrides(
        settings_for(strategy, budget=budget), {key.replace("__", "."): value for key, value in overrides.items()}
    )
    crawl(path, settings, vectors=hashed_vectors()).close()
    return path


def replayed(path: Path, run: Path, strategy: str, budget: int, **overrides: object) -> Path:
    return made_run(path, strategy, budget, crawl__world=f"replay:{run}", **overrides)


class Web:
    """A world of a few answers."""

    is_offline = True
    writes_pages = False

    def __init__(self, answers: dict[str, Answer], entry: str) -> None:
        self._answers = answers
        self._entry = Url.parse(entry)

    async def fetch(self, url: Url) -> Answer:
        return self._answers[url.text]

    def entry_urls(self) -> Sequence[Url]:
        return (self._entry,)

    async def close(self) -> None:
        """Nothing is held."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that only reading tests share."""
    return made_run(tmp_path_factory.mktemp("replayed") / "run", "breadth-first", 300)


ALL_STRATEGIES = ("breadth-first", "random", "best-first", "online-ridge")


@pytest.mark.parametrize(
    ("strategy", "concurrency"),
    [
        ("online-ridge", 6),
        *(pytest.param(name, most, marks=pytest.mark.thorough) for name in ALL_STRATEGIES for most in (1, 6)),
    ],
)
def test_the_same_strategy_on_its_own_run_takes_the_same_way(tmp_path: Path, strategy: str, concurrency: int) -> None:
    first = made_run(tmp_path / "first", strategy, 100, crawl__concurrency=concurrency)
    again = replayed(tmp_path / "again", first, strategy, 100, crawl__concurrency=concurrency)

    assert story(again) == story(first)
    assert contents(again) == contents(first)
    with open_run(again) as done:
        assert done.progress.unknown == 0


def test_every_answer_is_given_again_as_it_came(run: Path) -> None:
    web = SyntheticWorld(SyntheticSpec.parse(TROUBLED.partition(":")[2]))
    with open_run(run) as source:
        world = ReplayWorld(source.recorded_answers(), "run")
        kinds = set()
        for step in source.steps():
            answer = asyncio.run(world.fetch(step.url))
            expected = web.answer(step.url)
            assert (answer.outcome, answer.elapsed_s) == (expected.outcome, expected.elapsed_s)
            kinds.add(type(answer.outcome))
    assert kinds == {Fetched, Redirected, Refused, Failed}


def test_a_redirect_that_was_one_too_many_is_a_redirect_again(tmp_path: Path) -> None:
    home, target = "http://a.test/", Url.parse("http://a.test/next")
    web = Web({home: Answer(Redirected(302, target), 0.1)}, home)
    run = tmp_path / "run"
    settings = settings_for("breadth-first", budget=5, fetch__max_redirects=0)
    with crawl(run, settings, world=web, vectors=hashed_vectors()) as source:
        assert [step.outcome for step in source.steps()] == ["failed"]
        answer = source.recorded_answers().answer(Url.parse(home))

    assert answer is not None
    assert answer.outcome == Redirected(302, target)


def test_reasons_and_words_of_troubles_are_kept(tmp_path: Path) -> None:
    home, closed, down = "http://a.test/", "http://b.test/closed", "http://c.test/down"
    page = f'<html><a href="{closed}">one</a> <a href="{down}">two</a>'.encode()
    answers = {
        home: Answer(Fetched(203, "text/html; charset=utf-8", page), 0.25),
        closed: Answer(Refused(RefusalReason.ROBOTS, "robots.txt: it says: no"), 0.0, host_delay_s=3.7),
        down: Answer(Failed(FailureReason.CONNECTION, "ClientError: no: way"), 1.5),
    }
    with crawl(
        tmp_path / "run", settings_for("breadth-first"), world=Web(answers, home), vectors=hashed_vectors()
    ) as source:
        recorded = source.recorded_answers()
        again = {url: recorded.answer(Url.parse(url)) for url in answers}

    assert again == answers


def test_what_was_never_fetched_is_unknown(run: Path) -> None:
    with sqlite3.connect(run / "crawl.sqlite") as database:
        (met,) = database.execute("SELECT url FROM links WHERE state = ?", (LinkState.WAITING,)).fetchone()
    database.close()
    with open_run(run) as source:
        world = ReplayWorld(source.recorded_answers(), "run")
        for url in (met, "http://never.test/"):
            assert asyncio.run(world.fetch(Url.parse(url))) == Answer(Unknown("not fetched in run"), 0.0)


def test_unknown_links_spend_no_budget_earn_nothing_and_are_counted(tmp_path: Path, run: Path) -> None:
    events: list[Event] = []
    settings = settings_for("random", budget=80, crawl__world=f"replay:{run}")
    with crawl(tmp_path / "again", settings, vectors=hashed_vectors(), listeners=[events.append]) as again:
        steps = list(again.steps())
        progress, harvest_rate = again.progress, again.harvest_rate

    unknown = [step for step in steps if step.outcome == "unknown"]
    assert 0 < len(unknown) == progress.unknown == sum(isinstance(event, LinkUnknown) for event in events)
    assert len(steps) - len(unknown) == progress.fetches == 80
    assert progress.stop_reason == "budget of fetches spent"
    assert {step.reward for step in unknown} == {None}
    assert not any(step.is_relevant for step in unknown)
    assert harvest_rate == progress.relevant / 80


def test_a_world_with_mostly_unknown_links_comes_to_an_end_and_they_take_no_time(tmp_path: Path) -> None:
    small = made_run(tmp_path / "small", "breadth-first", 20)
    again = replayed(tmp_path / "again", small, "random", 1000, crawl__concurrency=1)

    with open_run(again) as done:
        assert done.progress.stop_reason == "nothing left to crawl"
        assert done.progress.unknown > done.progress.fetches > 0
        assert done.progress.waiting == 0
    with sqlite3.connect(again / "crawl.sqlite") as database:
        times = database.execute("SELECT chosen_at, finished_at FROM steps WHERE outcome = 'unknown'").fetchall()
    database.close()
    assert times
    assert all(chosen == finished for chosen, finished in times)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "strategy", ["online-ridge", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("random", "best-first"))]
)
def test_a_crawl_that_meets_unknown_links_resumes_exactly(tmp_path: Path, run: Path, strategy: str) -> None:
    whole = replayed(tmp_path / "whole", run, strategy, 60)
    broken = tmp_path / "broken"
    settings = settings_for(strategy, budget=60, crawl__world=f"replay:{run}")
    for turn in range(200):
        patience = iter(range(20 + 17 * (turn % 3)))
        tired = {"is_interrupted": lambda: next(patience, None) is None}  # noqa: B023 - used within this turn
        if turn == 0:
            part = crawl(broken, settings, vectors=hashed_vectors(), **tired)  # type: ignore[arg-type]
        else:
            part = resume(broken, vectors=hashed_vectors(), **tired)  # type: ignore[arg-type]
        with part:
            if part.progress.stop_reason != "interrupted":
                break
    with open_run(whole) as one, open_run(broken) as other:
        assert one.progress.unknown == other.progress.unknown > 0
    assert story(broken) == story(whole)
    assert contents(broken) == contents(whole)


@pytest.mark.thorough
def test_a_replay_can_be_replayed_and_go_on(tmp_path: Path, run: Path) -> None:
    first = replayed(tmp_path / "first", run, "random", 60)
    second = replayed(tmp_path / "second", first, "random", 60)

    assert story(second) == story(first)
    with resume(first, budget=61, vectors=hashed_vectors()) as done:
        assert done.progress.fetches == 61


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "replay: names no run; write replay:RUN"),
        ("gone", "gone is not a run folder"),
        ("empty", "this run has fetched nothing; go on with it first"),
    ],
)
def test_what_cannot_be_replayed_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl("empty", settings_for(), vectors=hashed_vectors(), is_interrupted=lambda: True).close()

    with pytest.raises(WorldError) as refused:
        made_run(tmp_path / "new", crawl__world=f"replay:{spec}")

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "new").exists()
