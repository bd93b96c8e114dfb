"""Answers about pages: the past is judged again, the learner taught anew, and a kill changes nothing."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest

from crawler.small_crawls import contents, reply_to, settings_for, story
from deep_strategies import strategies_and_fetches_at_once, thorough
from honeyguide.crawler import (
    AnswersTaken,
    Builder,
    FetchFailed,
    LinkRedirected,
    LinkRefused,
    PageJudged,
    RunToAnswer,
    answer,
    answers_to_take_over,
    crawl,
    resume,
)
from honeyguide.crawler.parents import ParentTable
from honeyguide.crawler.resume import restore, stored_rows
from honeyguide.errors import AnswerError
from honeyguide.judge import build_judge, moved_by_answers
from honeyguide.model import LinkId, Transition, Url
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import BudgetExtension, PageAnswer, RunFolder, RunLock, SqliteStore, StopRequest, open_run
from honeyguide.runs.inbox import put
from honeyguide.settings import with_overrides
from teachable_judge import teachable
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler import Event
    from honeyguide.runs import StepRecord

BUDGET = 48


@pytest.fixture(autouse=True)
def _judge_that_learns() -> Iterator[None]:
    with teachable():
        yield


@pytest.fixture(autouse=True)
def _looks_at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.crawler.between_steps.LOOK_EVERY_S", 0.0)


@pytest.fixture(autouse=True)
def _asks_all_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.judge.questions.SMALLEST_CHANGE", -1.0)
    monkeypatch.setattr("honeyguide.judge.questions.ALIKE", 2.0)


def crawl_for(path: Path, strategy: str = "online-ridge", **options: Any) -> None:
    """Crawl, or go on, with questions that `reply_to` answers."""
    options = {"vectors": hashed_vectors(), "on_question": reply_to, **options}
    settings = settings_for(strategy, budget=BUDGET, concurrency=options.pop("concurrency", 4))
    settings = with_overrides(settings, options.pop("settings", {}))
    (resume(path, **options) if (path / "honeyguide.json").exists() else crawl(path, settings, **options)).close()


def everything(path: Path) -> tuple[Any, ...]:
    """All that a run holds, the learner's state included."""
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        tables = [
            database.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in ("answers", "effects", "links", "learner", "steps", "skips")
        ]
        progress = json.loads(database.execute("SELECT state FROM progress").fetchone()[0])
    return story(path), contents(path), tables, progress


ANSWERED = PageJudged | LinkRedirected | LinkRefused | FetchFailed


def at_step(step: int, act: Callable[[], object]) -> Callable[[Event], None]:
    """A listener that does something once, when an answer has come in this step or later."""
    left = [act]

    def listen(event: Event) -> None:
        if isinstance(event, ANSWERED) and event.progress.steps >= step and left:
            left.pop()()

    return listen


def relevances(path: Path) -> dict[Url, float]:
    with open_run(path) as run:
        return {page.url: page.relevance for page in run.pages()}


def some_page(path: Path, *, relevant: bool = False) -> Url:
    with open_run(path) as run:
        return next(page.url for page in run.pages() if page.is_relevant == relevant)


@pytest.mark.parametrize(
    ("strategy", "concurrency"),
    [("online-ridge", 6), *(thorough(*each.values) for each in strategies_and_fetches_at_once()[1:])],
)
def test_interrupted_at_every_few_steps_answers_in_between_it_equals_the_uninterrupted_run(
    tmp_path: Path, strategy: str, concurrency: int
) -> None:
    crawl_for(tmp_path / "whole", strategy, concurrency=concurrency)
    chance = random.Random(7)
    broken = tmp_path / "broken"
    for _ in range(100):
        patience = iter(range(chance.randint(1, 40)))
        crawl_for(
            broken,
            strategy,
            concurrency=concurrency,
            is_interrupted=lambda: next(patience, None) is None,  # noqa: B023
        )
        with open_run(broken) as run:
            if run.progress.stop_reason != "interrupted":
                break
    with open_run(broken) as run:
        assert len({answer.answer for answer in run.answers()}) > 1
    assert everything(broken) == everything(tmp_path / "whole")


