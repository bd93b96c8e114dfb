"""Judges that learn from examples, and classifiers of one's own."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crawler.small_crawls import settings_for
from honeyguide.crawler import crawl
from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge import (
    ClassifierJudge,
    Examples,
    JudgeIngredients,
    VectorModelJudge,
    build_judge,
    chosen_classifier,
    fitted_logistic,
    trained_network,
)
from honeyguide.judge.examples import NeuralJudge, NeuralModel
from honeyguide.model import Topic
from honeyguide.settings import CrawlSettings, Settings, with_overrides
from honeyguide.text import WordllamaVectors, WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from honeyguide.judge import Judge


LAVA = "granite and basalt cool from magma; sediment becomes sandstone near the volcano"
CLIFF = "the cliff shows layers of limestone and shale with fossils of the Jurassic"
STEW = "simmer the onions in butter, add the stock and serve the stew with bread"
CAKE = "whisk eggs and sugar, fold in the flour and bake the cake until golden"
TOPIC = Topic("geology", like=(LAVA, CLIFF), unlike=(STEW, CAKE, "a football match ended without a goal"))


def built(topic: Topic, classifier: str = "", kind: str = "classifier") -> Judge:
    settings = with_overrides(Settings(), {"judge.kind": kind, "judge.classifier": classifier})
    return build_judge(JudgeIngredients(settings, topic, hashed_vectors), kind)


class TestExamples:
    @pytest.mark.parametrize("kind", ["classifier", "neural"])
    @pytest.mark.parametrize(
        ("topic", "counts"),
        [
            (Topic("geology"), "0 texts to be like and 0 to be unlike"),
            (Topic("geology", like=(LAVA,)), "1 texts to be like and 0 to be unlike"),
            (Topic("geology", unlike=(STEW,), like=("", " ... ")), "0 texts to be like and 1 to be unlike"),
            (Topic(""), "0 texts to be like and 0 to be unlike"),
        ],
    )
    def test_learning_needs_both_kinds(self, kind: str, topic: Topic, counts: str) -> None:
        with pytest.raises(SettingsError, match=f"judge.kind is '{kind}'.*{counts}; give at least one of each"):
            built(topic, kind=kind)

    def test_texts_are_words_in_lower_case_and_labels_go_with_them(self) -> None:
        examples = Examples.of(Topic("", like=("Hot LAVA!", ""), unlike=("a stew", "Cake")), "classifier")
        assert examples.texts == ["hot lava", "a stew", "cake"]
        assert examples.labels.tolist() == [1, 0, 0]
        assert np.linalg.norm(examples.vectors(hashed_vectors()), axis=1) == pytest.approx([1, 1, 1])


class TestLogistic:
    @pytest.fixture(autouse=True)
    def needs_sklearn(self) -> None:
        pytest.importorskip("sklearn", reason="needs the extra classifier")

    @pytest.mark.thorough
    def test_it_tells_pages_it_has_never_seen_apart(self) -> None:
        vectors = WordVectors(WordllamaVectors())
        judge = VectorModelJudge("classifier", fitted_logistic(Examples.of(TOPIC, "classifier"), vectors), vectors)
        rock = page_of("an igneous rock with crystals of quartz and feldspar, folded by the rising mountains")
        soup = page_of("boil the carrots for the soup, then season with pepper and cream")
        assert judge.relevance(rock) > judge.threshold > judge.relevance(soup)
        assert judge.evidence(rock).rows[0].term in {"igneous", "rock", "quartz", "feldspar", "crystals", "mountains"}

    def test_training_repeats_exactly(self) -> None:
        examples = Examples.of(TOPIC, "classifier")
        one, two = (fitted_logistic(examples, hashed_vectors()) for _ in range(2))
        assert np.array_equal(one.weights, two.weights)
        assert one.bias == two.bias

    def test_examples_of_both_kinds_weigh_the_same_however_many(self) -> None:
        few = fitted_logistic(Examples((("rock",),), (("soup",),)), hashed_vectors())
        many = fitted_logistic(Examples((("rock",),), (("soup",),) * 50), hashed_vectors())
        neutral = np.zeros(64)
        assert many.probability(neutral) == pytest.approx(few.probability(neutral), abs=0.1)

    def test_taking_out_a_word_shows_what_it_did(self) -> None:
        judge = built(Topic("", like=("rock",), unlike=("soup",)))
        evidence = judge.evidence(page_of("rock rock soup"))
        by_term = {row.term: row for row in evidence.rows}
        assert not evidence.is_sum
        assert by_term["rock"].contribution > 0 > by_term["soup"].contribution
        assert by_term["rock"].contribution == pytest.approx(evidence.relevance - judge.relevance(page_of("soup")))
        assert by_term["rock"].count == 2

    def test_without_scikit_learn_the_remedy_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
        with pytest.raises(SettingsError, match=r"needs scikit-learn; pip install .*\[classifier\]'"):
            built(TOPIC)


class Rocks:
    """Probability: the share of rocks."""

    classes_ = (0, 1)

    def predict_proba(self, texts: list[str]) -> Any:
        shares = [text.split().count("rock") / len(text.split()) for text in texts]
        return np.array([[1 - share, share] for share in shares])


class Margins:
    """A decision function: how many more rocks than soups."""

    def decision_function(self, texts: list[str]) -> list[int]:
        return [text.split().count("rock") - text.split().count("soup") for text in texts]


class Memory:
    """Learns the texts by heart."""

    def fit(self, texts: list[str], labels: Any) -> Memory:
        self._known = dict(zip(texts, labels.tolist(), strict=True))
        return self

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[1 - self._known.get(text, 0), self._known.get(text, 0)] for text in texts]


class Unready:
    """Neither fits nor predicts."""


class Refusing(Memory):
    def fit(self, texts: list[str], labels: Any) -> Memory:
        raise ValueError("only\nnumbers")


class Moody(Rocks):
    """Raises on any text with mud in it."""

    def predict_proba(self, texts: list[str]) -> Any:
        if any("mud" in text for text in texts):
            raise ZeroDivisionError("no\nmud, please")
        return super().predict_proba(texts)


class Untrained(Rocks):
    def predict_proba(self, texts: list[str]) -> Any:
        raise RuntimeError("fit me\nfirst")


class Boastful(Rocks):
    def predict_proba(self, texts: list[str]) -> Any:
        return [[-6.0, 7.0] for _ in texts]


def make_nothing() -> Memory:
    raise KeyError("no model\nhere")


def make_memory() -> Memory:
    return Memory()


rocks, nothing, untrained, boastful = Rocks(), Unready(), Untrained(), Boastful()


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "classifiers_for_a_test", sys.modules[__name__])


class TestOnesOwn:
    def test_an_object_is_asked_as_it_is(self) -> None:
        judge = built(Topic("geology"), "classifiers_for_a_test:rocks")
        assert judge.relevance(page_of("Rock, mud, rock, soup")) == 0.5

    def test_it_is_given_main_text_in_lower_case(self) -> None:
        asked: list[str] = []

        class Listening(Rocks):
            def predict_proba(self, texts: list[str]) -> Any:
                asked.extend(texts)
                return super().predict_proba(texts)

        ClassifierJudge(Listening()).relevance(page_of("Menu; The Rock, 2006!", main=((1, 4),)))
        assert asked == ["the rock 2006"]

    def test_a_page_without_words_is_not_shown_to_it(self) -> None:
        assert ClassifierJudge(Rocks()).relevance(page_of("")) == 0.0  # it would divide by zero

    def test_a_decision_goes_through_the_logistic_curve(self) -> None:
        judge = ClassifierJudge(Margins())
        assert judge.relevance(page_of("rock rock")) == pytest.approx(1 / (1 + math.exp(-2)))
        assert judge.relevance(page_of("mud")) == 0.5
        assert judge.relevance(page_of("soup " * 5000)) == 0.0

    @pytest.mark.parametrize("name", ["Memory", "make_memory"])
    def test_a_class_or_a_function_is_called_and_fitted_to_the_examples(self, name: str) -> None:
        judge = built(Topic("", like=("Hot lava",), unlike=("Stew",)), f"classifiers_for_a_test:{name}")
        assert judge.relevance(page_of("hot LAVA!")) == 1.0
        assert judge.relevance(page_of("stew")) == 0.0

    def test_a_class_without_examples_is_refused(self) -> None:
        with pytest.raises(SettingsError, match="learns from examples of both kinds"):
            built(Topic("geology"), "classifiers_for_a_test:Memory")

    def test_it_needs_no_topic(self) -> None:
        assert built(Topic(""), "classifiers_for_a_test:rocks").relevance(page_of("rock")) == 1.0

    @pytest.mark.parametrize(
        ("name", "mistake"),
        [
            ("rocks", "write module:attribute, or the path of a .skops file"),
            (":rocks", "write module:attribute"),
            ("no.such.module:rocks", "No module named 'no'; is its folder on the PYTHONPATH?"),
            ("classifiers_for_a_test:boulders", "has no attribute 'boulders'"),
            ("classifiers_for_a_test:nothing", "it gives a Unready, which has no predict_proba"),
            ("classifiers_for_a_test:Unready", "it gives a Unready, which has no fit"),
            ("classifiers_for_a_test:Refusing", "it cannot be fitted to texts (only numbers)"),
            ("os.path:join", "calling it without arguments fails (TypeError: join() missing"),
            ("classifiers_for_a_test:make_nothing", "calling it without arguments fails (KeyError: 'no model\\nhere')"),
            ("classifiers_for_a_test:untrained", "it cannot be asked (RuntimeError: fit me first): give one that is"),
            ("classifiers_for_a_test:boastful", "the classifier gave 7: a probability is from 0 to 1"),
            ("..up:rocks", "importing ..up fails (TypeError: "),
        ],
    )
    def test_what_is_no_classifier_is_named(self, name: str, mistake: str) -> None:
        with pytest.raises(SettingsError) as caught:
            chosen_classifier(name, TOPIC)
        assert f"judge.classifier is {name!r}" in str(caught.value)
        assert mistake in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("said", [[[0.5, math.nan]], [[-3.0, 4.0]], [[0.5, 0.5], [0.5, 0.5]], [], [[]], 0.5])
    def test_what_is_no_probability_is_refused(self, said: Any) -> None:
        class Broken(Rocks):
            def predict_proba(self, texts: list[str]) -> Any:
                return said

        with pytest.raises(
            JudgeError, match=r"judge\.classifier is 'Broken': (the classifier gave|it cannot be asked)"
        ):
            ClassifierJudge(Broken()).relevance(page_of("rock"))

    def test_one_that_fails_in_the_middle_is_named_on_one_line(self) -> None:
        judge = ClassifierJudge(Moody(), "mine:moody")
        assert judge.relevance(page_of("rock")) == 1.0
        with pytest.raises(JudgeError, match=r"^judge\.classifier is 'mine:moody': .*no mud, please"):
            judge.relevance(page_of("mud"))

    def test_a_module_that_cannot_be_imported_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "module_that_raises.py").write_text("raise RuntimeError('not\\ntoday')", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(SettingsError, match=r"importing module_that_raises fails \(RuntimeError: not today\)"):
            chosen_classifier("module_that_raises:model", TOPIC)

    def test_a_pipeline_that_was_never_fitted_leaves_no_run_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text, naive_bayes, pipelines = map(
            pytest.importorskip, ("sklearn.feature_extraction.text", "sklearn.naive_bayes", "sklearn.pipeline")
        )
        unfitted = pipelines.make_pipeline(text.TfidfVectorizer(), naive_bayes.MultinomialNB())
        monkeypatch.setattr(sys.modules[__name__], "unfitted", unfitted, raising=False)
        own = {"judge.kind": "classifier", "judge.classifier": "classifiers_for_a_test:unfitted"}
        with pytest.raises(SettingsError, match=r"it cannot be asked \(NotFittedError: "):
            crawl(tmp_path / "run", with_overrides(settings_for("breadth-first", budget=2), own))
        assert not (tmp_path / "run").exists()


class TestFiles:
    @pytest.fixture(autouse=True)
    def needs_skops(self) -> None:
        pytest.importorskip("skops", reason="needs the extra classifier")

    def test_a_scikit_learn_pipeline_reads_back(self, tmp_path: Path) -> None:
        skops = pytest.importorskip("skops.io")
        text, naive_bayes, pipelines = map(
            pytest.importorskip, ("sklearn.feature_extraction.text", "sklearn.naive_bayes", "sklearn.pipeline")
        )
        pipeline = pipelines.make_pipeline(text.TfidfVectorizer(), naive_bayes.MultinomialNB())
        pipeline.fit([LAVA, CLIFF, STEW, CAKE], [1, 1, 0, 0])
        skops.dump(pipeline, tmp_path / "own.skops")
        judge = built(Topic("geology"), str(tmp_path / "own.skops"))
        assert judge.relevance(page_of("volcano and sandstone")) > 0.5 > judge.relevance(page_of("bake the flour"))
        assert judge.evidence(page_of("volcano and flour")).rows[0].term == "volcano"

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"judge\.classifier: cannot read .*absent\.skops: No such file"):
            built(TOPIC, str(tmp_path / "absent.skops"))

    @pytest.mark.parametrize("content", [b"", b"not an archive", b"cno_such_module\nThing\n."])
    def test_a_file_that_skops_has_not_written_is_named(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "bad.skops").write_bytes(content)
        with pytest.raises(SettingsError, match=r"judge\.classifier: .*bad\.skops cannot be loaded") as caught:
            built(TOPIC, str(tmp_path / "bad.skops"))
        assert "\n" not in str(caught.value)

    def test_a_pickle_is_not_even_opened(self, tmp_path: Path) -> None:
        file = tmp_path / "own.joblib"
        file.write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
        with pytest.raises(SettingsError, match=r"a pickle runs the code in it; write it with skops\.io\.dump"):
            built(TOPIC, str(file))

    def test_types_that_could_run_code_are_refused(self, tmp_path: Path) -> None:
        skops = pytest.importorskip("skops.io")
        skops.dump(Rocks(), tmp_path / "own.skops")
        with pytest.raises(SettingsError, match="it has types that could run code") as caught:
            built(TOPIC, str(tmp_path / "own.skops"))
        assert "\n" not in str(caught.value)


def test_an_example_judge_is_as_good_as_its_examples_not_its_keywords() -> None:
    pytest.importorskip("sklearn", reason="needs the extra classifier")
    page = page_of("hot rock")
    with_keywords = built(replace(TOPIC, keywords=("soup",)))
    assert with_keywords.relevance(page) == built(TOPIC).relevance(page)


ROCKS = ("granite and basalt from magma", "layers of limestone with fossils", "a volcano of lava and ash")
DISHES = ("onions in butter for the stew", "eggs and sugar for the cake", "bread with cheese and ham")


def examples(copies: int = 1) -> Examples:
    """Copies differ by a word that means nothing."""
    like, unlike = (
        tuple((*text.split(), f"number{copy}") for copy in range(copies) for text in texts) for texts in (ROCKS, DISHES)
    )
    return Examples(like, unlike)


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    module: ModuleType = pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    return module


def test_by_hand() -> None:
    model = NeuralModel(np.array([[1.0, 0.0], [0.0, -2.0]]), np.array([0.5, 0.0]), np.array([2.0, 3.0]), -1.0)
    # Hidden: max(0, 0.6 + 0.5) = 1.1 and max(0, -1.6) = 0; 2 · 1.1 - 1 = 1.2.
    assert model.probability(np.array([0.6, 0.8])) == pytest.approx(1 / (1 + np.exp(-1.2)))


def test_without_pytorch_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    topic = Topic("geology", like=ROCKS, unlike=DISHES)
    with pytest.raises(SettingsError, match=r"needs PyTorch; pip install .*\[deep\]'"):
        NeuralJudge.build(JudgeIngredients(Settings(), topic, hashed_vectors))


@pytest.mark.usefixtures("torch")
class TestTraining:
    @pytest.mark.parametrize("copies", [1, 4])
    def test_it_tells_pages_it_has_never_seen_apart(self, copies: int) -> None:
        vectors = WordVectors(WordllamaVectors())
        judge = VectorModelJudge("neural", trained_network(examples(copies), vectors, seed=3), vectors)
        rock = page_of("an igneous rock with crystals of quartz and feldspar under the mountains")
        soup = page_of("boil the carrots for the soup, then season with pepper and cream")
        assert judge.relevance(rock) > 0.6
        assert judge.relevance(soup) < 0.4

    @pytest.mark.parametrize("copies", [1, 4])
    def test_the_same_seed_gives_the_same_weights_and_another_seed_others(self, copies: int) -> None:
        one, two, other = (trained_network(examples(copies), hashed_vectors(), seed) for seed in (7, 7, 8))
        assert np.array_equal(one.hidden_weights, two.hidden_weights)
        assert np.array_equal(one.weights, two.weights)
        assert not np.array_equal(one.hidden_weights, other.hidden_weights)

    def test_few_examples_are_not_learned_by_heart(self) -> None:
        model = trained_network(examples(), hashed_vectors(), seed=1)
        said = [model.probability(vector) for vector in examples().vectors(hashed_vectors())]
        assert min(said[:3]) > 0.7
        assert max(said[3:]) < 0.3
        assert max(said) < 0.999

    def test_pytorch_is_left_as_it_was(self, torch: ModuleType) -> None:
        state, threads = torch.random.get_rng_state(), torch.get_num_threads()
        trained_network(examples(), hashed_vectors(), seed=1)
        assert torch.equal(torch.random.get_rng_state(), state)
        assert torch.get_num_threads() == threads

    def test_the_network_judges_as_pytorch_would(self, torch: ModuleType) -> None:
        model = trained_network(examples(), hashed_vectors(), seed=1)
        vector = examples().vectors(hashed_vectors())[0]
        hidden, output = torch.nn.Linear(64, 32), torch.nn.Linear(32, 1)
        with torch.no_grad():
            hidden.weight.copy_(torch.tensor(model.hidden_weights))
            hidden.bias.copy_(torch.tensor(model.hidden_bias))
            output.weight.copy_(torch.tensor(model.weights[None]))
            output.bias.fill_(model.bias)
            said = torch.sigmoid(output(torch.relu(hidden(torch.tensor(vector, dtype=torch.float32))))).item()
        assert model.probability(vector) == pytest.approx(said, abs=1e-6)

    def test_the_seed_of_the_crawl_is_the_seed_of_the_training(self) -> None:
        topic = Topic("geology", like=ROCKS, unlike=DISHES)
        page = page_of("granite in the cake")
        given = [JudgeIngredients(Settings(crawl=CrawlSettings(seed=n)), topic, hashed_vectors) for n in (1, 1, 2)]
        said = [NeuralJudge.build(each).relevance(page) for each in given]
        assert said[0] == said[1] != said[2]

    def test_many_more_examples_of_one_kind_do_not_decide(self) -> None:
        lopsided = Examples(examples().like, examples(30).unlike)
        model = trained_network(lopsided, hashed_vectors(), seed=1)
        said = [model.probability(vector) for vector in lopsided.vectors(hashed_vectors())]
        assert min(said[:3]) > 0.5 > max(said[3:])
