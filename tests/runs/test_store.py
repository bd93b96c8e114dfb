"""What a store promises: steps are there after opening again, with all that a resumed crawl needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.model import Answer, Failed, FailureReason, HostRest, LinkId, LinkState, Redirected, Url
from honeyguide.runs import (
    CompletionRecord,
    FoundLink,
    JournalEntry,
    LearnerSnapshot,
    PairRecord,
    Progress,
    RedirectedLink,
    SkipRecord,
    SqliteStore,
    StepRecord,
    StoredVisit,
)
from runs.step_records import FIRST, SEED, SEED_LINK, dispatch, found, row, target, visit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import Outcome, Row

LATE = Failed(FailureReason.TIMEOUT, "late")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "crawl.sqlite")
    yield store
    store.close()


def ended(link: int, step: int, outcome: Outcome, reward: float | None, target: int | None = None) -> StepRecord:
    """A fetch without a page, as one step."""
    chosen = dispatch(link, step - 1)
    led_to = None if target is None else LinkId(target)
    done = CompletionRecord(chosen, Answer(outcome, 1.0), float(step), reward, None, led_to)
    return StepRecord(Progress(steps=step), dispatches=(chosen,), completion=done)


def test_a_new_store_has_no_progress_and_no_links(store: SqliteStore) -> None:
    assert store.progress() is None
    assert store.learner_snapshot() is None
    assert list(store.links()) == []
    assert store.in_flight() == []


def test_what_is_recorded_is_there_after_opening_again(store: SqliteStore, tmp_path: Path) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    store.close()
    store.close()
    again = SqliteStore(tmp_path / "crawl.sqlite")
    assert again.progress() == visit(0, 1).progress
    assert [(link.link, link.url, link.state) for link in again.links()] == [
        (0, SEED, LinkState.DONE),
        (1, target(1), LinkState.WAITING),
        (2, target(2), LinkState.WAITING),
    ]
    assert again.host_rests() == [HostRest("s.test", 2.0)]
    again.close()


def test_a_fetch_is_in_flight_from_its_dispatch_to_its_completion(store: SqliteStore) -> None:
    store.record(FIRST)
    chosen = replace(dispatch(0, 0), row=row(1.5, -2))
    store.record(StepRecord(Progress(dispatches=1), dispatches=(chosen,)))
    (under_way,) = store.in_flight()
    assert (under_way.link, under_way.number, under_way.score, under_way.explored) == (0, 0, 0.25, True)
    assert under_way.row.tolist() == [1.5, -2.0]
    assert next(store.links()).state is LinkState.IN_FLIGHT
    store.record(replace(visit(0, 1), dispatches=()))
    assert store.in_flight() == []
    assert next(store.links()).state is LinkState.DONE


def test_fetches_in_flight_come_in_order_of_dispatch(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(n) for n in range(1, 5)]))
    chosen = tuple(dispatch(link, number) for number, link in enumerate([3, 1, 4, 2], start=1))
    store.record(StepRecord(Progress(steps=1, dispatches=5), dispatches=chosen))
    assert [record.link for record in store.in_flight()] == [3, 1, 4, 2]


def test_a_skipped_link_waits_no_more(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    store.record(StepRecord(Progress(steps=1), skips=(SkipRecord(LinkId(2), 1, "a trap", decision=1),)))
    assert [link.state for link in store.links()] == [LinkState.DONE, LinkState.WAITING, LinkState.SKIPPED]


def test_the_journal_comes_back_in_order_until_the_next_snapshot(store: SqliteStore) -> None:
    entries = [
        JournalEntry("fetch", LinkId(0), b"row"),
        JournalEntry("judge", LinkId(0)),
        JournalEntry("learn", LinkId(0), b"row", "[1, 0.5]", b"rows"),
        JournalEntry("see", LinkId(0), b"print", '{"targets": ["http://münchen.test/"]}'),
    ]
    store.record(replace(FIRST, journal=(JournalEntry("skip", LinkId(9)),)))
    assert list(store.journal()) == [], "what a snapshot holds needs no journal"
    store.record(replace(visit(0, 1, [found(1)]), journal=tuple(entries[:2])))
    store.record(replace(visit(1, 2), journal=tuple(entries[2:])))
    assert list(store.journal()) == entries
    assert store.learner_snapshot() == LearnerSnapshot(0, b"fresh")
    store.record(StepRecord(Progress(steps=2), learner=b"later", journal=tuple(entries)))
    assert list(store.journal()) == []
    assert store.learner_snapshot() == LearnerSnapshot(2, b"later")


def test_a_page_comes_back_as_it_was_received(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)], body=bytes(range(256))))
    fetched = store.fetched(LinkId(0))
    assert (fetched.content_type, fetched.body) == ("text/html", bytes(range(256)))
    with pytest.raises(LookupError, match="page of link 1"):
        store.fetched(LinkId(1))


def test_rows_that_links_have_got_come_back_in_order_to_the_last_bit(store: SqliteStore) -> None:
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


def test_visits_tell_pages_with_all_their_links_and_where_redirects_led_step_by_step(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(2), found(1), found(3)]))
    store.record(ended(2, 2, Redirected(302, target(1)), None, target=1))
    store.record(ended(3, 3, LATE, 0.0))
    store.record(visit(1, 4))
    assert list(store.visits()) == [
        StoredVisit(
            1,
            LinkId(0),
            0.7,
            is_relevant=True,
            newest_relevance=0.7,
            targets=(LinkId(1), LinkId(2), LinkId(3)),
            is_redirect=False,
        ),
        StoredVisit(2, LinkId(2), 0.0, is_relevant=False, newest_relevance=0.0, targets=(LinkId(1),), is_redirect=True),
        StoredVisit(4, LinkId(1), 0.7, is_relevant=True, newest_relevance=0.7, targets=(), is_redirect=False),
    ]


def test_a_link_comes_with_what_is_known_of_the_page_that_it_is_described_from(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)]))
    store.record(visit(1, 2, [found(2, page=1)]))
    assert [(link.relevance, link.distance, link.depth) for link in store.links()] == [
        (0.0, 0, 0),
        (0.7, 0, 1),
        (0.7, 0, 2),
    ]


def test_a_better_page_takes_the_place_of_the_first(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(2)]))
    better = replace(found(2, page=1, anchor="more telling", score=0.9), row=row(0.5, 2.0))
    store.record(replace(visit(1, 2), found_again=(better,)))
    link = list(store.links())[2]
    assert (link.description, link.score, link.hops, link.depth) == (b"more telling", 0.9, 0, 2)
    assert link.row is not None
    assert link.row.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("is_new", [True, False])
def test_a_redirect_target_takes_over_the_description_of_its_source(store: SqliteStore, is_new: bool) -> None:
    store.record(FIRST)
    links = [found(1, anchor="old address"), *([] if is_new else [found(2, anchor="its own")])]
    store.record(visit(0, 1, links))
    redirect = RedirectedLink(LinkId(1), LinkId(2), target(2), is_new, hops=1, score=0.8)
    store.record(replace(ended(1, 2, Redirected(301, target(2)), None, target=2), redirect=redirect))
    link = list(store.links())[2]
    assert (link.url, link.hops, link.score, link.state) == (target(2), 1, 0.8, LinkState.WAITING)
    assert link.description == b"old address"


def test_a_link_found_on_a_page_after_a_redirect_to_it_is_again_a_link_of_its_own(store: SqliteStore) -> None:
    store.record(FIRST)
    store.record(visit(0, 1, [found(1), found(3)]))
    redirect = RedirectedLink(LinkId(1), LinkId(4), target(4), is_new=True, hops=1, score=0.8)
    store.record(replace(ended(1, 2, Redirected(301, target(4)), None, target=4), redirect=redirect))
    better = found(4, page=3, anchor="its own", score=0.9)
    store.record(replace(visit(3, 3), found_again=(better,)))
    link = list(store.links())[-1]
    assert (link.hops, link.description) == (0, b"its own")


def test_the_room_taken_grows_with_what_is_kept(store: SqliteStore) -> None:
    store.record(FIRST)
    before = store.size_bytes()
    store.record(visit(0, 1, body=np.random.default_rng(1).bytes(500_000)))
    assert store.size_bytes() - before >= 450_000


def as_list(row: Row | None) -> list[float] | None:
    return None if row is None else row.tolist()


@settings(max_examples=25, deadline=None)
@given(
    shown=st.lists(st.tuples(st.binary(max_size=9), st.floats(allow_nan=False), st.booleans()), max_size=8),
    better=st.lists(st.binary(max_size=9), max_size=8),
)
def test_stored_descriptions_are_the_ones_recorded_last(
    tmp_path_factory: pytest.TempPathFactory, shown: list[tuple[bytes, float, bool]], better: list[bytes]
) -> None:
    new = [
        FoundLink(
            LinkId(number), target(number), LinkId(0), "岩石 🪨", kept, score, row(number, 0.5) if has_row else None
        )
        for number, (kept, score, has_row) in enumerate(shown, start=1)
    ]
    again = [replace(old, description=kept, row=None) for old, kept in zip(new, better, strict=False)]
    store = SqliteStore(tmp_path_factory.mktemp("store") / "crawl.sqlite")
    store.record(FIRST)
    store.record(replace(visit(0, 1, new), found_again=tuple(again)))
    stored = list(store.links())
    store.close()
    expected = {recorded.link: recorded for recorded in [SEED_LINK, *new, *again]}
    assert [link.link for link in stored] == list(range(len(new) + 1))
    for kept in stored:
        last = expected[kept.link]
        assert (kept.url, kept.description, kept.score) == (last.url, last.description, last.score)
        assert as_list(kept.row) == as_list(last.row)


def test_urls_of_any_length_and_script_survive(store: SqliteStore) -> None:
    urls = [Url.parse(f"http://münchen.test/{path}?q=岩石#x") for path in ("🪨", "é" * 300, "a%00b")]
    new = [replace(found(number), url=url) for number, url in enumerate(urls, start=1)]
    store.record(FIRST)
    store.record(visit(0, 1, new))
    assert [link.url for link in store.links()] == [SEED, *urls]


def test_a_link_that_waits_again_has_its_tries_counted_until_it_is_done(store: SqliteStore) -> None:
    store.record(FIRST)
    for step in (1, 2):
        step_record = ended(0, step, LATE, None)
        assert step_record.completion is not None
        store.record(replace(step_record, completion=replace(step_record.completion, is_final=False)))
    assert [link.state for link in store.links()] == [LinkState.WAITING]
    assert store.in_flight() == []
    assert store.retries_by_link() == {0: 2}
    store.record(visit(0, 3))
    assert [link.state for link in store.links()] == [LinkState.DONE]
    assert store.retries_by_link() == {}


def test_what_is_known_of_hosts_is_the_latest(store: SqliteStore) -> None:
    store.record(FIRST)
    for step, troubles in ((1, 3), (2, 0)):
        host = HostRest("a.test", 5.0, 0.5, f"192.0.2.{step}", float(step), troubles)
        store.record(StepRecord(Progress(steps=step), hosts=(host,)))
    store.record(StepRecord(Progress(steps=3), hosts=(HostRest("b.test", 9.0, troubles=1),)))
    assert store.host_rests() == [
        HostRest("a.test", 5.0, 0.5, "192.0.2.2", 2.0, 0),
        HostRest("b.test", 9.0, troubles=1),
    ]
