"""Candidates say where links stand and what is around them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Candidates, HostKey, Link, Occurrence, Origin, Page, Url

PAGE_URL = Url.parse("http://site.test/page")
ORIGIN = Origin(PAGE_URL.host, relevance=0.25, distance=2, depth=3)
TARGETS = [Url.parse(text) for text in ("http://site.test/a", "http://other.test/b", "http://site.test:81/c")]


def page_with(word_count: int, links: list[Link]) -> Page:
    words = tuple(f"w{number}" for number in range(word_count))
    return Page(PAGE_URL, "text/html", "utf-8", "", " ".join(words), words, ((0, word_count),), tuple(links))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    word_count = draw(st.integers(0, 120))
    links = []
    for target in draw(st.lists(st.sampled_from(TARGETS), unique=True)):
        start = draw(st.integers(0, word_count))
        end = draw(st.integers(start, word_count))
        links.append(Link(target, PAGE_URL, (Occurrence("", start, end, draw(st.booleans())),)))
    return page_with(word_count, links)


@given(pages(), st.integers(0, 40))
def test_windows_stay_on_the_page_and_within_their_size(page: Page, size: int) -> None:
    candidates = Candidates.on_page(page, page.links, ORIGIN, window_words=size)
    assert len(candidates) == len(page.links)
    for (first, start, end, last), link in zip(candidates.spans.tolist(), page.links, strict=True):
        place = link.telling_occurrence
        assert (start, end) == (place.start, place.end)
        assert first == max(0, start - size)
        assert last == min(len(page.words), end + size)


def test_only_links_to_the_same_host_and_port_are_internal() -> None:
    targets = [*TARGETS, Url.parse("https://site.test/d"), Url.parse("http://site.test.other.test/e")]
    links = [Link(target, PAGE_URL, (Occurrence("", 0, 0, in_main=True),)) for target in targets]
    candidates = Candidates.on_page(page_with(3, links), links, ORIGIN)
    assert candidates.is_internal.tolist() == [True, False, False, True, False]
    assert candidates.depth.tolist() == [4] * 5


def test_a_seed_has_no_page_behind_it() -> None:
    seeds = Candidates.seeds(TARGETS[:1])
    assert seeds.is_seed.tolist() == [True]
    assert (seeds.relevance.tolist(), seeds.distance.tolist(), seeds.depth.tolist()) == ([0.0], [0], [0])
    assert seeds.is_internal.tolist() == [False]
    assert seeds.anchor(0) == ""


def test_no_links_make_no_rows() -> None:
    assert len(Candidates.seeds([])) == 0
    assert Candidates.on_page(page_with(5, []), [], Origin(HostKey("h"), 0.0, 0, 0)).spans.shape == (0, 4)
