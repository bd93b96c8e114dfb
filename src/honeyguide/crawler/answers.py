"""Takes in answers about pages, between two steps: the past is judged again, the future chosen by what is now meant.

One transaction holds the answers, the new judgement of every page, the learner taught anew (the judge by all pages and
answers, the strategy by every past fetch with the reward that it would earn now) and the effect: the pages and waiting
links that have moved. The waiting links get the rows and scores that a resumed crawl makes of the database. So after an
answer the state of a crawl is a function of its database alone, and a kill at any moment loses nothing. What the guard
and restarts have seen stays as it was.

Of several answers about a page the newest yes or no counts that was not taken back; all are kept. The page itself is
then as relevant as the answer says. An answer about a page that has not come waits for it.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.ask.questions import KnownPages
from honeyguide.crawler.rows import rows_described
from honeyguide.crawler.status import WaitingOrder
from honeyguide.learn import FoundAgain, Order
from honeyguide.model import LinkId, ParentFacts, ParentStats, Transition, Verdict
from honeyguide.runs import AnswerEffect, AnswerRecord, JudgedAgain, JudgementChange, LinkMove, PageAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Step
    from honeyguide.crawler.parts import Parts
    from honeyguide.judge import LearningJudge, Verdicts
    from honeyguide.model import Url
    from honeyguide.runs import Letter, PageColumns, SqliteStore, StepRecord

log = logging.getLogger(__name__)

MOST_SHOWN: Final = 10  # pages and links that an effect names
SMALLEST_CHANGE: Final = 0.005  # of a relevance that it names: half a percent
LONGEST_TITLE: Final = 200  # characters of it


@dataclass(frozen=True, slots=True, eq=False)
class AnswerChanges:
    """Answers, and the changes that they make."""

    answers: tuple[AnswerRecord, ...]
    effect: AnswerEffect
    came: tuple[tuple[int, LinkId], ...] = ()  # answers, by number, whose pages have come
    undone: tuple[int, ...] = ()  # answers, by number, that were taken back
    judged_again: JudgedAgain | None = None  # None where nobody has learned anything
    is_repriced: bool = False  # the strategy has learned anew, and scores every waiting link


class AnswerIntake:
    """Takes answers into one crawl."""

    def __init__(self, core: CrawlCore, parts: Parts, store: SqliteStore) -> None:
        self._core = core
        self._parts = parts
        self._store = store
        self._answers = {each.number: each for each in store.answers()}
        self._taken_in = {each.message for each in self._answers.values() if each.message}
        self._awaited: dict[Url, list[int]] = {}  # answers, by number, about pages that have not come
        self._came: list[tuple[int, LinkId]] = []  # such whose pages have come by now
        self._labels: list[tuple[int, LinkId]] = []  # answers of a hook, which were stored with their pages
        self._is_said = False  # that the judge cannot learn
        # In a run of several shards, descriptions of pages of all of them that nobody was asked about: with the same
        # ones and the same answers, the judges of all shards learn the same. Empty: the pages of this run.
        self.background: Sequence[bytes] = ()
        for each in self._answers.values():
            if each.link is None:
                self._await(each.number, each.url)
        core.intake.count_answers = lambda: len(self._answers)

    @property
    def answers(self) -> Collection[AnswerRecord]:
        """All answers so far, in order."""
        return self._answers.values()

    @property
    def has_due(self) -> bool:
        """Whether a page has come about which there was an answer already, or there are labels enough to learn from.

        A hook may label every page, and to learn from an answer takes looking at all pages: so labels are learned from
        when they are more than a fifth of all answers before them.
        """
        return bool(self._came) or len(self._labels) * 5 > len(self._answers) - len(self._labels)

    @property
    def has_labels(self) -> bool:
        """Whether a hook has labelled pages since the judge last learned."""
        return bool(self._labels)

    def note(self, record: StepRecord) -> None:
        """A step was stored: perhaps its page is one that answers wait for."""
        done = record.completion
        for each in record.answers:
            if each.number not in self._answers and done is not None:  # a label, stored with the page
                self._answers[each.number] = each
                self._labels.append((each.number, done.dispatch.link))
        if not self._awaited or done is None or (done.visit is None and done.redirect_target is None):
            return
        url = self._parts.links.url(done.dispatch.link)
        for number in self._awaited.pop(url, ()):
            self._await(number, url)

    def take(
        self,
        given: Sequence[Letter | PageAnswer],
        now: float,
        finish: Callable[[Step], None],
        questions: int = 0,
        *,
        is_last: bool = False,
    ) -> None:
        """Take in answers that are new, and all about pages that have come by now; `finish` stores the step.

        Nothing is stored where there are none. `questions` that they reply to are counted in the same transaction.
        Labels wait until they are due, or there is another answer to learn from, or this is the last chance.
        """
        came: list[tuple[int, LinkId]] = []
        if given or is_last or self.has_due:
            came, self._came, self._labels = [*self._came, *self._labels], [], []
        answers, undone = self._new_records(given, now)
        if answers or came:
            finish(self._core.store_choices(now))
        self._core.note_questions(questions)
        if not answers and not came:
            return
        before = self._standing()
        for number, link in came:
            self._answers[number] = replace(self._answers[number], link=link)
        for each in answers:
            self._answers[each.number] = each
        for number in undone:
            self._answers[number] = replace(self._answers[number], undone_at=self._core.progress.steps)
        progress = self._core.progress
        effect = AnswerEffect(
            len(answers) or len(came), progress.steps, progress.pages, progress.relevant, progress.relevant
        )
        changes = AnswerChanges(tuple(answers), effect, tuple(came), tuple(undone))
        judge = self._parts.judge.learner
        if judge is None and (answers or any(self._answers[number].by != "hook" for number, _ in came)):
            self._say_that_nobody_learns()
        elif judge is not None and {key: each.answer for key, each in before.items()} != {
            key: each.answer for key, each in self._standing().items()
        }:
            changes = self._learn(changes, judge)
        finish(self._core.take_answers(changes, now))

    def _new_records(self, given: Sequence[Letter | PageAnswer], now: float) -> tuple[list[AnswerRecord], list[int]]:
        """The answers that were not taken in yet, as records, and the earlier ones that they take back."""
        records: list[AnswerRecord] = []
        undone: list[int] = []
        for each in given:
            name, answer = ("", each) if isinstance(each, PageAnswer) else (each.name, each.message)
            assert isinstance(answer, PageAnswer)
            if name and name in self._taken_in:
                continue
            self._taken_in.add(name)
            link = self._page_at(answer.url)
            if answer.answer == "undo":
                standing = [
                    old
                    for old in (*self._answers.values(), *records)
                    if (old.link, old.link is None and old.url) == (link, link is None and answer.url)
                    and old.undone_at is None
                    and old.number not in undone
                ]
                if not standing:
                    log.warning("no answer about %s is there to take back", answer.url)
                    continue
                undone.append(standing[-1].number)
            number = len(self._answers) + len(records) + 1
            if link is None and answer.answer != "undo":
                if name and not answer.description:  # of answers from elsewhere nobody expects otherwise
                    log.warning("the run has no page of %s yet: the answer waits for it", answer.url)
                self._await(number, answer.url)
            records.append(
                AnswerRecord(
                    number, now, self._core.progress.steps, answer.url, link, answer.answer, answer.by, answer.name,
                    name, answer.description, self._core.progress.steps if answer.answer == "undo" else None,
                )
            )  # fmt: skip
        return records, undone

    def _page_at(self, url: Url) -> LinkId | None:
        link = self._parts.links.find(url)
        return None if link is None else self._store.page_at(link)

    def _await(self, number: int, url: Url) -> None:
        """Let an answer wait for its page, at the address to which redirects have led by now."""
        page = self._page_at(url)
        if page is not None:
            is_label = number in self._answers and self._answers[number].by == "hook"
            (self._labels if is_label else self._came).append((number, page))
            return
        link = self._parts.links.find(url)
        end = None if link is None else self._store.redirect_end(link)
        self._awaited.setdefault(url if end is None else self._parts.links.url(end), []).append(number)

    def _standing(self) -> dict[LinkId | Url, AnswerRecord]:
        """The answers that count, by page; or by address where the page has not come, and another run describes it."""
        return {
            each.url if each.link is None else each.link: each
            for each in self._answers.values()
            if each.answer in ("yes", "no") and each.undone_at is None and (each.link is not None or each.description)
        }

    def _learn(self, changes: AnswerChanges, judge: LearningJudge) -> AnswerChanges:
        """Teach the judge, judge all pages again, tell the strategy every past fetch again, and score what waits."""
        pages = self._store.page_columns(judge.description_width)
        relevance = self._relevance_by_answers(pages, judge)
        verdicts = list(_verdicts(pages, relevance, self._parts.judge))
        is_relevant = np.array([verdict.is_relevant for verdict in verdicts], dtype=np.bool_)
        elsewhere = self._store.pages_elsewhere()
        distance = distances(pages, is_relevant, {link: facts[2] for link, facts in elsewhere.items()})
        verdict_by_link = dict(zip(pages.links.tolist(), verdicts, strict=True))
        counted = self._count_parents(verdict_by_link)
        order = WaitingOrder(self._parts)
        order_before = order.now()
        has_learned = self._parts.strategy.relearn(
            self._transitions(pages, verdict_by_link, distance, counted, elsewhere)
        )
        is_repriced = has_learned and self._parts.strategy.order is Order.BEST_SCORE
        is_other = (relevance != pages.relevance) | (is_relevant != pages.is_relevant) | (distance != pages.distance)
        judged_again = JudgedAgain(
            pages.links[is_other], relevance[is_other], is_relevant[is_other], distance[is_other]
        )
        refresh_waiting(
            self._parts, self._store, judged_again, is_repriced=is_repriced or self._core.progress.is_repriced
        )
        effect = replace(
            changes.effect,
            pages=len(pages.links),
            relevant_before=int(pages.is_relevant.sum()),
            relevant=int(is_relevant.sum()),
            changed=int((is_relevant != pages.is_relevant).sum()),
            judgements=tuple(self._largest_changes(pages, relevance, is_relevant)),
            moved_up=tuple(self._moved_up(order_before, order.now())) if is_repriced else (),
        )
        return replace(changes, judged_again=judged_again, effect=effect, is_repriced=is_repriced)

    def _largest_changes(
        self, pages: PageColumns, relevance: NDArray[np.float64], is_relevant: NDArray[np.bool_]
    ) -> Iterator[JudgementChange]:
        """Yield the pages whose judgement has changed most, those first that have become relevant or are no more."""
        moved = np.abs(relevance - pages.relevance)
        is_turned = is_relevant != pages.is_relevant
        for place in np.lexsort((pages.links, -moved, ~is_turned))[:MOST_SHOWN].tolist():
            if is_turned[place] or moved[place] >= SMALLEST_CHANGE:
                link = LinkId(int(pages.links[place]))
                yield JudgementChange(
                    self._parts.links.url(link).text, self._store.title(link)[:LONGEST_TITLE],
                    float(pages.relevance[place]), float(relevance[place]),
                    bool(pages.is_relevant[place]), bool(is_relevant[place]),
                )  # fmt: skip

    def _moved_up(self, before: NDArray[np.int64], now: NDArray[np.int64]) -> Iterator[LinkMove]:
        """Yield which of the best links now stood lower before; the same links wait."""
        for place, link in enumerate(now[:MOST_SHOWN].tolist(), 1):
            place_before = int(np.flatnonzero(before == link)[0]) + 1
            if place_before > place:
                yield LinkMove(self._parts.links.url(LinkId(link)).text, place, place_before)

    def _relevance_by_answers(self, pages: PageColumns, judge: LearningJudge) -> NDArray[np.float64]:
        """Teach the judge, and return what it thinks of every page now."""
        known = KnownPages.of(pages, self._standing().values())
        judge.teach(*self._lesson(known))
        found = judge.relevances(pages.descriptions)
        for place, is_yes in known.answers:
            if place < len(found):  # or it is a page of another run
                found[place] = float(is_yes)
        relevance = pages.crawl_relevance.copy()
        relevance[pages.described] = found
        return relevance

    def _lesson(self, known: KnownPages) -> tuple[NDArray[np.float16], list[tuple[int, bool]]]:
        """The descriptions of pages, and the answers about some, that the judge is taught."""
        width = known.descriptions.shape[1]
        others = [np.frombuffer(each, dtype=np.float16) for each in self.background if len(each) == 2 * width]
        if not others:
            return known.descriptions, known.answers
        by_url = sorted(zip(known.records, known.answers, strict=True), key=lambda each: each[0].url.text)
        rows = known.descriptions[[place for _, (place, _) in by_url]]
        return np.concatenate([rows, others]), [(place, is_yes) for place, (_, (_, is_yes)) in enumerate(by_url)]

    def _count_parents(self, verdict_by_link: dict[int, Verdict]) -> Callable[[Sequence[LinkId]], ParentStats] | None:
        """Count all pages anew that show a link; returns those of links that were fetched, when they were chosen."""
        table = self._parts.parents
        if table is None or not table.rules.is_newest:
            return None
        table.forget()
        choices = deque(self._store.choices())
        rows: dict[int, np.void] = {}
        for visit in self._store.visits():
            while choices and choices[0][0] < visit.step:
                _, link = choices.popleft()
                rows[link] = table.row(link)
            found = verdict_by_link.get(visit.link)
            table.add_visit(visit, None if found is None else found.relevance)
        rows |= {link: table.row(link) for _, link in choices}
        return lambda links: table.stats([rows[link] for link in links], links)

    def _transitions(
        self,
        pages: PageColumns,
        verdict_by_link: dict[int, Verdict],
        distance: NDArray[np.int64],
        counted: Callable[[Sequence[LinkId]], ParentStats] | None,
        elsewhere: Mapping[LinkId, tuple[float, bool, int, int]],
    ) -> Iterator[Transition]:
        """Every past fetch in order, as it would have been had the judge known what it knows now.

        Pages `elsewhere` are as other shards have told them.
        """
        strategy = self._parts.strategy
        none = np.empty((0, strategy.row_width), dtype=np.float16)
        facts_by_page: dict[int | None, tuple[float, int, int]] = {None: (0.0, 0, -1)}  # a seed stands on no page
        facts_by_page |= {link: (relevance, far, depth) for link, (relevance, _, far, depth) in elsewhere.items()}
        own = zip(pages.links.tolist(), distance.tolist(), pages.depth.tolist(), strict=True)
        facts_by_page |= {link: (verdict_by_link[link].relevance, far, depth) for link, far, depth in own}
        nothing = Verdict(0.0, is_relevant=False, reward=0.0)
        for fetches in self._store.past_fetches():
            relevance, far, depth = zip(*(facts_by_page[page] for page in fetches.pages), strict=True)
            parents = ParentFacts(
                np.array(relevance, dtype=np.float64),
                np.array(far, dtype=np.int64),
                np.array(depth, dtype=np.int64) + 1,
                None if counted is None else counted(fetches.links),
            )
            rows = rows_described(strategy, fetches.descriptions, parents, fetches.rows)
            columns = zip(fetches.steps, fetches.links, fetches.urls, fetches.rewards, rows, strict=True)
            for step, link, url, reward, row in columns:
                page = verdict_by_link.get(link)
                found = page or replace(nothing, reward=reward)
                answered = float(page is not None)
                yield Transition(step, url, row, found.reward, found.relevance, found.is_relevant, none, answered)

    def _say_that_nobody_learns(self) -> None:
        if not self._is_said:
            self._is_said = True
            log.warning("this judge cannot learn: answers are kept, and change nothing; judge.kind = learned learns")


def _verdicts(pages: PageColumns, relevance: NDArray[np.float64], judge: Verdicts) -> Iterator[Verdict]:
    """Verdicts on all pages by their new relevance; what cannot be judged again stays."""
    is_described = np.zeros(len(pages.links), dtype=np.bool_)
    is_described[pages.described] = True
    for place in range(len(pages.links)):
        before = Verdict(
            float(pages.crawl_relevance[place]), bool(pages.was_relevant[place]), float(pages.reward[place])
        )
        yield judge.judge_again(float(relevance[place]), before) if is_described[place] else before


def distances(
    pages: PageColumns, is_relevant: NDArray[np.bool_], elsewhere: Mapping[LinkId, int] = MappingProxyType({})
) -> NDArray[np.int64]:
    """Clicks since a relevant page, of every page: one more than that of the page through which it was found.

    Those of pages `elsewhere`, in other shards, are given.
    """
    distance_by_link: dict[int, int] = {}
    columns = zip(pages.links.tolist(), pages.parents.tolist(), is_relevant.tolist(), strict=True)
    for link, parent, is_find in columns:
        above = distance_by_link.get(parent, elsewhere.get(LinkId(parent), 0))
        # A link keeps at most 32,767 of them.
        distance_by_link[link] = 0 if is_find else min(above, 32_767) + 1
    return np.array(list(distance_by_link.values()), dtype=np.int64)


def refresh_waiting(parts: Parts, store: SqliteStore, judged_again: JudgedAgain, *, is_repriced: bool) -> None:
    """Give the waiting links the rows, scores and distances that a new judgement makes.

    A resumed crawl makes the same ones when it is stored.
    """
    strategy, frontier = parts.strategy, parts.frontier
    if is_repriced:
        frontier.reprice(strategy)
    keeps_rows = strategy.description_type is None or strategy.found_again is FoundAgain.EVERY
    for unfetched in store.unfetched_links():
        parents = judged_again.lay_over(unfetched.pages, unfetched.parents)
        parts.links.place_again(unfetched.links, parents.distance)
        if keeps_rows:
            continue
        if parts.parents is not None:
            parents = replace(parents, all=parts.parents.parents(unfetched.links))
        rows = rows_described(strategy, unfetched.descriptions, parents, unfetched.rows)[unfetched.is_waiting]
        waiting = [LinkId(link) for link in unfetched.links[unfetched.is_waiting].tolist()]
        if waiting:
            scores = strategy.score(rows) if is_repriced else frontier.peek(waiting)[0]
            frontier.replace(waiting, scores, rows)
