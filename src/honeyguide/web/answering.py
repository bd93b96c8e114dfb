"""Gives answers to a run, and finds out what they have changed.

A run that nobody crawls is held for a moment and takes them at once. One that is being crawled gets them through its
inbox, and the crawl takes them between two steps: whoever gives them here waits until then, up to some seconds.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from honeyguide.crawler import RunToAnswer
from honeyguide.crawler.answering import refuse_unknown_page, refuse_without_answer
from honeyguide.errors import RunBusy
from honeyguide.model.clock import RealClock
from honeyguide.runs import is_being_crawled, open_run
from honeyguide.runs.inbox import has_waiting, put
from honeyguide.web.status import read_status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.runs import PageAnswer

    Judgements = dict[int, tuple[float, bool]]  # relevance, and whether that is relevant, by page

PATIENCE_S: Final = 20.0  # for a crawl to take answers out of its inbox
STATUS_PATIENCE_S: Final = 1.0  # then, for it to say which links are best
LOOK_EVERY_S: Final = 0.05
LINKS_COMPARED: Final = 1000
MOST_SHOWN: Final = 10
SMALLEST_CHANGE: Final = 0.005  # of a relevance that is shown: half a percent


@dataclass(frozen=True, slots=True)
class JudgementChange:
    """A page that is judged otherwise than before."""

    url: str
    title: str
    before: float  # relevance
    after: float
    was_relevant: bool
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class LinkMove:
    """A waiting link that comes sooner than before."""

    url: str
    score: float
    place: int  # from 1
    place_before: int | None  # None where it was not among those compared


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """Changes that answers about pages have made."""

    answers: int
    is_taken: bool  # whether the run has taken them in; else they wait in its inbox
    pages: int = 0
    relevant_before: int = 0
    relevant: int = 0
    changed: int = 0  # pages that have become relevant, or are no more
    judgements: tuple[JudgementChange, ...] = ()  # the largest changes first
    moved_up: tuple[LinkMove, ...] = ()  # the best waiting links, where they were not as good before


class Answering:
    """Gives answers to runs, to each one after another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._locks: dict[Path, Lock] = {}

    def give(self, run: Path, answers: Sequence[PageAnswer]) -> AnswerEffect:
        """Give answers about pages of a run. AnswerError where it has no such page, or nothing to undo."""
        for each in answers:
            refuse_unknown_page(run, each.url)
        with self._lock:
            lock = self._locks.setdefault(run, Lock())
        with lock:
            before = _judgements(run)
            try:
                moved_up = _give_at_once(run, answers)
            except RunBusy:
                return _give_through_inbox(run, answers, before)
            return _effect(run, len(answers), before, moved_up)


def _give_at_once(run: Path, answers: Sequence[PageAnswer]) -> tuple[LinkMove, ...]:
    with RunToAnswer(run) as ours:
        for each in answers:
            if each.answer == "undo":
                refuse_without_answer(run, each.url)
        before = [url.text for url, _ in ours.best_waiting(LINKS_COMPARED)]
        ours.give(*answers)
        return _moves(before, [(url.text, score) for url, score in ours.best_waiting(MOST_SHOWN)])


def _give_through_inbox(run: Path, answers: Sequence[PageAnswer], before: Judgements) -> AnswerEffect:
    waiting = [url for url, _ in _best_said(run)]
    names = [put(run, each) for each in answers]
    deadline = monotonic() + PATIENCE_S
    while has_waiting(run, names):
        if monotonic() > deadline:
            return AnswerEffect(len(answers), is_taken=False)
        if not is_being_crawled(run):  # it has ended without a last look: who opens the run takes what waits
            with suppress(RunBusy), RunToAnswer(run):
                pass
        sleep(LOOK_EVERY_S)
    return _effect(run, len(answers), before, _moves(waiting, _newly_said(run)))


def _newly_said(run: Path) -> list[tuple[str, float]]:
    """Return the best waiting links that a crawl names from now on; what it named last where it says no more."""
    now, deadline = RealClock().now(), monotonic() + STATUS_PATIENCE_S
    while monotonic() < deadline and is_being_crawled(run) and read_status(run).get("written_at", now) <= now:
        sleep(LOOK_EVERY_S)
    return _best_said(run)


def _best_said(run: Path) -> list[tuple[str, float]]:
    return [(each["url"], each["score"]) for each in read_status(run).get("best_waiting", ())]


def _moves(before: Sequence[str], now: Sequence[tuple[str, float]]) -> tuple[LinkMove, ...]:
    """Return which of the best links now stood lower before."""
    places = {url: place for place, url in enumerate(before, 1)}
    found = (LinkMove(url, score, place, places.get(url)) for place, (url, score) in enumerate(now, 1))
    return tuple(each for each in found if each.place_before is None or each.place_before > each.place)


def _judgements(run: Path) -> Judgements:
    with open_run(run) as opened:
        return opened.judged_links()


def _effect(run: Path, answers: int, before: Judgements, moved_up: tuple[LinkMove, ...]) -> AnswerEffect:
    with open_run(run) as opened, opened.at_one_moment():
        now = opened.judged_links()
        both = before.keys() & now.keys()  # pages may have come meanwhile
        changed = [link for link in both if before[link][1] != now[link][1]]
        moved = {link: abs(now[link][0] - before[link][0]) for link in both}
        largest = sorted(both, key=lambda link: (before[link][1] == now[link][1], -moved[link], link))[:MOST_SHOWN]
        shown = [link for link in largest if before[link][1] != now[link][1] or moved[link] >= SMALLEST_CHANGE]
        titles = opened.titles(shown)
    return AnswerEffect(
        answers,
        is_taken=True,
        pages=len(now),
        relevant_before=sum(before[link][1] for link in both),
        relevant=sum(now[link][1] for link in both),
        changed=len(changed),
        judgements=tuple(
            JudgementChange(
                titles[link][0].text, titles[link][1], before[link][0], now[link][0], before[link][1], now[link][1]
            )
            for link in shown
        ),
        moved_up=moved_up,
    )
