"""A redirect is a fetch whose answer is another link in the same place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from honeyguide.crawler import LinkRedirected, StopReason
from honeyguide.model import Url
from honeyguide.runs import SqliteStore, open_run
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.runs import CrawledStep, StoredLink
    from scripted_world import Script

SEED = "http://s.test/"


def crawl_by_number(path: Path, script: Script, max_redirects: int = 10) -> HandWired:
    """Crawl a script to its end, highest anchor first."""
    wired = HandWired(
        path, ScriptedWorld(script), script_settings(fetch__max_redirects=max_redirects), ByAnchorNumber()
    )
    wired.run()
    return wired


def steps_of(path: Path) -> list[CrawledStep]:
    with open_run(path) as run:
        return list(run.steps())


def links_of(path: Path) -> dict[str, StoredLink]:
    store = SqliteStore(path / "crawl.sqlite")
    try:
        return {link.url.text: link for link in store.links()}
    finally:
        store.close()


def test_every_hop_costs_one_fetch_and_the_last_one_is_the_page(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl_by_number(
        run,
        {SEED: redirect_to("http://b.test/"), "http://b.test/": redirect_to("http://c.test/"), "http://c.test/": "end"},
    )
    assert [(step.url.text, step.outcome) for step in steps_of(run)] == [
        (SEED, "redirected"),
        ("http://b.test/", "redirected"),
        ("http://c.test/", "fetched"),
    ]
    with open_run(run) as opened:
        assert opened.progress.dispatches == 3
        assert [page.url.text for page in opened.pages()] == ["http://c.test/"]


def test_a_redirect_to_a_page_already_fetched_adds_an_edge_and_no_page(tmp_path: Path) -> None:
    wired = crawl_by_number(tmp_path / "run", {SEED: page_with("http://r.test/"), "http://r.test/": redirect_to(SEED)})
    with open_run(tmp_path / "run") as run:
        assert [page.url.text for page in run.pages()] == [SEED]
        assert (Url.parse("http://r.test/"), Url.parse(SEED)) in list(run.edges())
    assert wired.world.fetches == {SEED: 1, "http://r.test/": 1}
    assert [event.is_new for event in wired.events if isinstance(event, LinkRedirected)] == [False]


@pytest.mark.parametrize(("own", "expected"), [("3", 9.0), ("12", 12.0)])
def test_a_redirect_to_a_waiting_link_gives_it_the_better_of_both_places(
    tmp_path: Path, own: str, expected: float
) -> None:
    seed = page_with(**{"9": "http://r.test/", own: "http://t.test/"})
    world = ScriptedWorld({SEED: seed, "http://r.test/": redirect_to("http://t.test/")})
    wired = HandWired(tmp_path / "run", world, script_settings(), ByAnchorNumber())
    wired.follow(SEED)
    wired.follow("http://r.test/")
    assert wired.parts.frontier.peek([wired.link("http://t.test/")])[0].tolist() == [expected]
    wired.close()
    described = links_of(tmp_path / "run")["http://t.test/"].description
    assert np.frombuffer(described, dtype=np.float16).tolist() == [expected]


def test_a_redirect_target_inherits_description_score_and_depth(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl_by_number(
        run,
        {
            SEED: page_with(**{"7": "http://r.test/"}),
            "http://r.test/": redirect_to("http://t.test/"),
            "http://t.test/": "end",
        },
    )
    target = links_of(run)["http://t.test/"]
    assert np.frombuffer(target.description, dtype=np.float16).tolist() == [7.0]
    assert target.depth == 1
    assert target.hops == 1
    assert steps_of(run)[-1].score == 7.0


def test_a_chain_longer_than_the_limit_ends_as_too_many_redirects(tmp_path: Path) -> None:
    run = tmp_path / "run"
    chain = {f"http://h{n}.test/": redirect_to(f"http://h{n + 1}.test/") for n in range(9)}
    wired = crawl_by_number(run, chain, max_redirects=3)
    steps = steps_of(run)
    assert [step.outcome for step in steps] == ["redirected", "redirected", "redirected", "failed"]
    assert steps[-1].detail.startswith("too-many-redirects")
    assert steps[-1].reward == 0.0
    assert isinstance(wired.strategy, ByAnchorNumber)
    assert [told.reward for told in wired.strategy.told] == [0.0]


def test_no_redirect_is_followed_when_none_is_allowed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl_by_number(run, {SEED: redirect_to("http://b.test/"), "http://b.test/": "end"}, max_redirects=0)
    assert [step.outcome for step in steps_of(run)] == ["failed"]


def test_a_chain_of_hundreds_is_followed_where_the_settings_allow_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    chain: Script = {f"http://h{n}.test/": redirect_to(f"http://h{n + 1}.test/") for n in range(200)}
    crawl_by_number(run, {**chain, "http://h200.test/": "end"}, max_redirects=300)
    assert len(steps_of(run)) == 201
    assert steps_of(run)[-1].outcome == "fetched"


def test_in_a_stack_a_redirect_leads_to_the_same_place(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("http://r.test/", "http://b.test/"),
        "http://r.test/": redirect_to("http://t.test/"),
        "http://t.test/": page_with("http://c.test/"),
    }
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), script_settings("depth-first"))
    wired.run()
    order = [step.url.host.removesuffix(".test") for step in steps_of(tmp_path / "run")]
    assert order == ["s", "r", "t", "c", "b"]


def test_a_late_redirect_does_not_move_a_link_down_the_stack(tmp_path: Path) -> None:
    """While one link is in flight, another page puts its target on top."""
    script: Script = {
        SEED: page_with("http://a.test/", "http://r.test/", "http://b.test/"),
        "http://a.test/": page_with("http://t.test/"),
        "http://r.test/": redirect_to("http://t.test/"),
    }
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), script_settings("depth-first"))
    wired.follow(SEED)
    in_flight = wired.core.choose_link(wired.link("http://r.test/"), 0.0)
    wired.follow("http://a.test/")
    target = [wired.link("http://t.test/")]
    on_top = wired.parts.frontier.peek(target)[0].tolist()
    wired.store.record(wired.core.apply(in_flight, wired.world.answer(in_flight.url), 0.0).record)
    wired.close()
    assert wired.parts.frontier.peek(target)[0].tolist() == on_top
    assert links_of(tmp_path / "run")["http://t.test/"].score == on_top[0]


def test_a_redirect_brings_a_link_nearer_where_depth_counts(tmp_path: Path) -> None:
    """The target was found two clicks away, and is one click away by way of the redirect."""
    script: Script = {
        SEED: page_with("http://a.test/", "http://r.test/", "http://b.test/"),
        "http://a.test/": page_with("http://x.test/", "http://t.test/"),
        "http://r.test/": redirect_to("http://t.test/"),
    }
    settings = script_settings("iterative-deepening", politeness__delay_s=0.0)
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), settings)
    wired.run()
    order = [step.url.host.removesuffix(".test") for step in steps_of(tmp_path / "run")]
    assert order == ["s", "a", "r", "t", "b", "x"]
    assert wired.parts.links.depth(wired.link("http://t.test/")) == 1


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_redirect_loop_ends_by_itself(tmp_path: Path, length: int) -> None:
    run = tmp_path / "run"
    script: Script = {f"http://h{n}.test/": redirect_to(f"http://h{(n + 1) % length}.test/") for n in range(length)}
    wired = crawl_by_number(run, script)
    with open_run(run) as opened:
        assert opened.progress.stop_reason == StopReason.EXHAUSTED
    assert wired.world.fetches == dict.fromkeys(script, 1)
