"""Document frequencies: counted page by page, bounded, saved and read back."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge import DocumentFrequencies, idf_of
from pages import page_of

if TYPE_CHECKING:
    from pathlib import Path


def frequencies_of(*texts: str) -> DocumentFrequencies:
    return idf_of(page_of(text) for text in texts)


def test_idf_is_smoothed_and_a_word_in_no_page_has_the_highest() -> None:
    seen = frequencies_of("the rock", "the rock the", "the soup", "")
    assert seen.pages == 3
    rock, the, unknown = seen.idf(["rock", "the", "unknown"])
    assert rock == pytest.approx(math.log(4 / 3) + 1)  # two of three pages
    assert the == pytest.approx(1.0)  # every page
    assert unknown == pytest.approx(math.log(4) + 1)  # no page


def test_before_any_page_all_words_tell_as_much() -> None:
    assert DocumentFrequencies().idf(["rock", "the"]).tolist() == [1.0, 1.0]


def test_only_main_text_is_counted() -> None:
    seen = idf_of([page_of("menu rock soup", main=((1, 2),))])
    assert (seen.of("menu"), seen.of("rock"), seen.of("soup")) == (0, 1, 0)


words = st.sampled_from([*"abcdefghijklmnopqrstuvwxyz", "ä", "日本"])
texts = st.lists(st.lists(words, max_size=8), max_size=30)


@given(texts=texts, most_words=st.integers(2, 12), data=st.data())
def test_a_bounded_memory_never_overstates_and_survives_saving_at_any_step(
    texts: list[list[str]], most_words: int, data: st.DataObject
) -> None:
    exact: Counter[str] = Counter()
    straight = DocumentFrequencies(["a"], most_words)
    broken = DocumentFrequencies(["a"], most_words)
    for text in texts:
        exact.update(set(text))
        for frequencies in (straight, broken):
            frequencies.add(Counter(text))
        if data.draw(st.booleans()):
            state, broken = broken.save(), DocumentFrequencies(["a"], most_words)
            broken.load(state)
        assert len(straight) <= most_words + 1  # and the topic's word
    assert straight.save() == broken.save()
    assert all(straight.of(word) <= count for word, count in exact.items())
    assert straight.of("a") == exact["a"]
    assert straight.pages == sum(bool(text) for text in texts)


def test_the_rarest_words_are_dropped_first() -> None:
    frequencies = DocumentFrequencies((), most_words=4)
    for text in (["the", "rock"], ["the", "rock"], ["the"], ["mud"], ["clay"], ["soup"]):
        frequencies.add(Counter(text))
    assert [frequencies.of(word) for word in ("the", "rock", "mud", "clay", "soup")] == [3, 2, 0, 0, 0]


def test_of_equally_rare_words_the_latest_stay() -> None:
    frequencies = DocumentFrequencies(["mud"], most_words=4)
    frequencies.add(Counter(["the", "mud", "clay", "soup"]))
    frequencies.add(Counter(["the", "ore"]))
    assert [frequencies.of(word) for word in ("the", "mud", "clay", "soup", "ore")] == [2, 1, 0, 0, 1]


def test_half_of_the_words_are_left() -> None:
    frequencies = DocumentFrequencies((), most_words=10)
    frequencies.add(Counter(f"word{number}" for number in range(11)))
    assert len(frequencies) == 5


def test_below_the_bound_nothing_is_dropped() -> None:
    frequencies = DocumentFrequencies((), most_words=4)
    frequencies.add(Counter(["mud", "clay", "soup", "rock"]))
    assert len(frequencies) == 4


class TestStates:
    @pytest.mark.parametrize(
        "damage",
        [
            lambda state: b"",
            lambda state: state[:-1],
            lambda state: state[:20],
            lambda state: state + b"\nmore",
            lambda state: state.replace(b"honeyguide-idf-1", b"honeyguide-idf-9"),
            lambda state: state.replace(b'"pages": 2', b'"pages": 1'),
            lambda state: state.replace(b'"rock": 1', b'"rock": "1"'),
            lambda state: b"[]",
        ],
    )
    def test_a_damaged_state_is_refused_and_changes_nothing(self, damage: object) -> None:
        assert callable(damage)
        state = frequencies_of("the rock", "the soup").save()
        frequencies = frequencies_of("other words")
        before = frequencies.save()
        with pytest.raises(JudgeError, match="damaged"):
            frequencies.load(damage(state))
        assert frequencies.save() == before

    def test_a_state_of_no_pages_is_one(self) -> None:
        fresh = DocumentFrequencies()
        fresh.load(DocumentFrequencies().save())
        assert (fresh.pages, len(fresh)) == (0, 0)


class TestReferenceCollections:
    def test_what_is_written_reads_back(self, tmp_path: Path) -> None:
        written = frequencies_of("the rock 日本", "the soup", "naïve don't")
        written.write(tmp_path / "idf.json")
        read = DocumentFrequencies.read(tmp_path / "idf.json")
        assert read.save() == written.save()

    def test_a_person_can_read_and_write_one(self, tmp_path: Path) -> None:
        content = {"format": "honeyguide-idf-1", "pages": 10, "words": {"rock": 3}}
        (tmp_path / "idf.json").write_text(json.dumps(content))
        read = DocumentFrequencies.read(str(tmp_path / "idf.json"))
        assert (read.pages, read.of("rock")) == (10, 3)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "[]",
            "not json",
            "[" * 100_000,
            '{"format": "other", "pages": 1, "words": {}}',
            '{"format": "honeyguide-idf-1", "pages": -1, "words": {}}',
            '{"format": "honeyguide-idf-1", "pages": 1, "words": {"rock": 2}}',
            '{"format": "honeyguide-idf-1", "pages": 1, "words": {"rock": 0}}',
            '{"format": "honeyguide-idf-1", "pages": 1, "words": {"rock": 0.5}}',
            '{"format": "honeyguide-idf-1", "pages": 1, "words": ["rock"]}',
            '{"format": "honeyguide-idf-1", "words": {}}',
        ],
    )
    def test_any_other_file_is_refused_in_one_line_that_names_it(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "idf.json").write_text(content)
        with pytest.raises(SettingsError, match=r"judge\.idf: .*idf\.json is no reference collection") as caught:
            DocumentFrequencies.read(tmp_path / "idf.json")
        assert "\n" not in str(caught.value)

    def test_bytes_that_are_no_text_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "idf.json").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(SettingsError, match="is no reference collection"):
            DocumentFrequencies.read(tmp_path / "idf.json")

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"judge\.idf: cannot read .*absent\.json: No such file"):
            DocumentFrequencies.read(tmp_path / "absent.json")
