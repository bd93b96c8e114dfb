"""What every strategy promises, checked on every strategy of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deep_strategies import every_strategy
from honeyguide.learn import Ingredients, OnlineRidgeSettings, Strategy
from honeyguide.model import Candidates, Fetched, Origin, Topic, Transition
from honeyguide.parse import parse
from honeyguide.registry import STRATEGIES
from honeyguide.settings import settings_from
from pages import HERE, candidates_of, cut_from, link_at, page_of, rows_of, sighting_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.model import Rows
    from pages import Sighting

TOPIC = Topic("geology", ("rock", "mineral"), categories=("earth", "science"))
QUICK_NETWORK = {"layers": [8], "warm_up": 1, "refresh_every": 1, "batch": 4, "outputs": 50}
VECTORS = hashed_vectors()


def made(name: str) -> Strategy:
    document = {"crawl": {"strategy": name, "seed": 1}, "dqn": QUICK_NETWORK, "beam": {"width": 100}}
    chosen: type[Strategy] = STRATEGIES[name]
    return chosen.build(Ingredients(settings_from(document), TOPIC, lambda: VECTORS))


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


@pytest.fixture(params=every_strategy())
def make(request: pytest.FixtureRequest) -> Callable[[], Strategy]:
    return lambda: made(request.param)


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
@settings(deadline=None, max_examples=20)  # the first of some takes as long as loading PyTorch does
@given(batch=st.lists(sightings, min_size=1, max_size=8), data=st.data())
def test_a_links_row_and_score_do_not_depend_on_its_batch(
    name: str, batch: list[Sighting], data: st.DataObject
) -> None:
    strategy = made(name)
    rows = rows_of(strategy, candidates_of(*batch))
    scores = strategy.score(rows)
    order = data.draw(st.permutations(range(len(batch))))
    shuffled = rows_of(strategy, candidates_of(*(batch[place] for place in order)))
    alone = np.concatenate([rows_of(strategy, candidates_of(sighting)) for sighting in batch])
    assert rows.dtype == np.float16
    assert rows.shape == (len(batch), strategy.row_width)
    assert np.array_equal(rows[order], shuffled)
    assert np.array_equal(rows, alone)
    assert np.array_equal(scores[order], strategy.score(shuffled))
    assert np.array_equal(scores, np.concatenate([strategy.score(row[None]) for row in rows]))


def test_a_link_cut_from_a_page_has_the_row_of_its_window_alone(make: Callable[[], Strategy]) -> None:
    page = page_of(" ".join(f"word{number} rock" for number in range(60)))
    links = [
        link_at("http://here.test/a", 0, 3),
        link_at("http://b.test/rock-a", 40, 42),
        link_at("http://c.test/", 119, 120),
    ]
    origin = Origin(page.url.host, 0.6, 0, 3)
    on_page = Candidates.on_page(page, links, origin)
    stored = cut_from(on_page, origin)
    strategy = make()
    assert np.array_equal(rows_of(strategy, on_page), rows_of(strategy, stored))


def test_nothing_and_a_seed_can_be_described_scored_and_learned_from(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, candidates_of())
    assert rows.shape == (0, strategy.row_width)
    assert strategy.score(rows).shape == (0,)
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


def test_scores_change_only_when_learning_says_so_and_are_the_weighted_rows(make: Callable[[], Strategy]) -> None:
    strategy = make()
    rows = rows_of(strategy, SOME)
    before = strategy.score(rows)
    changed = strategy.learn(transitions(rows, [1.0])[0])
    assert changed == (not np.array_equal(before, strategy.score(rows)))
    assert np.isfinite(strategy.score(rows)).all()
    if strategy.weights is not None:
        assert strategy.score(rows) == pytest.approx(rows.astype(float) @ strategy.weights)


@pytest.mark.parametrize("name", every_strategy())
def test_only_random_explores_always_and_baselines_never(name: str) -> None:
    strategy, chance = made(name), np.random.default_rng(1)
    share = np.mean([strategy.explores(chance) for _ in range(2000)])
    shares = {
        "random": 1.0,
        "online-ridge": OnlineRidgeSettings().exploration,
        "lfa": 0.1,
        "dqn": 0.1,
        "host-bandit": 0.1,
    }
    expected = shares.get(name, shares.get(name.partition("-")[0], 0.0))
    assert share == pytest.approx(0.0 if name == "random-skip" else expected, abs=0.02)


@pytest.mark.parametrize("name", ["online-ridge", "best-first"])
@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), words, words), min_size=1, max_size=8), st.floats(0, 1))
def test_what_is_described_ahead_is_what_the_crawl_would_describe(
    name: str, found: list[tuple[str, str, str]], relevance: float
) -> None:
    html = " ".join(f"{before} <a href=/{name}>{anchor}</a>" for name, before, anchor in found)
    page = parse(HERE, Fetched(200, "text/html", html.encode()))
    unjudged, judged = Origin(HERE.host, 0.0, 0, 0), Origin(HERE.host, relevance, 3, 4)
    strategy = made(name)
    assert strategy.describes_ahead
    ahead = strategy.describe(Candidates.on_page(page, page.links, unjudged))[::2]
    assert ahead.tobytes() == strategy.describe(Candidates.on_page(page, page.links[::2], judged)).tobytes()
