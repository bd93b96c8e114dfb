"""What every judge promises, checked on every judge."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import JudgeError
from honeyguide.judge import (
    ClassifierJudge,
    CombinedJudge,
    EmbeddingJudge,
    EmbeddingTfidfJudge,
    Examples,
    Judge,
    KeywordJudge,
    LearnedJudge,
    Part,
    RakeJudge,
    RakeSettings,
    TfidfJudge,
    VectorModel,
    VectorModelJudge,
    fitted_logistic,
    idf_of,
    trained_network,
)
from honeyguide.model import Topic
from honeyguide.text import Stems, WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Page

    Maker = Callable[[WordVectors], Judge]

TOPIC = Topic("geology", ("rock", "plate tectonics"))
REFERENCE = idf_of([page_of("the rock of the plate"), page_of("the soup of the day"), page_of("the")])
EXAMPLES = Examples((("rock", "plate"), ("geology",)), (("soup", "the"),))


class OwnClassifier:
    """A classifier that a user might bring: the share of rocks."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        shares = [each.split().count("rock") / len(each.split()) for each in texts]
        return [[1 - share, share] for share in shares]


class NoVectors:
    """A source that knows no word."""

    dimension = 8

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(words), self.dimension), dtype=np.float32)


def table_of(dimension: int) -> WordVectors:
    return WordVectors(NoVectors()) if dimension == NoVectors.dimension else hashed_vectors()


@cache
def logistic_model(dimension: int) -> VectorModel:
    pytest.importorskip("sklearn", reason="needs the extra classifier")
    return fitted_logistic(EXAMPLES, table_of(dimension))


@cache
def neural_model(dimension: int) -> VectorModel:
    pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    return trained_network(EXAMPLES, table_of(dimension), seed=1)


MAKERS: dict[str, Maker] = {
    "keyword": lambda vectors: KeywordJudge(TOPIC),
    "keyword, by stem": lambda vectors: KeywordJudge(TOPIC, Stems()),
    "tfidf": lambda vectors: TfidfJudge(TOPIC),
    "tfidf, by reference": lambda vectors: TfidfJudge(TOPIC, REFERENCE),
    "embedding-tfidf": lambda vectors: EmbeddingTfidfJudge(TOPIC, vectors),
    "embedding-tfidf, by reference": lambda vectors: EmbeddingTfidfJudge(TOPIC, vectors, REFERENCE),
    "rake": lambda vectors: RakeJudge(TOPIC, vectors),
    "rake, bounded": lambda vectors: RakeJudge(TOPIC, vectors, RakeSettings(0.05, 0.9, 5, "phrases", True)),
    "classifier": lambda vectors: VectorModelJudge("classifier", logistic_model(vectors.dimension), vectors),
    "classifier, one's own": lambda vectors: ClassifierJudge(OwnClassifier()),
    "neural": lambda vectors: VectorModelJudge("neural", neural_model(vectors.dimension), vectors),
    "combined": lambda vectors: CombinedJudge(
        [Part("tfidf", 2.0, TfidfJudge(TOPIC)), Part("embedding", 1.0, EmbeddingJudge(TOPIC, vectors))]
    ),
    "combined, without statistics": lambda vectors: CombinedJudge([Part("keyword", 0.5, KeywordJudge(TOPIC))]),
    "embedding": lambda vectors: EmbeddingJudge(TOPIC, vectors),
    "learned": lambda vectors: LearnedJudge(TOPIC, vectors),
    "learned, with examples": lambda vectors: LearnedJudge(
        Topic("geology", like=("rock plate", "geology"), unlike=("soup the",)), vectors
    ),
}

word = st.sampled_from(
    ["rock", "rocks", "plate", "tectonics", "geology", "the", "of", "soup", "naïve", "2006", "don't"]
)
mark = st.sampled_from([" ", " ", " ", ", ", ". ", "-", " (", "\u2014"])
text = st.lists(st.tuples(word, mark), max_size=40).map(lambda pairs: "".join(word + mark for word, mark in pairs))
pages = st.lists(text, min_size=1, max_size=6).map(lambda texts: [page_of(each) for each in texts])


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def make(kind: str) -> Callable[[], Judge]:
    return lambda: MAKERS[kind](hashed_vectors())


every_judge = pytest.mark.parametrize("make_with", MAKERS.values(), ids=list(MAKERS))


def shown(judge: Judge, seen: list[Page]) -> Judge:
    for page in seen:
        judge.see(page)
    return judge


@every_judge
@settings(deadline=None, max_examples=15)
@given(seen=pages, judged=pages)
def test_relevance_is_from_0_to_1_and_pure_in_the_page_and_the_pages_seen(
    make_with: Maker, seen: list[Page], judged: list[Page]
) -> None:
    judge = shown(make_with(hashed_vectors()), seen)
    first = [judge.relevance(page) for page in judged]
    assert all(0.0 <= relevance <= 1.0 for relevance in first)
    assert first == [judge.relevance(page) for page in reversed(judged)][::-1]
    assert first == [shown(make_with(hashed_vectors()), seen).relevance(page) for page in judged]


