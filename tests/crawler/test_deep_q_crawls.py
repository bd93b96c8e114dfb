"""Deep Q-learning in whole crawls of the synthetic web."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.small_crawls import settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import Builder, crawl, resume
from honeyguide.crawler.parents import ParentTable
from honeyguide.learn.deep_q.networks import digits_of
from honeyguide.model import Candidates, Link, LinkContext, LinkId, Occurrence, Origin, Url
from honeyguide.worlds.wiki import WikiWorld, build_wiki
from pages import page_of
from vectors_by_hash import hashed_vectors
from worlds.wiki.dumps import Written, write_dump

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings

pytest.importorskip("torch", reason="needs PyTorch, the extra deep")

VARIANTS = [
    thorough({"dqn__target": "ordinary", "dqn__dueling": "mean", "dqn__mode": "asynchronous"}),
    thorough({"dqn__target": "clipped-double", "dqn__dueling": "max"}),
    {"dqn__features": "continuous", "dqn__draws": "link", "dqn__training_steps": 50, "dqn__learns_in_test": False},
]


def relevant_found(path: Path, strategy: str, seed: int) -> int:
    settings = settings_for(strategy, budget=250, crawl__seed=seed, dqn__dropout=0.0)
    with crawl(path, settings, vectors=hashed_vectors()) as run:
        return run.progress.relevant


@pytest.mark.thorough
def test_dqn_finds_more_than_chance_does(tmp_path: Path) -> None:
    for seed in (1, 2):
        found = {name: relevant_found(tmp_path / f"{name}-{seed}", name, seed) for name in ("dqn", "random")}
        assert found["dqn"] > 1.3 * found["random"]


@pytest.mark.parametrize("variant", VARIANTS, ids=["dueling, asynchronous", "clipped, dueling", "continuous, tested"])
def test_every_variant_of_dqn_repeats_and_survives_an_interruption(tmp_path: Path, variant: dict[str, object]) -> None:
    settings = settings_for("dqn", budget=90, **variant)  # type: ignore[arg-type]
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    patience = iter(range(60))
    crawl(
        tmp_path / "broken", settings, vectors=hashed_vectors(), is_interrupted=lambda: next(patience, None) is None
    ).close()
    assert 20 < len(story(tmp_path / "broken")) < 90
    resume(tmp_path / "broken", vectors=hashed_vectors()).close()
    assert story(tmp_path / "broken") == story(tmp_path / "whole")


def test_the_seed_of_the_crawl_is_the_seed_of_the_network(tmp_path: Path) -> None:
    scores = []
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        settings = settings_for("dqn", budget=10, crawl__seed=seed)
        crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
        scores.append([step[2] for step in story(tmp_path / name)])
    assert scores[0] == scores[1] != scores[2]


NAMES = ("geology", "rock", "mineral", "soup", "stew", "bread", "lava", "slate")


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    """Eight articles, each with links to the next three; the link to the second goes through a redirect."""
    pages = [
        Written(name, " ".join(f"The [[{NAMES[(place + step) % 8]}]] of {name}." for step in (3, 2)) + " See [[old]].")
        for place, name in enumerate(NAMES)
    ]
    build_wiki(write_dump(tmp_path / "dump.xml", [*pages, Written("old", "", redirect="rock")]), tmp_path / "wiki")
    return tmp_path / "wiki"


def settings_of(wiki: Path, **overrides: object) -> Settings:
    address = "https://en.wiki.test/wiki/Geology"
    places = {"crawl__world": f"wiki:{wiki}", "crawl__seed_urls": [address], "politeness__delay_s": 0.0}
    changes = {"budget": 30, "concurrency": 1, "dqn__dropout": 0.0, **places, **overrides}
    return settings_for("dqn-fixed", **changes)  # type: ignore[arg-type]


def test_an_output_is_that_of_the_page_in_the_world_also_for_its_redirect(wiki: Path) -> None:
    with WikiWorld(wiki) as world:
        parts = Builder(settings_of(wiki), hashed_vectors()).parts(world=world)
        urls = [Url.parse(f"https://en.wiki.test/wiki/{name}") for name in ("Slate", "Rock", "Old", "Nowhere")]
        links = [Link(url, world.url_of(0), (Occurrence("x", 0, 1, in_main=True),)) for url in urls]
        page = page_of("x y z")
        state = parts.strategy.describe_page(page, is_relevant=False, parents=ParentTable().parents([LinkId(0)]))
        context = LinkContext(state, ParentTable().parents([LinkId(n) for n in range(4)]), np.arange(4))
        rows = parts.strategy.describe(Candidates.on_page(page, links, Origin(page.url.host, 0, 0, 0), context=context))
        digits = rows[:, len(state) :]
        numbers = [world.number_of(url) for url in urls]
        assert numbers[1] == numbers[2] != numbers[0]
        assert digits[:3].tolist() == digits_of(np.array(numbers[:3])).tolist()
        assert parts.strategy.skip(urls[3], rows[3], parts.chance) is not None, "no page of the world"


def test_pages_beyond_the_outputs_are_never_fetched(tmp_path: Path, wiki: Path) -> None:
    with WikiWorld(wiki) as world:
        number_of = {url.text: number for number, url in enumerate(world.urls())}
    for outputs, most in ((8, 7), (3, 2)):
        with crawl(tmp_path / str(outputs), settings_of(wiki, dqn__outputs=outputs), vectors=hashed_vectors()) as run:
            fetched = {number_of[page.url.text] for page in run.pages()}
        assert max(fetched - {number_of["https://en.wiki.test/wiki/Geology"]}) <= most
        assert len(fetched) == 8 or outputs == 3
