"""Answers about the pages of a run that somebody gives: into the run itself, or into its inbox while it is crawled."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.ask.questions import KnownPages
from honeyguide.crawler.answers import AnswerIntake
from honeyguide.crawler.build import Builder
from honeyguide.crawler.events import AnswersTaken
from honeyguide.crawler.resume import restore
from honeyguide.errors import AnswerError, RunBusy, SettingsError, StoreError
from honeyguide.judge import LearningJudge
from honeyguide.model import Url
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import PageAnswer, RunFolder, RunLock, gather, open_run, open_store, settings_to_build
from honeyguide.runs.inbox import MOST_SEEN, Letter, answers_waiting, new_name, put, take
from honeyguide.runs.records import split_snapshot
from honeyguide.runs.shards import refuse_shard
from honeyguide.text import unit

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.crawler.events import Step
    from honeyguide.runs import AnswerRecord
    from honeyguide.runs.inbox import Answerer, Reply
    from honeyguide.settings import Settings
    from honeyguide.text import WordVectors


ONLY_TO_CRAWL: Final = (
    "crawl.world",
    "crawl.learn_from",
    "crawl.on_page",
    "render.browser",
    "refresh.run",
    "fetch.proxies",
    "fetch.proxy_login",
    "fetch.logins",
    "fetch.cookie_file",
    "fetch.allow_private",
    "ask.url",
    "ask.model",
    "ask.answers",
    "search.blocked_words",
)
"""Settings by which a crawl reaches out of its run, and nobody who answers: a run copied or renamed can be answered."""


class RunToAnswer:
    """A run that nobody crawls, held and opened to take answers. Close it, or use it as a context manager.

    Answers that wait in its inbox are taken in first; other messages stay for the crawl.
    """

    def __init__(self, run: Path | str, vectors: WordVectors | None = None) -> None:
        """RunBusy where it is being crawled, StoreError where it has no pages yet."""
        folder = RunFolder.open(Path(run))
        refuse_shard(folder)
        gather(folder.path)
        with ExitStack() as opened:
            opened.enter_context(RunLock(folder, for_answers=True))
            opened.enter_context(threadpool_limits(1, "blas"))
            settings = settings_to_build(folder, ONLY_TO_CRAWL)
            self._store = open_store(folder, settings)
            opened.callback(self._store.close)
            progress = self._store.progress()
            if progress is None:
                raise StoreError(f"{run} has no pages to answer about; resume it first")
            builder = Builder(settings, vectors)
            world = settings.crawl.world.partition(":")[0]
            self._parts = parts = builder.parts(is_live=world in ("live", "synthetic+http"), is_restored=True)
            self._clock = SimulatedClock(progress.now)
            core, _ = restore(parts, settings, self._store, self._clock)
            self._stop_reason = progress.stop_reason
            self._answers = AnswerIntake(core, parts, self._store)
            self._taken: AnswersTaken | None = None
            with take(folder.path, PageAnswer, MOST_SEEN) as letters:
                self._answers.take(letters, self._clock.now(), self._finish)
            self._opened = opened.pop_all()

    def give(self, *answers: PageAnswer) -> AnswersTaken | None:
        """Take in answers, and judge all pages by them; None where they change nothing, not even the list of them."""
        self._taken = None
        letters = [Letter(new_name(), each) for each in answers]  # their names say when they were given
        self._answers.take(letters, self._clock.now(), self._finish)
        return self._taken

    def close(self) -> None:
        """Let go of the run; may be called twice."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _finish(self, step: Step) -> None:
        # The crawl has not gone on, so it is still stopped for the same reason.
        progress = step.record.progress._replace(stop_reason=self._stop_reason)
        self._store.record(replace(step.record, progress=progress))
        self._taken = next((event for event in step.events if isinstance(event, AnswersTaken)), None)


def judge_of(run: Path | str, vectors: WordVectors | None = None) -> LearningJudge:
    """Make the judge of a run, taught nothing yet.

    SettingsError where it is one that cannot learn, or names code or files that the user has not given.
    """
    return learning_judge(run, settings_to_build(RunFolder.open(Path(run)), ONLY_TO_CRAWL, goes_on=False), vectors)


def learning_judge(run: Path | str, settings: Settings, vectors: WordVectors | None = None) -> LearningJudge:
    """Make the judge of the run that is being crawled with these settings."""
    judge = Builder(settings, vectors).relevance_judge()
    if not isinstance(judge, LearningJudge):
        raise SettingsError([_learns_nothing(run, settings)])
    return judge


def _learns_nothing(run: Path | str, settings: Settings) -> str:
    return f"{run} is judged by {settings.judge.kind}, which learns from no answers; crawl with --judge learned"


