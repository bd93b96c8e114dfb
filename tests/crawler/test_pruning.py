"""A strategy may let only so many links wait. The others are pruned, counted, and may be found again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.driving import ByAnchorNumber, HandWired, everything, script_settings
from crawler.small_graphs import address, crawl_pages
from honeyguide.crawler import StopReason
from honeyguide.model import LinkState, Url
from honeyguide.runs import SqliteStore, open_run
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"


class NarrowByNumber(ByAnchorNumber):
    """Highest anchor first, and only the best few wait."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity


def wired_with(path: Path, script: Script, capacity: int, **overrides: Any) -> HandWired:
    return HandWired(path, ScriptedWorld(script), script_settings(**overrides), NarrowByNumber(capacity))


def states(path: Path) -> dict[str, LinkState]:
    store = SqliteStore(path / "crawl.sqlite")
    try:
        return {link.url.text: link.state for link in store.links()}
    finally:
        store.close()


def ranked(*names: str, host: str = "t.test") -> dict[str, str]:
    """Links with their own numbers as anchors."""
    return {name: f"http://{host}/{name}" for name in names}


def test_only_the_best_wait_and_the_rest_is_counted(tmp_path: Path) -> None:
    wired = wired_with(tmp_path / "run", {SEED: page_with(**ranked("3", "9", "5", "7"))}, 2)
    wired.follow(SEED)
    waiting = [name for name in "3579" if wired.parts.links.find(Url.parse(f"http://t.test/{name}")) is not None]
    wired.close()
    assert waiting == ["7", "9"]
    assert (wired.core.progress.waiting, wired.core.progress.pruned) == (2, 2)


def test_a_new_link_without_room_is_not_met(tmp_path: Path) -> None:
    wired = wired_with(tmp_path / "run", {SEED: page_with(**ranked("9", "1"))}, 1)
    wired.follow(SEED)
    wired.close()
    assert len(wired.parts.links) == 2
    assert set(states(tmp_path / "run")) == {SEED, "http://t.test/9"}
    with open_run(tmp_path / "run") as run:
        assert [target.text for _, target in run.edges()] == ["http://t.test/9"]


def test_a_link_that_waited_is_pushed_out_by_a_better_one_and_may_come_back(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with(**ranked("9", "5")),
        "http://t.test/9": page_with(**ranked("8", "7")),
        "http://t.test/8": "nothing",
        "http://t.test/7": page_with(**{"6": "http://t.test/5"}),
    }
    wired = wired_with(tmp_path / "run", script, 2)
    for url, expected in [
        (SEED, LinkState.WAITING),
        ("http://t.test/9", LinkState.PRUNED),
        ("http://t.test/8", LinkState.PRUNED),
        ("http://t.test/7", LinkState.WAITING),
    ]:
        wired.follow(url)
        five = wired.link("http://t.test/5")
        assert wired.parts.links.state(five) is expected
        assert (five in wired.parts.frontier) == (expected is LinkState.WAITING)
        assert states(tmp_path / "run")["http://t.test/5"] is expected
    assert wired.parts.frontier.peek([five])[0].tolist() == [6.0], "the page that showed it last counts"
    assert wired.parts.links.depth(five) == 3
    assert wired.core.progress.pruned == 1
    wired.close()


def test_a_pruned_link_offered_in_vain_stays_as_it_was(tmp_path: Path) -> None:
    script = {
        SEED: page_with(**ranked("9", "5")),
        "http://t.test/9": page_with(**ranked("8", "7")),
        "http://t.test/8": page_with(**{"1": "http://t.test/5", **ranked("6")}),
    }
    wired = wired_with(tmp_path / "run", script, 2)
    for url in (SEED, "http://t.test/9", "http://t.test/8"):
        wired.follow(url)
    six, five = wired.link("http://t.test/6"), wired.link("http://t.test/5")
    assert six in wired.parts.frontier
    assert wired.parts.links.state(five) is LinkState.PRUNED
    assert wired.parts.links.depth(five) == 1, "as the seed showed it"
    assert wired.core.progress.pruned == 2
    wired.close()
    back = wired_with(tmp_path / "run", script, 2)
    back.close()
    assert everything(back) == everything(wired)
    with open_run(tmp_path / "run") as run:
        assert (Url.parse("http://t.test/8"), Url.parse("http://t.test/5")) in list(run.edges())


def test_seeds_beyond_the_capacity_are_pruned_too(tmp_path: Path) -> None:
    seeds = [f"http://s{number}.test/" for number in range(5)]
    wired = wired_with(tmp_path / "run", dict.fromkeys(seeds, "x"), 2, crawl__seed_urls=seeds)
    assert wired.core.progress.pruned == 3
    assert wired.run() is StopReason.EXHAUSTED
    assert set(wired.world.fetches) == set(seeds[:2])
    assert list(states(tmp_path / "run").values()) == [LinkState.DONE] * 2 + [LinkState.PRUNED] * 3


