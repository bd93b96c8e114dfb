"""Which of its places a link is judged by."""

from __future__ import annotations

import pytest

from honeyguide.model import Link, Occurrence, Url

HOME = Occurrence("home", 0, 1, in_main=False)
MORE = Occurrence("read more", 5, 7, in_main=True)
IMAGE = Occurrence("", 3, 3, in_main=True)
FOOT = Occurrence("imprint", 90, 91, in_main=False)


@pytest.mark.parametrize(
    ("occurrences", "telling"),
    [
        ((HOME, IMAGE, MORE), MORE),
        ((IMAGE, HOME, FOOT), HOME),
        ((IMAGE,), IMAGE),
        ((FOOT,), FOOT),
    ],
)
def test_words_in_the_main_text_tell_most(occurrences: tuple[Occurrence, ...], telling: Occurrence) -> None:
    link = Link(Url.parse("http://h/x"), Url.parse("http://h/"), occurrences)
    assert link.telling_occurrence == telling


def test_a_link_carries_no_rel_unless_it_is_told() -> None:
    assert Link(Url.parse("http://h/x"), Url.parse("http://h/"), (MORE,)).rel == frozenset()