@every_judge
@settings(deadline=None, max_examples=15)
@given(seen=pages, data=st.data())
def test_statistics_survive_saving_and_loading_at_any_step(
    make_with: Maker, seen: list[Page], data: st.DataObject
) -> None:
    straight, broken = make_with(hashed_vectors()), make_with(hashed_vectors())
    for page in seen:
        straight.see(page)
        broken.see(page)
        if data.draw(st.booleans()):
            state = broken.save()
            broken = make_with(hashed_vectors())
            broken.load(state)
        straight.evidence(page)  # looking on leaves no trace
        assert [broken.relevance(each) for each in seen] == [straight.relevance(each) for each in seen]
    assert broken.save() == straight.save()


def test_a_state_that_is_none_is_refused(make: Callable[[], Judge]) -> None:
    with pytest.raises(JudgeError, match="statistics"):
        make().load(b"\xffnot a state")


def test_a_page_without_words_is_not_relevant(make: Callable[[], Judge]) -> None:
    judge = make()
    for empty in (page_of(""), page_of(" – ... !")):
        judge.see(empty)
        assert judge.relevance(empty) == 0.0
        assert judge.evidence(empty).relevance == 0.0
        assert judge.evidence(empty).rows == () or not any(row.contribution for row in judge.evidence(empty).rows)
    assert judge.threshold > 0.0


def test_navigation_is_not_judged(make: Callable[[], Judge]) -> None:
    noisy = page_of("rock rock rock plain words about cooking", main=((3, 7),))
    plain = page_of("plain words about cooking")
    one, two = shown(make(), [noisy, noisy]), shown(make(), [plain, plain])
    assert one.save() == two.save()
    assert one.relevance(noisy) == two.relevance(plain)
    assert one.evidence(noisy) == two.evidence(plain)


def test_main_text_in_several_parts_is_judged_whole(make: Callable[[], Judge]) -> None:
    parted = page_of("rock, stone menu menu mud, clay, lava", main=((0, 2), (4, 7)))
    whole = page_of("rock, stone, mud, clay, lava")
    assert make().relevance(parted) == make().relevance(whole)


@every_judge
@settings(deadline=None, max_examples=15)
@given(seen=pages)
def test_evidence_agrees_with_the_relevance(make_with: Maker, seen: list[Page]) -> None:
    judge = shown(make_with(hashed_vectors()), seen)
    for page in seen:
        evidence = judge.evidence(page)
        assert evidence.relevance == judge.relevance(page)
        assert evidence.threshold == judge.threshold
        shares = [row.contribution for row in evidence.rows]
        assert shares == sorted(shares, reverse=True) or evidence.parts
        assert all(row.similarity <= 1.0 and math.isfinite(row.contribution) for row in evidence.rows)
        if evidence.is_sum:
            assert max(0.0, sum(shares) + evidence.rest) == pytest.approx(evidence.relevance, abs=1e-9)


def test_evidence_names_its_judge_and_the_words_of_the_page(kind: str, make: Callable[[], Judge]) -> None:
    page = page_of("rock rock rock, plate tectonics and soup")
    evidence = shown(make(), [page]).evidence(page)
    assert evidence.kind == kind.partition(",")[0]
    assert evidence.rows
    data: dict[str, Any] = asdict(evidence)
    assert data["rows"][0].keys() == {"term", "compared_with", "similarity", "contribution", "count"}
    if not evidence.parts:
        counts = {row.term: row.count for row in evidence.rows}
        assert counts.get("rock", 3) == 3
        assert all(row.count >= 1 for row in evidence.rows)


@every_judge
@settings(deadline=None, max_examples=15)
@given(seen=pages)
def test_words_without_vectors_make_no_nonsense(make_with: Maker, seen: list[Page]) -> None:
    judge = shown(make_with(table_of(NoVectors.dimension)), seen)
    for page in seen:
        assert 0.0 <= judge.relevance(page) <= 1.0
        evidence = judge.evidence(page)
        assert all(math.isfinite(row.similarity) and math.isfinite(row.contribution) for row in evidence.rows)
        assert math.isfinite(evidence.rest)


def test_judging_asks_for_the_rows_of_the_page_only_once(make: Callable[[], Judge], kind: str) -> None:
    table = hashed_vectors()
    judge = MAKERS[kind](table)
    page = page_of("rock and mud, plate tectonics, onion soup")
    rows = table.look_up(page.words)
    judge.see(page)
    judge.relevance(page)
    assert table.look_up(page.words) is rows
