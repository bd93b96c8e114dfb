"""Questions about a run: the judge's choice among its pages, shown with the words of the topic, never asked twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import settings_for
from honeyguide.ask.asking import FIRST_QUESTION, Respondent, asking_about
from honeyguide.ask.questions import KnownPages, RunQuestions
from honeyguide.crawler import RunToAnswer, crawl, judge_of
from honeyguide.errors import SettingsError
from honeyguide.model import Url
from honeyguide.runs import AnswerRecord, PageAnswer, open_run
from honeyguide.settings import with_overrides
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("questions") / "run"
    settings = with_overrides(settings_for(budget=80), {"judge.kind": "learned"})
    crawl(run, settings, vectors=hashed_vectors()).close()
    return run


def questions(run: Path) -> RunQuestions:
    return RunQuestions(run, lambda: judge_of(run, hashed_vectors()))


def test_a_question_shows_a_page_of_the_run(finished: Path) -> None:
    found = questions(finished).best(3)
    assert len({each.url for each in found}) == 3
    with open_run(finished) as run:
        pages = {page.url: page for page in run.pages()}
    for each in found:
        page = pages[each.url]
        assert (each.title, each.relevance, each.step) == (page.title, page.relevance, page.step)
        assert each.snippet is not None
        assert each.snippet.text.strip("…") in each.text


def test_nobody_is_asked_about_a_page_again(finished: Path) -> None:
    first, second = questions(finished).best(2)
    (other,) = questions(finished).best(1, [first.url])
    assert other.url != first.url
    with RunToAnswer(finished, hashed_vectors()) as run:
        run.give(PageAnswer(first.url, "skip"), PageAnswer(second.url, "yes"))
    try:
        assert not {first.url, second.url} & {each.url for each in questions(finished).best(10)}
    finally:
        with RunToAnswer(finished, hashed_vectors()) as run:
            run.give(PageAnswer(first.url, "undo"), PageAnswer(second.url, "undo"))
    assert [each.url for each in questions(finished).best(2)] == [first.url, second.url]


def test_there_is_no_question_when_answers_change_nothing(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = questions(finished).best(1)
    with RunToAnswer(finished, hashed_vectors()) as run:
        run.give(PageAnswer(page.url, "yes"))
        monkeypatch.setattr("honeyguide.judge.questions.SMALLEST_CHANGE", 1e9)
        assert questions(finished).best(5) == []
        run.give(PageAnswer(page.url, "undo"))


def test_a_crawl_is_asked_about_when_it_has_some_pages_and_earlier_answers_count(tmp_path: Path) -> None:
    def asking(limit: int) -> object:
        return asking_about(run, lambda: judge_of(run), Respondent("person", "", lambda _: None), limit)

    run = tmp_path / "run"
    assert asking(5) is None
    settings = with_overrides(settings_for(budget=FIRST_QUESTION // 2), {"judge.kind": "learned"})
    crawl(run, settings, vectors=hashed_vectors()).close()
    assert asking(5) is None


def test_of_contradicting_answers_about_a_page_of_another_run_the_newest_counts(finished: Path) -> None:
    with open_run(finished) as run:
        columns = run.page_columns()
    described, url = columns.descriptions[0].tobytes(), Url.parse("https://elsewhere.test/")
    said = [
        AnswerRecord(number, 0.0, 0, url, None, reply, "file", "", description=described)
        for number, reply in enumerate(("yes", "no"), 1)
    ]
    known = KnownPages.of(columns, said)
    assert known.answers == [(len(known.links), False)]
    assert len(known.descriptions) == len(known.links) + 1


def test_earlier_answers_count(finished: Path) -> None:
    def is_over(limit: int) -> bool:
        asking = asking_about(finished, lambda: judge_of(finished), Respondent("person", "", lambda _: None), limit)
        assert asking is not None
        return asking.is_over

    (page,) = questions(finished).best(1)
    assert not is_over(1)
    with RunToAnswer(finished, hashed_vectors()) as run:
        run.give(PageAnswer(page.url, "yes"))
        assert is_over(1)
        assert not is_over(2)
        run.give(PageAnswer(page.url, "undo"))


def test_a_judge_that_cannot_learn_is_refused(tmp_path: Path) -> None:
    settings = with_overrides(settings_for(budget=5), {"judge.kind": "keyword"})
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    with pytest.raises(SettingsError, match="is judged by keyword, which learns from no answers"):
        judge_of(tmp_path / "run")
