"""Takes in answers: a page is read, judged, learned from and its links let wait; the rest is noted."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from honeyguide.crawler.events import (
    FetchFailed,
    LinkPutBack,
    LinkRedirected,
    LinkRefused,
    LinkUnknown,
    PageJudged,
    PageUnchanged,
)
from honeyguide.crawler.links import identity_of
from honeyguide.crawler.preparing import Preparation, Unjudged, Unreadable, describe_safely
from honeyguide.crawler.scope import PER_HOST
from honeyguide.errors import HookError, JudgeError
from honeyguide.learn import Order
from honeyguide.model import (
    Failed,
    FailureReason,
    Fetched,
    LinkId,
    LinkState,
    Origin,
    Redirected,
    RefusalReason,
    Refused,
    Transition,
    Unchanged,
    Unknown,
    Verdict,
)
from honeyguide.model.outcome import whole_exchange
from honeyguide.runs import AnswerRecord, CompletionRecord, VisitRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler.discovery import Admitted, Discovery, FoundLinks
    from honeyguide.crawler.events import Dispatch, Step
    from honeyguide.crawler.guarding import AnyGuarding
    from honeyguide.crawler.journal import JournaledStages
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.links import Identity
    from honeyguide.crawler.parts import Parts, StageTimes
    from honeyguide.crawler.preparing import Prepared
    from honeyguide.crawler.restarts import Restarts
    from honeyguide.model import Answer, Outcome, Page, Url
    from honeyguide.settings import Settings

log = logging.getLogger(__name__)

UNJUDGED_IN_A_ROW: Final = 20
"""Pages on which a judge may break one after another. By then it is the judge that is broken, not the pages."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrived:
    """An answer to a fetch, and when it was in; with its page, where that has been read already."""

    dispatch: Dispatch
    answer: Answer
    ended_at: float
    prepared: Prepared | Unreadable | None = None

    def taken_as(self, outcome: Outcome) -> Arrived:
        """Take the answer for another outcome; the exchange with the host is kept beside it, for an archive."""
        return replace(self, answer=replace(self.answer, outcome=outcome, exchange=whole_exchange(self.answer)))

    def completion(
        self,
        *,
        reward: float | None,
        visit: VisitRecord | None = None,
        redirect_target: LinkId | None = None,
        is_final: bool = True,
    ) -> CompletionRecord:
        """Make the record of a fetch that ended."""
        return CompletionRecord(
            self.dispatch.record, self.answer, self.ended_at, reward, visit, redirect_target, is_final
        )


