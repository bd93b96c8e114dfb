"""Several judges as one, by weight."""

from __future__ import annotations

from typing import Any

import pytest

from honeyguide.crawler import Builder
from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge import CombinedJudge, EmbeddingJudge, Judge, KeywordJudge, Part, TfidfJudge
from honeyguide.model import Topic
from honeyguide.settings import JUDGES, Settings, TopicSettings, validate, with_overrides
from pages import page_of
from vectors_by_hash import hashed_vectors

TOPIC = Topic("rock", ("mud",))
PAGE = page_of("rock and clay, soup and mud; " + "word " * 40)


def combined(**weights: float) -> CombinedJudge:
    made: dict[str, Judge] = {
        "keyword": KeywordJudge(TOPIC),
        "tfidf": TfidfJudge(TOPIC),
        "embedding": EmbeddingJudge(TOPIC, hashed_vectors()),
    }
    return CombinedJudge([Part(name, weight, made[name]) for name, weight in weights.items()])


def test_relevance_and_threshold_are_weighted_means() -> None:
    keyword, embedding = KeywordJudge(TOPIC), EmbeddingJudge(TOPIC, hashed_vectors())
    judge = combined(keyword=1, embedding=3)
    assert judge.relevance(PAGE) == pytest.approx((keyword.relevance(PAGE) + 3 * embedding.relevance(PAGE)) / 4)
    assert judge.threshold == pytest.approx((0.5 + 3 * 0.25) / 4)


def test_only_the_proportion_of_weights_matters() -> None:
    assert combined(keyword=2, embedding=6).relevance(PAGE) == pytest.approx(
        combined(keyword=1, embedding=3).relevance(PAGE)
    )


def test_every_part_sees_the_pages() -> None:
    judge, alone = combined(keyword=1, tfidf=1), TfidfJudge(TOPIC)
    for page in (page_of("soup"), page_of("soup clay"), PAGE):
        judge.see(page)
        alone.see(page)
    fresh = combined(keyword=1, tfidf=1)
    fresh.load(judge.save())
    assert fresh.relevance(PAGE) == judge.relevance(PAGE)
    assert fresh.evidence(PAGE).parts[1].relevance == alone.relevance(PAGE)


def test_evidence_has_a_row_and_the_evidence_of_each_part() -> None:
    evidence = combined(keyword=1, embedding=3).evidence(PAGE)
    assert [row.term for row in evidence.rows] == [part.kind for part in evidence.parts] == ["keyword", "embedding"]
    assert evidence.rows[0].contribution == pytest.approx(evidence.parts[0].relevance / 4)
    assert evidence.rows[1].contribution == pytest.approx(evidence.parts[1].relevance * 3 / 4)


@pytest.mark.parametrize(
    "state", [b"[1]\n", b"[]\n", b"[0, -1]\n", b"[0, 5]\nabc", b"{}", b"[0, null]\n", b"[0, 0]\nx"]
)
def test_damaged_states_are_refused(state: bytes) -> None:
    with pytest.raises(JudgeError, match="statistics"):
        combined(keyword=1, tfidf=1).load(state)


class TestSettings:
    def settings(self, *parts: str, **judge: Any) -> Settings:
        chosen = {"judge.kind": "combined", "judge.parts": parts}
        chosen |= {f"judge.{name}": value for name, value in judge.items()}
        return with_overrides(Settings(TopicSettings("rock", ("mud",))), chosen)

    def test_parts_are_built_with_their_weights_and_the_same_settings(self) -> None:
        settings = self.settings("embedding:3", "keyword", stemming=True)
        validate(settings)
        evidence = Builder(settings, hashed_vectors()).relevance_judge().evidence(page_of("muds"))
        embedding, keyword = evidence.rows
        assert (embedding.term, keyword.term) == ("embedding", "keyword")
        assert embedding.contribution == pytest.approx(0.75 * embedding.similarity)
        assert keyword.similarity > 0.9

    @pytest.mark.parametrize(
        ("parts", "mistake"),
        [
            ((), 'judge.parts is empty: a combined judge needs some, as in ["embedding:2", "tfidf:1"]'),
            (("combined:1",), "judge.parts has 'combined:1': a combined judge has no combined parts"),
            (("embeding:1",), f"judge.parts has 'embeding:1': choose one of {', '.join(list(JUDGES)[:-1])}"),
            (("tfidf:2", "tfidf"), "judge.parts has tfidf more than once: give it one weight"),
        ],
    )
    def test_parts_that_cannot_be_are_named(self, parts: tuple[str, ...], mistake: str) -> None:
        with pytest.raises(SettingsError) as caught:
            validate(self.settings(*parts))
        assert caught.value.mistakes == (mistake,)

    @pytest.mark.parametrize("weight", ["0", "-1", "nan", "inf", "", "two", "1e308", "1000001", "5e-324", "9e-7"])
    def test_a_weight_that_cannot_be_is_named(self, weight: str) -> None:
        part = f"embedding:{weight}"
        with pytest.raises(SettingsError) as caught:
            validate(self.settings(part))
        remedy = "a weight is a number from 0.000001 to 1000000, as in embedding:2"
        assert caught.value.mistakes == (f"judge.parts has {part!r}: {remedy}",)

    @pytest.mark.parametrize("weight", ["1e6", "1e-6"])
    def test_at_the_bounds_of_a_weight_the_mean_still_is_one(self, weight: str) -> None:
        settings = self.settings(f"keyword:{weight}", f"embedding:{weight}")
        validate(settings)
        judge = Builder(settings, hashed_vectors()).relevance_judge()
        page = page_of("rock mud")
        parts = judge.evidence(page).parts
        assert parts[0].relevance > 0
        assert judge.relevance(page) == pytest.approx(sum(part.relevance for part in parts) / 2)

    def test_parts_of_a_judge_that_has_none_are_refused(self) -> None:
        with pytest.raises(SettingsError, match=r"judge\.parts is given, but judge\.kind is 'keyword'"):
            validate(self.settings("tfidf", kind="keyword"))
