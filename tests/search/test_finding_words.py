"""Whatever stands on a page finds the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import QueryError
from honeyguide.search.matching import Matcher
from honeyguide.search.query import parse_query
from search.small_runs import index_of

if TYPE_CHECKING:
    from honeyguide.search.page_index import PageIndex

ALPHABETS = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from("abcXYZ éÜßİıſﬁ '’-_.,:;\"()"),
    st.sampled_from("東京タワーきのこ 한국어 ภาษาไทย 中文a1 "),
    st.sampled_from("हिन्दी भाषा عربى ру́сский Ελλάς \u00ad\u200b\u0301"),
)
TEXTS = st.text(alphabet=ALPHABETS, min_size=1, max_size=60)


def found(index: PageIndex, query: str, *, needs_all: bool = True) -> set[int]:
    """The steps of the pages that match."""
    searcher = index.searcher()
    matcher = Matcher(searcher, index.schema, index.analyzer, {}, needs_all=needs_all)
    match = matcher.match(parse_query(query))
    if match.query is None:
        return set()
    hits = searcher.search(match.query, 100).hits
    assert all(score <= match.bound + 1e-4 for score, _ in hits)
    return {int(step or 0) for step in searcher.fast_field_values("step", [place for _, place in hits])}


def quoted(text: str) -> str:
    return f'"{text.replace(chr(34), " ")}"'


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(["english", "german", "none"]))
def test_every_piece_of_a_text_finds_it(texts: list[str], language: str) -> None:
    index = index_of(texts, language)
    for step, text in enumerate(texts, 1):
        for piece in text.split():
            if index.analyzer.analyze(piece):
                assert step in found(index, quoted(piece))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=ALPHABETS | st.sampled_from('"()+-:~ *?[]^\\/'), max_size=40))
def test_no_query_breaks_the_index(query: str) -> None:
    try:
        steps = found(_SHARED, query)
    except QueryError:
        steps = set()
    assert steps <= {1, 2, 3}


_SHARED = index_of(["rocks and minerals", "running water, run dry", "a"])


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The Running Rocks", "rock"),
        ("The running rocks", "RUNS"),
        ("a café in Zürich", "cafe zurich"),
        ("a cafe in Zurich", "Café Zürich"),
        ("cafe\u0301", "café"),
        ("I don't know", "don't"),
        ("I don’t know", "don't"),
        ("Donau\u00addampfschiff", "Donaudampfschiff"),
        ("ＦＵＬＬ width", "full"),
        ("東京タワーは高い", "タワー"),
        ("東京タワーは高い", "京タ"),
        ("ภาษาไทยง่าย", "ไทย"),
        ("한국어 문서", "문서"),
        ("x = 1", "x"),
        ("C++ and C#", "C"),
        ("see http://x.org/a_b", "http://x.org/a_b"),
        ("İstanbul", "İSTANBUL"),
        ("long " + "x" * 255, "x" * 255),
    ],
)
def test_words_are_found_however_they_are_written(text: str, query: str) -> None:
    assert found(index_of(["something else", text]), query) == {2}


def test_letters_of_a_script_without_spaces_must_stand_in_order() -> None:
    index = index_of(["東京", "京東"])
    assert found(index, "東京") == {1}
    assert found(index, "京") == {1, 2}


def test_words_longer_than_a_word_can_be_are_left_out() -> None:
    index = index_of(["x" * 256 + " short"])
    assert found(index, "x" * 256) == set()
    assert found(index, "short") == {1}


def test_stems_are_those_of_the_language() -> None:
    assert found(index_of(["die Häuser"], "german"), "Haus") == {1}
    assert found(index_of(["die Häuser"], "none"), "Haus") == set()


def test_parts_side_by_side_are_all_needed_or_any() -> None:
    index = index_of(["rock", "mineral", "rock mineral"])
    assert found(index, "rock mineral") == {3}
    assert found(index, "rock mineral", needs_all=False) == {1, 2, 3}
    assert found(index, "rock +mineral", needs_all=False) == {2, 3}
    assert found(index, "rock -mineral", needs_all=False) == {1}
    assert found(index, "rock OR mineral") == {1, 2, 3}
    assert found(index, "-rock") == {2}
    assert found(index, "rock AND NOT (mineral OR ore)") == {1}


def test_phrases_stand_as_they_are_written() -> None:
    index = index_of(["plate tectonics", "tectonic plates", "plate of tectonics"])
    assert found(index, '"plate tectonics"') == {1}
    assert found(index, '"plate tectonics"~1') == {1, 3}