class Intake:
    """Takes answers in, one kind after another."""

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        ledger: Ledger,
        learner: JournaledStages,
        discovery: Discovery,
        times: StageTimes,
        guarding: AnyGuarding,
        restarts: Restarts | None = None,
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._ledger = ledger
        self._learner = learner
        self._discovery = discovery
        self._times = times
        self._guarding = guarding
        self._restarts = restarts
        self.count_answers: Callable[[], int] = lambda: 0  # about pages, so far
        describing = None if parts.judge.learner is None else parts.judge
        self._reading = Preparation(parts.parse, describing, is_guarded=parts.guard is not None)

    def take(self, arrived: Arrived) -> Step:
        """Take in an answer that is final, and learn from it."""
        match arrived.answer.outcome:
            case Fetched() as fetched:
                return self._take_page(arrived, fetched)
            case Unchanged():
                return self._take_unchanged(arrived)
            case Redirected() as redirected:
                return self._take_redirect(arrived, redirected)
            case Refused() | Failed() as nothing:
                return self._take_nothing(arrived, nothing)
            case Unknown() as unknown:
                return self._take_unknown(arrived, unknown)
            case _:
                assert_never(arrived.answer.outcome)

    def _take_page(self, arrived: Arrived, fetched: Fetched) -> Step:
        dispatch = arrived.dispatch
        self._ledger.add(body_bytes=len(fetched.body))
        prepared = arrived.prepared or self._reading.prepare(dispatch.url, fetched)
        if isinstance(prepared, Unreadable):
            if prepared.by_hook:
                return self._take_unhooked(arrived, fetched.status, prepared)
            failed = Failed(FailureReason.UNREADABLE, prepared.reason, fetched.status)
            return self._take_nothing(arrived.taken_as(failed), failed)
        page = prepared.page
        if prepared.encoded and self._parts.encoder is not None:
            self._parts.encoder.remember(prepared.encoded)
        self._times.add("parse", prepared.parse_s)
        self._times.add("judge", prepared.judge_s)
        sent_on_to = self._sent_on_to(page)
        if sent_on_to is not None:
            redirected = Redirected(fetched.status, sent_on_to)
            return self._take_redirect(arrived.taken_as(redirected), redirected)
        identity = identity_of(page, self._parts.scope) if self._settings.directives.canonical else None
        if identity is not None:
            same = self._parts.same.same_as(page.url, identity)
            if same is not None:
                self._guarding.see_same(dispatch.record.link, prepared)
                return self._take_same_page(arrived, fetched.status, same)
        not_kept = self._reason_not_to_keep(page)
        prepared = self._described(prepared)
        verdict = self._judged(dispatch.record.link, prepared, not_kept=not_kept)
        if isinstance(verdict, Unjudged):
            return self._take_unjudged(arrived, fetched.status, verdict)
        if not_kept or self._parts.scope.objection_to_title(page.title) is not None:
            prepared = replace(prepared, label=None)  # it is no find, whatever a hook says
        if prepared.label is not None:
            verdict = self._parts.judge.judge_again(float(prepared.label), verdict)
        return self._take_judged(arrived, prepared, verdict, identity, not_kept=not_kept)

    def _take_judged(
        self, arrived: Arrived, prepared: Prepared, verdict: Verdict, identity: Identity | None, *, not_kept: str
    ) -> Step:
        """A page that is new: learn from it, and let its links wait."""
        dispatch, page = arrived.dispatch, prepared.page
        link, origin = dispatch.record.link, self._origin(dispatch, verdict)
        if identity is not None:
            self._parts.same.remember(link, page.url, identity)
        is_expanded = self._parts.is_expanded(page)
        mark = self._times.start()
        found = self._discovery.sort(
            page,
            link,
            origin,
            is_relevant=verdict.is_relevant,
            is_expanded=is_expanded,
            described=prepared.described,
        )
        self._times.lap("links", mark)
        learned_from = (verdict.reward, verdict.relevance, verdict.is_relevant, found.rows)
        self._learn(link, Transition(self._ledger.progress.steps, page.url, dispatch.row, *learned_from))
        admitted = self._admit(link, prepared, verdict, found)
        self._ledger.note_page(is_relevant=verdict.is_relevant, is_kept=not not_kept)
        self._ledger.add(
            out_of_scope=found.kept_out,
            links_not_followed=found.left_alone,
            pages_not_followed=self._parts.scope.follows_links and not is_expanded,
            pruned=admitted.times_pruned,
        )
        visit = VisitRecord(
            page,
            verdict,
            origin.depth,
            origin.distance,
            admitted.targets,
            not_kept,
            identity,
            prepared.packed_body,
            self._kept_description(prepared, not_kept=not_kept),
        )
        record = self._ledger.close_step(
            completion=arrived.completion(reward=verdict.reward, visit=visit),
            new_links=admitted.new,
            found_again=admitted.again,
            pruned=admitted.pruned,
            pairs=admitted.pairs,
            elsewhere=admitted.elsewhere,
            outbox=admitted.outbox,
            answers=() if prepared.label is None else (self._labelled(arrived, is_wanted=prepared.label),),
        )
        score, explored = dispatch.record.score, dispatch.record.explored
        event = PageJudged(page.url, page.title, verdict, score, explored, len(admitted.new), self._ledger.progress)
        return self._ledger.step(record, event)

    def _labelled(self, arrived: Arrived, *, is_wanted: bool) -> AnswerRecord:
        """Make the answer that a hook has given with its label. As with any other, the judge learns from it later."""
        number, url = self.count_answers() + 1, arrived.dispatch.url
        answer, step = "yes" if is_wanted else "no", self._ledger.progress.steps
        return AnswerRecord(number, arrived.ended_at, step, url, None, answer, "hook", self._settings.crawl.on_page)

    def _take_unhooked(self, arrived: Arrived, status: int, broken: Unreadable) -> Step:
        """A failed page. HookError where it is one too many in a row."""
        url = arrived.dispatch.url
        log.warning("%s is lost: %s", url, broken.reason)
        self._ledger.add(unjudged_in_a_row=1)
        if self._ledger.progress.unjudged_in_a_row >= UNJUDGED_IN_A_ROW:
            raise HookError(
                f"{broken.reason}, at last on {url}: {UNJUDGED_IN_A_ROW} pages in a row were lost to it or the judge; "
                "mend the function and resume the run"
            )
        failed = Failed(FailureReason.HOOK, broken.reason, status)
        return self._take_nothing(arrived.taken_as(failed), failed)

    def _admit(self, link: LinkId, prepared: Prepared, verdict: Verdict, found: FoundLinks) -> Admitted:
        """Let the links of a page wait, at the levels that the guard gives them."""
        mark = self._times.start()
        seen = self._guarding.see(link, prepared, verdict, found)
        self._times.lap("guard", mark)
        if self._restarts is not None:
            self._restarts.note(verdict.reward, 0.0 if seen.has_finding else _novelty(found))
        mark = self._times.start()
        admitted = self._discovery.admit(found, self._ledger.progress.steps, seen)
        self._times.lap("links", mark)
        if self._parts.ranks is not None and self._parts.ranks.add_page(link, admitted.targets):
            self._discovery.rank_again()
        return admitted

    def _take_redirect(self, arrived: Arrived, outcome: Redirected) -> Step:
        dispatch = arrived.dispatch
        links, source = self._parts.links, dispatch.record.link
        if links.hops(source) >= self._settings.fetch.max_redirects:
            return self._give_up_redirecting(arrived, outcome)
        objection = self._objection_to_target(outcome.target, links.depth(source))
        if objection is not None:
            refused = Refused(RefusalReason.SCOPE, f"leads to {outcome.target}, against {objection}")
            return self._take_nothing(arrived.taken_as(refused), refused)
        followed = self._discovery.follow_redirect(source, dispatch.row, dispatch.record.score, outcome.target)
        (target,) = followed.targets
        if self._parts.ranks is not None:
            self._parts.ranks.add_redirect(source, target)
        if self._parts.strategy.dead_ends is not None:
            leads_on = links.state(target) is LinkState.WAITING or bool(followed.elsewhere)
            self._learn(source, self._nothing(dispatch, answered=0.5 if leads_on else 0.0))
        is_new = followed.redirect is not None and followed.redirect.is_new
        self._ledger.add(pruned=len(followed.pruned))
        completion = arrived.completion(reward=None, redirect_target=target)
        record = self._ledger.close_step(
            completion=completion,
            redirect=followed.redirect,
            pruned=followed.pruned,
            pairs=followed.pairs,
            elsewhere=followed.elsewhere,
            outbox=followed.outbox,
        )
        return self._ledger.step(record, LinkRedirected(dispatch.url, outcome.target, is_new, self._ledger.progress))

    def _take_same_page(self, arrived: Arrived, status: int, same: LinkId) -> Step:
        """A page that has come before, under another address: as if this one had led there."""
        dispatch = arrived.dispatch
        outcome = Redirected(status, self._parts.links.url(same))
        if self._parts.strategy.dead_ends is not None:
            self._learn(dispatch.record.link, self._nothing(dispatch, answered=0.0))
        if self._parts.parents is not None:
            self._parts.parents.follow_redirect(dispatch.record.link, same)
        if self._parts.ranks is not None:
            self._parts.ranks.add_redirect(dispatch.record.link, same)
        completion = arrived.taken_as(outcome).completion(reward=None, redirect_target=same)
        event = LinkRedirected(dispatch.url, outcome.target, is_new=False, progress=self._ledger.progress)
        return self._ledger.step(self._ledger.close_step(completion=completion), event)

    def _sent_on_to(self, page: Page) -> Url | None:
        """Where a page sends its reader before there is time to read it."""
        refresh = page.directives.refresh
        is_soon = refresh is not None and refresh.delay_s <= self._settings.directives.refresh_s
        return refresh.target if refresh is not None and is_soon else None

    def _give_up_redirecting(self, arrived: Arrived, outcome: Redirected) -> Step:
        limit = self._settings.fetch.max_redirects
        failed = Failed(
            FailureReason.TOO_MANY_REDIRECTS,
            f"{limit} redirects and one more to {outcome.target}",
            outcome.status,
            outcome.target,
        )
        return self._take_nothing(arrived.taken_as(failed), failed)

    def _take_nothing(self, arrived: Arrived, outcome: Refused | Failed) -> Step:
        dispatch = arrived.dispatch
        self._learn(dispatch.record.link, self._nothing(dispatch, answered=0.0))
        if self._restarts is not None:
            self._restarts.note(0.0, 0.0)
        record = self._ledger.close_step(completion=arrived.completion(reward=0.0))
        if isinstance(outcome, Refused):
            return self._ledger.step(record, LinkRefused(dispatch.url, outcome, self._ledger.progress))
        return self._ledger.step(record, FetchFailed(dispatch.url, outcome, self._ledger.progress))

    def _nothing(self, dispatch: Dispatch, *, answered: float) -> Transition:
        """A fetch that brought no page, for the strategy."""
        none = np.empty((0, self._parts.strategy.row_width), dtype=np.float16)
        return Transition(self._ledger.progress.steps, dispatch.url, dispatch.row, 0.0, 0.0, False, none, answered)  # noqa: FBT003

    def _take_unjudged(self, arrived: Arrived, status: int, unjudged: Unjudged) -> Step:
        """A failed page. JudgeError where it is one too many in a row."""
        self._ledger.add(unjudged_in_a_row=1)
        if self._ledger.progress.unjudged_in_a_row >= UNJUDGED_IN_A_ROW:
            raise JudgeError(
                f"judge.kind is {self._settings.judge.kind!r}: it broke on {UNJUDGED_IN_A_ROW} pages in a row, "
                f"at last on {arrived.dispatch.url} ({unjudged.reason}); mend the judge and resume the run"
            )
        failed = Failed(FailureReason.UNJUDGED, unjudged.reason, status)
        return self._take_nothing(arrived.taken_as(failed), failed)

    def _take_unchanged(self, arrived: Arrived) -> Step:
        self._ledger.add(unchanged=1)
        return self._ledger.step(
            self._ledger.close_step(completion=arrived.completion(reward=None)),
            PageUnchanged(arrived.dispatch.url, self._ledger.progress),
        )

    def put_back(self, arrived: Arrived) -> Step:
        """The link waits again, as it was, and nobody learns of the trouble it had."""
        dispatch = arrived.dispatch
        outcome = arrived.answer.outcome
        assert isinstance(outcome, Refused | Failed)
        score = None if self._ledger.progress.is_repriced else dispatch.record.score
        pruned = self._discovery.put_back(dispatch.record.link, dispatch.row, score)
        self._ledger.add(retries=1, pruned=len(pruned))
        completion = arrived.completion(reward=None, is_final=False)
        record = self._ledger.close_step(completion=completion, pruned=pruned)
        return self._ledger.step(record, LinkPutBack(dispatch.url, outcome, self._ledger.progress))

    def _take_unknown(self, arrived: Arrived, outcome: Unknown) -> Step:
        dispatch = arrived.dispatch
        self._parts.schedule.release(dispatch.url.host)  # nobody was asked, so nobody needs a rest
        self._ledger.add(unknown=1)
        completion = arrived.completion(reward=None)
        record = self._ledger.close_step(completion=completion)
        return self._ledger.step(record, LinkUnknown(dispatch.url, outcome, self._ledger.progress))

    def _described(self, prepared: Prepared) -> Prepared:
        """Describe a page that another process has read and could not describe."""
        judge = self._parts.judge.learner
        if judge is None or prepared.description is not None or prepared.verdict is not None:
            return prepared
        described = describe_safely(judge, prepared.page)
        if isinstance(described, Unjudged):
            return replace(prepared, verdict=described)
        return replace(prepared, description=described)

    def _reason_not_to_keep(self, page: Page) -> str:
        """Return the rule of its publisher by which a page is not kept; empty where none is."""
        counted = self._settings.directives.rules
        return next((rule for rule in page.directives.rules if rule in counted and rule != "nofollow"), "")

    def _kept_description(self, prepared: Prepared, *, not_kept: str) -> bytes | None:
        """Return the description to store. Pages that are no finds whatever the judge says are not judged again."""
        is_excluded = bool(not_kept) or self._parts.scope.objection_to_title(prepared.page.title) is not None
        return None if prepared.description is None or is_excluded else prepared.description.tobytes()

    def _judged(self, link: LinkId, prepared: Prepared, *, not_kept: str) -> Verdict | Unjudged:
        page, verdict = prepared.page, prepared.verdict
        if verdict is None:
            mark = self._times.start()
            verdict = self._learner.judge(link, page, prepared.description)
            self._times.lap("judge", mark)
        if isinstance(verdict, Unjudged):
            return verdict
        if self._parts.scope.objection_to_title(page.title) is not None:
            return Verdict(0.0, is_relevant=False, reward=0.0)
        # What may not be kept is no find, but its relevance still tells where its links lead.
        return replace(verdict, is_relevant=False, reward=0.0) if not_kept else verdict

    def _objection_to_target(self, url: Url, depth: int) -> str | None:
        """Why a redirect may not be followed there, or None."""
        links, scope = self._parts.links, self._parts.scope
        known = links.find(url)
        if known is None and not scope.has_room(len(links)):
            return "scope.max_pages"
        objection = scope.objection(url, depth=depth)
        is_had = objection == PER_HOST and known is not None and links.state(known) is LinkState.DONE
        return None if is_had else objection

    def _learn(self, link: LinkId, transition: Transition) -> None:
        mark = self._times.start()
        has_changed = self._learner.learn(link, transition)
        if has_changed and self._parts.strategy.order is Order.BEST_SCORE:
            self._parts.frontier.reprice(self._parts.strategy)
            self._ledger.note_repricing()
        self._times.lap("learn", mark)

    def _origin(self, dispatch: Dispatch, verdict: Verdict) -> Origin:
        link = dispatch.record.link
        distance = 0 if verdict.is_relevant else self._parts.links.distance(link) + 1
        return Origin(dispatch.url.host, verdict.relevance, distance, self._parts.links.depth(link))


def _novelty(found: FoundLinks) -> float:
    """The share of a page's links that were never met before; of a page without links, 1."""
    count = len(found.links) + len(found.visited)
    return float(found.is_new.sum()) / count if count else 1.0
