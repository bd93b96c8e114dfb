"""A host gives only so many pages: what waits there then waits no longer, is counted, and stays so across kills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.driving import ByAnchorNumber, HandWired, everything, script_settings
from crawler.small_crawls import settings_for, story
from deep_strategies import strategies_by_frontier, thorough
from honeyguide.crawler import StopReason, crawl, resume
from honeyguide.errors import SettingsError
from honeyguide.model import LinkState, Url
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler import Event
    from scripted_world import Script

SEED = "http://s.test/"
STRATEGIES = ("breadth-first", "depth-first", "best-first", "beam", "iterative-deepening", "random", "online-ridge")
WEB: Script = {
    SEED: page_with("/1", "/2", "/3", "http://b.test/", "http://b.test/1"),
    "http://s.test/1": page_with("/4", "http://c.test/"),
    "http://s.test/2": page_with("/5"),
    "http://b.test/": page_with("/2", "/3", "http://s.test/6"),
    "http://b.test/1": redirect_to("http://s.test/7"),
    "http://c.test/": page_with("http://s.test/8"),
}


def fetches_by_host(path: Path) -> dict[str, int]:
    with open_run(path) as run:
        hosts = [step.url.host for step in run.steps()]
    return {str(host): hosts.count(host) for host in sorted(set(hosts))}


def test_a_host_is_asked_so_many_times_and_no_more(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", ScriptedWorld(WEB), script_settings(scope__max_pages_per_host=2))
    assert wired.run() is StopReason.EXHAUSTED
    assert fetches_by_host(tmp_path / "run") == {"b.test": 2, "c.test": 1, "s.test": 2}
    # b is asked while s rests: s's /2, /3 and /6 wait when /1 comes, b's /2 and /3 when /1 redirects.
    assert wired.core.progress.over_host_limit == 5
    assert wired.parts.links.state(wired.link("http://s.test/3")) is LinkState.OVER_HOST_LIMIT
    assert wired.parts.links.find(Url.parse("http://s.test/4")) is None
    assert wired.core.progress.out_of_scope == 2, "s's /4 and /8, shown when it had given all"
    with open_run(tmp_path / "run") as run:
        redirect = next(step for step in run.steps() if step.url.text == "http://b.test/1")
    assert redirect.detail == "scope: leads to http://s.test/7, against scope.max_pages_per_host"


def test_a_redirect_to_a_page_that_is_there_is_no_new_page(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("http://b.test/"), "http://b.test/": redirect_to(SEED)}
    HandWired(tmp_path / "run", ScriptedWorld(script), script_settings(scope__max_pages_per_host=1)).run()
    with open_run(tmp_path / "run") as run:
        assert [step.outcome for step in run.steps()] == ["fetched", "redirected"]


@pytest.mark.parametrize("strategy", strategies_by_frontier())
def test_no_order_asks_a_host_more_often(tmp_path: Path, strategy: str) -> None:
    chosen = settings_for(strategy, budget=50, scope__max_pages_per_host=3)
    crawl(tmp_path / "run", chosen, vectors=hashed_vectors()).close()
    assert max(fetches_by_host(tmp_path / "run").values()) <= 3


@pytest.mark.parametrize(("strategy", "after"), [("beam", 5), ("online-ridge", 40), thorough("best-first", 16)])
def test_a_resumed_crawl_stops_asking_the_same_hosts(tmp_path: Path, strategy: str, after: int) -> None:
    rules: dict[str, Any] = {"scope__max_pages_per_host": 4, "store__snapshot_every": 7}
    crawl(tmp_path / "whole", settings_for(strategy, budget=45, **rules), vectors=hashed_vectors()).close()
    heard: list[Event] = []
    crawl(
        tmp_path / "halves",
        settings_for(strategy, budget=45, **rules),
        vectors=hashed_vectors(),
        listeners=[heard.append],
        is_interrupted=lambda: len(heard) > after,
    ).close()
    resume(tmp_path / "halves", vectors=hashed_vectors()).close()
    assert story(tmp_path / "halves") == story(tmp_path / "whole")
    with open_run(tmp_path / "halves") as halves, open_run(tmp_path / "whole") as whole:
        assert halves.progress.over_host_limit == whole.progress.over_host_limit > 0


def test_a_resumed_learner_is_told_of_no_link_over_the_limit_of_its_host(tmp_path: Path) -> None:
    """The last page shows /2, which was over the limit before it came."""
    script: Script = {
        SEED: page_with("/1", "/2", "http://b.test/"),
        "http://s.test/1": "x",
        "http://b.test/": page_with("http://s.test/2", "/3"),
    }
    chosen = script_settings(scope__max_pages_per_host=2, store__snapshot_every=100, politeness__delay_s=0.0)
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), chosen, ByAnchorNumber())
    for url in (SEED, "http://s.test/1", "http://b.test/"):
        wired.follow(url)
    wired.close()
    again = HandWired(tmp_path / "run", ScriptedWorld(script), chosen, ByAnchorNumber())
    again.close()
    assert isinstance(wired.strategy, ByAnchorNumber)
    assert isinstance(again.strategy, ByAnchorNumber)
    shown = [len(told.next_rows) for told in wired.strategy.told]
    assert shown == [3, 0, 1]
    assert [len(told.next_rows) for told in again.strategy.told] == shown


paths = st.sampled_from([f"http://{host}.test/{number}" for host in "sbc" for number in range(4)])


@pytest.mark.thorough
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    script=st.dictionaries(paths, st.lists(paths, max_size=5), min_size=1),
    limit=st.integers(1, 4),
    snapshot_every=st.integers(1, 4),
)
def test_any_crawl_brought_back_is_the_same_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, script: dict[str, list[str]], limit: int, snapshot_every: int
) -> None:
    web: Script = {SEED: page_with(*script), **{url: page_with(*links) for url, links in script.items()}}
    path = tmp_path_factory.mktemp("runs") / "run"
    chosen = script_settings(
        "online-ridge", scope__max_pages_per_host=limit, store__snapshot_every=snapshot_every, budget__fetches=7
    )
    wired = HandWired(path, ScriptedWorld(web), chosen)
    wired.run()
    again = HandWired(path, ScriptedWorld(web), chosen)
    again.close()
    assert everything(again) == everything(wired)
    assert max(fetches_by_host(path).values()) <= limit


class TestStayingWithTheSeeds:
    WEB: Script = {  # noqa: RUF012
        "http://www.a.co.uk/": page_with("http://news.a.co.uk/", "http://b.co.uk/", "http://www.a.co.uk:81/x"),
        "http://news.a.co.uk/": page_with("http://c.test/"),
    }

    def fetched(self, path: Path, **rules: Any) -> set[str]:
        world = ScriptedWorld(self.WEB)
        with crawl(path, script_settings(**rules), world=world, vectors=hashed_vectors()) as run:
            assert run.progress.stop_reason == StopReason.EXHAUSTED
        return set(world.fetches)

    def test_on_their_hosts(self, tmp_path: Path) -> None:
        fetched = self.fetched(tmp_path / "run", scope__stay_on="seed-hosts")
        assert fetched == {"http://www.a.co.uk/", "http://www.a.co.uk:81/x"}
        with open_run(tmp_path / "run") as run:
            assert run.settings.scope.allow_hosts == ("www.a.co.uk",)

    def test_on_their_registered_domains(self, tmp_path: Path) -> None:
        fetched = self.fetched(tmp_path / "run", scope__stay_on="seed-domains")
        assert fetched == {"http://www.a.co.uk/", "http://news.a.co.uk/", "http://www.a.co.uk:81/x"}
        with open_run(tmp_path / "run") as run:
            assert run.settings.scope.domains == ("a.co.uk",)

    def test_and_on_what_is_allowed_besides(self, tmp_path: Path) -> None:
        fetched = self.fetched(tmp_path / "run", scope__stay_on="seed-hosts", scope__domains=["b.co.uk"])
        assert fetched == {"http://www.a.co.uk/", "http://www.a.co.uk:81/x", "http://b.co.uk/"}

    def test_but_not_where_a_rule_denies(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"scope\.deny_hosts keeps it out"):
            self.fetched(tmp_path / "run", scope__stay_on="seed-hosts", scope__deny_hosts=["*.uk"])
