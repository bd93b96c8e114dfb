"""Crawls that parse or skip: what they spend, what they leave out, and that they go on where they were killed."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, script_settings
from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import Builder, StopReason, crawl
from honeyguide.crawler.journal import JournaledStages
from honeyguide.learn import ParseOrSkipQ
from honeyguide.runs import open_run
from honeyguide.runs.records import split_snapshot
from honeyguide.text import WordllamaVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings

SEED = "http://s.test/"


def skips_of(run: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        return database.execute("SELECT * FROM skips ORDER BY decision").fetchall()


def last_state_of(run: Path) -> bytes:
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        state: bytes = database.execute("SELECT state FROM learner ORDER BY step DESC LIMIT 1").fetchone()[0]
        return state


def test_the_published_policy_fetches_the_seeds_and_ends(tmp_path: Path) -> None:
    settings = settings_for("parse-or-skip", budget=50, parse_or_skip__relevant=0.2)
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        progress = run.progress
    assert progress.stop_reason == StopReason.EXHAUSTED
    assert progress.steps == progress.seeds == 1
    assert progress.skips == len(skips_of(tmp_path / "run")) > 5
    assert progress.waiting == 0


def test_a_policy_that_parses_new_hosts_visits_many_hosts_and_skips_most_links(tmp_path: Path) -> None:
    with crawl(tmp_path / "run", settings_for("parse-or-skip", budget=200), vectors=hashed_vectors()) as run:
        progress = run.progress
        hosts = {step.url.host for step in run.steps()}
    assert progress.steps < 200
    assert progress.skips > progress.steps
    assert len(hosts) > 20, "of 25"


@pytest.mark.parametrize("concurrency", [8, thorough(1)])
def test_with_a_reserve_of_its_budget_the_learner_skips_and_still_spends_it_all(
    tmp_path: Path, concurrency: int
) -> None:
    settings = settings_for("parse-or-skip-q", budget=120, concurrency=concurrency, parse_or_skip_q__reserve=120)
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        progress = run.progress
    assert progress.stop_reason == StopReason.FETCHES
    assert progress.steps == 120
    assert progress.skips > 120


def test_where_few_links_wait_the_learner_is_breadth_first(tmp_path: Path) -> None:
    for strategy in ("parse-or-skip-q", "breadth-first"):
        settings = settings_for(strategy, budget=60, parse_or_skip_q__reserve=100_000)
        crawl(tmp_path / strategy, settings, vectors=hashed_vectors()).close()
    assert story(tmp_path / "parse-or-skip-q") == story(tmp_path / "breadth-first")
    assert skips_of(tmp_path / "parse-or-skip-q") == []


def test_the_learners_count_of_what_waits_is_close(tmp_path: Path) -> None:
    """Redirects make links that it sees no row of, so it counts a few too few."""
    settings = settings_for("parse-or-skip-q", budget=100, concurrency=1, store__snapshot_every=1)
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        waiting = run.progress.waiting
    strategy = restored(tmp_path / "run", settings)
    assert waiting - 40 <= strategy.waiting <= waiting + 2


def restored(run: Path, settings: Settings) -> ParseOrSkipQ:
    parts = Builder(settings, hashed_vectors()).parts()
    JournaledStages(parts).load(last_state_of(run))
    assert isinstance(parts.strategy, ParseOrSkipQ)
    return parts.strategy


def test_a_redirect_leaves_its_lesson_open_and_spoils_nothing(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {
            SEED: page_with("http://r.test/", "http://a.test/", "http://b.test/"),
            "http://r.test/": redirect_to("http://t.test/"),
            "http://a.test/": page_with(),
            "http://b.test/": page_with(),
            "http://t.test/": page_with(),
        }
    )
    wired = HandWired(tmp_path / "run", world, script_settings("parse-or-skip-q"))
    assert wired.run() is StopReason.EXHAUSTED
    saved = json.loads(wired.parts.strategy.save())
    assert sorted(saved["lessons"]["open"]) == ["http://b.test/", "http://r.test/"], "and the last, with no follower"
    assert sum(map(sum, saved["lessons_learned"])) == 3


@pytest.mark.parametrize("concurrency", [8, thorough(1)])
@pytest.mark.parametrize("strategy", ["parse-or-skip-q", *map(thorough, ("parse-or-skip", "random-skip"))])
def test_interrupted_anywhere_it_skips_and_learns_the_same(tmp_path: Path, strategy: str, concurrency: int) -> None:
    settings = settings_for(strategy, budget=60, concurrency=concurrency)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    broken = tmp_path / "broken"
    assert crawl_in_pieces(broken, settings, random.Random(concurrency), most_turns=40) > 1
    assert len(skips_of(broken)) > 20
    assert skips_of(broken) == skips_of(tmp_path / "whole")
    assert story(broken) == story(tmp_path / "whole")
    assert contents(broken) == contents(tmp_path / "whole")
    assert split_snapshot(last_state_of(broken))[:2] == split_snapshot(last_state_of(tmp_path / "whole"))[:2]


def test_the_same_settings_skip_the_same_links_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        settings = settings_for("parse-or-skip-q", budget=40, crawl__seed=seed)
        crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
    assert skips_of(tmp_path / "one") == skips_of(tmp_path / "two") != skips_of(tmp_path / "other")
    assert story(tmp_path / "one") == story(tmp_path / "two") != story(tmp_path / "other")


@pytest.mark.thorough
def test_it_finds_more_than_skipping_as_many_at_random(tmp_path: Path) -> None:
    """A small instance of `benchmarks/parse_or_skip.py`: real word vectors, labels that no strategy sees."""
    vectors = WordVectors(WordllamaVectors())
    found = {"parse-or-skip-q": 0, "random-skip": 0}
    for seed in (4, 5):
        web = SyntheticWorld(SyntheticSpec(seed=seed, pages=8000, hosts=40))
        share = 0.0
        for strategy in found:
            settings = settings_for(
                strategy,
                budget=400,
                concurrency=1,
                parse_or_skip_q__reserve=400,
                random_skip__share=share,
                topic__name="opera",
                topic__keywords=list(web.keywords_for("opera")),
            )
            with crawl(tmp_path / f"{strategy}-{seed}", settings, world=web, vectors=vectors) as run:
                assert run.progress.steps == 400
                share = run.progress.skips / (run.progress.decisions - 1)
                found[strategy] += sum(web.topic_of(page.url) == "opera" for page in run.pages())
    assert found["parse-or-skip-q"] > 2 * found["random-skip"] > 0


def test_lims_reward_is_the_strategys_own_whatever_the_judge_pays(tmp_path: Path) -> None:
    """The number of true features: up to 4 a decision, where the judge's scores stay below 1."""
    settings = settings_for("parse-or-skip-q", budget=80, concurrency=1, judge__reward="lim2016")
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    values = restored(tmp_path / "run", settings).values
    assert 1 < values.max() <= 4
    with open_run(tmp_path / "run") as run:
        assert all(step.reward is None or step.reward <= 1 for step in run.steps())
