"""One request at a time per host, and the host's pause between two, under any interleaving."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from scripted_world import ScriptedWorld, page_with, taking

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler import Dispatch
    from honeyguide.crawler.transport import Answered, Arrival, Transport
    from honeyguide.model import HostKey
    from honeyguide.model.clock import Clock
    from scripted_world import Script

DELAY_S = 1.0
MAX_DELAY_S = 5.0


class WatchedTransport:
    """A transport that breaks the test when a host is asked twice at once or too early."""

    def __init__(self, inner: Transport, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._under_way: set[HostKey] = set()
        self._not_before: dict[HostKey, float] = defaultdict(float)

    async def start(self, dispatch: Dispatch) -> None:
        host = dispatch.url.host
        assert host not in self._under_way, f"{host} is asked twice at once"
        assert self._clock.now() >= self._not_before[host], f"{host} is asked too early"
        self._under_way.add(host)
        await self._inner.start(dispatch)

    async def arrived(self) -> Arrival | Answered | None:
        return await self._inner.arrived()

    async def next_arrival(self, until: float) -> Arrival | Answered | None:
        arrival = await self._inner.next_arrival(until)
        if arrival is not None:
            host = arrival.dispatch.url.host
            self._under_way.remove(host)
            pause_s = max(DELAY_S, min(arrival.answer.host_delay_s, MAX_DELAY_S))
            self._not_before[host] = self._clock.now() + pause_s
        return arrival

    def wake(self) -> None:
        self._inner.wake()

    async def close(self) -> None:
        await self._inner.close()


def watched(path_factory: pytest.TempPathFactory, world: ScriptedWorld, strategy: str, concurrency: int) -> HandWired:
    """A crawl that fails at the first impolite request, run to its end."""
    chosen = script_settings(
        strategy, crawl__concurrency=concurrency, politeness__delay_s=DELAY_S, politeness__max_delay_s=MAX_DELAY_S
    )
    wired = HandWired(path_factory.mktemp("polite") / "run", world, chosen)
    wired.transport = WatchedTransport(wired.transport, wired.clock)
    wired.run()
    return wired


costs = st.tuples(st.floats(0.0, 9.0), st.sampled_from([0.0, 0.5, 3.0, 1000.0]))


@settings(max_examples=40, deadline=None)
@given(
    pages=st.lists(
        st.tuples(st.integers(0, 4), costs, st.lists(st.integers(0, 30), max_size=6)), min_size=1, max_size=30
    ),
    strategy=st.sampled_from(["breadth-first", "random", "online-ridge"]),
    concurrency=st.integers(1, 8),
)
def test_no_host_is_hit_early_or_twice_at_once_under_any_interleaving(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[tuple[int, tuple[float, float], list[int]]],
    strategy: str,
    concurrency: int,
) -> None:
    urls = [f"http://h{host}.test/{number}" for number, (host, _, _) in enumerate(pages)]
    script = {
        url: taking(elapsed_s, page_with(*(urls[target % len(urls)] for target in targets)), host_delay_s=delay_s)
        for url, (_, (elapsed_s, delay_s), targets) in zip(urls, pages, strict=True)
    }
    world = ScriptedWorld(script, entry_urls=urls[:3])
    watched(tmp_path_factory, world, strategy, concurrency)
    assert max(world.fetches.values()) == 1


@pytest.mark.parametrize(("asked_s", "kept_s"), [(0.0, DELAY_S), (0.5, DELAY_S), (3.0, 3.0), (1000.0, MAX_DELAY_S)])
def test_the_pause_a_host_asks_for_is_kept_between_ours_and_the_longest_allowed(
    tmp_path_factory: pytest.TempPathFactory, asked_s: float, kept_s: float
) -> None:
    first = taking(2.0, page_with("/second"), host_delay_s=asked_s)
    world = ScriptedWorld({"http://s.test/": first, "http://s.test/second": taking(1.0, "end")})
    wired = watched(tmp_path_factory, world, "breadth-first", 4)
    assert wired.clock.now() == pytest.approx(2.0 + kept_s + 1.0)


def test_what_politeness_costs_in_order_is_counted(tmp_path: Path) -> None:
    script: Script = {
        "http://s.test/": page_with(**{"9": "/best", "7": "/next", "1": "http://other.test/"}),
        "http://other.test/": taking(0.25, "x"),
    }
    settings = script_settings(crawl__hurry=1.0)
    wired = HandWired(tmp_path / "run", ScriptedWorld(script), settings, ByAnchorNumber())
    wired.run()
    order = [event.url.path for event in wired.events if hasattr(event, "url")]
    assert order == ["/", "/", "/best", "/next"], "the best link waits for its host, and goes as soon as it may"
    progress = wired.core.progress
    assert (progress.waited_for_hosts, progress.score_lost_waiting) == (1, 8.0)


def test_a_slow_host_does_not_hold_up_the_others(tmp_path_factory: pytest.TempPathFactory) -> None:
    others = [f"http://h{n}.test/" for n in range(8)]
    slow = ["http://slow.test/1", "http://slow.test/2"]
    script: Script = {
        "http://s.test/": page_with(*slow, *others),
        **dict.fromkeys(others, "x"),
        **dict.fromkeys(slow, taking(60, "x")),
    }
    wired = watched(tmp_path_factory, ScriptedWorld(script), "breadth-first", 2)
    order = [str(event.url.host) for event in wired.events if hasattr(event, "url")]
    assert order[-2:] == ["slow.test", "slow.test"]
