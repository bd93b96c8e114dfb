"""Ranks kept while a crawl goes on: of the graph as it is, and the same after any interruption."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crawler.driving import HandWired, script_settings
from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import crawl
from honeyguide.errors import SettingsError
from honeyguide.learn.features import COLUMNS
from honeyguide.learn.online_ridge import SHOWN_BY
from honeyguide.runs import LinkGraph, RankRules, open_run, pagerank
from honeyguide.settings import validate
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

WITH_RANKS: dict[str, Any] = {"ranks__every": 9, "online_ridge__page_rank": True}
SITE: Script = {
    "http://s.test/": page_with("/a", "/b", "/old"),
    "http://s.test/a": page_with("/", "/b", "/c"),
    "http://s.test/b": page_with("/c", "/d"),
    "http://s.test/old": redirect_to("http://s.test/b"),
    "http://s.test/c": page_with("/b"),
}


def wired(path: Path, **overrides: object) -> HandWired:
    chosen: dict[str, Any] = {
        "online_ridge__page_rank": True,
        "ranks__every": 1,
        "ranks__epsilon": 1e-10,
        "politeness__delay_s": 0.0,
    }
    return HandWired(path, ScriptedWorld(SITE), script_settings("online-ridge", **(chosen | overrides)))


class TestWhatIsRanked:
    def test_the_links_met_so_far_redirects_among_them(self, tmp_path: Path) -> None:
        site = wired(tmp_path / "run")
        site.run()
        assert site.parts.ranks is not None
        with open_run(tmp_path / "run") as run:
            number = {url: site.link(url.text) for edge in run.edges() for url in edge}
            edges = np.array([(number[source], number[target]) for source, target in run.edges()])
        graph = LinkGraph.of(edges[:, 0], edges[:, 1])
        expected = pagerank(graph, RankRules(epsilon=1e-12)).values
        site.parts.ranks.refresh()  # a redirect may have come in last
        assert site.parts.ranks.values() == pytest.approx(expected, abs=1e-8)
        assert site.parts.ranks.importance(site.link("http://s.test/b")) > 1

    def test_a_link_is_described_with_the_rank_of_its_page_when_it_was_seen(self, tmp_path: Path) -> None:
        site = wired(tmp_path / "run", budget__fetches=2)
        seen = []
        ranks, describe = site.parts.ranks, site.parts.strategy.describe
        assert ranks is not None
        site.parts.strategy.describe = lambda candidates: seen.append(candidates) or describe(candidates)  # type: ignore[method-assign,func-returns-value]
        site.run()
        first, second = (batch for batch in seen if batch.is_whole_page)
        assert first.importance == 1.0  # nothing was known
        assert 0 < second.importance != 1.0
        row = site.parts.strategy.rows(describe(second), second.parents)[0]
        assert len(row) == len(COLUMNS) + len(SHOWN_BY) + 2
        assert row[-1] == np.float16(second.importance / (1 + second.importance))

    def test_without_the_setting_nothing_is_kept(self, tmp_path: Path) -> None:
        site = wired(tmp_path / "run", ranks__every=0, online_ridge__page_rank=False)
        assert site.parts.ranks is None
        assert site.parts.strategy.row_width == len(COLUMNS) + len(SHOWN_BY) + 1
        site.close()

    def test_ranks_that_nobody_looks_at_change_nothing(self, tmp_path: Path) -> None:
        crawl(tmp_path / "plain", settings_for(budget=45), vectors=hashed_vectors()).close()
        crawl(tmp_path / "ranked", settings_for(budget=45, ranks__every=5), vectors=hashed_vectors()).close()
        assert story(tmp_path / "ranked") == story(tmp_path / "plain")

    def test_looking_at_them_changes_the_crawl(self, tmp_path: Path) -> None:
        crawl(tmp_path / "plain", settings_for(budget=45), vectors=hashed_vectors()).close()
        crawl(tmp_path / "ranked", settings_for(budget=45, **WITH_RANKS), vectors=hashed_vectors()).close()
        assert story(tmp_path / "ranked") != story(tmp_path / "plain")

    def test_a_strategy_that_looks_at_ranks_needs_some(self) -> None:
        settings = settings_for(ranks__every=0, online_ridge__page_rank=True)
        with pytest.raises(SettingsError, match=r"online_ridge.page_rank looks at ranks that nobody computes"):
            validate(settings)
        validate(settings_for(**WITH_RANKS))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("concurrency", "found_again"), [(6, "best"), thorough(1, "best"), thorough(6, "merge"), thorough(1, "latest")]
)
def test_a_run_with_ranks_interrupted_every_few_steps_equals_the_uninterrupted_run(
    tmp_path: Path, concurrency: int, found_again: str
) -> None:
    settings = settings_for(budget=45, concurrency=concurrency, found_again=found_again, **WITH_RANKS)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    broken = tmp_path / "broken"
    assert crawl_in_pieces(broken, settings, random.Random(3)) > 2
    assert story(broken) == story(tmp_path / "whole")
    assert contents(broken) == contents(tmp_path / "whole")


def test_ranks_come_back_to_the_last_bit(tmp_path: Path) -> None:
    first = wired(tmp_path / "run", ranks__every=2, budget__fetches=4)
    first.run()
    again = wired(tmp_path / "run", ranks__every=2, budget__fetches=4)
    assert first.parts.ranks is not None
    assert again.parts.ranks is not None
    assert again.parts.ranks.values().tobytes() == first.parts.ranks.values().tobytes()
    assert again.parts.ranks.pages == first.parts.ranks.pages > 2
    again.close()
