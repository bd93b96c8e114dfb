"""The neural judge: a small network that learns from the topic's examples."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import SettingsError
from honeyguide.judge import Examples, JudgeIngredients, VectorModelJudge, trained_network
from honeyguide.judge.examples import NeuralJudge, NeuralModel
from honeyguide.model import Topic
from honeyguide.settings import CrawlSettings, Settings
from honeyguide.text import WordllamaVectors, WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from types import ModuleType

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
    with pytest.raises(SettingsError, match=r"needs PyTorch; pip install 'honeyguide\[deep\]'"):
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
