"""Findings are put together into traps: what belongs together is one, and nothing else is."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Url
from honeyguide.model.guard_words import Cause, Reason, mirror_of
from honeyguide.runs import GuardFinding, HostMoves, LinksMoved, Trap
from honeyguide.runs.traps import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = tuple[str, str, str]  # kind, about, address

CALENDAR: list[Row] = [
    ("near-duplicate", "a.test/cal/#/#/", "http://a.test/cal/2031/01/"),
    ("near-duplicate", "a.test/cal/#/#/#/", "http://a.test/cal/2031/01/07/"),
    ("calendar", "a.test/cal/#/#/#/", "http://a.test/cal/2031/01/08/"),
    ("loop", "a.test/cal/#/#/", "http://a.test/cal/2031/02/"),
]
MIRRORS: list[Row] = [
    ("mirror", "b.test/p/: mirror of http://a.test", "http://b.test/p/1"),
    ("mirror", "c.test/q/: mirror of http://b.test", "http://c.test/q/1"),
    ("variant", "c.test/p/: slash", "http://c.test/p/1/"),
    ("duplicate", "a.test/", "http://a.test/"),
    ("duplicate", "b.test/r/*", "http://b.test/r/x"),
]


def found(rows: Iterable[Row]) -> list[GuardFinding]:
    """A finding for each row, from step 1 on; every third page is relevant."""
    return [
        GuardFinding(step, Url.parse(address), kind, about, f"{kind} at {step}", step, 3, step % 3 == 0)
        for step, (kind, about, address) in zip(count(1), rows)
    ]


def traps_of(*rows: Row) -> tuple[Trap, ...]:
    return grouped(found(rows), [])[0]


def moves(host: str, reason: str, lowered: int = 1, raised: int = 0) -> HostMoves:
    return HostMoves(host, reason, lowered, raised, 0, 1, 2)


def test_the_copies_of_a_section_belong_to_the_trap_that_was_found_there() -> None:
    (trap,) = traps_of(*CALENDAR)
    assert (trap.kind, trap.about, trap.hosts) == ("calendar", "a.test/cal/", ("a.test",))
    assert (trap.pages, trap.relevant, trap.first_step, trap.last_step) == (4, 1, 1, 4)
    assert trap.evidence == "calendar at 3"
    told = {(part.kind, part.about): (part.pages, part.evidence) for part in trap.parts}
    assert told["near-duplicate", "a.test/cal/#/#/"] == (1, "near-duplicate at 1")
    assert len(told) == 4


def test_copies_elsewhere_on_the_host_do_not() -> None:
    calendar, copies = traps_of(
        *CALENDAR,
        ("near-duplicate", "a.test/news/*", "http://a.test/news/x"),
        ("duplicate", "a.test/shop/*", "http://a.test/shop/x"),
    )
    assert (calendar.pages, copies.pages) == (4, 2)
    assert (copies.kind, copies.about) == ("near-duplicate", "a.test")


def test_at_the_root_only_the_front_page_belongs_to_what_was_found_there() -> None:
    sessions: Row = ("session-id", "a.test/: parameter sid", "http://a.test/?sid=1")
    front: Row = ("duplicate", "a.test/?x", "http://a.test/?x=1")
    article: Row = ("near-duplicate", "a.test/*", "http://a.test/Moon")
    assert [trap.pages for trap in traps_of(sessions, front)] == [2]
    assert [trap.kind for trap in traps_of(sessions, article)] == ["session-id", "near-duplicate"]


def test_rules_about_addresses_are_one_trap_of_a_host_with_the_rules_inside() -> None:
    trap, other = traps_of(
        ("session-id", "a.test/p/: parameter sid", "http://a.test/p/1?sid=1"),
        ("session-id", "a.test/q/: parameter sid", "http://a.test/q/1?sid=2"),
        ("variant", "a.test/q/: slash", "http://a.test/q/1/"),
        ("session-id", "b.test/q/: parameter sid", "http://b.test/q/1?sid=2"),
    )
    assert (trap.kind, trap.about, trap.pages) == ("session-id", "a.test", 3)
    assert [(part.about, part.pages) for part in trap.parts] == [("parameter sid", 2), ("slash", 1)]
    assert (other.about, other.pages) == ("b.test/q/: parameter sid", 1)


def test_mirrors_are_one_trap_however_many_hosts() -> None:
    (trap,) = traps_of(*MIRRORS)
    assert (trap.kind, trap.pages) == ("mirror", 5)
    assert trap.about == "b.test and 2 more"
    assert set(trap.hosts) == {"a.test", "b.test", "c.test"}


def test_pages_of_a_mirror_that_are_only_nearly_alike_are_not_its_own() -> None:
    traps = traps_of(*MIRRORS, ("near-duplicate", "a.test/news/*", "http://a.test/news/x"))
    assert [(trap.kind, trap.pages) for trap in traps] == [("mirror", 5), ("near-duplicate", 1)]


def test_other_hosts_are_other_traps() -> None:
    rows = [(kind, about.replace("a.", "b."), address.replace("a.", "b.")) for kind, about, address in CALENDAR]
    assert [trap.hosts for trap in traps_of(*CALENDAR, *rows[:3])] == [("a.test",), ("b.test",)]


def test_other_kinds_are_other_traps() -> None:
    traps = traps_of(*CALENDAR, ("facets", "a.test/shop/?", "http://a.test/shop/?a=1&b=2"))
    assert [trap.kind for trap in traps] == ["calendar", "facets"]


def test_a_series_that_was_called_otherwise_at_first_is_the_same() -> None:
    (trap,) = traps_of(
        ("pagination", "a.test/shop/?", "http://a.test/shop/?p=1"),
        ("facets", "a.test/shop/?", "http://a.test/shop/?p=1&q=1"),
        ("facets", "a.test/shop/?", "http://a.test/shop/?p=1&r=1"),
    )
    assert (trap.kind, trap.about, trap.evidence) == ("facets", "a.test/shop/?", "facets at 3")


def test_a_maze_that_has_grown_is_the_same_and_has_all_copies_on_its_hosts() -> None:
    trap, honest = traps_of(
        ("maze", "m1.test", "http://m1.test/x"),
        ("maze", "m1.test and 2 more", "http://m2.test/x"),
        ("maze", "m2.test and 7 more", "http://m2.test/y"),
        ("near-duplicate", "m2.test/*", "http://m2.test/z"),
        ("near-duplicate", "a.test/*", "http://a.test/z"),
    )
    assert (trap.kind, trap.about, trap.pages, trap.hosts) == ("maze", "m2.test and 7 more", 4, ("m2.test", "m1.test"))
    assert honest.hosts == ("a.test",)


def test_a_maze_in_one_section_leaves_the_rest_of_the_host_alone() -> None:
    traps = traps_of(
        ("maze", "a.test/x/", "http://a.test/x/1"),
        ("duplicate", "a.test/x/*", "http://a.test/x/2"),
        ("near-duplicate", "a.test/y/*", "http://a.test/y/2"),
    )
    assert [(trap.kind, trap.pages) for trap in traps] == [("maze", 2), ("near-duplicate", 1)]


def test_examples_are_the_first_the_last_and_one_between() -> None:
    rows = [("soft-404", "a.test", f"http://a.test/{number}") for number in range(9)]
    assert [url.path for url in traps_of(*rows)[0].examples] == ["/0", "/4", "/8"]
    assert [url.path for url in traps_of(*rows[:2])[0].examples] == ["/0", "/1"]
    assert [url.path for url in traps_of(*rows[:1])[0].examples] == ["/0"]


@pytest.mark.parametrize(
    ("host", "reason", "place"),
    [
        ("a.test", "calendar: a.test/cal/#/#/#/ runs idle", 0),
        ("a.test", "pagination: a.test/cal/#/ runs idle", 0),
        ("a.test", "a.test/cal/#/#/ repeats itself", 0),
        ("a.test", "variant of a fetched page: parameter sid", 1),
        ("a.test", "variant of a fetched page: slash", 1),
        ("a.test", "found only on pages that repeat others or lead to nothing", None),
        ("a.test", "stands clear again", None),
        ("a.test", "a.test/cal/#/#/ hardly pays: most of its links wait", None),
        ("m1.test", "m1.test hardly pays: most of its links wait", None),
        ("m9.test", "maze: m1.test and 99 more is overdrawn", 2),
        ("m1.test", "found only on pages that repeat others or lead to nothing", 2),
        ("z.test", "found only on pages that repeat others or lead to nothing", None),
    ],
)
def test_links_are_told_with_the_trap_that_the_reason_speaks_of(host: str, reason: str, place: int | None) -> None:
    sessions: list[Row] = [("session-id", "a.test/p/: parameter sid", f"http://a.test/p/1?sid={n}") for n in range(3)]
    maze: list[Row] = [("maze", f"m1.test and {n} more", "http://m1.test/x") for n in range(1, 3)]
    move = moves(host, reason, lowered=5, raised=2)
    traps, others = grouped(found([*CALENDAR, *sessions, *maze]), [move])
    assert [trap.kind for trap in traps] == ["calendar", "session-id", "maze"]
    assert [trap.links == LinksMoved(5, 2, 0) for trap in traps] == [place == number for number in range(3)]
    assert others == (() if place is not None else (move,))


def test_links_of_a_path_that_repeats_itself_and_of_a_mirror_are_told_with_their_traps() -> None:
    path: Row = ("repeating-path", "a.test/x/*/x/", "http://a.test/x/y/x/")
    calendars = [("calendar", f"{host}/cal/#/", f"http://{host}/cal/1/") for host in ("a.test", "b.test")]
    again = Reason(Cause.REPEATING_PATH, "4", "repeating-path").told()
    mirrored = Reason(Cause.VARIANT, mirror_of("http://a.test"), "variant").told()
    moved = [moves("a.test", again, lowered=2), moves("b.test", mirrored, lowered=3)]
    traps, others = grouped(found([*MIRRORS, path, *calendars]), moved)
    assert {trap.kind: trap.links.lowered for trap in traps} == {"mirror": 3, "repeating-path": 2, "calendar": 0}
    assert others == ()


@pytest.mark.parametrize(
    "row",
    [
        ("session-id", "a.test/: parameter sid", "http://a.test/?sid=1"),
        ("soft-404", "a.test", "http://a.test/nothing"),
    ],
)
def test_a_reason_about_a_section_is_not_about_what_was_found_at_the_root_or_all_over_the_host(row: Row) -> None:
    rows: list[Row] = [row, ("facets", "a.test/shop/?", "http://a.test/shop/?a=1&b=2")]
    move = moves("a.test", "pagination: a.test/lists/# runs idle")
    traps, others = grouped(found(rows), [move])
    assert len(traps) == 2
    assert others == (move,)


KINDS = ["duplicate", "near-duplicate", "loop", "variant", "session-id", "mirror", "calendar", "pagination", "facets",
         "growing-query", "repeating-path", "soft-404", "maze"]  # fmt: skip
ABOUTS = ["a.test", "a.test/", "a.test/x/*", "b.test/x/: slash", "b.test/: mirror of http://a.test",
          "a.test and 3 more", "", "x: ", "a.test/@me/: "]  # fmt: skip
ROWS = st.lists(
    st.tuples(
        st.sampled_from(KINDS), st.sampled_from(ABOUTS), st.sampled_from(["http://a.test/", "http://b.test/x/1"])
    ),
    max_size=30,
)
MOVES = st.lists(
    st.builds(moves, st.sampled_from(["a.test", "b.test"]), st.sampled_from(["", "maze: a.test is overdrawn", "x: "]))
)


@given(ROWS, MOVES)
def test_every_page_and_every_move_is_counted_once(rows: list[Row], moved: list[HostMoves]) -> None:
    findings = found(rows)
    traps, others = grouped(findings, moved)
    assert sum(trap.pages for trap in traps) == len(findings)
    assert sum(trap.relevant for trap in traps) == sum(finding.is_relevant for finding in findings)
    assert sum(trap.links.lowered for trap in traps) + len(others) == len(moved)
    for trap in traps:
        assert sum(part.pages for part in trap.parts) == trap.pages
        assert trap.kind in {part.kind for part in trap.parts}
    assert [trap.pages for trap in traps] == sorted((trap.pages for trap in traps), reverse=True)
    assert grouped(findings, moved)[0] == traps
