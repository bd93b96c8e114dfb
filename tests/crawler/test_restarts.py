"""A crawl begins anew elsewhere: by schedule, when it earns or finds nothing any more, or when nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.driving import HandWired, everything, script_settings
from crawler.small_crawls import settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import CrawlRestarted, Dispatch, Stop, crawl
from honeyguide.crawler.build import Builder
from honeyguide.crawler.restarts import Mean
from honeyguide.errors import SettingsError
from honeyguide.model import Url
from honeyguide.runs import open_run
from scripted_guard import ByWords
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"


def chain(host: str, length: int) -> Script:
    """Pages one after the other, each with a link to the next."""
    return {f"http://{host}/{number or ''}": page_with(f"/{number + 1}") for number in range(length)}


def wired(path: Path, script: Script, strategy: str = "breadth-first", **overrides: object) -> HandWired:
    settings = script_settings(strategy, **{"politeness__delay_s": 0.0, "restart__sources": ["urls"], **overrides})
    return HandWired(path, ScriptedWorld(script), settings)


def fetched(crawl: HandWired, most: int = 100) -> list[str]:
    urls: list[str] = []
    while len(urls) < most and isinstance(chosen := crawl.core.choose(0.0), Dispatch):
        urls.append(chosen.url.text.removeprefix("http://"))
        step = crawl.core.apply(chosen, crawl.world.answer(chosen.url), 0.0)
        crawl.store.record(step.record)
        crawl.events += step.events
    return urls


@pytest.mark.parametrize(
    "strategy", ["depth-first", "beam", "lfa-sync", *map(thorough, ("breadth-first", "best-first"))]
)
def test_by_schedule_the_next_spare_seeds_go_first_in_every_order(tmp_path: Path, strategy: str) -> None:
    script = {**chain("s.test", 20), **chain("x.test", 1), **chain("y.test", 1), **chain("z.test", 1)}
    crawl = wired(
        tmp_path / "run",
        script,
        strategy,
        restart__every_fetches=3,
        restart__links=2,
        restart__urls=["http://x.test/", "http://y.test/", "http://z.test/"],
    )
    urls = fetched(crawl, most=8)
    assert urls[3:5] == ["x.test/", "y.test/"]
    assert urls[6] == "z.test/"
    crawl.close()
    with open_run(tmp_path / "run") as run:
        told = [(each.number, each.after_steps, each.source, len(each.urls)) for each in run.restarts()]
        assert run.progress.restarts == 2
    assert told == [(1, 3, "urls", 2), (2, 6, "urls", 1)]
    assert [event.links for event in crawl.events if isinstance(event, CrawlRestarted)] == [2, 1]


def test_a_spare_seed_that_was_fetched_or_is_out_of_scope_is_passed_over(tmp_path: Path) -> None:
    script = {**chain("s.test", 20), **chain("x.test", 1)}
    urls = ["http://s.test/1", "http://no.test/", "http://s.test/15", "http://x.test/"]
    crawl = wired(
        tmp_path / "run",
        script,
        restart__every_fetches=4,
        restart__links=1,
        restart__urls=urls,
        scope__deny_hosts=["no.test"],
    )
    assert fetched(crawl, most=10)[4] == "s.test/15"


def test_there_are_no_more_restarts_than_are_allowed(tmp_path: Path) -> None:
    script = {**chain("s.test", 30), **{f"http://h{number}.test/": page_with() for number in range(9)}}
    crawl = wired(
        tmp_path / "run",
        script,
        restart__every_fetches=2,
        restart__links=1,
        restart__most=3,
        restart__urls=[f"http://h{number}.test/" for number in range(9)],
    )
    assert sum(url.startswith("h") for url in fetched(crawl, most=25)) == 3


def test_from_unexplored_regions_the_best_link_of_the_hosts_asked_least_goes_first(tmp_path: Path) -> None:
    others = [f"http://{name}.test/{number}" for name in "ab" for number in range(3)]
    script = {**chain("s.test", 30), SEED: page_with("/1", *others)}
    crawl = wired(tmp_path / "run", script, "depth-first", restart__every_fetches=5, restart__sources=["unexplored"])
    assert fetched(crawl, most=7)[5:] == ["a.test/0", "b.test/0"]


def test_links_that_the_guard_has_demoted_are_not_begun_at_while_there_are_others(tmp_path: Path) -> None:
    others = [f"http://{name}.test/" for name in ("trap", "b", "c")]
    script = {**chain("s.test", 30), SEED: page_with("/1", *others)}
    settings = script_settings(
        "depth-first",
        politeness__delay_s=0.0,
        restart__every_fetches=5,
        restart__links=2,
        restart__sources=["unexplored"],
    )
    guard = ByWords({"trap": 2})
    crawl = HandWired(tmp_path / "run", ScriptedWorld(script), settings, guard=guard)
    assert fetched(crawl, most=7)[5:] == ["b.test/", "c.test/"]
    assert crawl.core.progress.lowered == 1, "demotions stay"


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize(
    "strategy", ["beam", "lfa-sync", *map(thorough, ("breadth-first", "depth-first", "best-first"))]
)
def test_the_guard_is_asked_about_links_that_stand_lower_by_now(tmp_path: Path, strategy: str, drops: bool) -> None:
    """The frontier has them on level 0 still: they are moved when their turn comes, and here it has come."""
    mazes = [f"http://m{host}.test/maze{number}" for host in range(3) for number in range(3)]
    others = ["http://m1.test/honest", "http://x.test/honest", "http://s.test/4"]
    script = {
        SEED: page_with("/1", *mazes, *others),
        "http://s.test/1": page_with("/2", "/3"),
        "http://s.test/2": page_with(),
    }
    settings = script_settings(
        strategy,
        politeness__delay_s=0.0,
        beam__width=20,
        guard__drop=drops,
        restart__every_fetches=2,
        restart__most=1,
        restart__links=5,
        restart__sources=["unexplored"],
    )
    guard = ByWords()
    guard.on_page["s.test/1"] = lambda: guard.levels.update(maze=7)
    crawl = HandWired(tmp_path / "run", ScriptedWorld(script), settings, guard=guard)
    crawl.follow(SEED)
    crawl.follow("http://s.test/1")
    first = fetched(crawl, most=3)
    assert set(first[:2]) == {"m1.test/honest", "x.test/honest"}
    assert first[2].startswith("s.test/"), "of the host asked most, but not demoted"
    progress = crawl.core.progress
    assert (progress.lowered, progress.dropped) == ((0, 9) if drops else (9, 0))
    rest = fetched(crawl)
    assert sum("maze" in url for url in rest) == (0 if drops else 9), "nothing is thrown away unless that is asked for"
    crawl.close()
    with open_run(tmp_path / "run") as run:
        (restart,) = run.restarts()
        assert len(restart.urls) == 3, "the other two would lead into the maze, while /4 waits"
        (move,) = {(each.cause, each.lowered + each.dropped) for each in run.trap_summary().moves}
    assert move == ("series", 3)


def test_where_all_stand_low_a_restart_begins_at_the_least_demoted(tmp_path: Path) -> None:
    hosts = {"a": 5, "b": 3, "c": 4}
    script = {SEED: page_with(*(f"http://{host}.test/" for host in hosts))}
    settings = script_settings(
        "depth-first",
        politeness__delay_s=0.0,
        restart__every_fetches=1,
        restart__links=2,
        restart__most=1,
        restart__sources=["unexplored"],
    )
    guard = ByWords()
    crawl = HandWired(tmp_path / "run", ScriptedWorld(script), settings, guard=guard)
    crawl.follow(SEED)
    guard.levels.update({f"{host}.test": level for host, level in hosts.items()})
    assert fetched(crawl) == ["b.test/", "c.test/", "a.test/"]
    crawl.close()
    with open_run(tmp_path / "run") as run:
        (restart,) = run.restarts()
    assert [url.host for url in restart.urls] == ["b.test", "c.test"]


def test_where_the_first_source_has_nothing_the_next_is_asked(tmp_path: Path) -> None:
    script = {**chain("s.test", 30), SEED: page_with("/1", "http://a.test/")}
    crawl = wired(
        tmp_path / "run",
        script,
        "depth-first",
        restart__every_fetches=4,
        restart__sources=["urls", "unexplored"],
        restart__links=1,
    )
    assert fetched(crawl, most=5)[4] == "a.test/"


def test_when_nothing_waits_any_more_the_crawl_begins_anew(tmp_path: Path) -> None:
    script = {**chain("s.test", 2), **chain("x.test", 2)}
    crawl = wired(tmp_path / "run", script, restart__every_fetches=50, restart__urls=["http://x.test/"])
    assert fetched(crawl) == ["s.test/", "s.test/1", "s.test/2", "x.test/", "x.test/1", "x.test/2"]
    assert isinstance(crawl.core.choose(0.0), Stop)
    (restart,) = (event for event in crawl.events if isinstance(event, CrawlRestarted))
    assert restart.reason == "nothing waits any more"


def test_when_novelty_collapses_the_crawl_begins_anew(tmp_path: Path) -> None:
    pages = [f"/{number}" for number in range(12)]
    old_news = {f"http://s.test{path}": page_with(*pages) for path in pages}
    script = {SEED: page_with(*pages), **old_news, "http://x.test/": page_with("/new")}
    crawl = wired(
        tmp_path / "run",
        script,
        restart__novelty_share=0.5,
        restart__window=3,
        restart__urls=["http://x.test/"],
        restart__most=1,
    )
    urls = fetched(crawl)
    # Novelties 1, 0, 0: a mean of 1/3, the best. Then 2/9; then 4/27, less than half of it.
    assert urls.index("x.test/") == 5
    (restart,) = (event for event in crawl.events if isinstance(event, CrawlRestarted))
    assert restart.reason == "mean novelty fell to 0.148, its best was 0.333"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.integers(1, 20))
def test_a_mean_of_few_is_their_mean_and_its_best_is_never_below_it(values: list[float], window: int) -> None:
    mean = Mean()
    for value in values:
        mean.add(value, window)
        if mean.count <= window:
            assert mean.value == pytest.approx(sum(values[: mean.count]) / mean.count)
        if mean.count >= window:
            assert mean.best >= mean.value
    assert min(values) - 1e-12 <= mean.value <= max(values) + 1e-12


@pytest.mark.parametrize("strategy", ["breadth-first", "beam", "lfa-sync", "weighted-breadth-first"])
def test_a_crawl_brought_back_restarts_when_and_where_it_would_have(tmp_path: Path, strategy: str) -> None:
    script = {**chain("s.test", 9), **chain("x.test", 3), **chain("y.test", 3)}
    given_urls = {"restart__urls": ["http://x.test/", "http://y.test/", "http://gone.test/"], "restart__links": 2}

    def at(path: Path) -> HandWired:
        return wired(path, script, strategy, restart__every_fetches=4, **given_urls)

    whole = at(tmp_path / "run")
    while isinstance(chosen := whole.core.choose(0.0), Dispatch):
        whole.store.record(whole.core.apply(chosen, whole.world.answer(chosen.url), 0.0).record)
        again = at(tmp_path / "run")
        assert everything(again) == everything(whole)
        again.close()
    assert whole.core.progress.restarts >= 2
    whole.close()


def test_without_an_occasion_nothing_changes(tmp_path: Path) -> None:
    crawl(tmp_path / "plain", settings_for(budget=60), vectors=hashed_vectors()).close()
    quiet = settings_for(budget=60, restart__every_fetches=10_000)
    crawl(tmp_path / "quiet", quiet, vectors=hashed_vectors()).close()
    assert story(tmp_path / "plain") == story(tmp_path / "quiet")


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ({"restart__every_fetches": 5, "restart__sources": ["moon"]}, "'moon' is none; choose of urls"),
        ({"restart__every_fetches": 5, "restart__urls": ["nowhere"]}, "restart.urls: not a URL"),
        ({"restart__urls": ["http://x.test/"]}, "nothing restarts"),
        ({"restart__every_fetches": 5, "restart__sources": []}, r"restart.sources is \[\], which has nowhere to begin"),
        ({"restart__every_fetches": 5, "restart__sources": ["urls"]}, "nowhere to begin anew: add unexplored"),
        ({"restart__reward_share": 0.5, "restart__sources": ["starting-points"]}, "nowhere to begin anew"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, overrides: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        crawl(tmp_path / "run", settings_for(**overrides), vectors=hashed_vectors())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("world", "is_live", "has_them"),
    [
        ("live", True, True),
        ("live", False, False),  # a caller's own offline world
        ("replay:run", False, True),
        ("synthetic:pages=100", False, False),
        ("synthetic+http:pages=100", True, False),
        ("wiki:file", False, False),
    ],
)
def test_the_shipped_starting_points_are_for_the_live_web(world: str, is_live: bool, has_them: bool) -> None:
    settings = settings_for(crawl__world=world, restart__every_fetches=5)
    assert ("starting-points" in Builder(settings).spare_urls(is_live=is_live)) is has_them


@pytest.mark.parametrize("world", ["live", "synthetic:pages=100"])
def test_a_list_of_ones_own_is_taken_in_any_world(tmp_path: Path, world: str) -> None:
    (tmp_path / "own.toml").write_text('[general]\nurls = ["http://x.test/"]\n', encoding="utf-8")
    own = str(tmp_path / "own.toml")
    settings = settings_for(crawl__world=world, crawl__starting_points=own, restart__every_fetches=5)
    assert Builder(settings).spare_urls()["starting-points"] == [Url.parse("http://x.test/")]


def test_a_synthetic_web_restarts_from_what_it_has(tmp_path: Path) -> None:
    with crawl(tmp_path / "run", settings_for(budget=30, restart__every_fetches=10), vectors=hashed_vectors()) as run:
        assert [restart.source for restart in run.restarts()] == ["unexplored"] * 2
