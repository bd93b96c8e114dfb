"""Gives answers to a run, and shows which there are and what the newest have changed.

Answers go into the run's inbox. Its crawl takes all that wait there together, between two steps, and stores with them
what they have changed. A run that nobody crawls is opened here for a moment and does the same. So whoever answers waits
for nothing, and all who look at the run see the same.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from honeyguide.crawler import RunToAnswer
from honeyguide.crawler.answering import ONLY_TO_CRAWL, refuse_unknown_page, refuse_without_answer
from honeyguide.errors import HoneyguideError, RunBusy
from honeyguide.runs import AnswerEffect, RunFolder, is_being_crawled, settings_to_build
from honeyguide.runs.inbox import answers_waiting, put
from honeyguide.web.views import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from honeyguide.runs import PageAnswer, Run
    from honeyguide.web.views import Reading

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 0.25
MOST_LISTED: Final = 500


class Answering:
    """Gives answers to runs. For several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waited_for: set[Path] = set()  # runs whose answers a thread of ours sees taken in

    def give(self, run: Path, answers: Sequence[PageAnswer]) -> None:
        """Give answers about pages of a run. AnswerError where it has no such page, or nothing to undo."""
        for each in answers:
            refuse_unknown_page(run, each.url)
            if each.answer == "undo":
                refuse_without_answer(run, each.url)
        settings_to_build(RunFolder.open(run), ONLY_TO_CRAWL)  # raises what opening the run would
        for each in answers:
            put(run, each)
        with self._lock:
            if run not in self._waited_for:
                self._waited_for.add(run)
                Thread(target=self._see_taken_in, args=(run,), daemon=True).start()

    def _see_taken_in(self, run: Path) -> None:
        """Let a run take in what waits in its inbox, as soon as nobody crawls it."""
        while self._has_waiting(run):
            try:
                if is_being_crawled(run):
                    sleep(LOOK_EVERY_S)  # its crawl takes them, unless it ends before
                else:
                    RunToAnswer(run).close()
            except RunBusy:
                sleep(LOOK_EVERY_S)
            except HoneyguideError as error:
                log.warning("answers wait in the inbox of %s: %s", run, error)
                with self._lock:
                    self._waited_for.discard(run)
                return

    def _has_waiting(self, run: Path) -> bool:
        with self._lock:  # `give` puts first, then looks whether somebody waits
            if answers_waiting(run):
                return True
            self._waited_for.discard(run)
            return False


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer about a page."""

    url: str
    title: str
    answer: str  # yes, no or skip
    by: str  # person, model, labels or file
    name: str
    step: int | None  # fetches that had ended when the run took it in; None where it waits to be taken in


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """Answers that stand, the newest first, with those that wait to be taken in."""

    answers: tuple[GivenAnswer, ...]  # the newest
    total: int


@dataclass(frozen=True, slots=True)
class NewestEffect:
    """The changes that the answers have made which the run took in last."""

    waiting: int  # answers to be taken in
    effect: AnswerEffect | None  # None where there were none


def given_answers(run: Run, waiting: Mapping[str, PageAnswer]) -> list[GivenAnswer]:
    """Return the answers that stand or wait to be taken in, the newest first; what waits may take earlier ones back.

    Look at what waits before the run is opened: one that is taken in meanwhile is then in both, and counts once.
    """
    answers = list(run.answers())
    standing = [each for each in answers if each.undone_at is None]
    titles = run.titles([each.link for each in standing if each.link is not None])
    given = [
        GivenAnswer(
            each.url.text, titles[each.link][1] if each.link in titles else "", each.answer, each.by, each.name,
            each.step,
        )
        for each in standing
    ]  # fmt: skip
    taken_in = {each.message for each in answers}
    for name, letter in waiting.items():
        if name in taken_in:
            continue
        if letter.answer == "undo":
            newest = next((each for each in reversed(given) if each.url == letter.url.text), None)
            if newest is not None:
                given.remove(newest)
        else:
            given.append(
                GivenAnswer(letter.url.text, run.title_at(letter.url), letter.answer, letter.by, letter.name, None)
            )
    return given[::-1]


def _gather_given(reading: Reading) -> GivenAnswers:
    given = given_answers(reading.run, reading.waiting)
    return GivenAnswers(tuple(given[:MOST_LISTED]), len(given))


_EFFECT: Final = TypeAdapter(AnswerEffect)


def _gather_effect(reading: Reading) -> NewestEffect:
    text = reading.run.newest_effect()
    try:
        effect = _EFFECT.validate_json(text) if text else None
    except ValueError:  # the run may come from a stranger
        effect = None
    if effect and not all(0 <= number <= 1 for each in effect.judgements for number in (each.before, each.after)):
        effect = None
    return NewestEffect(len(reading.waiting), effect)


QUESTION_VIEWS: Final = (
    View("effect", NewestEffect, _gather_effect, "effect.html"),
    View("given", GivenAnswers, _gather_given, "answers_given.html"),
)
"""The views below the questions about a run."""