def test_an_answer_changes_the_judgement_of_all_pages_and_keeps_that_of_the_crawl(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    before, page = relevances(tmp_path), some_page(tmp_path)
    taken = answer(tmp_path, page, "yes", name="Ada", vectors=hashed_vectors())
    assert taken is not None
    assert taken.has_learned
    after = relevances(tmp_path)
    assert after[page] == 1.0
    assert sum(after[url] != before[url] for url in before) > len(before) / 2
    with open_run(tmp_path) as run:
        pages = list(run.pages())
        assert {each.url: each.crawl_relevance for each in pages} == before
        assert (
            run.progress.relevant == sum(each.is_relevant for each in pages) != sum(each.was_relevant for each in pages)
        )
        assert run.progress.stop_reason == "budget of fetches spent"
        (kept,) = run.answers()
        assert (kept.url, kept.answer, kept.by, kept.name, kept.step) == (page, "yes", "person", "Ada", BUDGET)


def test_rewards_are_told_again_as_the_new_judgement_gives_them(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    answer(tmp_path, some_page(tmp_path), "yes", vectors=hashed_vectors())
    with open_run(tmp_path) as run:
        settings = run.settings
    builder = Builder(settings, hashed_vectors())
    parts = builder.parts(is_restored=True)
    store = SqliteStore(tmp_path / "crawl.sqlite")
    core, _ = restore(parts, settings, store, SimulatedClock())
    fresh, table = builder.strategy(), ParentTable(parts.strategy.parent_rules, parts.judge.score)
    visits = list(store.visits())
    pages = {page.link: page for page in open_run(tmp_path).pages()}
    stored = {link.link: link for link in store.links()}
    rows = {}
    for after_steps, link in store.choices():
        while visits and visits[0].step <= after_steps:
            table.add_visit(visits.pop(0))
        (rows[link],) = stored_rows(fresh, [stored[link]], table)  # with the pages that showed it by then
    for visit in visits:
        table.add_visit(visit)
    for step, link in sqlite3.connect(tmp_path / "crawl.sqlite").execute(
        "SELECT step, link FROM steps WHERE reward IS NOT NULL ORDER BY step"
    ):
        page = pages.get(link)
        reward = 0.0 if page is None else moved_by_answers(page.crawl_relevance, page.relevance)
        none = np.empty((0, fresh.row_width), dtype=np.float16)
        answered = float(page is not None)
        fresh.learn(Transition(step, stored[link].url, rows[link], reward, reward, reward > 0, none, answered))
    store.close()
    assert np.array_equal(parts.strategy.weights, fresh.weights)  # type: ignore[arg-type]
    waiting = [int(link) for link in core.links.waiting()]
    assert len(waiting) > 100
    scores, in_frontier = core.frontier.peek([LinkId(link) for link in waiting])
    assert (scores == fresh.score(in_frontier)).all()
    assert in_frontier.tobytes() == stored_rows(fresh, [stored[LinkId(link)] for link in waiting], table).tobytes()
    assert (table.parents(np.array(waiting)).count > 1).sum() > 10, "links that several pages show"


def test_an_answer_taken_back_leaves_the_state_as_if_it_had_never_been_given(tmp_path: Path) -> None:
    for path in (tmp_path / "never", tmp_path / "undone"):
        crawl_for(path, on_question=None)
    page = some_page(tmp_path / "undone")
    for reply in ("yes", "undo"):
        answer(tmp_path / "undone", page, reply, vectors=hashed_vectors())
    then, now = everything(tmp_path / "never"), everything(tmp_path / "undone")
    assert now[:2] == then[:2]
    assert now[2][2:] == then[2][2:], "links, the learner and all fetches"
    assert len(now[2][0]) == 2
    for path in (tmp_path / "never", tmp_path / "undone"):
        resume(path, budget="+50", vectors=hashed_vectors()).close()
    assert story(tmp_path / "undone") == story(tmp_path / "never")


def test_of_contradicting_answers_the_newest_counts_and_both_are_kept(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    page = some_page(tmp_path)
    for reply, wanted in (("yes", 1.0), ("no", 0.0), ("skip", 0.0), ("undo", 0.0), ("undo", 1.0)):
        answer(tmp_path, page, reply, vectors=hashed_vectors())  # type: ignore[arg-type]
        assert relevances(tmp_path)[page] == wanted
    with open_run(tmp_path) as run:
        assert [each.answer for each in run.answers()] == ["yes", "no", "skip", "undo", "undo"]


def test_an_answer_about_a_page_the_run_does_not_have_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    before = everything(tmp_path)
    with pytest.raises(AnswerError, match="has no page http://nowhere"):
        answer(tmp_path, "http://nowhere.test/", "yes", vectors=hashed_vectors())
    with pytest.raises(AnswerError, match="nothing to undo"):
        answer(tmp_path, some_page(tmp_path), "undo", vectors=hashed_vectors())
    with pytest.raises(AnswerError, match="'maybe' is no answer"):
        answer(tmp_path, some_page(tmp_path), "maybe", vectors=hashed_vectors())  # type: ignore[arg-type]
    assert everything(tmp_path) == before


def test_no_kill_can_come_between_a_question_and_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: set[tuple[int, int]] = set()
    record = SqliteStore.record

    def note(store: SqliteStore, step: StepRecord) -> None:
        record(store, step)
        progress = store.progress()
        assert progress is not None
        counts.add((progress.questions, len(list(store.answers()))))

    monkeypatch.setattr(SqliteStore, "record", note)
    crawl_for(tmp_path)
    assert len(counts) > 3
    assert all(questions == answers for questions, answers in counts)


def test_a_crawl_goes_on_when_every_answer_is_no(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=lambda _: "no")
    with open_run(tmp_path) as run:
        assert {each.answer for each in run.answers()} == {"no"}
        assert run.progress.steps == BUDGET
        assert all(np.isfinite(page.relevance) for page in run.pages())


def test_a_callback_that_raises_or_talks_nonsense_costs_its_questions_and_no_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    replies: list[Any] = [ZeroDivisionError(), "YES", True, " No ", None, "perhaps"]

    def reply(_: PageQuestion) -> Any:
        said = replies.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    crawl_for(tmp_path, on_question=reply, settings={"ask.questions": len(replies), "budget.fetches": 40})
    with open_run(tmp_path) as run:
        assert [each.answer for each in run.answers()] == ["skip", "yes", "skip", "no", "skip", "skip"]
        assert run.progress.steps == 40
    assert "on_question broke on" in caplog.text
    assert "answered True of" in caplog.text


def test_messages_are_taken_between_two_steps_while_the_crawl_goes_on(tmp_path: Path) -> None:
    events: list[Event] = []
    run = tmp_path / "run"
    crawl_for(
        run,
        on_question=None,
        listeners=[
            events.append,
            at_step(15, lambda: answer(run, some_page(run), "yes", name="Ada")),
            at_step(20, lambda: put(run, PageAnswer(Url.parse("http://nowhere.test/"), "yes"))),
            at_step(25, lambda: put(run, BudgetExtension(55))),
            at_step(30, lambda: put(run, BudgetExtension(10))),
        ],
    )
    first, second = (event for event in events if isinstance(event, AnswersTaken))
    assert (first.answers[0].name, first.has_learned) == ("Ada", True)
    assert 15 <= first.answers[0].step < 20
    assert (second.answers[0].link, second.has_learned) == (None, False)
    with open_run(run) as opened:
        assert opened.progress.steps == opened.settings.budget.fetches == 55
    assert list((run / "inbox").iterdir()) == []


def test_a_budget_that_comes_with_the_last_fetch_lets_the_crawl_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    last = at_step(BUDGET, lambda: put(run, BudgetExtension(55)))
    crawl_for(run, on_question=None, concurrency=1, listeners=[last])
    with open_run(run) as opened:
        assert opened.progress.steps == 55


def test_a_request_to_stop_stops_the_crawl_that_runs_and_no_later_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl_for(run, on_question=None, listeners=[at_step(15, lambda: put(run, StopRequest()))])
    with open_run(run) as opened:
        assert opened.progress.stop_reason == "interrupted"
        assert 15 <= opened.progress.steps < 20
    put(run, StopRequest())
    crawl_for(run, on_question=None)
    with open_run(run) as opened:
        assert opened.progress.steps == BUDGET


def test_a_request_to_stop_counts_from_the_moment_at_which_the_run_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl_for(tmp_path, on_question=None, listeners=[at_step(30, lambda: put(tmp_path, StopRequest()))])
    with open_run(tmp_path) as run:
        before = run.progress.steps
    while_loading = "honeyguide.crawler.start.refuse_if_lost"
    monkeypatch.setattr(while_loading, lambda folder: put(folder.path, StopRequest()))
    crawl_for(tmp_path, on_question=None)
    with open_run(tmp_path) as run:
        assert (run.progress.steps, run.progress.stop_reason) == (before, "interrupted")


def test_every_budget_that_is_sent_is_added(tmp_path: Path) -> None:
    run = tmp_path / "run"
    more = [at_step(30, lambda: put(run, BudgetExtension(10, is_more=True))) for _ in range(3)]
    crawl_for(run, on_question=None, listeners=more)
    put(run, BudgetExtension(10, is_more=True))
    crawl_for(run, on_question=None)
    with open_run(run) as opened:
        assert (opened.progress.steps, opened.settings.budget.fetches) == (BUDGET + 40, BUDGET + 40)


def test_a_budget_put_into_a_stopped_run_outlives_answers_and_counts_when_it_goes_on(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    put(tmp_path, BudgetExtension(55))
    answer(tmp_path, some_page(tmp_path), "yes", vectors=hashed_vectors())
    crawl_for(tmp_path, on_question=None)
    with open_run(tmp_path) as run:
        assert (run.progress.steps, run.settings.budget.fetches) == (55, 55)


def test_an_answer_that_still_lies_in_the_inbox_can_be_taken_back(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    page, before = some_page(tmp_path), relevances(tmp_path)
    with RunLock(RunFolder.open(tmp_path)):
        for reply in ("yes", "undo"):
            assert answer(tmp_path, page, reply) is None
    RunToAnswer(tmp_path, hashed_vectors()).close()
    with open_run(tmp_path) as run:
        assert [each.answer for each in run.answers()] == ["yes", "undo"]
    assert relevances(tmp_path) == before


def test_a_message_that_a_killed_crawl_has_taken_in_is_not_taken_in_twice(tmp_path: Path) -> None:
    crawl_for(tmp_path, on_question=None)
    put(tmp_path, PageAnswer(some_page(tmp_path), "yes"))
    (letter,) = (tmp_path / "inbox").iterdir()
    text = letter.read_text()
    for _ in range(2):
        RunToAnswer(tmp_path, hashed_vectors()).close()
        assert not letter.exists()
        letter.write_text(text)  # killed before it was deleted
    with open_run(tmp_path) as run:
        assert len(list(run.answers())) == 1


def test_answers_given_beforehand_wait_for_their_pages_and_other_runs_teach_at_once(tmp_path: Path) -> None:
    crawl_for(tmp_path / "first")
    settings = settings_for(budget=BUDGET)
    given = answers_to_take_over(tmp_path / "first", settings)
    assert len(given) == 10
    assert all(each.description for each in given)
    events: list[Event] = []
    crawl_for(tmp_path / "taught", on_question=None, answers=given, listeners=[events.append])
    taken = [event for event in events if isinstance(event, AnswersTaken)]
    assert taken[0].progress.steps == 0
    assert taken[0].has_learned
    assert [each.link for each in taken[0].answers] == [None] * 10
    assert len(taken) > 1, "pages of answers have come"
    with open_run(tmp_path / "taught") as run:
        pages = {page.url: page.relevance for page in run.pages()}
        met = [each for each in run.answers() if each.link is not None]
        assert met
        assert all(pages[each.url] == float(each.answer == "yes") for each in met if each.answer != "skip")
    other = answers_to_take_over(tmp_path / "first", with_overrides(settings, {"topic.name": "botany"}))
    assert not any(each.description for each in other)


def test_a_callback_without_an_answer_is_a_skip_and_the_page_is_not_asked_about_again(tmp_path: Path) -> None:
    asked: list[Url] = []

    def look(question: PageQuestion) -> None:
        asked.append(question.url)

    crawl_for(tmp_path, settings={"budget.fetches": 20}, on_question=look)
    resume(tmp_path, budget=BUDGET, vectors=hashed_vectors(), on_question=look).close()
    assert len(asked) == len(set(asked)) == 10
    with open_run(tmp_path) as run:
        assert [(each.url, each.answer) for each in run.answers()] == [(url, "skip") for url in asked]


def test_a_judge_that_cannot_learn_keeps_the_answers_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    with patch("honeyguide.crawler.build.build_judge", build_judge):
        crawl_for(tmp_path, settings={"judge.kind": "keyword"})
        before, page = relevances(tmp_path), some_page(tmp_path)
        with RunToAnswer(tmp_path, hashed_vectors()) as run:
            run.give(PageAnswer(page, "yes"))
            run.give(PageAnswer(page, "no"))
    assert relevances(tmp_path) == before
    assert caplog.text.count("cannot learn") == 1
    with open_run(tmp_path) as opened:
        assert [each.answer for each in opened.answers()] == ["yes", "no"]
        assert opened.progress.questions == 0


@pytest.mark.thorough
def test_pages_described_in_other_processes_are_judged_by_the_newest_answers(tmp_path: Path) -> None:
    settings = {"judge.kind": "learned"}
    with patch("honeyguide.crawler.build.build_judge", build_judge):  # other processes do not have ours
        crawl_for(tmp_path / "here", settings=settings)
        crawl_for(tmp_path / "beside", settings={**settings, "crawl.workers": 1})
    assert everything(tmp_path / "beside") == everything(tmp_path / "here")
    with open_run(tmp_path / "here") as run:
        assert {each.answer for each in run.answers()} >= {"yes", "no"}
