"""Findings are put together into traps: what belongs together is one, and nothing else is."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard import Cause, FindingKind
from honeyguide.model import Url
from honeyguide.runs import GuardFinding, HostMoves, LinksMoved, Trap
from honeyguide.runs.traps import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = tuple[str, str, str, str]  # kind, about, rule, address

NUMBERS = dict.fromkeys(
    ("words", "pairs", "recent", "alike", "turned", "brought", "pages", "series", "cost", "sites", "referrers",
     "addresses", "relevant", "budget"), 2.0,
)  # fmt: skip
CALENDAR: list[Row] = [
    ("near-duplicate", "a.test/cal/#/#/", "", "http://a.test/cal/2031/01/"),
    ("near-duplicate", "a.test/cal/#/#/#/", "", "http://a.test/cal/2031/01/07/"),
    ("calendar", "a.test/cal/#/#/#/", "", "http://a.test/cal/2031/01/08/"),
    ("loop", "a.test/cal/#/#/", "", "http://a.test/cal/2031/02/"),
]


def found(rows: Iterable[Row]) -> list[GuardFinding]:
    """A finding for each row, from step 1 on; every third page is relevant."""
    like = Url.parse("http://a.test/first")
    return [
        GuardFinding(
            step, Url.parse(address), kind, about, rule, like, NUMBERS | {"pairs": step}, step, 3, step % 3 == 0
        )
        for step, (kind, about, rule, address) in zip(count(1), rows)
    ]


def traps_of(*rows: Row) -> tuple[Trap, ...]:
    return grouped(found(rows), [])[0]


def move(host: str, kind: str = "", about: str = "", lowered: int = 1) -> HostMoves:
    return HostMoves(host, Cause.SERIES, about, kind, lowered, 0, 0, 1, 2)


def test_the_copies_of_a_section_belong_to_the_trap_that_was_found_there() -> None:
    (trap,) = traps_of(*CALENDAR)
    assert (trap.kind, trap.about, trap.hosts) == ("calendar", "a.test/cal/#/#/#/", ("a.test",))
    assert (trap.pages, trap.relevant, trap.first_step, trap.last_step) == (4, 1, 1, 4)
    assert (trap.parts[0].kind, trap.parts[0].about, trap.parts[0].pages) == ("calendar", "a.test/cal/#/#/#/", 1)
    assert len(trap.parts) == 4
    assert [url.path for url in trap.examples] == ["/cal/2031/01/", "/cal/2031/01/08/", "/cal/2031/02/"]


def test_copies_elsewhere_on_the_host_do_not() -> None:
    calendar, copies = traps_of(
        *CALENDAR,
        ("near-duplicate", "a.test/news/*", "", "http://a.test/news/x"),
        ("duplicate", "a.test/shop/*", "", "http://a.test/shop/x"),
    )
    assert (calendar.pages, copies.pages) == (4, 2)
    assert (copies.kind, copies.about) == ("near-duplicate", "a.test")


def test_rules_about_addresses_are_one_trap_of_a_host_with_the_rules_inside() -> None:
    trap, other = traps_of(
        ("session-id", "a.test/p/", "parameter sid", "http://a.test/p/1?sid=1"),
        ("session-id", "a.test/q/", "parameter sid", "http://a.test/q/1?sid=2"),
        ("variant", "a.test/q/", "slash", "http://a.test/q/1/"),
        ("session-id", "b.test/q/", "parameter sid", "http://b.test/q/1?sid=2"),
    )
    assert (trap.kind, trap.about, trap.pages) == ("session-id", "a.test", 3)
    assert [(part.about, part.pages) for part in trap.parts] == [("parameter sid", 2), ("slash", 1)]
    assert (other.about, other.pages) == ("b.test/q/", 1)


def test_the_mirrors_of_a_host_are_one_trap() -> None:
    (trap,) = traps_of(
        ("mirror", "b.test/p/", "http://a.test", "http://b.test/p/1"),
        ("mirror", "c.test/p/", "http://a.test", "http://c.test/p/1"),
        ("duplicate", "b.test/p/*", "", "http://b.test/p/x"),
    )
    assert (trap.kind, trap.pages, trap.about) == ("mirror", 3, "b.test and 1 more")


def test_other_hosts_and_other_kinds_are_other_traps() -> None:
    rows: list[Row] = [
        (kind, about.replace("a.", "b."), "", url.replace("a.", "b.")) for kind, about, _, url in CALENDAR
    ]
    facets: Row = ("facets", "a.test/shop/?", "", "http://a.test/shop/?a=1&b=2")
    traps = traps_of(*CALENDAR, *rows[:3], facets)
    assert [(trap.kind, trap.hosts) for trap in traps] == [
        ("calendar", ("a.test",)), ("calendar", ("b.test",)), ("facets", ("a.test",)),
    ]  # fmt: skip


def test_a_maze_is_one_trap_with_all_its_sites_and_their_copies() -> None:
    (trap,) = traps_of(
        *[("maze", "m0.test", "", f"http://m{number}.test/x") for number in range(5)],
        ("near-duplicate", "m1.test/*", "", "http://m1.test/y"),
    )
    assert (trap.kind, trap.pages, trap.about) == ("maze", 6, "m0.test and 4 more")


def test_the_evidence_of_a_trap_is_the_latest_of_its_kind() -> None:
    trap = traps_of(*[("variant", "a.test/q/", "slash", f"http://a.test/q/{number}/") for number in range(4)])[0]
    assert trap.evidence.endswith("differs in the slash at the end only; 4 such pairs")


@pytest.mark.parametrize("kind", list(FindingKind))
def test_every_kind_has_evidence_in_one_line(kind: FindingKind) -> None:
    (finding,) = found([(kind, "a.test/", "", "http://a.test/x")])
    assert any(letter.isdigit() for letter in finding.evidence)
    assert "\n" not in finding.evidence


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_has_a_reason_in_words(cause: Cause) -> None:
    reason = HostMoves("a.test", cause, "THAT", "maze", 1, 0, 0, 1, 1).reason
    assert ("THAT" in reason) == (cause not in (Cause.COPIES, Cause.RECOVERED))
    assert "{" not in reason


def test_links_moved_are_reported_with_the_trap_of_their_kind_or_the_only_one_on_their_host() -> None:
    findings = found([
        *CALENDAR, ("facets", "a.test/shop/?", "", "http://a.test/shop/?a=1"), ("maze", "m.test", "", "http://n.test/"),
    ])  # fmt: skip
    moves = [
        move("a.test", "calendar", lowered=2), move("a.test", "facets", lowered=3), move("a.test"),
        move("else.test", "maze", "m.test", lowered=5), move("n.test", lowered=7), move("other.test"),
    ]  # fmt: skip
    traps, others = grouped(findings, moves)
    assert {trap.kind: trap.links for trap in traps} == {
        "calendar": LinksMoved(2), "facets": LinksMoved(3), "maze": LinksMoved(12),
    }  # fmt: skip
    assert others == (moves[2], moves[5])


HOSTS = st.sampled_from(["a.test", "b.test", "m.test"])
ROWS = st.builds(
    lambda kind, host, section: (kind, f"{host}/{section}/#", "", f"http://{host}/{section}/7"),
    st.sampled_from([kind.value for kind in FindingKind]), HOSTS, st.sampled_from("xyz"),
)  # fmt: skip


@given(
    st.lists(ROWS, max_size=20), st.lists(st.builds(move, HOSTS, st.sampled_from(["", "maze", "calendar"])), max_size=9)
)
def test_every_page_and_every_move_is_counted_once(rows: list[Row], moves: list[HostMoves]) -> None:
    traps, others = grouped(found(rows), moves)
    assert sum(trap.pages for trap in traps) == len(rows)
    assert all(sum(part.pages for part in trap.parts) == trap.pages for trap in traps)
    assert sum(trap.links.lowered for trap in traps) + sum(each.lowered for each in others) == len(moves)
