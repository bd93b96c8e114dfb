"""Asking: one question after another, up to a limit, with answers that can be taken back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from honeyguide.ask.asking import Asking, AskingBeside, Respondent
from honeyguide.ask.questions import PageQuestion
from honeyguide.model import Url
from honeyguide.runs.inbox import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Collection

    import pytest

    from honeyguide.runs.inbox import Reply

PAGES = [
    PageQuestion(Url.parse(f"https://a.test/{number}"), f"Page {number}", None, "", 0.5, number) for number in range(5)
]


def find(count: int, besides: Collection[Url]) -> list[PageQuestion]:
    return [page for page in PAGES if page.url not in besides][:count]


def asked(replies: list[Reply | None], limit: int = 10) -> tuple[list[str], Asking, list[PageAnswer]]:
    """Return the titles asked about, the asking, and the answers handed on."""
    titles: list[str] = []
    left = iter(replies)

    def reply(question: PageQuestion) -> Reply | None:
        titles.append(question.title)
        return next(left)

    handed_on: list[PageAnswer] = []
    asking = Asking(find, Respondent("person", "Ada", reply), handed_on.append, limit)
    while not asking.is_over and asking.ask():
        pass
    return titles, asking, handed_on


def test_every_page_is_asked_about_once_and_each_answer_says_who_gave_it() -> None:
    titles, asking, handed_on = asked(["yes", "no", "skip", "yes", "yes"])
    assert titles == [page.title for page in PAGES]
    assert handed_on == asking.given
    assert handed_on[:2] == [
        PageAnswer(PAGES[0].url, "yes", "person", "Ada"),
        PageAnswer(PAGES[1].url, "no", "person", "Ada"),
    ]
    assert not asking.is_over  # there may be other pages later


def test_no_more_are_asked_than_the_limit_and_a_skip_counts() -> None:
    titles, asking, _ = asked(["skip", "yes", "no"], limit=2)
    assert len(titles) == 2
    assert asking.is_over


def test_undo_takes_back_the_last_answer_and_asks_it_again() -> None:
    titles, asking, handed_on = asked(["yes", "undo", "no", None])
    assert titles == ["Page 0", "Page 1", "Page 0", "Page 1"]
    assert [(each.url, each.answer) for each in handed_on] == [
        (PAGES[0].url, "yes"),
        (PAGES[0].url, "undo"),
        (PAGES[0].url, "no"),
    ]
    assert [each.answer for each in asking.given] == ["no"]
    assert asking.is_over


def test_undo_before_the_first_answer_asks_the_same_again() -> None:
    titles, _, handed_on = asked(["undo", "undo", None])
    assert titles == ["Page 0"] * 3
    assert handed_on == []


def test_beside_a_crawl_questions_wait_until_there_are_any_and_end_with_it() -> None:
    looked, done = threading.Semaphore(0), threading.Event()
    is_over, handed_on = threading.Event(), list[PageAnswer]()

    def begin() -> Asking | None:
        looked.release()
        return Asking(find, Respondent("person", "", reply), handed_on.append, 10)

    def reply(question: PageQuestion) -> Reply | None:
        if question is PAGES[1]:
            done.set()
            is_over.wait()  # a person who does not answer
            return None
        return "yes"

    with AskingBeside(begin, is_over):
        assert looked.acquire(timeout=10)
        assert done.wait(10)
    assert [each.url for each in handed_on] == [PAGES[0].url]


def test_a_question_still_open_at_the_end_of_the_crawl_is_skipped_with_one_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.ask.asking.LAST_ANSWER_S", 0.0)
    is_asked, may_reply, handed_on = threading.Event(), threading.Event(), list[PageAnswer]()

    def reply(_: PageQuestion) -> Reply:
        is_asked.set()
        may_reply.wait(10)
        return "yes"

    with AskingBeside(lambda: Asking(find, Respondent("model", "slow", reply), handed_on.append, 10)):
        assert is_asked.wait(10)
    assert handed_on == [PageAnswer(PAGES[0].url, "skip", "model", "slow")]
    assert [record.getMessage() for record in caplog.records] == [
        f"slow had not answered about {PAGES[0].url} when the crawl ended: the question is skipped"
    ]
    may_reply.set()


def test_a_bug_in_asking_is_told_of_and_ends_no_crawl(caplog: pytest.LogCaptureFixture) -> None:
    def begin() -> Asking:
        raise LookupError("odd")

    with AskingBeside(begin):
        pass
    assert "the crawl goes on" in caplog.text
