"""Why a page of a run was fetched, and why it was judged so, from what the run has stored: nothing is fetched.

What spoke for a link is what the strategy knew when it chose it, which is stored with every fetch; of a link that
waits, what it knows now. Evidence is that of the run's judge, taught by the answers that it has by now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.answering import ONLY_TO_CRAWL, AnswersOfRun, NearAnswer
from honeyguide.crawler.build import Builder
from honeyguide.crawler.parents import ParentTable
from honeyguide.crawler.preparing import Unjudged, judge_safely
from honeyguide.crawler.rows import rows_described
from honeyguide.errors import HoneyguideError, PageError
from honeyguide.learn import MEANINGS, OTHER_MEANING, PART_OF_SITE, in_words
from honeyguide.model import Evidence, Fetched, ParentFacts, Url, weighted_sums
from honeyguide.runs import LinkHistory, RunFolder, open_run, settings_to_build
from honeyguide.runs.records import split_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy
    from honeyguide.model import LinkId, Page, Rows
    from honeyguide.runs import KeptOfLink, Run, StoredVisit
    from honeyguide.text import WordVectors

NEAREST_ANSWERS: Final = 5


@dataclass(frozen=True, slots=True)
class LinkReason:
    """What one thing about a link adds to its predicted value, or takes from it."""

    words: str
    value: float | None  # of the link, mostly from 0 to 1; None for several things together
    contribution: float


@dataclass(frozen=True, slots=True)
class AnswerChance:
    """How probable it was that the link brings a page, and what its host has brought by now."""

    chance: float  # when it was chosen, or by now where it was not; the predicted value counts as far as this goes
    host_asked: float  # links of its host
    host_pages: float  # that came; a redirect to something new counts as a half


@dataclass(frozen=True, slots=True)
class LinkReasons:
    """What spoke for a link and against it, the loudest first; together the value that the strategy predicts."""

    strategy: str
    learned_until: int  # fetches that had ended when the weights were these
    predicted: float
    reasons: tuple[LinkReason, ...]
    waiting: int | None  # links that waited beside it when it was chosen; None where it was not
    score_lost: float | None  # by how much a better one scored that had to wait, its host not being ready
    rank: int | None = None  # among the links that waited, 1 for the best; None where it was not chosen, or not counted
    answers: AnswerChance | None = None  # None where the strategy does not learn which links are answered

    @property
    def standing(self) -> str:
        """Its place among the alternatives when it was chosen, in words; empty where it was not."""
        if self.waiting is None or self.score_lost is None:
            return ""
        place = "" if self.rank is None else f"number {self.rank:,} of the {self.waiting + 1:,} links that waited; "
        if not self.score_lost:
            return f"{place}none on a host that was not ready was worth more"
        return f"{place}the best of those whose hosts were not ready was worth {self.score_lost:.3f} more"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a URL of a run was fetched, and why its page was judged so."""

    history: LinkHistory
    link: LinkReasons | None  # None where the strategy adds up no weights
    evidence: Evidence | None  # None where there is no page, or no body of it
    answers: tuple[NearAnswer, ...]  # about the nearest pages, the nearest first
    missing: tuple[str, ...]  # what cannot be told, and why


def explain(run: Path | str, url: Url | str, *, vectors: WordVectors | None = None, trust: bool = False) -> Explanation:
    """Explain a URL of a run. PageError where the run has never met it, InvalidUrl where it is none.

    A run that was not made here may name code and files outside of it only with `trust`; without, reasons and evidence
    are left out and `missing` says so.
    """
    return RunExplainer(run, vectors=vectors, trust=trust).explain(url)