def test_a_redirect_finds_room_only_by_its_score(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with(**{"9": "http://a.test/", "8": "http://r.test/"}),
        "http://r.test/": redirect_to("http://t.test/"),
        "http://a.test/": page_with(**ranked("20", "10", host="x.test")),
    }
    wired = wired_with(tmp_path / "run", script, 2)
    wired.follow(SEED)
    redirect = wired.core.choose_link(wired.link("http://r.test/"), 0.0)
    wired.follow("http://a.test/")
    wired.store.record(wired.core.apply(redirect, wired.world.answer(redirect.url), 0.0).record)
    assert wired.parts.links.state(wired.link("http://t.test/")) is LinkState.PRUNED
    assert wired.core.progress.pruned == 1
    wired.close()
    back = wired_with(tmp_path / "run", script, 2)
    back.close()
    assert everything(back) == everything(wired)


def test_where_pages_are_limited_pruned_ones_count_as_met(tmp_path: Path) -> None:
    script = {SEED: page_with(**ranked("3", "9", "5")), "http://t.test/9": page_with(**ranked("3", "4"))}
    wired = wired_with(tmp_path / "run", script, 1, scope__max_pages=3)
    assert wired.run() is StopReason.EXHAUSTED
    assert len(wired.parts.links) == 3
    assert (wired.core.progress.pruned, wired.core.progress.out_of_scope) == (1, 2)
    assert set(wired.world.fetches) == {SEED, "http://t.test/9", "http://t.test/3"}, "3 was offered again"


def test_a_crawl_that_ends_with_pruned_links_has_starved(tmp_path: Path) -> None:
    wired = wired_with(tmp_path / "run", {SEED: page_with(**ranked("3", "9"))}, 1)
    assert wired.run() is StopReason.EXHAUSTED
    assert wired.core.progress.ran_out_of_links
    assert not wired_with(tmp_path / "other", {SEED: "x"}, 1).core.progress.ran_out_of_links


ranked_graphs = st.integers(2, 9).flatmap(
    lambda count: st.fixed_dictionaries(
        {page: st.dictionaries(st.integers(0, count - 1), st.integers(0, 20), max_size=6) for page in range(count)}
    )
)


def narrow_search(graph: dict[int, dict[int, int]], width: int) -> tuple[list[int], int, int]:
    """Beam search as a list that is sorted again and again: what was visited, the widest it was, times pruned."""
    waiting, number, visited = {0: 0}, {0: 0}, list[int]()
    widest, pruned = 1, 0
    while waiting:
        page = min(waiting, key=lambda each: (-waiting[each], number[each]))
        del waiting[page]
        visited.append(page)
        shown = {link: score for link, score in graph[page].items() if link not in (*visited, page)}
        better = {link: max(score, waiting[link]) for link, score in shown.items() if link in waiting}
        arriving = [link for link in shown if link not in waiting]
        by_age = sorted(waiting, key=lambda each: number[each]) + arriving
        score_by_link = waiting | shown | better
        kept = sorted(by_age, key=lambda each: -score_by_link[each])[:width]
        for link in arriving:
            if link in kept:
                number.setdefault(link, len(number))
        waiting = {link: score_by_link[link] for link in kept}
        widest, pruned = max(widest, len(kept)), pruned + len(by_age) - len(kept)
    return visited, widest, pruned


@settings(deadline=None)
@given(ranked_graphs, st.integers(1, 6))
def test_the_beam_is_a_list_that_is_sorted_and_cut_after_every_page(
    graph: dict[int, dict[int, int]], width: int
) -> None:
    pages = {}
    for page, links in graph.items():
        shown = "".join(f'<p><a href="{address(link)}">{score}</a></p>' for link, score in links.items())
        pages[address(page)] = f"<html><body><main>{shown}</main></body></html>"
    fetched, progress = crawl_pages(pages, [address(0)], NarrowByNumber(width))
    assert (fetched, progress.largest_waiting, progress.pruned) == narrow_search(graph, width)


def test_the_store_has_no_row_for_a_link_that_found_no_room(tmp_path: Path) -> None:
    targets = {str(number): f"http://t.test/{number}" for number in range(500)}
    wired = wired_with(tmp_path / "run", {SEED: page_with(**targets)}, 10)
    wired.follow(SEED)
    wired.close()
    with closing(sqlite3.connect(tmp_path / "run" / "crawl.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM links").fetchone() == (11,)
    assert wired.core.progress.pruned == 490
