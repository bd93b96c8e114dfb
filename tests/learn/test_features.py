"""Links in numbers, with vectors of any dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn import features as described_links
from honeyguide.learn.features import COLUMNS, MEANING, SCALARS, LinkFeatures
from honeyguide.model import Candidates, HostKey, Link, Occurrence, Origin, Page, Topic, Url
from honeyguide.text import WordVectors, words_of_url
from pages import candidates_of, sighting_of
from vectors_by_hash import HashedVectors, hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


TOPIC = Topic("geology", ("rock", "plate tectonics"))
TARGETS = ("http://here.test/Rock_and_roll.html", "http://there.test/", "http://127.0.0.1/", "http://here.test/a/b/c")
SIZE = 16

words = st.lists(st.sampled_from(["rock", "plate", "the", "of", "lava", "soup", "onion"]), max_size=150)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    text = tuple(draw(words))
    url = Url.parse("http://here.test/page")
    links = []
    for target in draw(st.lists(st.sampled_from(TARGETS), unique=True)):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        links.append(Link(Url.parse(target), url, (Occurrence("", start, end, draw(st.booleans())),)))
    return Page(url, "text/html", "utf-8", "", " ".join(text), text, ((0, len(text)),), tuple(links))


origins = st.builds(
    Origin,
    st.sampled_from([HostKey("here.test"), HostKey("else.test")]),
    st.floats(0, 1),
    st.integers(0, 20),
    st.integers(0, 20),
)


def vector_sum(text: Iterable[str]) -> NDArray[np.float64]:
    """The sum of word vectors, as a link's description keeps it: whole numbers up to 7 and what one of them means."""
    total = np.zeros(SIZE)
    for word in text:
        vector = HashedVectors().vectors([word])[0, :SIZE].astype(np.float64)
        total += np.round(np.clip(vector, -8, 8) * 256) / 256
    largest = np.abs(total).max()
    if not largest:
        return total
    return np.rint(total / largest * 7) * float(np.float16(largest / 7))


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    length = np.sqrt((one * one).sum()) * np.sqrt((other * other).sum())
    return float((one * other).sum() / length) if length > 0 else 0.0


def row_of(link: Link, page: Page, origin: Origin) -> tuple[list[float], float]:
    """The row of a link, and its similarity, without batches."""
    topic = hashed_vectors().topic_vector(TOPIC)[:SIZE]
    place = link.occurrences[0]
    anchor = vector_sum(page.words[place.start : place.end])
    around = vector_sum(page.words[max(0, place.start - 25) : place.start] + page.words[place.end : place.end + 25])
    address = vector_sum(words_of_url(link.target))
    cosines = [cosine(text, topic) for text in (anchor, around, address)]
    meaning = 2 * anchor + around + address
    length = np.sqrt((meaning * meaning).sum())
    scalars = [
        1.0,
        *cosines,
        origin.relevance,
        origin.relevance * cosines[0],
        1 / (1 + origin.distance),
        float(link.target.host == origin.host),
        float(place.in_main),
        float(place.end > place.start),
        1 / (2 + origin.depth),
        0.0,
    ]
    return [*scalars, *(meaning / length if length > 0 else meaning), *[0.0] * (MEANING - SIZE)], sum(cosines) / 3


@given(pages(), origins)
def test_rows_are_what_their_columns_say(page: Page, origin: Origin) -> None:
    features = LinkFeatures(TOPIC, hashed_vectors(), size=SIZE)
    candidates = Candidates.on_page(page, page.links, origin)
    expected = [row_of(link, page, origin) for link in page.links]
    described = features.describe(candidates)
    rows = features.rows(described, candidates.parents)
    assert rows.dtype == np.float16
    assert rows == pytest.approx(np.array([row for row, _ in expected]).reshape(-1, len(COLUMNS)), abs=2e-3)
    assert features.similarity(described) == pytest.approx([similarity for _, similarity in expected])


