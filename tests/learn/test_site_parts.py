"""What parts of sites earn beyond predictions, by the weights of today."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.crawler.links import LinkChances, LinkTable
from honeyguide.errors import StrategyError
from honeyguide.learn import DeadEnds
from honeyguide.learn.site_parts import PULL, SiteParts
from honeyguide.model import LinkId, Url

SQL, OTHER, ELSEWHERE, PLAIN = (
    Url.parse(f"http://a.test/docs/{name}") for name in ("sql-select.html", "tutorial-start.html", "../x/1.html", "up")
)
ONE = np.array([1.0])


def bonus(parts: SiteParts, url: Url) -> float:
    return float(parts.bonuses(np.array([parts.signs(url)], dtype=np.int32))[0])


def changed(parts: SiteParts) -> list[int] | None:
    return None if parts.changed is None else parts.changed.tolist()


def told(*pages: tuple[Url, float], weight: float = 0.0) -> SiteParts:
    """Pages with a row of 1, and their rewards."""
    parts = SiteParts(1)
    for url, reward in pages:
        parts.add(url, ONE, reward)
    parts.tell_all(np.array([weight]))
    return parts


def test_a_folder_that_earns_more_than_its_host_has_a_bonus_and_the_others_pay_for_it() -> None:
    parts = told((PLAIN, 1.0), (ELSEWHERE, 0.0))
    # Surprises of 1 and 0: the mean is 0.5, the host has none of its own, and each folder half a point for six pages.
    assert bonus(parts, PLAIN) == pytest.approx(0.5 / (1 + PULL))
    assert bonus(parts, ELSEWHERE) == pytest.approx(-0.5 / (1 + PULL))
    assert bonus(parts, Url.parse("http://a.test/never/seen")) == 0.0


def test_the_beginning_of_a_file_name_counts_beside_its_folder() -> None:
    parts = told(*[(SQL, 1.0)] * 20, *[(OTHER, 0.0)] * 20)
    assert bonus(parts, Url.parse("http://a.test/docs/sql-insert.html")) == pytest.approx(10 / (20 + PULL))
    assert bonus(parts, Url.parse("http://a.test/docs/tutorial-end.html")) == pytest.approx(-10 / (20 + PULL))
    assert bonus(parts, PLAIN) == 0.0


def test_what_a_page_earned_counts_by_the_weights_of_today_not_by_those_of_its_time() -> None:
    early = told((PLAIN, 0.4), weight=0.9)
    early.add(PLAIN, ONE, 0.4)
    early.add(ELSEWHERE, 2 * ONE, 0.8)
    early.tell_all(np.array([0.4]))
    assert bonus(early, PLAIN) == pytest.approx(0.0), "nothing surprises weights that foresee every page"
    assert bonus(early, ELSEWHERE) == pytest.approx(0.0)


def test_all_pages_falling_short_alike_gives_no_part_a_bonus() -> None:
    parts = told(*[(PLAIN, 0.0)] * 9, weight=0.7)
    assert bonus(parts, PLAIN) == 0.0
    assert bonus(parts, Url.parse("http://b.test/")) == 0.0


def test_waiting_links_are_told_of_the_parts_of_a_page_at_once_and_of_all_from_time_to_time() -> None:
    parts = told(*[(SQL, 1.0)] * 10, *[(ELSEWHERE, 0.0)] * 10)
    before = bonus(parts, ELSEWHERE)
    parts.add(SQL, ONE, 1.0)
    parts.tell(SQL, np.zeros(1))
    assert changed(parts) == list(parts.signs(SQL))
    assert bonus(parts, ELSEWHERE) == before
    for _ in range(5):
        parts.add(SQL, ONE, 1.0)
        parts.tell(SQL, np.zeros(1))
    assert changed(parts) is None
    assert bonus(parts, ELSEWHERE) < before


def test_where_no_page_came_there_is_nothing_to_tell() -> None:
    parts = told((SQL, 1.0))
    parts.tell_nothing()
    assert changed(parts) == [-1, -1]


def test_saved_and_loaded_it_says_and_learns_the_same() -> None:
    parts = told(*[(SQL, 1.0)] * 10, *[(Url.parse(f"http://h{n}.test/{n}/x-y"), n / 100) for n in range(100)])
    parts.add(SQL, ONE, 0.3)
    parts.tell(SQL, np.array([0.2]))
    other = SiteParts(1)
    other.load(parts.save())
    for each in (parts, other):
        each.add(ELSEWHERE, ONE, 0.5)
        each.tell(ELSEWHERE, np.array([0.1]))
    urls = [SQL, ELSEWHERE, *(Url.parse(f"http://h{n}.test/{n}/x-z") for n in range(0, 100, 7))]
    assert [bonus(parts, url) for url in urls] == [bonus(other, url) for url in urls]
    assert any(bonus(parts, url) for url in urls)


@pytest.mark.parametrize("state", [b"", b"none", SiteParts(2).save()])
def test_a_state_that_is_none_is_refused(state: bytes) -> None:
    with pytest.raises(StrategyError, match="parts of sites"):
        SiteParts(1).load(state)


def test_signs_take_two_bytes_and_mean_the_same_to_a_frontier() -> None:
    links = LinkTable()
    urls = [
        Url.parse(f"http://h{n}.test/docs/{name}") for n in range(50) for name in ("sql-select.html", "up", "", "a_b")
    ]
    one = np.ones(len(urls), dtype=np.int64)
    numbers = [LinkId(number) for number in links.meet_new(urls, depth=one, distance=one, found_on=0 * one).tolist()]
    dead_ends = DeadEnds(same_host=0, in_main=0, has_anchor=0, nearness=0, shown_by=0)
    parts = told((urls[0], 1.0), (urls[1], 0.5), (urls[7], 0.0))
    for place, url in enumerate(urls[:20]):
        dead_ends.observe(url, ONE, place % 2)
    chances, rows = LinkChances(links, dead_ends, parts), np.ones((len(urls), 1), dtype=np.float16)
    signs = chances.signs(numbers)
    assert signs.dtype == np.uint16
    assert chances.chances(signs, rows).tolist() == dead_ends.chances(dead_ends.signs(urls), rows).tolist()
    assert chances.bonuses(signs).tolist() == [bonus(parts, url) for url in urls]
    parts.tell(urls[0], np.array([0.0]))
    dead_ends.changed = dead_ends.signs([urls[0]])[0]
    assert chances.changed is not None
    assert chances.changed.tolist() == signs[0].tolist()
    parts.tell(urls[1], np.array([0.0]))
    assert chances.changed.tolist()[-1] == -1, "an address without a beginning has none that changes"
