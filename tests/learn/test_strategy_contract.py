"""What every strategy promises, checked on every strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deep_strategies import every_strategy
from honeyguide.learn import (
    Beam,
    BestAddressFirst,
    BestFirst,
    BreadthFirst,
    DepthFirst,
    FeatureStyle,
    IterativeDeepening,
    LinearSarsa,
    Mode,
    ModifiedDepthFirst,
    ModifiedDepthFirstSettings,
    OnlineRidge,
    OnlineRidgeSettings,
    ParseOrSkip,
    ParseOrSkipQ,
    ParseOrSkipQSettings,
    ParseOrSkipSettings,
    RandomOrder,
    RandomSkip,
    RandomSkipSettings,
    SarsaRules,
    Scale,
    Strategy,
    TopicAndCategories,
    UrlHeuristicSettings,
    WeightedBreadthFirst,
    WeightedBreadthFirstSettings,
)
from honeyguide.learn.deep_q import DeepQ, OutputDescriptions, PairDescriptions, QRules, pytorch
from honeyguide.learn.linear_sarsa import row_width
from honeyguide.model import Candidates, Origin, Topic, Transition
from honeyguide.settings import STRATEGIES
from pages import HERE, candidates_of, link_at, page_of, rows_of, sighting_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.model import Rows, Sighting

TOPIC = Topic("geology", ("rock", "mineral"))
CATEGORIES = ("earth", "science")


def linear_sarsa(mode: Mode) -> LinearSarsa:
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    style = FeatureStyle(Scale.HAN)
    start = np.zeros(row_width(style, len(CATEGORIES)))
    return LinearSarsa(nearness, style, SarsaRules(mode=mode), start, np.random.default_rng(1))


def deep_q(*, outputs: int = 0) -> DeepQ:
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    style = FeatureStyle(Scale.PERTEJO)
    descriptions = OutputDescriptions(nearness, style, outputs) if outputs else PairDescriptions(nearness, style)
    rules = QRules(layers=(8,), warm_up=1, refresh_every=1, batch=4)
    return DeepQ(pytorch("dqn", "cpu"), descriptions, rules, np.random.default_rng(1))


MAKERS: dict[str, Callable[[], Strategy]] = {
    "breadth-first": BreadthFirst,
    "depth-first": DepthFirst,
    "iterative-deepening": IterativeDeepening,
    "modified-depth-first": lambda: ModifiedDepthFirst(ModifiedDepthFirstSettings()),
    "weighted-breadth-first": lambda: WeightedBreadthFirst(TOPIC, WeightedBreadthFirstSettings()),
    "random": RandomOrder,
    "best-first": lambda: BestFirst(TOPIC, hashed_vectors()),
    "url-heuristic": lambda: BestAddressFirst(TOPIC, hashed_vectors(), UrlHeuristicSettings()),
    "beam": lambda: Beam(BestFirst(TOPIC, hashed_vectors()), 100),
    "online-ridge": lambda: OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings()),
    "lfa-sync": lambda: linear_sarsa(Mode.SYNCHRONOUS),
    "lfa-async": lambda: linear_sarsa(Mode.ASYNCHRONOUS),
    "lfa-moderated": lambda: linear_sarsa(Mode.MODERATED),
    "dqn": deep_q,
    "dqn-fixed": lambda: deep_q(outputs=50),
    "parse-or-skip": lambda: ParseOrSkip(TOPIC, hashed_vectors(), ParseOrSkipSettings()),
    "parse-or-skip-q": lambda: ParseOrSkipQ(TOPIC, hashed_vectors(), ParseOrSkipQSettings()),
    "random-skip": lambda: RandomSkip(RandomSkipSettings()),
}

words = st.lists(st.sampled_from(["rock", "mineral", "the", "of", "lava", "soup"]), max_size=6).map(" ".join)
sightings = st.builds(
    lambda host, anchor, before, after, relevance, distance, depth: sighting_of(
        f"http://{host}.test/{anchor.replace(' ', '-')}",
        anchor,
        before,
        after,
        relevance=relevance,
        distance=distance,
        depth=depth,
    ),
    st.sampled_from(["here", "there"]), words, words, words, st.floats(0, 1), st.integers(0, 9), st.integers(0, 9),
)  # fmt: skip


def test_every_strategy_is_held_to_the_contract() -> None:
    assert set(MAKERS) == set(STRATEGIES)


@pytest.fixture(params=every_strategy())
def make(request: pytest.FixtureRequest) -> Callable[[], Strategy]:
    return MAKERS[request.param]


def transitions(rows: Rows, rewards: list[float]) -> list[Transition]:
    none = rows[:0]
    return [
        Transition(step + 1, HERE, row, reward, reward, reward > 0.5, none)
        for step, (row, reward) in enumerate(zip(rows, rewards, strict=False))
    ]


SOME = candidates_of(
    sighting_of("http://a.test/rock", "a rock", "before", "after", relevance=0.7, depth=2),
    sighting_of("http://b.test/soup", "soup", "hot", "onion", relevance=0.1, distance=3, depth=4),
    sighting_of("http://c.test/", "", "", ""),
    sighting_of("http://here.test/mineral", "mineral", "", "water", relevance=0.4, distance=1, depth=1),
)


@pytest.mark.parametrize("name", every_strategy())
@settings(deadline=None)  # the first of some takes as long as loading PyTorch does
@given(batch=st.lists(sightings, min_size=1, max_size=8), data=st.data())
def test_a_links_row_and_score_do_not_depend_on_its_batch(
    name: str, batch: list[Sighting], data: st.DataObject
) -> None:
    strategy = MAKERS[name]()
    rows = rows_of(strategy, Candidates.of(batch))
    scores = strategy.score(rows)
    order = data.draw(st.permutations(range(len(batch))))
    shuffled = rows_of(strategy, Candidates.of([batch[place] for place in order]))
    alone = np.concatenate([rows_of(strategy, Candidates.of([sighting])) for sighting in batch])
    assert rows.dtype == np.float16
    assert rows.shape == (len(batch), strategy.row_width)
    assert np.array_equal(rows[order], shuffled)
    assert np.array_equal(rows, alone)
    assert np.array_equal(scores[order], strategy.score(shuffled))
    assert np.array_equal(scores, np.concatenate([strategy.score(row[None]) for row in rows]))


def test_a_link_cut_from_a_page_has_the_row_of_its_stored_sighting(make: Callable[[], Strategy]) -> None:
    page = page_of(" ".join(f"word{number} rock" for number in range(60)))
    links = [
        link_at("http://here.test/a", 0, 3),
        link_at("http://b.test/rock-a", 40, 42),
        link_at("http://c.test/", 119, 120),
    ]
    origin = Origin(page.url.host, 0.6, 0, 3)
    on_page = Candidates.on_page(page, links, origin)
    stored = Candidates.of([on_page.sighting(row, origin) for row in range(len(links))])
    strategy = make()
    assert np.array_equal(rows_of(strategy, on_page), rows_of(strategy, stored))


def test_no_candidates_are_described_and_scored_as_nothing(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, candidates_of())
    assert rows.shape == (0, strategy.row_width)
    assert strategy.score(rows).shape == (0,)


def test_a_seed_can_be_described_scored_and_learned_from(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, candidates_of(sighting_of("http://seed.test/")))
    strategy.learn(transitions(rows, [1.0])[0])
    assert np.isfinite(strategy.score(rows)).all()


def test_saving_loading_and_learning_the_rest_gives_the_same_scores(make: Callable[[], Strategy]) -> None:
    one, two = make(), make()
    rows = rows_of(one, SOME)
    told = transitions(rows, [0.9, 0.0, 0.5, 0.2])
    for transition in told[:2]:
        one.learn(transition)
    two.load(one.save())
    for transition in told[2:]:
        one.learn(transition)
        two.learn(transition)
    assert np.array_equal(one.score(rows), two.score(rows_of(two, SOME)))
    assert one.expands(HERE) == two.expands(HERE)
    assert one.save() == two.save()


def test_scores_change_only_when_learning_says_so(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, SOME)
    before = strategy.score(rows)
    changed = strategy.learn(transitions(rows, [1.0])[0])
    assert changed == (not np.array_equal(before, strategy.score(rows)))


def test_weights_where_there_are_any_reproduce_the_scores(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, SOME)
    strategy.learn(transitions(rows, [1.0])[0])
    if strategy.weights is not None:
        assert strategy.score(rows) == pytest.approx(rows.astype(float) @ strategy.weights)
    else:
        assert np.isfinite(strategy.score(rows)).all()


def test_only_random_explores_always_and_baselines_never(make: Callable[[], Strategy]) -> None:
    strategy = make()
    chance = np.random.default_rng(1)
    share = np.mean([strategy.explores(chance) for _ in range(2000)])
    shares = {RandomOrder: 1.0, OnlineRidge: OnlineRidgeSettings().exploration, LinearSarsa: 0.1, DeepQ: 0.1}
    assert share == pytest.approx(shares.get(type(strategy), 0.0), abs=0.02)