def test_a_description_does_not_depend_on_topic_or_judge_and_gives_the_row_for_any() -> None:
    words = ("hot", "rock", "soup", "lava")
    url = Url.parse("http://here.test/page")
    page = Page(
        url,
        "text/html",
        "utf-8",
        "",
        "",
        words,
        ((0, 4),),
        (Link(Url.parse(TARGETS[0]), url, (Occurrence("", 1, 2, in_main=True),)),),
    )
    one, other = (LinkFeatures(topic, hashed_vectors()) for topic in (TOPIC, Topic("cooking", ("soup",))))
    as_judged, otherwise = (
        Candidates.on_page(page, page.links, Origin(url.host, *facts)) for facts in ((0.9, 0, 1), (0.1, 3, 1))
    )
    stored = one.describe(as_judged).tobytes()
    assert stored == other.describe(otherwise).tobytes()
    back = np.frombuffer(stored, dtype=one.description_type)
    assert len(stored) == 1 + 3 * (2 + hashed_vectors().dimension // 2)
    for features in (one, other):
        for candidates in (as_judged, otherwise):
            row = features.rows(features.describe(candidates), candidates.parents)
            assert np.array_equal(features.rows(back, candidates.parents), row)


def test_addresses_are_described_the_same_when_met_again_and_when_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(described_links, "CACHED_ADDRESSES", 2)
    urls = [Url.parse(target) for target in TARGETS]
    features = LinkFeatures(TOPIC, hashed_vectors(), size=SIZE)
    for batch in (urls[:2], urls[1:3], urls, [urls[3], urls[0], urls[3]], urls[:1]):
        alone = [LinkFeatures(TOPIC, hashed_vectors(), size=SIZE).describe(Candidates.seeds([url])) for url in batch]
        assert features.describe(Candidates.seeds(batch)).tobytes() == b"".join(each.tobytes() for each in alone)


@pytest.mark.parametrize("size", [8, 64, 1000])
def test_rows_have_all_columns_however_short_the_vectors_are(size: int) -> None:
    features = LinkFeatures(TOPIC, hashed_vectors(), size=size)
    text = ("rock", "soup", "lava")
    url = Url.parse("http://here.test/page")
    link = Link(Url.parse(TARGETS[0]), url, (Occurrence("", 0, 1, in_main=True),))
    page = Page(url, "text/html", "utf-8", "", "", text, ((0, 3),), (link,))
    candidates = Candidates.on_page(page, page.links, Origin(url.host, 0.5, 0, 0))
    rows = features.rows(features.describe(candidates), candidates.parents)
    assert rows.shape == (1, len(COLUMNS))
    shown = min(size, MEANING)
    assert rows[0, len(SCALARS) : len(SCALARS) + shown].all()
    assert not rows[0, len(SCALARS) + shown :].any()


LINKS = candidates_of(
    sighting_of("http://a.test/rock", "a rock", "before", "after", relevance=0.7, depth=2),
    sighting_of("http://c.test/", "", "", ""),
)


class FirstNumbers:
    """The first numbers of other vectors."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return HashedVectors().vectors(words)[:, : self.dimension]


@pytest.mark.parametrize("dimension", [1, 5, MEANING - 1, MEANING, MEANING + 1, 64])
def test_columns_that_short_vectors_cannot_fill_are_zero(dimension: int) -> None:
    features = LinkFeatures(Topic("geology", ("rock",)), WordVectors(FirstNumbers(dimension)))
    rows = features.rows(features.describe(LINKS), LINKS.parents)
    assert rows.shape == (2, len(COLUMNS))
    meaning = rows[0, len(SCALARS) :].astype(np.float64)
    assert meaning[:dimension].any()
    assert not meaning[dimension:].any()
    if dimension <= MEANING:
        assert np.linalg.norm(meaning) == pytest.approx(1.0, abs=0.002)
