"""The tf-idf judge, and document frequencies: counted page by page, bounded, saved and read back."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from honeyguide.crawler import Builder
from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge import DocumentFrequencies, EmbeddingTfidfJudge, TfidfJudge, idf_of
from honeyguide.model import Topic
from honeyguide.settings import Settings, TopicSettings, with_overrides
from honeyguide.text import WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.model import Page


TOPIC = Topic("rock", ("mud",))
COLLECTION = ["rock mud the", "rock the", "the soup", "the"]
REFERENCE = idf_of(page_of(text) for text in COLLECTION)


class Axes:
    """Three words on three axes, all others unknown."""

    dimension = 3

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        known = {"rock": (1, 0, 0), "mud": (0, 1, 0), "soup": (0, 0, 1)}
        return np.array([known.get(word, (0, 0, 0)) for word in words], dtype=np.float32).reshape(len(words), 3)


class TestTfidf:
    def test_relevance_by_hand(self) -> None:
        # N = 4; df: rock 2, mud 1, soup 1, the 4, unheard-of 0
        rock, mud, soup, other = (math.log(5 / (1 + df)) + 1 for df in (2, 1, 1, 0))
        page = np.array([(1 + math.log(2)) * rock, soup, other])  # rock rock soup unheard
        expected = page[0] * rock / np.linalg.norm(page) / math.hypot(rock, mud)
        judge = TfidfJudge(TOPIC, REFERENCE)
        assert judge.relevance(page_of("rock soup unheard rock")) == pytest.approx(expected)

    @given(
        texts=st.lists(st.lists(st.sampled_from(["rock", "mud", "soup", "clay", "ore"]), min_size=1), min_size=1),
        asked=st.lists(st.sampled_from(["rock", "mud", "ore", "gold"]), min_size=1, max_size=4),
    )
    @hypothesis_settings(deadline=None)
    def test_relevance_is_the_cosine_that_scikit_learn_gives(self, texts: list[list[str]], asked: list[str]) -> None:
        sklearn_text = pytest.importorskip("sklearn.feature_extraction.text", reason="needs the extra classifier")
        documents = [" ".join(text) for text in texts]
        vectorizer = sklearn_text.TfidfVectorizer(
            sublinear_tf=True, smooth_idf=True, vocabulary=["rock", "mud", "soup", "clay", "ore", "gold"]
        )
        theirs = vectorizer.fit_transform(documents) @ vectorizer.transform([" ".join(asked)]).T
        judge = TfidfJudge(Topic(" ".join(asked)), idf_of(map(page_of, documents)))
        ours = [judge.relevance(page_of(text)) for text in documents]
        assert ours == pytest.approx(theirs.toarray()[:, 0].tolist(), abs=1e-12)

    def test_it_is_above_0_exactly_where_a_topic_word_stands(self) -> None:
        judge = TfidfJudge(Topic("plate tectonics"), REFERENCE)
        assert judge.relevance(page_of("a plate " + "of soup " * 500)) > 0
        assert judge.relevance(page_of("plates of soup")) == 0.0

    def test_evidence_has_the_topic_words_of_the_page(self) -> None:
        evidence = TfidfJudge(TOPIC, REFERENCE).evidence(page_of("rock rock mud soup"))
        assert [(row.term, row.count) for row in evidence.rows] == [("rock", 2), ("mud", 1)]

    def test_a_topic_without_words_finds_nothing(self) -> None:
        assert TfidfJudge(Topic("...")).relevance(page_of("rock")) == 0.0


class TestEmbeddingTfidf:
    def judge(self, topic: Topic = TOPIC) -> EmbeddingTfidfJudge:
        return EmbeddingTfidfJudge(topic, WordVectors(Axes()), REFERENCE)

    def test_relevance_by_hand(self) -> None:
        # Pertejo 2021, 3.3.2 with the tf of his code: V = (tf·idf(rock), 0, tf·idf(soup)); the topic is (1, 1, 0).
        rock, soup = ((1 + math.log2(count)) * (math.log(5 / (1 + df)) + 1) for count, df in ((4, 2), (1, 1)))
        expected = rock / math.hypot(rock, soup) / math.sqrt(2)
        page = page_of("rock rock soup rock unheard rock the")
        assert self.judge().relevance(page) == pytest.approx(expected, rel=2e-3)  # weights are rounded to 1/256

    def test_a_word_that_stands_everywhere_turns_the_vector_less_than_a_rare_one(self) -> None:
        common = idf_of(page_of(text) for text in ["soup", "soup rock", "soup", "soup"])
        rare = idf_of(page_of(text) for text in ["mud", "soup rock", "mud", "mud"])
        page = page_of("rock soup")
        near = [EmbeddingTfidfJudge(Topic("rock"), WordVectors(Axes()), idf).relevance(page) for idf in (common, rare)]
        assert near[0] > near[1] > 0.5

    def test_rows_in_another_order_give_the_same_bits(self) -> None:
        text = page_of(" ".join(f"word{number % 97} rock" for number in range(400)))
        fresh, used = hashed_vectors(), hashed_vectors()
        used.look_up(tuple(f"word{number}" for number in range(120, -1, -1)))
        judges = [EmbeddingTfidfJudge(TOPIC, table) for table in (fresh, used)]
        for judge in judges:
            judge.see(text)
        assert judges[0].nearness(text) == judges[1].nearness(text)

    @given(words=st.permutations(["rock", "mud", "clay", "ore", *(f"word{number}" for number in range(20))]))
    @hypothesis_settings(deadline=None, max_examples=20)
    def test_the_order_of_words_on_the_page_does_not_matter_to_the_last_bit(self, words: list[str]) -> None:
        judge = EmbeddingTfidfJudge(TOPIC, hashed_vectors(), REFERENCE)
        assert judge.nearness(page_of(" ".join(words))) == judge.nearness(page_of(" ".join(sorted(words))))

    def test_statistics_of_as_many_other_pages_are_other_statistics(self) -> None:
        page = page_of("rock soup")
        judge, other = (EmbeddingTfidfJudge(TOPIC, WordVectors(Axes())) for _ in range(2))
        judge.see(page)
        judge.relevance(page)
        other.see(page_of("soup mud"))
        judge.load(other.save())
        assert judge.relevance(page) == other.relevance(page)

    def test_what_was_kept_of_the_last_page_is_dropped_when_statistics_change(self) -> None:
        page, other = page_of("rock soup"), page_of("soup mud")
        kept = EmbeddingTfidfJudge(TOPIC, WordVectors(Axes()))
        kept.see(page)
        first = kept.relevance(page)
        state = kept.save()
        kept.see(other)
        changed = kept.relevance(page)
        assert changed != first
        kept.load(state)
        assert kept.relevance(page) == first


class TestLearning:
    @pytest.mark.parametrize("make", [TfidfJudge, lambda topic: EmbeddingTfidfJudge(topic, hashed_vectors())])
    def test_pages_not_yet_seen_have_no_say(self, make: type[TfidfJudge]) -> None:
        page = page_of("rock soup")
        future: list[Page] = [page_of("soup soup clay") for _ in range(5)]
        judge = make(TOPIC)
        judge.see(page)
        before = judge.relevance(page)
        for later in future:
            judge.relevance(later)
            judge.evidence(later)
        assert judge.relevance(page) == before
        for later in future:
            judge.see(later)
        assert judge.relevance(page) > before  # soup has become common

    def test_a_reference_collection_is_not_changed_by_pages(self) -> None:
        judge = TfidfJudge(TOPIC, REFERENCE)
        before = judge.relevance(page_of("rock soup"))
        judge.see(page_of("soup"))
        assert judge.relevance(page_of("rock soup")) == before
        assert judge.save() == b""

    def test_learned_statistics_are_refused_where_there_is_a_reference_collection(self) -> None:
        learned = TfidfJudge(TOPIC)
        learned.see(page_of("rock"))
        with pytest.raises(JudgeError, match="reference collection instead"):
            TfidfJudge(TOPIC, REFERENCE).load(learned.save())


class TestBuilding:
    @pytest.mark.parametrize("kind", ["tfidf", "embedding-tfidf"])
    def test_the_settings_name_the_collection(self, kind: str, tmp_path: Path) -> None:
        REFERENCE.write(tmp_path / "idf.json")
        chosen = {"judge.kind": kind, "judge.idf": str(tmp_path / "idf.json")}
        settings = with_overrides(Settings(TopicSettings(TOPIC.name, TOPIC.keywords)), chosen)
        judge = Builder(settings, hashed_vectors()).relevance_judge()
        judge.see(page_of("rock"))
        assert judge.save() == b""
        learning = Builder(with_overrides(settings, {"judge.idf": "seen"}), hashed_vectors()).relevance_judge()
        learning.see(page_of("rock"))
        assert learning.save() != b""

    def test_a_missing_collection_is_told_before_the_crawl(self, tmp_path: Path) -> None:
        chosen = {"judge.kind": "tfidf", "judge.idf": str(tmp_path / "absent.json")}
        with pytest.raises(SettingsError, match="cannot read"):
            Builder(with_overrides(Settings(TopicSettings("rock")), chosen)).judge()

    def test_the_ladders_take_the_cosine_that_the_judge_measures(self) -> None:
        chosen = {"judge.kind": "embedding-tfidf", "judge.reward": "pertejo-cosine"}
        settings = with_overrides(Settings(TopicSettings(TOPIC.name, TOPIC.keywords)), chosen)
        verdicts = Builder(settings, hashed_vectors()).judge()
        verdicts.judge(page_of("soup of rock mud and clay"))
        verdict = verdicts.judge(page_of("rock soup soup mud"))
        plain = Builder(with_overrides(settings, {"judge.kind": "embedding"}), hashed_vectors()).judge()
        assert verdict.reward == verdict.relevance != plain.judge(page_of("rock soup soup mud")).reward


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


def test_frequencies_of_two_shards_that_share_are_those_of_all_pages() -> None:
    texts = [Counter(f"rock word{number} word{number % 3}".split()) for number in range(12)]
    alone, one, other = DocumentFrequencies(), DocumentFrequencies(), DocumentFrequencies()
    for place, counts in enumerate(texts):
        alone.add(counts)
        (one if place % 3 else other).add(counts)
    one.take_shared(other.share())
    one.take_shared(other.share())
    words = ["rock", "word1", "word7", "never"]
    assert one.idf(words).tolist() == alone.idf(words).tolist()
    assert [one.of(word) for word in words] == [alone.of(word) for word in words]
    assert one.share().pages == 8, "it tells what it has seen itself"
    resumed = DocumentFrequencies()
    resumed.load(one.save())
    assert resumed.idf(words).tolist() == alone.idf(words).tolist()
    assert resumed.share() == one.share()
