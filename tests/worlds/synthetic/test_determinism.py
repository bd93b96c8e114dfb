"""Equal specs are equal webs, in any order and at any size."""

from __future__ import annotations

import hashlib
import random
import tracemalloc

import pytest

from honeyguide.model import Fetched
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld

SPEC = SyntheticSpec(pages=1000, hosts=20)


def test_equal_specs_give_equal_bytes() -> None:
    first, second = SyntheticWorld(SPEC), SyntheticWorld(SPEC)

    for page in range(0, 1000, 7):
        assert first.url_of(page) == second.url_of(page)
        assert first.answer(first.url_of(page)) == second.answer(second.url_of(page))


def test_answers_do_not_depend_on_the_order_of_asking() -> None:
    forward, shuffled = SyntheticWorld(SPEC), SyntheticWorld(SPEC)
    urls = [forward.url_of(page) for page in range(200)]
    expected = [forward.answer(url) for url in urls]
    order = list(range(200))
    random.Random(1).shuffle(order)

    answers = {place: shuffled.answer(urls[place]) for place in order}

    assert [answers[place] for place in range(200)] == expected


def test_another_seed_is_another_web() -> None:
    one, other = SyntheticWorld(SPEC), SyntheticWorld(SyntheticSpec(seed=1, pages=1000, hosts=20))

    same = sum(one.url_of(page) == other.url_of(page) for page in range(1000))

    assert same < 50


@pytest.mark.parametrize("seed", [0, 1, 2, 99, 2**63 - 1])
def test_every_seed_makes_a_web(seed: int) -> None:
    world = SyntheticWorld(SyntheticSpec(seed=seed, pages=300, hosts=8))

    assert isinstance(world.answer(world.entry_urls()[0]).outcome, Fetched)
    assert sum(world.on_topic_pages(topic) for topic in world.topic_names) > 150


def test_the_smallest_and_barest_web_still_answers() -> None:
    spec = SyntheticSpec(pages=200, hosts=4, topics=4, island_share=0.0, bridge_share=1.0, hub_share=0.0,
                         duplicate_share=0.0, stray_share=0.0, robots_share=1.0, failing_share=1.0)  # fmt: skip
    world = SyntheticWorld(spec)

    assert [world.answer(world.url_of(page)) for page in range(200)]


def test_a_million_pages_cost_little_memory() -> None:
    tracemalloc.start()
    world = SyntheticWorld(SyntheticSpec(pages=1_000_000))
    for page in range(0, 1_000_000, 5000):
        world.answer(world.url_of(page))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held < 20e6


def test_a_known_page_never_changes() -> None:
    """Runs are compared across versions: a change of this page is a change of every figure measured on this web."""
    world = SyntheticWorld()
    url = world.url_of(12_345)

    outcome = world.answer(url).outcome

    assert url.text == "http://birch-institute14.test/letters/fabric-loom-9ix"
    assert isinstance(outcome, Fetched)
    assert hashlib.sha256(outcome.body).hexdigest()[:16] == "0dc1eea760b8a93c"
