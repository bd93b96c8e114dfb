"""What every `Store` promises, run over each implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.model import (
    Answer,
    Failed,
    FailureReason,
    HostRest,
    LinkId,
    LinkState,
    Origin,
    Redirected,
    Sighting,
    Url,
)
from honeyguide.runs import (
    CompletionRecord,
    FoundLink,
    LearnerSnapshot,
    PairRecord,
    Progress,
    RedirectedLink,
    SkipRecord,
    SqliteStore,
    StepRecord,
    Store,
    StoredDecision,
    StoredVisit,
)
from runs.step_records import FIRST, SEED, SEED_LINK, dispatch, found, target, visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from honeyguide.model import Row

OPENERS: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: SqliteStore(folder / "crawl.sqlite")}
ODD_WORDS = ("🪨", "עברית", "é", "naïve", "\ufffd", "岩石", "ا\u200dب", "x\x00y", "👩\u200d🔬")


@pytest.fixture(params=OPENERS.values(), ids=list(OPENERS))
def opener(request: pytest.FixtureRequest) -> Callable[[Path], Store]:
    opener: Callable[[Path], Store] = request.param
    return opener


@pytest.fixture
def store(opener: Callable[[Path], Store], tmp_path: Path) -> Iterator[Store]:
    store = opener(tmp_path)
    yield store
    store.close()


def test_a_new_store_has_no_progress_and_no_links(store: Store) -> None:
    assert store.progress() is None
    assert store.learner_snapshot() is None
    assert list(store.links()) == []
    assert store.in_flight() == []


def test_what_is_recorded_is_there_after_opening_again(opener: Callable[[Path], Store], tmp_path: Path) -> None:
    store = opener(tmp_path)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    store.close()
    again = opener(tmp_path)
    assert again.progress() == visit(0, 1).progress
    assert [(link.link, link.url, link.state) for link in again.links()] == [
        (0, SEED, LinkState.DONE),
        (1, target(1), LinkState.WAITING),
        (2, target(2), LinkState.WAITING),
    ]
    assert again.host_rests() == [HostRest("s.test", 2.0)]
    again.close()


def test_closing_twice_is_harmless(store: Store, opener: Callable[[Path], Store], tmp_path: Path) -> None:
    store.record(FIRST)
    store.close()
    store.close()
    again = opener(tmp_path)
    assert again.progress() == FIRST.progress
    again.close()


def test_a_fetch_is_in_flight_from_its_dispatch_to_its_completion(store: Store) -> None:
    store.record(FIRST)
    store.record(StepRecord(Progress(dispatches=1), dispatches=(dispatch(0, 0),)))
    (under_way,) = store.in_flight()
    assert (under_way.link, under_way.number, under_way.score, under_way.explored) == (0, 0, 0.25, True)
    assert next(store.links()).state is LinkState.IN_FLIGHT
    store.record(replace(visit(0, 1), dispatches=()))
    assert store.in_flight() == []
    assert next(store.links()).state is LinkState.DONE


def test_fetches_in_flight_come_in_order_of_dispatch(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(n) for n in range(1, 5)]))
    chosen = tuple(dispatch(link, number) for number, link in enumerate([3, 1, 4, 2], start=1))
    store.record(StepRecord(Progress(steps=1, dispatches=5), dispatches=chosen))
    assert [record.link for record in store.in_flight()] == [3, 1, 4, 2]


def test_decisions_name_what_was_fetched_is_in_flight_or_was_skipped_in_order(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2), found(3)]))
    skip = SkipRecord(LinkId(2), 1, "a trap", decision=1)
    store.record(StepRecord(Progress(steps=1, dispatches=2), dispatches=(dispatch(1, 1, decision=2),), skips=(skip,)))
    assert list(store.decisions_from(0)) == [
        StoredDecision(0, LinkId(0), 0, is_skipped=False),
        StoredDecision(1, LinkId(2), 1, is_skipped=True),
        StoredDecision(2, LinkId(1), 1, is_skipped=False),
    ]
    assert [decision.number for decision in store.decisions_from(2)] == [2]
    assert [link.state for link in store.links()] == [
        LinkState.DONE,
        LinkState.IN_FLIGHT,
        LinkState.SKIPPED,
        LinkState.WAITING,
    ]


def test_a_transition_comes_back_with_the_page_it_was_learned_from(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)], body=b"one"))
    store.record(visit(1, 2, body=bytes(range(256))))
    (told,) = store.transitions_after(1)
    assert (told.step, told.link, told.reward, told.is_relevant) == (2, 1, 0.7, True)
    assert (told.relevance, told.depth, told.content_type, told.body) == (0.7, 1, "text/html", bytes(range(256)))
    assert [told.step for told in store.transitions_after(0)] == [1, 2]


def test_a_failure_is_a_transition_without_a_page_and_a_redirect_is_none(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    for step, link, outcome, reward in (
        (2, 1, Failed(FailureReason.TIMEOUT, "late"), 0.0),
        (3, 2, Redirected(302, SEED), None),
    ):
        chosen = dispatch(link, step - 1)
        done = CompletionRecord(chosen, Answer(outcome, 1.0), 1.0, reward, visit=None)
        store.record(StepRecord(Progress(steps=step), dispatches=(chosen,), completion=done))
    (told,) = store.transitions_after(1)
    assert (told.step, told.reward, told.is_relevant, told.body) == (2, 0.0, False, None)


def row(*numbers: float) -> Row:
    return np.array(numbers, dtype=np.float16)


def test_the_row_by_which_a_link_was_chosen_comes_back_with_whatever_tells_of_it(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    chosen = replace(dispatch(1, 1), row=row(1.5, -2))
    store.record(StepRecord(Progress(steps=1, dispatches=2), dispatches=(chosen,)))
    (in_flight,) = store.in_flight()
    assert in_flight.row is not None
    assert in_flight.row.tolist() == [1.5, -2.0]
    done = CompletionRecord(chosen, Answer(Failed(FailureReason.TIMEOUT, "late"), 1.0), 1.0, 0.0, visit=None)
    store.record(StepRecord(Progress(steps=2), completion=done))
    (told,) = store.transitions_after(1)
    first, second = store.decisions_from(0)
    assert told.row is not None
    assert second.row is not None
    assert told.row.tolist() == second.row.tolist() == [1.5, -2.0]
    assert first.row is None, "where none was kept"


def test_rows_that_links_have_got_come_back_in_order_to_the_last_bit(store: Store) -> None:
    pairs = [
        PairRecord(LinkId(0), 0.1, row(0.3, 1)),
        PairRecord(LinkId(1), -1e-300, row(0, 9)),
        PairRecord(LinkId(0), 1 / 3, row(0.3, 1)),
        PairRecord(LinkId(1), 2.0, row(7, 7)),
    ]
    store.record(replace(FIRST, pairs=tuple(pairs[:1])))
    store.record(replace(visit(0, 1, [found(1)]), pairs=tuple(pairs[1:])))
    assert [(pair.link, pair.score, pair.row.tolist()) for pair in store.pairs()] == [
        (pair.link, pair.score, pair.row.tolist()) for pair in pairs
    ]


def test_visits_tell_pages_with_all_their_links_and_where_redirects_led_step_by_step(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(2), found(1), found(3)]))
    redirect = dispatch(2, 1)
    done = CompletionRecord(redirect, Answer(Redirected(302, target(1)), 1.0), 2.0, None, None, LinkId(1))
    store.record(StepRecord(Progress(steps=2), dispatches=(redirect,), completion=done))
    failed = dispatch(3, 2)
    done = CompletionRecord(failed, Answer(Failed(FailureReason.TIMEOUT, "late"), 1.0), 3.0, 0.0, visit=None)
    store.record(StepRecord(Progress(steps=3), dispatches=(failed,), completion=done))
    store.record(visit(1, 4))
    assert list(store.visits()) == [
        StoredVisit(1, LinkId(0), 0.7, is_relevant=True, targets=(LinkId(1), LinkId(2), LinkId(3)), is_redirect=False),
        StoredVisit(2, LinkId(2), 0.0, is_relevant=False, targets=(LinkId(1),), is_redirect=True),
        StoredVisit(4, LinkId(1), 0.7, is_relevant=True, targets=(), is_redirect=False),
    ]


def test_only_the_newest_snapshot_counts(store: Store) -> None:
    store.record(FIRST)
    for step in range(1, 6):
        store.record(visit(step - 1, step, [found(step)], learner=b"state %d" % step))
    assert store.learner_snapshot() == LearnerSnapshot(5, 0, b"state 5")


def test_a_snapshot_taken_twice_after_one_step_is_the_later_one(store: Store) -> None:
    store.record(FIRST)
    store.record(replace(FIRST, new_links=(), progress=Progress(decisions=3), learner=b"later"))
    assert store.learner_snapshot() == LearnerSnapshot(0, 3, b"later")


def test_a_better_sighting_takes_the_place_of_the_first(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    better = replace(found(2, page=1, anchor="more telling", score=0.9), row=np.array([0.5, 2.0], dtype=np.float16))
    store.record(replace(visit(1, 2), found_again=(better,)))
    link = list(store.links())[2]
    assert link.sighting == better.sighting
    assert link.score == 0.9
    assert link.row is not None
    assert link.row.tolist() == [0.5, 2.0]
    assert link.hops == 0


@pytest.mark.parametrize("is_new", [True, False])
def test_a_redirect_target_takes_over_the_text_of_its_source(store: Store, is_new: bool) -> None:
    store.record(FIRST)
    links = [found(1, anchor="old address"), *([] if is_new else [found(2, anchor="its own")])]
    store.record(visit(0, 1, links))
    redirect = RedirectedLink(LinkId(1), LinkId(2), target(2), is_new, hops=1, score=0.8)
    chosen = dispatch(1, 1)
    done = CompletionRecord(chosen, Answer(Redirected(301, target(2)), 0.1), 2.0, None, None, LinkId(2))
    store.record(StepRecord(Progress(steps=2), dispatches=(chosen,), completion=done, redirect=redirect))
    link = list(store.links())[2]
    assert (link.url, link.hops, link.score, link.state) == (target(2), 1, 0.8, LinkState.WAITING)
    assert link.sighting == replace(found(1, anchor="old address").sighting, seen_as=target(1))


def test_a_link_found_on_a_page_after_a_redirect_to_it_is_again_a_link_of_its_own(store: Store) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(3)]))
    redirect = RedirectedLink(LinkId(1), LinkId(4), target(4), is_new=True, hops=1, score=0.8)
    chosen = dispatch(1, 1)
    done = CompletionRecord(chosen, Answer(Redirected(301, target(4)), 0.1), 2.0, None, None, LinkId(4))
    store.record(StepRecord(Progress(steps=2), dispatches=(chosen,), completion=done, redirect=redirect))
    better = found(4, page=3, score=0.9)
    store.record(replace(visit(3, 3), found_again=(better,)))
    link = list(store.links())[-1]
    assert link.hops == 0
    assert link.sighting == better.sighting


def test_the_room_taken_grows_with_what_is_kept(store: Store) -> None:
    store.record(FIRST)
    before = store.size_bytes()
    store.record(visit(0, 1, body=np.random.default_rng(1).bytes(500_000)))
    assert store.size_bytes() - before >= 450_000


def as_list(row: Row | None) -> list[float] | None:
    return None if row is None else row.tolist()


words = st.one_of(st.sampled_from(ODD_WORDS), st.from_regex(r"[^\W_]{1,12}", fullmatch=True))
texts = st.lists(words, max_size=5).map(tuple)
sightings = st.builds(
    Sighting,
    seen_as=st.just(SEED),
    anchor=texts,
    before=texts,
    after=texts,
    in_main=st.booleans(),
    origin=st.just(Origin(SEED.host, 0.7, 0, 0)),
)


@pytest.mark.parametrize("name", OPENERS)
@settings(max_examples=60, deadline=None)
@given(
    shown=st.lists(st.tuples(sightings, st.floats(allow_nan=False), st.booleans()), max_size=8),
    better=st.lists(sightings, max_size=8),
)
def test_stored_sightings_are_the_ones_recorded_last(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    shown: list[tuple[Sighting, float, bool]],
    better: list[Sighting],
) -> None:
    new = []
    for number, (sighting, score, has_row) in enumerate(shown, start=1):
        row = np.array([number, 0.5], dtype=np.float16) if has_row else None
        link = LinkId(number)
        new.append(FoundLink(link, target(number), LinkId(0), replace(sighting, seen_as=target(number)), score, row))
    again = [
        replace(old, sighting=replace(sighting, seen_as=old.url), row=None)
        for old, sighting in zip(new, better, strict=False)
    ]
    store = OPENERS[name](tmp_path_factory.mktemp("store"))
    store.record(FIRST)
    store.record(replace(visit(0, 1, new), found_again=tuple(again)))
    stored = list(store.links())
    store.close()
    expected = {recorded.link: recorded for recorded in [SEED_LINK, *new, *again]}
    assert [link.link for link in stored] == list(range(len(new) + 1))
    for kept in stored:
        last = expected[kept.link]
        assert (kept.url, kept.sighting, kept.score) == (last.url, last.sighting, last.score)
        assert as_list(kept.row) == as_list(last.row)


def test_urls_of_any_length_and_script_survive(store: Store) -> None:
    urls = [Url.parse(f"http://münchen.test/{path}?q=岩石#x") for path in ("🪨", "é" * 300, "a%00b")]
    new = [replace(found(number), url=url) for number, url in enumerate(urls, start=1)]
    store.record(FIRST)
    store.record(visit(0, 1, new))
    assert [link.url for link in store.links()] == [SEED, *urls]


def test_a_link_that_waits_again_has_its_attempt_kept_and_no_transition(store: Store) -> None:
    store.record(FIRST)
    in_vain = CompletionRecord(
        dispatch(0, 0), Answer(Failed(FailureReason.TIMEOUT, "no answer"), 1.0), 1.0, None, None, is_final=False
    )
    store.record(StepRecord(Progress(steps=1, dispatches=1), dispatches=(dispatch(0, 0),), completion=in_vain))
    assert [link.state for link in store.links()] == [LinkState.WAITING]
    assert store.in_flight() == []
    assert [(one.link, one.after_steps, one.step) for one in store.attempts_in_vain()] == [(0, 0, 1)]
    store.record(visit(0, 2))
    assert [told.step for told in store.transitions_after(0)] == [2]
    assert [link.state for link in store.links()] == [LinkState.DONE]


def test_what_is_known_of_live_hosts_is_the_latest(store: Store) -> None:
    store.record(FIRST)
    for step, troubles in ((1, 3), (2, 0)):
        host = HostRest("a.test", 5.0, 0.5, f"192.0.2.{step}", float(step), troubles)
        store.record(StepRecord(Progress(steps=step), hosts=(host,)))
    store.record(StepRecord(Progress(steps=3), hosts=(HostRest("b.test", 9.0, troubles=1),)))
    assert store.host_rests() == [
        HostRest("a.test", 5.0, 0.5, "192.0.2.2", 2.0, 0),
        HostRest("b.test", 9.0, troubles=1),
    ]
