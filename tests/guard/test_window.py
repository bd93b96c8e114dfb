"""The window holds so many pages, for so long, and finds the one that a page is most like."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.guard import Fingerprint, fingerprint_of
from honeyguide.guard.near_duplicates import Kept, Window
from honeyguide.model import LinkId
from pages import page_of
from tiny_webs import prose


def a_print(text: str) -> Fingerprint:
    return fingerprint_of(page_of(text))


def kept(link: int, print_: Fingerprint, moment: float = 0.0, shape: str = "/a/#") -> Kept:
    return Kept(LinkId(link), shape, print_.exact, print_.simhash, print_.title, print_.links, moment)


@settings(deadline=None)
@given(
    st.integers(1, 7),
    st.floats(0.5, 20),
    st.lists(st.tuples(st.integers(0, 5), st.floats(0, 3)), max_size=40),
    st.integers(0, 40),
)
def test_it_never_exceeds_its_bounds_and_forgets_nothing_else(
    pages: int, seconds: float, seen: list[tuple[int, float]], saved_after: int
) -> None:
    """Against a list of everything, with a save and a load somewhere."""
    window, moment = Window(pages, seconds), 0.0
    model: list[Kept] = []
    for number, (text, pause) in enumerate(seen):
        moment += pause
        print_ = a_print(prose("window", text))
        window.expire(moment)
        model = [page for page in model if page.moment >= moment - seconds][-pages:]
        found = window.equal(print_.exact)
        equal = [page for page in model if page.exact == print_.exact]
        assert found == (equal[-1] if equal else None)
        nearest = window.nearest(print_, "/a/#")
        assert (nearest is not None) == bool(equal)  # unrelated texts are never near
        if nearest is not None:
            assert nearest.kept == equal[-1]
        window.add(kept(number, print_, moment))
        model = [*model, kept(number, print_, moment)][-pages:]
        assert len(window) == len(model) <= pages
        if number == saved_after:
            state = window.state()
            window = Window(pages, seconds)
            window.restore(state)


def differing(print_: Fingerprint, bits: int) -> Fingerprint:
    """A print of another text that differs in so many bits."""
    return replace(print_, exact=print_.exact + 1, simhash=print_.simhash ^ ((1 << bits) - 1))


def similarity(print_: Fingerprint, shape: str, there: Kept) -> float | None:
    """With the one page of a window."""
    window = Window(1, 100.0)
    window.add(there)
    nearest = window.nearest(print_, shape)
    return None if nearest is None else nearest.similarity


def test_similarity_is_text_first_then_shape_title_and_links() -> None:
    """By hand: 0.8 for the text, less a fortieth for each bit, 0.1 for the shape, 0.05 for title and links each."""
    print_ = replace(a_print(prose(1)), links=10, title=7)
    there = kept(1, print_)
    assert similarity(print_, "/a/#", there) == pytest.approx(1.0)
    assert similarity(differing(print_, 8), "/a/#", there) == pytest.approx(0.8)
    assert similarity(print_, "/b", there) == pytest.approx(0.9)
    assert similarity(replace(print_, title=8), "/b", there) == pytest.approx(0.85)
    assert similarity(replace(print_, title=8, links=5), "/b", there) == pytest.approx(0.825)
    assert similarity(replace(print_, links=0), "/a/#", there) == pytest.approx(0.95)
    assert similarity(differing(print_, 16), "/a/#", there) == pytest.approx(0.6), "the least threshold there is"
    assert similarity(differing(print_, 17), "/a/#", there) is None


def test_pages_without_any_links_have_as_many() -> None:
    print_ = replace(a_print(prose(1)), links=0)
    assert similarity(print_, "/a/#", kept(1, print_)) == pytest.approx(1.0)
    assert similarity(print_, "/a/#", kept(1, replace(print_, links=3))) == pytest.approx(0.95)


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.sampled_from("xyz"), st.integers(0, 2), st.integers(0, 4)),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 40),
    st.integers(0, 4),
)
def test_no_page_in_the_window_is_more_similar_than_the_nearest(
    pages: list[tuple[int, str, int, int]], copies: int, links: int
) -> None:
    """However many there are, and however many are a bit nearer by their text alone."""
    print_ = replace(a_print(prose(1)), links=links, title=1)
    window = Window(600, 100.0)
    others = [
        kept(0, replace(differing(print_, bits), title=title, links=count), shape=shape)
        for bits, shape, title, count in pages
    ]
    alike = [similarity(print_, "x", other) for other in others]
    total = len(others) * copies
    for number in range(total):
        window.add(replace(others[number % len(others)], link=LinkId(number)))
    in_window = range(max(0, total - 600), total)
    expected = [(value, number) for number in in_window if (value := alike[number % len(others)]) is not None]
    nearest = window.nearest(print_, "x")
    assert (None if nearest is None else (nearest.similarity, nearest.kept.link)) == max(expected, default=None)


@pytest.mark.parametrize(("bits", "expected"), [(6, 0.85), (10, 0.75), (12, 0.7)])
def test_a_page_that_agrees_in_all_else_is_nearer_than_many_whose_texts_are_nearer(bits: int, expected: float) -> None:
    print_ = replace(a_print(prose(1)), links=10, title=7)
    window = Window(500, 100.0)
    for number in range(400):
        window.add(kept(number, replace(differing(print_, 5), title=99, links=0), shape="/other"))
        if number == 100:
            window.add(kept(1000, differing(print_, bits)))
    nearest = window.nearest(print_, "/a/#")
    assert nearest is not None
    assert (nearest.kept.link, nearest.bits) == (1000, bits)
    assert nearest.similarity == pytest.approx(expected)


def test_among_equally_near_pages_the_newest_counts() -> None:
    window, print_ = Window(20, 100.0), a_print(prose(1))
    for number in range(6):
        window.add(kept(number, replace(print_, exact=number)))
    nearest = window.nearest(print_, "/a/#")
    assert nearest is not None
    assert nearest.kept.link == 5


def test_a_near_text_is_found_and_a_far_one_is_not() -> None:
    window, text = Window(500, 100.0), prose("long", words=400)
    for number in range(300):
        window.add(kept(number, a_print(prose("other", number))))
    window.add(kept(300, a_print(text)))
    nearest = window.nearest(a_print(f"{text} edited"), "/a/#")
    assert nearest is not None
    assert nearest.kept.link == 300
    assert nearest.bits <= 4
    assert window.nearest(a_print(prose("unknown")), "/a/#") is None
