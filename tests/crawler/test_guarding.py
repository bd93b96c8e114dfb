"""Waiting links are moved down when their turn comes, up when the guard says so, and dropped on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, script_settings
from honeyguide.crawler import Dispatch, Stop, StopReason, Wait
from honeyguide.crawler.guarding import MOVED_AT_ONCE
from honeyguide.frontier import LevelledFrontier
from honeyguide.guard import MAX_LEVEL, Finding, FindingKind, Judgement, LateFinding
from honeyguide.model import Failed, FailureReason, LinkId, LinkState
from honeyguide.runs import open_run
from scripted_guard import ByWords
from scripted_world import ScriptedWorld, page_with, redirect_to, taking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.guard import SeenPage, Target
    from scripted_world import Script

SEED = "http://s.test/"
EVERY_ORDER = ["breadth-first", "depth-first", "best-first", "beam", "lfa-sync", "iterative-deepening", "online-ridge"]


def wired(
    path: Path, script: Script, guard: ByWords, strategy: str = "breadth-first", **overrides: object
) -> HandWired:
    settings = script_settings(strategy, **{"politeness__delay_s": 0.0, **overrides})
    return HandWired(path / "run", ScriptedWorld(script), settings, guard=guard)


def crawled(crawl: HandWired) -> list[str]:
    """The addresses in the order in which they were fetched, without host."""
    fetched = []
    while isinstance(chosen := crawl.core.choose(0.0), Dispatch):
        fetched.append(chosen.url.path)
        crawl.store.record(crawl.core.apply(chosen, crawl.world.answer(chosen.url), 0.0).record)
    assert chosen == Stop(StopReason.EXHAUSTED)
    crawl.store.record(crawl.core.stop(StopReason.EXHAUSTED, 0.0).record)
    return fetched


def level(crawl: HandWired, url: str) -> int:
    assert isinstance(crawl.parts.frontier, LevelledFrontier)
    return int(crawl.parts.frontier.levels([crawl.link(url)])[0])


FAN: Script = {
    SEED: page_with("/deep1", "/plain1", "/deep2", "/plain2"),
    **{f"http://s.test/{name}": page_with() for name in ("deep1", "plain1", "deep2", "plain2")},
}


@pytest.mark.parametrize("strategy", EVERY_ORDER)
def test_links_that_wait_deeper_are_fetched_last_in_every_order(tmp_path: Path, strategy: str) -> None:
    fetched = crawled(wired(tmp_path, FAN, ByWords({"deep": 3}), strategy))
    assert fetched[0] == "/"
    assert set(fetched[1:3]) == {"/plain1", "/plain2"}
    assert set(fetched[3:]) == {"/deep1", "/deep2"}, "nothing is thrown away"


@pytest.mark.parametrize("strategy", EVERY_ORDER)
def test_a_link_with_a_lower_level_by_now_is_moved_down_when_its_turn_comes(tmp_path: Path, strategy: str) -> None:
    guard = ByWords()
    guard.on_page["plain1"] = lambda: guard.levels.update(deep=2)
    crawl = wired(tmp_path, FAN, guard, strategy)
    crawl.follow(SEED)
    crawl.follow("http://s.test/plain1")
    assert level(crawl, "http://s.test/deep1") == 0, "it costs nothing before its turn"
    assert crawled(crawl)[0] == "/plain2"
    assert crawl.core.progress.lowered == 2


def test_links_on_one_level_keep_the_order_of_the_strategy_after_they_were_moved(tmp_path: Path) -> None:
    guard = ByWords()
    script: Script = {SEED: page_with(*(f"/{number}" for number in range(9)))}
    guard.on_page[SEED] = lambda: guard.levels.update({"/3": 1, "/5": 1, "/1": 1, "/0": 4})
    assert crawled(wired(tmp_path, script, guard)) == ["/", "/2", "/4", "/6", "/7", "/8", "/1", "/3", "/5", "/0"]


def test_a_link_carries_the_least_demotion_of_the_pages_that_show_it(tmp_path: Path) -> None:
    guard = ByWords()
    guard.demotions = {"/bad": 3, "/worse": 5}
    script: Script = {
        SEED: page_with("/worse", "/bad", "/good"),
        "http://s.test/worse": page_with("/one", "/two", "/three"),
        "http://s.test/bad": page_with("/two", "/three"),
        "http://s.test/good": page_with("/three"),
    }
    crawl = wired(tmp_path, script, guard)
    levels = []
    for url in (SEED, "http://s.test/worse", "http://s.test/bad", "http://s.test/good"):
        crawl.follow(url)
        if url != SEED:
            levels.append([level(crawl, f"http://s.test/{name}") for name in ("one", "two", "three")])
    assert levels == [[5, 5, 5], [5, 3, 3], [5, 3, 0]]
    assert crawl.core.progress.raised == 3


def test_links_of_a_host_are_moved_up_when_the_guard_wants_them_looked_at(tmp_path: Path) -> None:
    guard = ByWords({"a.test/low": 4, "b.test/low": 4}, reconsider={"/news": "a.test"})
    guard.on_page["/news"] = guard.levels.clear
    script: Script = {
        SEED: page_with("http://a.test/low1", "http://b.test/low", "http://a.test/low2", "/news"),
        "http://s.test/news": page_with(),
    }
    crawl = wired(tmp_path, script, guard)
    crawl.follow(SEED)
    crawl.follow("http://s.test/news")
    assert level(crawl, "http://a.test/low1") == level(crawl, "http://a.test/low2") == 0
    assert level(crawl, "http://b.test/low") == 4, "of other hosts nothing was said"
    crawl.close()
    with open_run(tmp_path / "run") as run:
        moves = {(move.host, move.cause): (move.lowered, move.raised) for move in run.trap_summary().moves}
    assert moves == {
        ("a.test", "series"): (2, 0),
        ("a.test", "recovered"): (0, 2),
        ("b.test", "series"): (1, 0),
    }


def test_the_target_of_a_redirect_carries_what_its_link_did(tmp_path: Path) -> None:
    guard = ByWords()
    guard.demotions = {"/bad": 3}
    script: Script = {
        SEED: page_with("/bad"),
        "http://s.test/bad": page_with("/away", "/plain"),
        "http://s.test/away": redirect_to("http://t.test/there"),
    }
    crawl = wired(tmp_path, script, guard)
    for url in (SEED, "http://s.test/bad", "http://s.test/away"):
        crawl.follow(url)
    assert level(crawl, "http://t.test/there") == 3
    there = crawl.link("http://t.test/there")
    assert crawl.parts.links.found_on(there) == crawl.link("http://s.test/bad")


def test_what_the_guard_is_shown(tmp_path: Path) -> None:
    guard = ByWords()
    script: Script = {
        SEED: page_with("/a", "/b", "http://else.test/"),
        "http://s.test/a": page_with("/b", "/c", "/"),
        "http://s.test/b": page_with(),
        "http://else.test/": page_with(),
    }
    crawl = wired(tmp_path, script, guard)
    crawl.follow(SEED)
    crawl.follow("http://s.test/a", now=7.0)
    crawl.follow("http://s.test/b", now=5.0)
    (first, _), (second, targets), (third, _) = guard.seen
    assert (first.parent, second.parent) == (None, crawl.link(SEED))
    assert (second.moment, third.moment) == (7.0, 7.0), "time does not run backwards"
    shown = [(target.url.text, target.is_new, target.link) for target in targets]
    assert shown == [
        (SEED, False, 0),
        ("http://s.test/b", False, crawl.link("http://s.test/b")),
        ("http://s.test/c", True, crawl.link("http://s.test/c")),
    ]


def test_a_page_that_came_before_under_another_address_is_shown_too(tmp_path: Path) -> None:
    text = "<link rel=canonical href='/one'>" + " ".join(f"<p>word{number} of it</p>" for number in range(30))
    guard = ByWords()
    script: Script = {SEED: page_with("/one", "/two"), "http://s.test/one": text, "http://s.test/two": text}
    crawl = wired(tmp_path, script, guard)
    assert crawled(crawl) == ["/", "/one", "/two"]
    one, two = guard.seen[1:]
    assert one[0].fingerprint.exact == two[0].fingerprint.exact
    assert (two[0].url.path, two[1]) == ("/two", [])
    assert crawl.core.progress.pages == 2


def test_only_pages_are_shown(tmp_path: Path) -> None:
    guard = ByWords()
    script: Script = {SEED: page_with("/away", "/gone", "/b"), "http://s.test/away": redirect_to("http://s.test/b")}
    crawled(wired(tmp_path, script, guard))
    assert [page.url.text for page, _ in guard.seen] == [SEED]


@pytest.mark.parametrize("strategy", [name for name in EVERY_ORDER if name != "beam"])
def test_links_at_the_bottom_are_dropped_where_that_is_asked_for(tmp_path: Path, strategy: str) -> None:
    guard = ByWords({"deep1": MAX_LEVEL})
    guard.on_page["plain1"] = lambda: guard.levels.update(deep2=MAX_LEVEL)
    crawl = wired(tmp_path, FAN, guard, strategy, guard__drop=True)
    crawl.follow(SEED)
    assert crawl.parts.links.state(crawl.link("http://s.test/deep1")) is LinkState.DROPPED, "it never waits"
    crawl.follow("http://s.test/plain1")
    assert crawled(crawl) == ["/plain2"]
    assert crawl.parts.links.state(crawl.link("http://s.test/deep2")) is LinkState.DROPPED, "it no longer waits"
    assert crawl.core.progress.dropped == 2
    crawl.close()
    with open_run(tmp_path / "run") as run:
        assert run.trap_summary().dropped == 2


def test_a_beam_does_not_even_meet_what_is_dropped(tmp_path: Path) -> None:
    crawl = wired(tmp_path, FAN, ByWords({"deep": MAX_LEVEL}), "beam", guard__drop=True)
    assert set(crawled(crawl)) == {"/", "/plain1", "/plain2"}
    assert len(crawl.parts.links) == 3


def test_links_at_the_bottom_are_fetched_in_the_end_where_nothing_is_said(tmp_path: Path) -> None:
    assert len(crawled(wired(tmp_path, FAN, ByWords({"deep": MAX_LEVEL})))) == 5


def test_after_so_many_links_moved_the_crawl_looks_up_and_then_goes_on(tmp_path: Path) -> None:
    guard = ByWords()
    links = [f"/trap{number}" for number in range(MOVED_AT_ONCE + 5)]
    script: Script = {SEED: page_with(*links, "/plain")}
    crawl = wired(tmp_path, script, guard)
    crawl.follow(SEED)
    guard.levels["trap"] = 1
    assert crawl.core.choose(3.0) == Wait(3.0)
    chosen = crawl.core.choose(3.0)
    assert isinstance(chosen, Dispatch)
    assert chosen.url.path == "/plain"
    crawl.store.record(crawl.core.apply(chosen, crawl.world.answer(chosen.url), 3.0).record)
    assert crawl.core.progress.lowered == MOVED_AT_ONCE + 5


def test_a_live_crawl_is_patient_with_the_host_of_a_less_demoted_link(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("/next", "http://trap.test/low")}
    crawl = wired(tmp_path, script, ByWords({"low": 3}), politeness__delay_s=4.0, guard__patience_s=5.0)
    crawl.follow(SEED)
    assert crawl.core.choose(0.0) == Wait(4.0)
    crawl.close()
    hasty = HandWired(
        tmp_path / "hasty",
        ScriptedWorld(script),
        script_settings(politeness__delay_s=4.0, guard__patience_s=3.0),
        guard=ByWords({"low": 3}),
    )
    hasty.follow(SEED)
    chosen = hasty.core.choose(0.0)
    assert isinstance(chosen, Dispatch)
    assert chosen.url.text == "http://trap.test/low"
    hasty.close()


def test_a_doubtful_link_does_not_wait_for_hosts_that_are_not_ready(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("/next", "http://trap.test/low")}
    crawl = wired(tmp_path, script, ByWords({"low": 2}), politeness__delay_s=4.0, guard__patience_s=5.0)
    crawl.follow(SEED)
    chosen = crawl.core.choose(0.0)
    assert isinstance(chosen, Dispatch)
    assert chosen.url.text == "http://trap.test/low"
    crawl.close()


def test_a_link_that_is_tried_again_waits_at_the_level_that_it_has_by_then(tmp_path: Path) -> None:
    guard = ByWords()
    busy = Failed(FailureReason.HTTP_STATUS, "503", 503)
    script: Script = {SEED: page_with("/busy", "/plain"), "http://s.test/busy": taking(0.0, busy)}
    settings = script_settings(politeness__delay_s=0.0, fetch__retries=2)
    crawl = HandWired(tmp_path / "run", ScriptedWorld(script), settings, guard=guard, is_live=True)
    crawl.follow(SEED)
    guard.levels["busy"] = 5
    crawl.follow("http://s.test/busy")
    assert crawl.core.progress.retries == 1
    assert level(crawl, "http://s.test/busy") == 5
    crawl.close()


class FindsBad1Late(ByWords):
    """A page /bad2 shows that /bad1 was a soft 404."""

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        super().observe(page, targets)
        if page.url.path != "/bad2":
            return Judgement()
        finding = Finding(FindingKind.SOFT_404, "s.test", numbers={"alike": 3, "pages": 4, "series": 3})
        return Judgement(finding, 4, earlier=(LateFinding(LinkId(1), finding, 4),))


def test_links_that_only_a_page_with_a_late_finding_shows_wait_until_a_clean_page_shows_them(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/bad1", "/clean", "/bad2", "/later"),
        "http://s.test/bad1": page_with("/shown", "/low", "/shown-later"),
        "http://s.test/clean": page_with("/shown"),
        "http://s.test/bad2": page_with("/own"),
        "http://s.test/later": page_with("/shown-later"),
    }
    crawl = wired(tmp_path, script, FindsBad1Late())

    def carried() -> list[int]:
        names = ("shown", "low", "shown-later")
        return [crawl.parts.links.carried(crawl.link(f"http://s.test/{name}")) for name in names]

    for url in (SEED, "http://s.test/bad1", "http://s.test/clean", "http://s.test/bad2"):
        crawl.follow(url)
    assert carried() == [0, 4, 4]
    crawl.follow("http://s.test/later")
    assert carried() == [0, 4, 0]
    assert crawled(crawl) == ["/shown", "/shown-later", "/low", "/own"]
    crawl.close()


def test_findings_are_kept_with_their_evidence_and_those_of_earlier_pages(tmp_path: Path) -> None:
    class FindsLate(ByWords):
        def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
            if page.url.path != "/c":
                return Judgement()
            numbers = {"recent": 3, "alike": 3, "turned": 2, "brought": 0, "pages": 3}
            finding = Finding(FindingKind.CALENDAR, "s.test/#", numbers=numbers)
            other = Finding(FindingKind.VARIANT, "s.test/", "slash", LinkId(0), {"pairs": 2})
            earlier = (LateFinding(LinkId(page.link - 2), finding), LateFinding(LinkId(page.link - 1), other))
            return Judgement(finding, 2, earlier=earlier)

    script: Script = {SEED: page_with("/a", "/b", "/c"), **{f"http://s.test/{name}": page_with() for name in "abc"}}
    crawl = wired(tmp_path, script, FindsLate())
    crawled(crawl)
    crawl.close()
    with open_run(tmp_path / "run") as run:
        findings = list(run.guard_findings())
        summary = run.trap_summary()
        assert run.progress.findings == 3
        assert run.trap_summary(kind="loop").traps == ()
        assert run.trap_summary(host="s.test").pages_found == 3
        assert run.trap_summary(host="other.test").pages_found == 0
    found = [(each.step, each.url.path, each.kind, each.found_at, each.demotion) for each in findings]
    assert found == [(2, "/a", "calendar", 4, 0), (3, "/b", "variant", 4, 0), (4, "/c", "calendar", 4, 2)]
    assert findings[0].evidence == findings[2].evidence
    assert findings[0].evidence.startswith("of its last 3 pages 3 were like earlier ones, 2 led on")
    assert findings[1].evidence == (
        "its text is that of http://s.test/, whose address differs in the slash at the end only; 2 such pairs"
    )
    calendar, variant = summary.traps
    assert (calendar.pages, calendar.first_step, calendar.last_step, calendar.about) == (2, 2, 4, "s.test/#")
    assert (variant.kind, variant.pages, variant.about) == ("variant", 1, "s.test/")
    assert (summary.pages_seen, summary.pages_found) == (4, 3)
