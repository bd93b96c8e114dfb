"""Which links bring a page: counted by host, section, shape, last word, place, depth and pages that show them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import StrategyError
from honeyguide.learn.dead_ends import DeadEnds
from honeyguide.model import Row, Url

SAME_HOST, IN_MAIN, HAS_ANCHOR, NEARNESS, SHOWN_BY = range(5)


def counting() -> DeadEnds:
    return DeadEnds(same_host=SAME_HOST, in_main=IN_MAIN, has_anchor=HAS_ANCHOR, nearness=NEARNESS, shown_by=SHOWN_BY)


def row_of(*, in_main: bool = True, depth: int = 1, shown_by: int = 1) -> Row:
    return np.array([0, in_main, 1, 1 / (1 + depth), np.log1p(shown_by)], dtype=np.float16)


def chance_of(model: DeadEnds, address: str, row: Row | None = None) -> float:
    rows = (row_of() if row is None else row)[None, :]
    return float(model.chances(model.signs([Url.parse(address)]), rows)[0])


def tell(model: DeadEnds, addresses: list[str], answered: float, row: Row | None = None) -> None:
    for address in addresses:
        model.observe(Url.parse(address), row_of() if row is None else row, answered)


def test_before_any_answer_all_links_have_the_same_good_chance() -> None:
    model = counting()
    assert chance_of(model, "http://a.test/x/1.html") == chance_of(model, "http://b.test/?q=2") == pytest.approx(0.9)


def test_a_host_that_fails_is_not_expected_to_answer_and_others_are() -> None:
    model = counting()
    for number in range(8):
        tell(model, [f"http://good.test/part/{number}.html"], 1.0)
        tell(model, [f"http://bad.test/part/{number}.html"], 0.0)
    good, bad = (chance_of(model, f"http://{host}.test/part/99.html") for host in ("good", "bad"))
    new = chance_of(model, "http://new.test/part/99.html")
    assert bad < 0.25 < new < 0.8 < good


def test_a_new_host_is_like_the_first_links_of_hosts_and_not_like_all_links() -> None:
    model = counting()
    for number in range(12):
        tell(model, [f"http://gone{number}.test/a.html"], 0.0)
        tell(model, [f"http://good.test/a{page}.html" for page in range(6)], 1.0)
    assert chance_of(model, "http://other.test/a.html") < 0.4
    assert chance_of(model, "http://good.test/b.html") > 0.8


def test_sections_and_last_words_of_addresses_are_told_apart() -> None:
    model = counting()
    for number in range(12):
        tell(model, [f"http://a.test/news/{number}.html", f"http://h{number}.test/story-one.html"], 1.0)
        tell(model, [f"http://a.test/shop/{number}.html", f"http://h{number}.test/story-old.html"], 0.0)
    assert chance_of(model, "http://a.test/shop/99.html") < 0.4 < chance_of(model, "http://a.test/news/99.html")
    assert chance_of(model, "http://h1.test/other-old.html") < chance_of(model, "http://h1.test/other-one.html")


@pytest.mark.parametrize(
    ("poor", "good"),
    [
        (row_of(in_main=True), row_of(in_main=False)),
        (row_of(depth=5), row_of(depth=1)),
        (row_of(shown_by=1), row_of(shown_by=20)),
    ],
)
def test_place_on_the_page_depth_and_pages_that_show_it_tell_too(poor: Row, good: Row) -> None:
    model = counting()
    for number in range(20):
        tell(model, [f"http://h{number}.test/a.html"], 1.0, good)
        tell(model, [f"http://g{number}.test/a.html"], 0.0, poor)
    assert chance_of(model, "http://new.test/a.html", poor) < chance_of(model, "http://new.test/a.html", good) - 0.1


def test_a_redirect_to_something_new_is_worth_half_a_page() -> None:
    chances = []
    for answered in (0.0, 0.5, 1.0):
        model = counting()
        tell(model, [f"http://a.test/{number}" for number in range(9)], answered)
        chances.append(chance_of(model, "http://a.test/99"))
    assert chances == sorted(chances)
    assert chances[0] < 0.3 < chances[1] < 0.7 < chances[2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=60))
def test_what_has_not_changed_has_the_chance_it_had(seen: list[tuple[int, int, float]]) -> None:
    """A frontier works out anew only the links that have a sign which `changed` names."""
    model = counting()
    urls = [
        Url.parse(f"http://h{host}.test/s{part}/{page}.html") for host in range(4) for part in range(4) for page in "ab"
    ]
    signs, rows = model.signs(urls), np.tile(row_of(), (len(urls), 1))
    kept = model.chances(signs, rows)
    for host, part, answered in seen:
        model.observe(Url.parse(f"http://h{host}.test/s{part}/x.html"), row_of(depth=part), answered)
        is_told = np.ones(len(urls), bool) if model.changed is None else (signs == model.changed).any(axis=1)
        kept[is_told] = model.chances(signs[is_told], rows[is_told])
        assert kept.tolist() == model.chances(signs, rows).tolist()
        assert ((kept > 0) & (kept < 1)).all()


def test_counts_survive_saving_and_what_is_no_count_is_refused() -> None:
    model, again = counting(), counting()
    tell(model, [f"http://h{number % 7}.test/{number}.html" for number in range(40)], 0.0)
    again.load(model.save())
    assert again.save() == model.save()
    assert chance_of(again, "http://h1.test/99.html") == chance_of(model, "http://h1.test/99.html") < 0.3
    tell(model, ["http://h1.test/a"], 1.0)
    tell(again, ["http://h1.test/a"], 1.0)
    assert chance_of(again, "http://h1.test/b") == chance_of(model, "http://h1.test/b")
    with pytest.raises(StrategyError, match="not a saved count"):
        again.load(b"nothing")