class RunExplainer:
    """Explains URLs of one run. Keeps its judge and strategy, which take a while to make. For one thread at a time."""

    def __init__(self, run: Path | str, *, vectors: WordVectors | None = None, trust: bool = False) -> None:
        """See `explain`."""
        self._run = Path(run)
        self._vectors = vectors
        self._trust = trust

    def explain(self, url: Url | str) -> Explanation:
        """Explain a URL, as the run is now: a crawl may be writing to it."""
        asked = Url.parse(url) if isinstance(url, str) else url
        with open_run(self._run) as run, run.at_one_moment():
            history = run.history(asked)
            if history is None:
                raise PageError(
                    f"{self._run} has never met {asked}; copy an address from: honeyguide results {self._run}"
                )
            try:
                return self._explained(run, asked, history)
            except HoneyguideError as error:  # of vectors, a judge or a strategy that cannot be had here
                return Explanation(history, None, None, (), (f"reasons and evidence: {error}",))

    @cached_property
    def _builder(self) -> Builder:
        settings = settings_to_build(RunFolder.open(self._run), ONLY_TO_CRAWL, trust=self._trust, goes_on=False)
        return Builder(settings, self._vectors)

    @cached_property
    def _strategy(self) -> Strategy:
        return self._builder.strategy(is_restored=True)

    @cached_property
    def _verdicts(self) -> Verdicts:
        return self._builder.judge()

    def strategy_now(self, run: Run, url: Url | None = None) -> tuple[Strategy, int]:
        """Return the strategy with all that it had learned when it was last saved, and after which step that was.

        Of a run in shards it is that of the shard that has `url`; without one, that of the shard with the most steps.
        It is changed by the next call. HoneyguideError where it cannot be had here.
        """
        snapshot = run.learner_snapshot(url)
        if snapshot is None:
            return self._strategy, 0
        of_strategy, of_judge, _ = split_snapshot(snapshot.state)
        self._strategy.load(of_strategy)
        self._verdicts.load(of_judge)
        return self._strategy, snapshot.step

    def rows_now(self, run: Run, links: Sequence[KeptOfLink]) -> Rows | None:
        """Return what the strategy knows of some links now, with all pages that show them.

        None where they were described with other vectors.
        """
        strategy, counted, rules = self._strategy, None, self._strategy.parent_rules
        if rules is not None and rules.is_newest:  # else a link's row is stored as it is
            targets_by_visit: dict[StoredVisit, set[LinkId]] = {}
            for each in links:
                for visit in run.visits_showing(each.link):
                    targets_by_visit.setdefault(replace(visit, targets=()), set()).update(visit.targets)
            table = ParentTable(rules, self._verdicts.score)
            for visit in sorted(targets_by_visit, key=lambda visit: visit.step):
                table.add_visit(replace(visit, targets=tuple(sorted(targets_by_visit[visit]))))
            counted = table.parents([each.link for each in links])
        parents = ParentFacts(
            np.array([each.relevance for each in links]),
            np.array([each.distance for each in links]),
            np.array([each.depth for each in links]),
            counted,
        )
        merged = [None if each.row is None else np.frombuffer(each.row, dtype=np.float16) for each in links]
        try:
            return rows_described(strategy, [each.description for each in links], parents, merged)
        except ValueError:
            return None

    def _explained(self, run: Run, url: Url, history: LinkHistory) -> Explanation:
        missing = []
        _, step = self.strategy_now(run, url)
        link = self._reasons_then(run, history) or self._reasons_now(run, url, step)
        if link is None:
            missing.append(f"reasons for the link: {run.settings.crawl.strategy} adds up no weights of a link")
        page = self._parsed(run, url)
        evidence, answers = (None, ()) if page is None else self._evidence(run, page)
        if page is None and history.page is not None:
            missing.append("evidence: no body of this page is stored")
        elif page is not None and evidence is None:
            missing.append("evidence: the judge cannot judge this page")
        return Explanation(history, link, evidence, answers, tuple(missing))

    def _reasons_then(self, run: Run, history: LinkHistory) -> LinkReasons | None:
        """Return what the strategy knew when it last chose the link; None where it never has."""
        choice = run.kept_choice(history.fetches[0].step) if history.fetches else None
        if choice is None:
            return None
        after = history.fetches[0].after_steps
        reasons = self._added_up(Url.parse(history.url), choice.row, choice.weights, after, choice.bonus)
        if reasons is None:
            return None
        answers = None if reasons.answers is None else replace(reasons.answers, chance=choice.chance)
        rank = None if choice.better is None else choice.better + 1
        return replace(reasons, waiting=choice.waiting, score_lost=choice.score_lost, rank=rank, answers=answers)

    def _reasons_now(self, run: Run, url: Url, step: int) -> LinkReasons | None:
        """Return what the strategy knows of a link now, with all pages that show it."""
        weights, kept = self._strategy.weights, run.kept_of_link(url)
        rows = None if kept is None or weights is None else self.rows_now(run, [kept])
        if rows is None or weights is None:
            return None
        site_parts = self._strategy.site_parts
        signs = None if site_parts is None else np.array([site_parts.signs(url)], dtype=np.int32)
        bonus = 0.0 if site_parts is None or signs is None else float(site_parts.bonuses(signs)[0])
        return self._added_up(url, rows[0], weights, step, bonus)

    def _added_up(
        self, url: Url, row: NDArray[np.float16], weights: NDArray[np.float64], learned_until: int, bonus: float
    ) -> LinkReasons | None:
        columns = self._strategy.columns
        if not len(weights) == len(row) == len(columns):
            return None
        values = row.astype(np.float64)
        parts = list(zip(columns, values.tolist(), (weights * values).tolist(), strict=True))
        reasons = [
            LinkReason(in_words(name), value, part) for name, value, part in parts if not name.startswith(MEANINGS)
        ]
        meanings = [part for name, _, part in parts if name.startswith(MEANINGS)]
        if meanings:
            reasons.append(LinkReason(OTHER_MEANING, None, sum(meanings)))
        reasons.append(LinkReason(PART_OF_SITE, None, bonus))
        reasons = sorted((each for each in reasons if each.contribution), key=lambda each: -abs(each.contribution))
        predicted = float(weighted_sums(row[None, :], weights)[0]) + bonus
        strategy = self._builder.settings.crawl.strategy
        return LinkReasons(
            strategy, learned_until, predicted, tuple(reasons), None, None, answers=self._answer_chance(url, row)
        )

    def _answer_chance(self, url: Url, row: NDArray[np.float16]) -> AnswerChance | None:
        dead_ends = self._strategy.dead_ends
        if dead_ends is None:
            return None
        chance = dead_ends.chances(dead_ends.signs([url]), row[None, :])
        return AnswerChance(float(chance[0]), *dead_ends.told(url))

    def _parsed(self, run: Run, url: Url) -> Page | None:
        page = run.page(url)
        body = None if page is None else run.crawled_pages().body(page)
        if page is None or body is None:
            return None
        return self._builder.parser()(
            url, Fetched(page.status, page.content_type, body, robots_tag=page.robots_tag, tdm=page.tdm)
        )

    def _evidence(self, run: Run, page: Page) -> tuple[Evidence | None, tuple[NearAnswer, ...]]:
        verdicts, near = self._verdicts, tuple[NearAnswer, ...]()
        if verdicts.learner is not None and any(run.answers()):
            answers = AnswersOfRun(run.path, self._builder.settings)
            near = tuple(answers.nearest(verdicts.learner.describe(page), NEAREST_ANSWERS))
        if isinstance(judge_safely(verdicts, page), Unjudged):
            return None, near
        return verdicts.evidence(page), near
