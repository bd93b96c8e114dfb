"""What each kind of answer costs, and what a strategy is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from honeyguide.crawler import FetchFailed, LinkRefused, PageJudged, crawl
from honeyguide.model import Failed, FailureReason, Fetched, RefusalReason, Refused
from honeyguide.runs import open_run
from scripted_world import NOT_FOUND, ScriptedWorld, page_with, redirect_to, taking
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

SEED = "http://s.test/"
REFUSED = Refused(RefusalReason.ROBOTS, "robots.txt forbids it")
TIMED_OUT = Failed(FailureReason.TIMEOUT, "no answer within 20 s")


def test_a_url_is_fetched_at_most_once_however_often_it_is_linked(tmp_path: Path) -> None:
    urls = [f"http://h{n % 3}.test/{n}" for n in range(12)]
    world = ScriptedWorld({SEED: page_with(*urls, SEED), **{url: page_with(*urls, SEED) for url in urls}})
    HandWired(tmp_path / "run", world, script_settings(crawl__concurrency=4)).run()
    assert world.fetches == dict.fromkeys([SEED, *urls], 1)


@pytest.mark.parametrize("outcome", [REFUSED, TIMED_OUT, NOT_FOUND], ids=lambda outcome: str(outcome.reason))
def test_refused_and_failed_cost_one_fetch_and_teach_a_reward_of_nothing(
    tmp_path: Path, outcome: Refused | Failed
) -> None:
    strategy = ByAnchorNumber()
    world = ScriptedWorld({SEED: page_with(**{"5": "http://x.test/"}), "http://x.test/": outcome})
    wired = HandWired(tmp_path / "run", world, script_settings(), strategy)
    wired.run()
    told = strategy.told[-1]
    assert (told.step, told.reward, told.is_relevant, told.row.tolist(), len(told.next_rows)) == (2, 0.0, False, [5], 0)
    with open_run(tmp_path / "run") as run:
        step = list(run.steps())[-1]
        assert run.progress.dispatches == run.progress.steps == 2
        assert run.progress.pages == 1
        assert (step.reward, step.outcome) == (0.0, "refused" if outcome is REFUSED else "failed")
        assert step.detail == f"{outcome.reason}: {outcome.detail}"
    event = wired.events[1]
    assert isinstance(event, LinkRefused | FetchFailed)
    assert event.outcome == outcome


def test_requests_for_robots_txt_are_counted_apart_from_the_budget(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {SEED: taking(1, page_with("/a"), robots_fetches=2), "http://s.test/a": taking(1, REFUSED, robots_fetches=1)}
    )
    HandWired(tmp_path / "run", world, script_settings(budget__fetches=2)).run()
    with open_run(tmp_path / "run") as run:
        assert run.progress.robots_fetches == 3
        assert run.progress.dispatches == 2


def test_what_is_not_html_is_kept_with_its_type_and_earns_nothing(tmp_path: Path) -> None:
    body = b"%PDF-1.7 geology rock mineral"
    strategy = ByAnchorNumber()
    world = ScriptedWorld({SEED: Fetched(200, "application/pdf", body)})
    wired = HandWired(tmp_path / "run", world, script_settings(), strategy)
    wired.run()
    with open_run(tmp_path / "run") as run:
        (page,) = run.pages()
        assert (page.media_type, page.words, page.relevance, page.is_relevant) == ("application/pdf", 0, 0.0, False)
        assert run.body(page.url) == body
        assert run.progress.relevant == 0
    assert strategy.told[0].reward == 0.0
    assert isinstance(wired.events[0], PageJudged)


def test_links_of_a_page_are_told_as_they_were_unvisited_when_it_came(tmp_path: Path) -> None:
    strategy = ByAnchorNumber()
    world = ScriptedWorld(
        {
            SEED: page_with(**{"9": "http://a.test/", "2": "http://b.test/"}),
            "http://a.test/": page_with(
                **{"1": SEED, "3": "http://b.test/", "4": "http://c.test/", "8": "http://a.test/"}
            ),
        }
    )
    HandWired(tmp_path / "run", world, script_settings(), strategy).run()
    assert strategy.told[1].next_rows[:, 0].tolist() == [3, 4], "the visited seed and the page itself are left out"


def test_depth_counts_clicks_from_the_seed_the_link_was_first_found_by(tmp_path: Path) -> None:
    script = {
        SEED: page_with("/a", "/b"),
        "http://s.test/a": page_with("/b", "/c"),
        "http://s.test/b": "",
        "http://s.test/c": page_with("/b"),
    }
    HandWired(tmp_path / "run", ScriptedWorld(script), script_settings()).run()
    with open_run(tmp_path / "run") as run:
        assert {page.url.path: page.depth for page in run.pages()} == {"/": 0, "/a": 1, "/b": 1, "/c": 2}


def test_a_section_that_is_gone_is_asked_for_a_few_times_and_then_left(tmp_path: Path) -> None:
    links = [f"http://s.test/{part}/{number}.html" for number in range(30) for part in ("old", "new")]
    about = "<title>rock</title><main>rock and mineral and rock</main>"
    world = ScriptedWorld({SEED: about + page_with(*links), **{url: about for url in links if "/new/" in url}})
    settings = script_settings("online-ridge", budget__fetches=40, guard__on=False)
    with crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()) as run:
        assert run.progress.pages > 31 - 3, "nearly all of the section that is there, after a few dead ends"


def test_only_a_strategy_that_learns_dead_ends_is_told_of_redirects(tmp_path: Path) -> None:
    strategy = ByAnchorNumber()
    world = ScriptedWorld(
        {
            SEED: page_with(**{"5": "/old"}),
            "http://s.test/old": redirect_to("http://s.test/new"),
            "http://s.test/new": "new",
        }
    )
    HandWired(tmp_path / "run", world, script_settings(), strategy).run()
    assert [told.url.path for told in strategy.told] == ["/", "/new"]
