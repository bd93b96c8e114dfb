"""The columns of a link's row, worked out word by word from their description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.features import COLUMNS, MEANING, SCALARS, LinkFeatures
from honeyguide.model import Candidates, HostKey, Link, Occurrence, Origin, Page, Topic, Url
from honeyguide.text import words_of_url
from vectors_by_hash import HashedVectors, hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TOPIC = Topic("geology", ("rock", "plate tectonics"))
TARGETS = ("http://here.test/Rock_and_roll.html", "http://there.test/", "http://127.0.0.1/", "http://here.test/a/b/c")
HEAD = 16

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
    total = np.zeros(HEAD)
    for word in text:
        vector = HashedVectors().vectors([word])[0, :HEAD].astype(np.float64)
        total += np.round(np.clip(vector, -8, 8) * 256) / 256
    return total


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    length = np.sqrt((one * one).sum()) * np.sqrt((other * other).sum())
    return float((one * other).sum() / length) if length > 0 else 0.0


def row_of(link: Link, page: Page, origin: Origin) -> tuple[list[float], float]:
    """The row of a link, and its similarity, without batches."""
    topic = hashed_vectors().topic_vector(TOPIC)[:HEAD]
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
    return [*scalars, *(meaning / length if length > 0 else meaning), *[0.0] * (MEANING - HEAD)], sum(cosines) / 3


@given(pages(), origins)
def test_rows_are_what_their_columns_say_to_the_last_bit(page: Page, origin: Origin) -> None:
    features = LinkFeatures(TOPIC, hashed_vectors(), head=HEAD)
    candidates = Candidates.on_page(page, page.links, origin)
    expected = [row_of(link, page, origin) for link in page.links]
    rows = np.array([row for row, _ in expected], dtype=np.float64).reshape(-1, len(COLUMNS)).astype(np.float16)
    assert features.rows(candidates).dtype == np.float16
    assert features.rows(candidates).tobytes() == rows.tobytes()
    assert features.similarity(candidates).tolist() == [similarity for _, similarity in expected]


@pytest.mark.parametrize("head", [8, 64, 1000])
def test_rows_have_all_columns_however_short_the_vectors_are(head: int) -> None:
    features = LinkFeatures(TOPIC, hashed_vectors(), head=head)
    text = ("rock", "soup", "lava")
    url = Url.parse("http://here.test/page")
    link = Link(Url.parse(TARGETS[0]), url, (Occurrence("", 0, 1, in_main=True),))
    page = Page(url, "text/html", "utf-8", "", "", text, ((0, 3),), (link,))
    rows = features.rows(Candidates.on_page(page, page.links, Origin(url.host, 0.5, 0, 0)))
    assert rows.shape == (1, len(COLUMNS))
    shown = min(head, MEANING)
    assert rows[0, len(SCALARS) : len(SCALARS) + shown].all()
    assert not rows[0, len(SCALARS) + shown :].any()
