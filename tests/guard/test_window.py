"""The window holds so many pages, for so long, and finds the one that a page is most like."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.domain import LinkId
from honeyguide.guard import Fingerprint, fingerprint_of
from honeyguide.guard.window import Kept, Window, similarity
from pages import page_of
from tiny_webs import prose


def a_print(text: str) -> Fingerprint:
    return fingerprint_of(page_of(text))


def kept(link: int, print_: Fingerprint, moment: float = 0.0, shape: str = "/a/#") -> Kept:
    return Kept(
        LinkId(link), f"http://a.test/{link}", shape, print_.exact, print_.simhash, print_.title, print_.links, moment
    )


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


def test_similarity_is_text_first_then_shape_title_and_links() -> None:
    """By hand: 0.8 for the text, less a fortieth for each bit, 0.1 for the shape, 0.05 for title and links each."""
    print_ = replace(a_print(prose(1)), links=10, title=7)
    there = kept(1, print_)
    assert similarity(print_, "/a/#", there, bits=0) == pytest.approx(1.0)
    assert similarity(print_, "/a/#", there, bits=8) == pytest.approx(0.8)
    assert similarity(print_, "/b", there, bits=0) == pytest.approx(0.9)
    assert similarity(replace(print_, title=8), "/b", there, bits=0) == pytest.approx(0.85)
    assert similarity(replace(print_, title=8, links=5), "/b", there, bits=0) == pytest.approx(0.825)
    assert similarity(print_, "/a/#", there, bits=40) == pytest.approx(0.2)


def test_pages_without_any_links_have_as_many() -> None:
    print_ = replace(a_print(prose(1)), links=0)
    assert similarity(print_, "/a/#", kept(1, print_), bits=0) == pytest.approx(1.0)


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