@dataclass(frozen=True, slots=True)
class NearAnswer:
    """An answer about a page of a run, and how near another page is to that page."""

    url: str
    title: str  # empty where the page is one of another run
    answer: str  # yes or no
    nearness: float  # cosine of the descriptions of both pages


class AnswersOfRun:
    """The answers about the pages of a run, to teach its judge and to be compared with other pages."""

    def __init__(self, run: Path | str, settings: Settings) -> None:
        """SettingsError where these settings describe pages otherwise than the run's, or its judge cannot learn."""
        with open_run(run) as opened, opened.at_one_moment():
            if _describes_by(opened.settings) != _describes_by(settings):
                raise SettingsError(
                    [f"the answers of {run} teach its own judge: leave out what changes its topic, judge or vectors"]
                )
            self._cannot_learn = _learns_nothing(run, settings)
            self._known = KnownPages.of(opened.page_columns(to_ask=True), opened.answers())
            self._snapshot = opened.learner_snapshot()
            pages = opened.crawled_pages()
            self._titles = [
                "" if each.link is None else pages.numbered(each.link).title for each in self._known.records
            ]

    def teach(self, judge: LearningJudge | None) -> None:
        """Teach the run's judge, as the run itself has."""
        if judge is None:
            raise SettingsError([self._cannot_learn])
        if self._snapshot is not None:  # every answer saves what the judge has learned
            judge.load(split_snapshot(self._snapshot.state)[1])

    def nearest(self, description: NDArray[np.float16], count: int) -> list[NearAnswer]:
        """Return the answers about the pages nearest to the page described so, the nearest first."""
        rows = self._known.descriptions[[place for place, _ in self._known.answers]].astype(np.float64)
        page = unit(description.astype(np.float64))
        nearness = [float(np.dot(unit(row), page)) for row in rows]
        found = zip(self._known.records, self._titles, nearness, strict=True)
        near = [NearAnswer(each.url.text, title, each.answer, cosine) for each, title, cosine in found]
        return sorted(near, key=lambda each: -each.nearness)[:count]


def answer(
    run: Path | str,
    url: Url | str,
    reply: Reply,
    *,
    by: Answerer = "person",
    name: str = "",
    vectors: WordVectors | None = None,
) -> AnswersTaken | None:
    """Say of a page of a run whether it belongs to the topic: yes, no or skip; or undo the newest answer about it.

    None where the run is being crawled: the answer is in its inbox then, and the crawl takes it between two steps.
    AnswerError where the run has no such page, or no answer to undo.
    """
    given = PageAnswer(Url.parse(url) if isinstance(url, str) else url, reply, by, name)
    refuse_unknown_page(run, given.url)
    try:
        with RunToAnswer(run, vectors) as ours:
            if reply == "undo":  # a crawl that goes on may have its answer in the inbox still, and warns
                refuse_without_answer(run, given.url)
            return ours.give(given)
    except RunBusy:
        put(Path(run), given)
        return None


def answers_to_take_over(run: Path | str, settings: Settings) -> list[PageAnswer]:
    """Return the answers of another run that stand, for a crawl with these settings: `crawl(..., answers=...)`.

    Where both runs describe pages alike, the judge learns from them at once; else when the crawl meets these pages.
    """
    with open_run(run) as opened:
        is_alike = _describes_by(opened.settings) == _describes_by(settings)
        standing = [each for each in opened.answers() if each.undone_at is None]
        descriptions = opened.page_descriptions([each.link for each in standing if each.link is not None])
    return [_taken_over(each, descriptions if is_alike else {}) for each in standing]


def _describes_by(settings: Settings) -> tuple[object, ...]:
    """Return the settings on which the description of a page depends."""
    return settings.topic, replace(settings.judge, digest=""), replace(settings.vectors, digest="")


def _taken_over(record: AnswerRecord, descriptions: dict[int, bytes]) -> PageAnswer:
    description = record.description if record.link is None else descriptions.get(record.link, b"")
    return PageAnswer(record.url, record.answer, record.by, record.name, description)  # type: ignore[arg-type]


def refuse_unknown_page(run: Path | str, url: Url) -> None:
    """AnswerError where a run has no such page."""
    with open_run(run) as opened:
        if opened.page_at(url) is None:
            raise AnswerError(f"{run} has no page {url}; copy an address from: honeyguide results {run}")


def refuse_without_answer(run: Path | str, url: Url) -> None:
    """AnswerError where nobody has answered about a page, and no answer waits to be taken in."""
    waiting = [each.url for each in answers_waiting(Path(run)).values() if each.answer != "undo"]
    with open_run(run) as opened:
        page, standing = opened.page_at(url), (each.url for each in opened.answers() if each.undone_at is None)
        if not any(opened.page_at(each) == page for each in (*standing, *waiting)):
            raise AnswerError(f"nobody has answered about {url} in {run}, so there is nothing to undo")
