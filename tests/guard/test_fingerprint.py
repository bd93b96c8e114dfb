"""Equal texts have equal prints, small edits small distances, and a stored print is the print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import GuardError
from honeyguide.guard import Fingerprint, fingerprint_of
from honeyguide.guard.fingerprint import LEAST_WORDS, NO_TITLE, SKETCH_SIZE
from honeyguide.model import Url
from pages import page_of
from tiny_webs import Shown, drawn, page_with, prose

TEXTS = st.text(max_size=400)


def distance(one: str, other: str) -> int:
    return (fingerprint_of(page_of(one)).simhash ^ fingerprint_of(page_of(other)).simhash).bit_count()


@given(TEXTS)
def test_equal_texts_have_equal_prints(text: str) -> None:
    assert fingerprint_of(page_of(text)) == fingerprint_of(page_of(text))


@given(TEXTS)
def test_a_print_survives_being_stored(text: str) -> None:
    print_ = fingerprint_of(page_of(text))
    assert Fingerprint.unpack(print_.pack()) == print_


@given(st.lists(st.sampled_from(["kiln", "tuff", "gneiss", "schist", "marl"]), max_size=60))
def test_only_the_words_count_not_what_stands_between_them(words: list[str]) -> None:
    one, other = fingerprint_of(page_of(" ".join(words))), fingerprint_of(page_of(", ".join(words).upper() + "!"))
    assert one == other


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=40), st.randoms())
def test_the_order_of_words_counts_for_the_exact_print(words: list[str], chance: object) -> None:
    other = words[1:] + words[:1]
    same = fingerprint_of(page_of(" ".join(words))).exact == fingerprint_of(page_of(" ".join(other))).exact
    assert same == (words == other)


@pytest.mark.parametrize(("words", "bits"), [(3000, 5), (800, 9), (220, 15)])
def test_three_changed_words_change_few_bits(words: int, bits: int) -> None:
    for number in range(20):
        text = prose("edited", number, words=words).split()
        edited = list(text)
        chance = drawn("edit", number)
        for _ in range(3):
            edited[chance.randrange(words)] = "edited"
        assert distance(" ".join(text), " ".join(edited)) <= bits


def test_unrelated_texts_are_far_apart() -> None:
    distances = [distance(prose("one", number), prose("other", number)) for number in range(200)]
    assert min(distances) >= 14
    assert 30 <= sum(distances) / len(distances) <= 34


def test_numbers_do_not_count_for_likeness_but_for_equality() -> None:
    march, april = (fingerprint_of(page_of(f"{prose('diary')} on day {day} of 20{day}")) for day in (17, 23))
    assert march.simhash == april.simhash
    assert march.exact != april.exact


def test_an_answer_that_repeats_the_question_is_plainly_the_same() -> None:
    pages = [
        page_of(f"Sorry, there is no page {name} here {prose('sorry', words=20)}", Url.parse(f"http://a.test/x/{path}"))
        for name, path in (("lava tubes", "lava-tubes"), ("kilns 7", "kilns?n=7"))
    ]
    one, other = map(fingerprint_of, pages)
    assert one.plain == other.plain
    assert one.exact != other.exact


def test_a_heading_above_a_list_is_told_apart_by_the_list() -> None:
    words = "papers of the museum"
    lists = [f"{words} {prose('list', number, words=30)}" for number in range(2)]
    one, other = (fingerprint_of(page_of(text, main=((0, 4),))) for text in lists)
    assert one.exact != other.exact
    assert one.words == 34


def test_navigation_does_not_count_where_there_is_a_main_text() -> None:
    main = prose("main", words=LEAST_WORDS)
    one, other = (
        fingerprint_of(page_of(f"{main} {prose('menu', number)}", main=((0, LEAST_WORDS),))) for number in range(2)
    )
    assert one == other


@pytest.mark.parametrize("text", ["", "one", "two words", "1 2 3 4", "…", "ß İ ﬁ", "\ud800 broken"])
def test_awkward_texts_have_prints(text: str) -> None:
    print_ = fingerprint_of(page_of(text))
    assert len(print_.sketch) <= SKETCH_SIZE
    assert Fingerprint.unpack(print_.pack()) == print_


def test_a_huge_page_is_printed() -> None:
    text = prose("huge", words=200_000)
    assert fingerprint_of(page_of(text)).words == 200_000
    assert distance(text, f"{text} and a word") <= 3


def test_title_and_links_are_kept_beside_the_prints() -> None:
    print_ = fingerprint_of(page_with("http://a.test/", Shown(prose(1), ("/b", "/c", "/b"), "Day 7")))
    other = fingerprint_of(page_with("http://a.test/", Shown(prose(1), (), "Day 8")))
    assert print_.links == 2
    assert print_.title == other.title
    assert print_.title != NO_TITLE
    assert fingerprint_of(page_of("untitled")).title == NO_TITLE


def test_the_sketch_samples_the_same_shingles_wherever_they_stand() -> None:
    """Nine shingles in ten are shared, so of eight sampled ones more than six are, on average."""
    common = []
    for number in range(40):
        shared = prose("shared", number, words=300)
        texts = [f"{prose(place, number, words=30)} {shared}" for place in ("first", "second")]
        one, other = (set(fingerprint_of(page_of(text)).sketch) for text in texts)
        common.append(len(one & other))
        assert not one & set(fingerprint_of(page_of(prose("third", number, words=300))).sketch)
    assert 6.0 <= sum(common) / len(common) < 8.0


@pytest.mark.parametrize("packed", [b"", b"short", bytes(200)])
def test_what_is_no_print_is_refused(packed: bytes) -> None:
    with pytest.raises(GuardError, match=f"{len(packed)} bytes"):
        Fingerprint.unpack(packed)
