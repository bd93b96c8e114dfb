"""Whole crawls by linear SARSA: the links a plain implementation would take, rows and parents, and what is learned."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.driving import HandWired, script_settings
from crawler.small_crawls import settings_for, story
from deep_strategies import thorough
from frontier.naive_pairs import NaivePairs
from honeyguide.crawler import Builder, CrawlCore, CrawlLoop, crawl, learned_weights
from honeyguide.crawler.transport import SimulatedTransport
from honeyguide.frontier import LevelledRows
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import RunFolder, SqliteStore, open_run
from honeyguide.settings import to_toml
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hand import compass_vectors
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings

MODES = ("lfa-sync", "lfa-async", "lfa-moderated")
SEED = "http://s.test/"


def crawl_with_a_plain_list(path: Path, settings: Settings, world: SyntheticWorld) -> int:
    """Crawl with a frontier that keeps every pair and looks at all of them; gives back how many links were left."""
    builder = Builder(settings, hashed_vectors())
    parts = builder.parts()
    parts = replace(parts, frontier=NaivePairs(parts.schedule, draws_rows=parts.strategy.draws_rows))
    folder, lock = RunFolder.create(path, to_toml(settings))
    store, clock = SqliteStore(folder.database_file), SimulatedClock()
    core = CrawlCore(parts, settings)
    store.record(core.start(builder.seed_urls(world), 0.0).record)
    asyncio.run(CrawlLoop(core, SimulatedTransport(world, clock), store, clock, (), lambda: False).run())
    store.close()
    lock.close()
    return len(parts.frontier)


@pytest.mark.parametrize(
    ("strategy", "draws", "concurrency"),
    [("lfa-sync", "pair", 8), ("lfa-sync", "link", 1), ("lfa-async", "pair", 1), ("lfa-moderated", "link", 8)],
)
def test_the_links_taken_are_those_of_a_plain_list_of_pairs(
    tmp_path: Path, strategy: str, draws: str, concurrency: int
) -> None:
    """To the last bit of their scores, though rows are shared and only these are scored."""
    settings = settings_for(
        strategy,
        budget=45,
        concurrency=concurrency,
        topic__categories=["earth"],
        judge__reward="han2018",
        lfa__draws=draws,
        lfa__exploration=0.3,
        lfa__step_size=0.005,
        guard__on=False,  # a plain list has no levels
    )
    world = SyntheticWorld(SyntheticSpec.parse(settings.crawl.world.partition(":")[2]))
    assert crawl_with_a_plain_list(tmp_path / "plain", settings, world) > 200
    crawl(tmp_path / "ours", settings, world=world, vectors=hashed_vectors()).close()
    assert story(tmp_path / "ours") == story(tmp_path / "plain")
    assert len({score for _, _, score, *_ in story(tmp_path / "ours")}) > 15


def rows_waiting(wired: HandWired, url: str) -> list[list[float]]:
    frontier = wired.parts.frontier
    assert isinstance(frontier, LevelledRows)
    return [row.astype(float).tolist() for row in frontier.rows_of(wired.link(url))]


def column(name: str) -> int:
    """In rows of continuous features without categories."""
    state = ["topic", "parents", "relevant parents", "change", "distance"]
    return len(state) + state.index(name.removeprefix("link ")) if name.startswith("link ") else state.index(name)


CONTINUOUS = {"lfa__features": "continuous", "judge__relevant_when": "word"}
A, B, TARGET, ELSEWHERE = (f"http://{name}.test/" for name in "abte")


def test_every_page_that_shows_a_link_gives_it_a_row_of_its_own(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {
            SEED: page_with(A, B),
            A: f"<main>rock and mineral, rock <a href='{TARGET}'>one</a></main>",
            B: f"<main>soup and onions <a href='{TARGET}'>two</a></main>",
        }
    )
    wired = HandWired(tmp_path / "run", world, script_settings("lfa-async", **CONTINUOUS))
    for url in (SEED, A):
        wired.follow(url)
    (of_a,) = rows_waiting(wired, TARGET)
    wired.follow(B)
    first, second = rows_waiting(wired, TARGET)
    wired.close()
    with open_run(tmp_path / "run") as run:
        relevance = {page.url.text: page.relevance for page in run.pages()}
    assert first == of_a, "a row stays as it was when the page came"
    assert first[column("distance")] == 0.0
    assert second[column("distance")] == 9.0, "the seed is not relevant, nor is its parent known"
    assert first[column("link parents")] == pytest.approx(relevance[A], abs=1e-3)
    assert second[column("link parents")] == pytest.approx((relevance[A] + relevance[B]) / 2, abs=1e-3)
    assert second[column("link relevant parents")] == pytest.approx(relevance[A], abs=1e-3)
    assert second[column("change")] == pytest.approx(second[column("topic")] - relevance[SEED], abs=1e-3)


def test_where_a_link_leads_has_the_links_own_row_and_its_parents(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {
            SEED: page_with(A),
            A: f"<main>rock and mineral, rock <a href='{ELSEWHERE}'>one</a></main>",
            ELSEWHERE: redirect_to(TARGET),
            TARGET: page_with(B),
        }
    )
    wired = HandWired(tmp_path / "run", world, script_settings("lfa-async", **CONTINUOUS))
    for url in (SEED, A):
        wired.follow(url)
    (row,) = rows_waiting(wired, ELSEWHERE)
    wired.follow(ELSEWHERE)
    assert rows_waiting(wired, TARGET) == [row]
    wired.follow(TARGET)
    (below,) = rows_waiting(wired, B)
    wired.close()
    with open_run(tmp_path / "run") as run:
        relevance = {page.url.text: page.relevance for page in run.pages()}
    assert below[column("parents")] == pytest.approx(relevance[A], abs=1e-3)
    assert below[column("distance")] == 1.0


def test_a_waiting_link_that_another_one_leads_to_has_the_rows_of_both(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {
            SEED: page_with(A, TARGET),
            A: f"<main>rock and mineral, rock <a href='{ELSEWHERE}'>one</a></main>",
            ELSEWHERE: redirect_to(TARGET),
        }
    )
    wired = HandWired(tmp_path / "run", world, script_settings("lfa-async", **CONTINUOUS))
    for url in (SEED, A):
        wired.follow(url)
    (own,), (given,) = rows_waiting(wired, TARGET), rows_waiting(wired, ELSEWHERE)
    wired.follow(ELSEWHERE)
    wired.close()
    assert own != given
    assert rows_waiting(wired, TARGET) == [own, given]
    back = HandWired(tmp_path / "run", world, script_settings("lfa-async", **CONTINUOUS))
    back.close()
    assert rows_waiting(back, TARGET) == [own, given]


@pytest.mark.parametrize(
    ("strategy", "is_newest"), [("lfa-sync", True), ("lfa-async", False), ("lfa-moderated", False)]
)
def test_which_waiting_links_have_their_value_by_the_newest_weights(
    tmp_path: Path, strategy: str, is_newest: bool
) -> None:
    """The link of B waits while A is learned from; only in synchronous mode that changes its score."""
    world = ScriptedWorld(
        {
            SEED: page_with(A, B),
            B: f"<main>soup <a href='{TARGET}'>one</a></main>",
            A: f"<main>rock and mineral <a href='{ELSEWHERE}'>rock</a></main>",
        }
    )
    settings = script_settings(
        strategy, judge__reward="han2018", lfa__features="continuous", lfa__starts_at="uniform", lfa__exploration=0.0
    )
    wired = HandWired(tmp_path / "run", world, settings)
    for url in (SEED, B):
        wired.follow(url)
    frontier, learner = wired.parts.frontier, wired.parts.strategy
    waiting = [wired.link(TARGET)]
    (before,), _ = frontier.peek(waiting)
    wired.follow(A)
    (after,), rows = frontier.peek(waiting)
    (new,), new_rows = frontier.peek([wired.link(ELSEWHERE)])
    wired.close()
    assert new == learner.score(new_rows)[0], "the newest page's links always have theirs"
    assert learner.score(rows)[0] != before
    assert after == (learner.score(rows)[0] if is_newest else before)


@pytest.mark.parametrize(("strategy", "features"), list(zip(MODES, ("han", "pertejo", "continuous"), strict=True)))
def test_a_world_of_one_empty_page_is_crawled(tmp_path: Path, strategy: str, features: str) -> None:
    settings = script_settings(strategy, lfa__features=features, lfa__starts_at="uniform")
    with crawl(tmp_path / "run", settings, world=ScriptedWorld({SEED: ""}), vectors=hashed_vectors()) as run:
        assert run.progress.pages == 1
    assert np.isfinite(learned_weights(tmp_path / "run").weights).all()


TUNNELS, LENGTH, RELEVANT, BAITS = 4, 3, 6, 16
BEST = 1 + TUNNELS * RELEVANT  # relevant pages, of which the seed is one
FAR = "<p>" + "filler " * 60 + "</p>"  # so that no link has another's words around it


def tunnel_world() -> ScriptedWorld:
    """Where the way to what is wanted looks worse than what leads nowhere.

    The seed shows tunnels and baits. A bait's anchor is the topic, and its page is a dead end. A tunnel is three pages
    that have nothing of the topic; at its end are six relevant pages, whose anchors say nothing.
    """
    script, shown = {}, []
    for number in range(BAITS):
        url = f"http://s.test/bait{number}"
        shown.append(f"<p><a href='{url}'>north</a></p>")
        script[url] = "<main><p>soup and onions, nothing else</p></main>"
    for number in range(TUNNELS):
        ways = [f"http://s.test/way{number}-{place}" for place in range(LENGTH)]
        shown.append(f"<p><a href='{ways[0]}'>east</a></p>")
        for here, there in pairwise(ways):
            script[here] = f"<main><p>east <a href='{there}'>east</a></p></main>"
        ends = [f"http://s.test/end{number}-{place}" for place in range(RELEVANT)]
        script[ways[-1]] = "<main>" + "".join(f"<p><a href='{end}'>more</a></p>" for end in ends) + "</main>"
        script |= dict.fromkeys(ends, "<main><p>north</p></main>")
    return ScriptedWorld({SEED: f"<main>{FAR.join(shown)}</main>", **script})


def relevant_pages(path: Path, strategy: str, seed: int = 0, **overrides: object) -> int:
    """Found in as many fetches as the seed and all of the tunnels take."""
    settings = script_settings(
        strategy,
        topic__name="north",
        topic__keywords=[],
        topic__categories=["east"],
        crawl__seed=seed,
        budget__fetches=1 + TUNNELS * (LENGTH + RELEVANT),
        politeness__delay_s=0.0,
        judge__reward="han2018",
        judge__relevant_when="word",
        lfa__step_size=0.002,
        **overrides,
    )
    with crawl(path, settings, world=tunnel_world(), vectors=compass_vectors()) as run:
        return run.progress.relevant


@pytest.mark.parametrize("strategy", [MODES[0], *map(thorough, MODES[1:])])
def test_the_way_through_the_tunnels_is_learned_over_some_tasks(tmp_path: Path, strategy: str) -> None:
    last: list[str] = []
    for task in range(5):
        run = tmp_path / str(task)
        relevant_pages(run, strategy, task, crawl__learn_from=last)
        last = [str(run)]
    learned = relevant_pages(tmp_path / "test", strategy, crawl__learn_from=last, lfa__exploration=0.0)
    assert learned == BEST
    assert relevant_pages(tmp_path / "best-first", "best-first") < learned
    by_chance = [relevant_pages(tmp_path / f"random{seed}", "random", seed) for seed in range(3)]
    assert max(by_chance) < learned
