"""A run added up."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import honeyguide
from crawler.driving import HandWired, script_settings
from honeyguide.crawler.parts import STAGES
from honeyguide.model import Unknown
from honeyguide.runs import HostStats, PatternStats, open_run
from runs.exports.scripted_runs import WIKI, crawled, html, odd_run
from scripted_world import ScriptedWorld

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script


def test_everything_is_counted(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    counted = honeyguide.stats(run)
    with open_run(run) as opened:
        sizes = {page.url.text: page.body_bytes for page in opened.crawled_pages().all()}
        relevances = [page.relevance for page in opened.crawled_pages().all()]
        progress = opened.progress
        assert honeyguide.stats(opened) == counted  # and the run is still open
        assert opened.progress == progress
    assert (counted.fetches, counted.pages, counted.relevant, counted.unindexed_pages) == (7, 3, 2, 1)
    assert counted.harvest_rate == pytest.approx(2 / 7)
    assert counted.outcomes == {"fetched": 4, "failed": 1, "redirected": 1, "refused": 1}
    assert counted.without_page == {"http-status 404": 1, "robots": 1}
    assert counted.media_types == {"text/html": 3}
    assert (counted.hosts, counted.domains) == (2, 2)
    assert counted.top_hosts == (
        HostStats("s.test", 6, 2, 1, sizes["http://s.test/"] + sizes["http://s.test/odd"]),
        HostStats("t.test", 1, 1, 1, sizes["http://t.test/new"]),
    )
    assert counted.patterns == (PatternStats("/*", 2, 1), PatternStats("/", 1, 1))
    assert counted.depths == ((0, 1, 1), (1, 2, 1))
    assert sum(counted.relevance) == 3
    assert counted.mean_relevance == pytest.approx(sum(relevances) / 3)
    assert counted.mean_relevance > 0
    assert counted.answer_seconds == pytest.approx(0.7)
    assert counted.body_bytes == progress.body_bytes
    assert counted.run_bytes > counted.body_bytes


def test_hosts_that_were_asked_and_gave_no_page_are_reported_apart(tmp_path: Path) -> None:
    script = {"http://s.test/": html("Seed", "http://t.test/gone")}
    counted = honeyguide.stats(crawled(tmp_path / "run", script))
    assert (counted.hosts, counted.hosts_with_pages) == (2, 1)


def test_only_so_many_hosts_are_named(tmp_path: Path) -> None:
    counted = honeyguide.stats(odd_run(tmp_path / "run"), top=1)
    assert [host.host for host in counted.top_hosts] == ["s.test"]
    assert len(counted.patterns) == 1


def test_a_run_that_has_fetched_nothing_has_nothing(tmp_path: Path) -> None:
    HandWired(tmp_path / "run", ScriptedWorld(WIKI), script_settings()).close()
    counted = honeyguide.stats(tmp_path / "run")
    assert (counted.fetches, counted.pages, counted.harvest_rate, counted.hosts) == (0, 0, 0.0, 0)
    assert (counted.top_hosts, counted.depths, counted.outcomes) == ((), (), {})


def test_what_a_world_could_not_tell_is_no_fetch(tmp_path: Path) -> None:
    script: Script = {"http://s.test/": html("", "/x", "http://t.test/")}
    script = {**script, "http://s.test/x": Unknown("not here"), "http://t.test/": Unknown("not here")}
    counted = honeyguide.stats(crawled(tmp_path / "run", script))
    assert (counted.fetches, counted.hosts) == (1, 1)
    assert counted.outcomes == {"unknown": 2, "fetched": 1}
    assert counted.top_hosts[0].fetches == 1


def test_patterns_without_end_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("honeyguide.runs.stats"), "MOST_PATTERNS", 4)
    leaves = ["/same/1", "/same/2", "/same/3", *(f"/{letter}/x" for letter in "abcdefgh")]
    script = {"http://s.test/": html("", *leaves)} | {f"http://s.test{leaf}": html("") for leaf in leaves}
    counted = honeyguide.stats(crawled(tmp_path / "run", script))
    assert counted.patterns[0] == PatternStats("/same/#", 3, 0)
    assert len(counted.patterns) <= 4


class TestTimeByStage:
    def test_every_stage_has_taken_some(self, tmp_path: Path) -> None:
        run = odd_run(tmp_path / "run")
        seconds = honeyguide.stats(run).stage_seconds
        assert seconds.keys() == set(STAGES)
        assert all(taken > 0 for taken in seconds.values())

    def test_a_resumed_crawl_adds_to_it(self, tmp_path: Path) -> None:
        run = crawled(tmp_path / "run", WIKI, budget__fetches=1)
        with open_run(run) as opened:
            first = opened.stage_seconds()
        crawled(run, WIKI, budget__fetches=3)
        with open_run(run) as opened:
            assert all(seconds > first[stage] for stage, seconds in opened.stage_seconds().items())

    def test_pages_read_in_other_processes_count(self, tmp_path: Path) -> None:
        settings = honeyguide.settings_from(
            {
                "topic": {"name": "geology"},
                "crawl": {"world": "synthetic:pages=200,hosts=5", "strategy": "breadth-first", "workers": 1},
                "judge": {"kind": "keyword"},
                "budget": {"fetches": 20},
            }
        )
        with honeyguide.crawl(tmp_path / "run", settings) as run:
            seconds = run.stage_seconds()
        assert seconds["parse"] > 0
        assert seconds["judge"] > 0
