"""A crawl under the wikipedia profile is the crawl, and its exported graph the graph, of the document's pseudo code."""

from __future__ import annotations

import io
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.literal_wikicrawler import HOME, KEYWORDS, LiteralCrawl, random_wiki
from crawler.small_crawls import contents, settings_for, story
from crawler.test_kill_and_resume import kill_after_a_while
from honeyguide.crawler import crawl, resume
from honeyguide.runs import open_run
from honeyguide.runs.exports import write
from honeyguide.settings import settings_from
from scripted_world import ScriptedWorld
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings


def wiki_settings(seed: str, most: int, **crawl_table: object) -> Settings:
    return settings_from(
        {
            "topic": {"keywords": list(KEYWORDS)},
            "crawl": {
                "strategy": "weighted-breadth-first",
                "profile": "wikipedia",
                "world": "synthetic",
                "seed_urls": [HOME + seed],
                **crawl_table,
            },
            "judge": {"kind": "keyword"},
            "scope": {"max_pages": most},
        }
    )


def world_of(wiki: dict[str, str]) -> ScriptedWorld:
    return ScriptedWorld({HOME + path: html for path, html in wiki.items()})


def exported(run: Path) -> tuple[int, list[tuple[str, ...]]]:
    """The vertices that a run's file of edges counts, and its edges."""
    out = io.StringIO()
    with open_run(run) as opened:
        write(opened, out)
    count, *edges = out.getvalue().splitlines()
    return int(count), [tuple(edge.split(" ")) for edge in edges]


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    pages=st.integers(1, 40),
    most=st.integers(1, 45),
    concurrency=st.sampled_from([1, 8]),
    is_weighted=st.booleans(),
)
def test_pages_weights_and_edges_are_those_of_the_pseudo_code(
    tmp_path_factory: pytest.TempPathFactory, seed: int, pages: int, most: int, concurrency: int, *, is_weighted: bool
) -> None:
    wiki = random_wiki(seed, pages)
    start = next(iter(wiki))
    literal = LiteralCrawl(wiki, start, KEYWORDS, most, is_weighted)
    strategy = "weighted-breadth-first" if is_weighted else "breadth-first"
    run = tmp_path_factory.mktemp("wiki") / "run"
    chosen = wiki_settings(start, most, concurrency=concurrency, strategy=strategy)
    crawl(run, chosen, world=world_of(wiki), vectors=hashed_vectors()).close()
    followed = [(url.path, score) for url, _, score, *_ in story(run)]  # type: ignore[attr-defined]
    assert [path for path, _ in followed] == [path for path, _ in literal.extracted]
    if is_weighted:  # but for the seed, to which the document gives no weight
        assert followed[1:] == literal.extracted[1:]
    vertices, edges = exported(run)
    assert vertices == len(literal.visited)
    assert sorted(edges) == sorted(literal.edges)
    assert len(set(edges)) == len(edges)


def test_a_crawl_discovers_as_many_pages_as_asked_for_and_fetches_all_of_them(tmp_path: Path) -> None:
    wiki = random_wiki(4, 200)
    start = next(iter(wiki))
    with crawl(tmp_path / "run", wiki_settings(start, 100), world=world_of(wiki), vectors=hashed_vectors()) as run:
        assert run.progress.fetches == 100
        assert 0 < run.progress.pages < 100, "some fail, and are vertices all the same"
        assert run.progress.waiting == 0
        assert run.settings.politeness.pause_every == 10
    vertices, edges = exported(tmp_path / "run")
    assert vertices == 100
    assert len({vertex for edge in edges for vertex in edge}) == 100


def with_some_at_the_end(wiki: dict[str, str]) -> dict[str, str]:
    """Every page with links to many others, so that a crawl is long."""
    addresses = list(wiki)
    chance = random.Random(1)
    more = (" ".join(f'<a href="{path}">more</a>' for path in chance.sample(addresses, 12)) for _ in addresses)
    return {path: html.replace("</p>", f" {links}</p>") for (path, html), links in zip(wiki.items(), more, strict=True)}


@pytest.mark.thorough
@pytest.mark.parametrize("concurrency", [pytest.param(1, marks=pytest.mark.thorough), 8])
def test_a_wiki_crawl_interrupted_at_every_few_steps_equals_the_uninterrupted_one(
    tmp_path: Path, concurrency: int
) -> None:
    wiki = with_some_at_the_end(random_wiki(9, 150))
    start = next(iter(wiki))
    chosen = wiki_settings(start, 120, concurrency=concurrency)
    around: dict[str, Any] = {"world": world_of(wiki), "vectors": hashed_vectors()}
    crawl(tmp_path / "whole", chosen, **around).close()
    chance = random.Random(concurrency)
    reason, turns = "", 0
    while reason in ("", "interrupted"):
        patience = iter(range(chance.randint(1, 60)))
        tired: dict[str, Any] = {"is_interrupted": lambda: next(patience, None) is None}  # noqa: B023
        opened = (
            resume(tmp_path / "broken", **around, **tired)
            if turns
            else crawl(tmp_path / "broken", chosen, **around, **tired)
        )
        with opened:
            reason = opened.progress.stop_reason
        turns += 1
    assert turns > 5
    assert story(tmp_path / "broken") == story(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert exported(tmp_path / "broken") == exported(tmp_path / "whole")


@pytest.mark.thorough
def test_a_wiki_crawl_killed_again_and_again_equals_the_uninterrupted_one(tmp_path: Path) -> None:
    wiki = with_some_at_the_end(random_wiki(3, 900))
    for path, html in wiki.items():
        (tmp_path / "site" / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path[1:]).write_text(html, encoding="utf-8")
    overrides = {
        "crawl__world": f"site:{tmp_path / 'site'}@{HOME}/",
        "crawl__seed_urls": [HOME + next(iter(wiki))],
        "crawl__profile": "wikipedia",
        "scope__max_pages": 800,
    }
    strategy, budget, concurrency = "weighted-breadth-first", 800, 8
    chosen = settings_for(strategy, budget=budget, concurrency=concurrency, **overrides)  # type: ignore[arg-type]
    crawl(tmp_path / "whole", chosen, vectors=hashed_vectors()).close()
    arguments = [str(budget), str(concurrency), strategy, "best", json.dumps(overrides)]
    chance = random.Random(5)
    survived = [kill_after_a_while(tmp_path / "killed", arguments, chance) for _ in range(8)]
    assert survived.count(True) < 4, "the crawl ended before most kills; make it longer"
    resume(tmp_path / "killed", vectors=hashed_vectors()).close()
    assert story(tmp_path / "killed") == story(tmp_path / "whole")
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert exported(tmp_path / "killed") == exported(tmp_path / "whole")


def test_a_replayed_wiki_crawl_is_read_by_the_same_rules(tmp_path: Path) -> None:
    wiki = random_wiki(6, 60)
    start = next(iter(wiki))
    crawl(tmp_path / "live", wiki_settings(start, 50), world=world_of(wiki), vectors=hashed_vectors()).close()
    again = wiki_settings(start, 50, world=f"replay:{tmp_path / 'live'}")
    crawl(tmp_path / "again", again, vectors=hashed_vectors()).close()
    assert story(tmp_path / "again") == story(tmp_path / "live")
    assert exported(tmp_path / "again") == exported(tmp_path / "live")
