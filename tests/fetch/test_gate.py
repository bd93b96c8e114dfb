"""The gate: nobody is asked early, whoever wants to ask, and nobody waits for nothing."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.fetch import Gate, GatedFetcher, HostSchedule, KnownAddresses, RobotsFetcher
from honeyguide.model import Failed, FailureReason, Fetched, HostRest, Redirected, SiteFile, Url
from honeyguide.settings import FetchSettings, PolitenessSettings
from politeness_rules import check_politeness
from scripted_network import BUSY, Reply, ScriptedNetwork, ScriptedResolver, page, robots
from virtual_time import LoopClock, run_in_virtual_time

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scripted_network import Request

POLITENESS = PolitenessSettings(delay_s=1.0, max_delay_s=20.0, delay_factor=2.0)
FETCH = FetchSettings(backoff_s=10.0, max_retry_after_s=30.0)


class Web:
    """A scripted network behind robots.txt and the gate."""

    def __init__(
        self,
        replies: dict[str, list[Reply]],
        address_of: dict[str, list[str]] | None = None,
        politeness: PolitenessSettings = POLITENESS,
    ) -> None:
        clock = LoopClock()
        self.address_of = address_of
        find = lambda name: (address_of or {}).get(name, ["192.0.2.1"])  # noqa: E731
        addresses = None if address_of is None else KnownAddresses(ScriptedResolver(find), clock)
        self.network = ScriptedNetwork(clock, replies, addresses)
        self.schedule = HostSchedule(politeness, FETCH)
        self.turns = Gate(self.schedule, clock)
        self.gate = GatedFetcher(self.network, self.turns, addresses)
        self.fetcher = RobotsFetcher(self.gate, politeness, "Honeyguide/1", clock, schedule=self.schedule)

    @property
    def log(self) -> list[Request]:
        return self.network.log

    def begins(self) -> list[float]:
        return [round(request.began_at, 3) for request in self.log]

    async def ask(self, *urls: str) -> None:
        await asyncio.gather(*(self.gate.fetch(Url.parse(url)) for url in urls))


def run(scenario: Coroutine[object, object, None]) -> None:
    run_in_virtual_time(scenario)


def test_requests_to_one_host_come_one_after_the_other_with_the_pause_in_between() -> None:
    web = Web({"http://a.test/1": [Reply(page("x"), takes_s=0.25)], "http://a.test/2": [Reply(page("x"))]})
    run(web.ask("http://a.test/1", "http://a.test/2", "http://a.test/3"))
    assert web.begins() == [0.0, 1.25, 2.25]


def test_hosts_do_not_wait_for_one_another() -> None:
    web = Web({})
    run(web.ask("http://a.test/", "http://b.test/", "http://c.test/"))
    assert web.begins() == [0.0, 0.0, 0.0]


def test_a_slow_answer_makes_the_pause_longer_within_limits() -> None:
    slow = {f"http://a.test/{takes_s}": [Reply(page("x"), takes_s)] for takes_s in (3, 30, 0)}
    web = Web(slow)
    run(web.ask(*slow, "http://a.test/"))
    assert web.begins() == [0.0, 3 + 6.0, 9 + 30 + 20.0, 59 + 1.0]


def test_two_hosts_at_one_address_have_one_turn() -> None:
    web = Web({}, {"a.test": ["192.0.2.7"], "b.test": ["192.0.2.7", "192.0.2.8"], "c.test": ["192.0.2.8"]})
    run(web.ask("http://a.test/", "http://b.test/", "http://c.test/"))
    check_politeness(web.log, POLITENESS)
    assert [request.url.host for request in web.log] == ["a.test", "b.test", "c.test"], "first come, first asked"


def test_an_address_in_a_url_is_the_address_of_its_host() -> None:
    async def scenario() -> None:
        await asyncio.gather(*(web.gate.fetch(Url.parse(url)) for url in urls))

    urls = ["http://a.test/", "http://192.0.2.7/", "http://192.0.2.7:8080/", "http://[::ffff:192.0.2.7]/"]
    web = Web({}, {"a.test": ["192.0.2.7"]})
    web.network.addresses = None  # only the gate looks it up
    run(scenario())
    assert sorted(web.begins())[:1] == [pytest.approx(0.0, abs=0.01)]
    gaps = [later - earlier for earlier, later in zip(sorted(web.begins()), sorted(web.begins())[1:], strict=False)]
    assert all(gap >= 0.999 for gap in gaps)


def test_a_host_that_moves_while_a_request_waits_is_asked_where_it_is_now() -> None:
    places = {"a.test": ["192.0.2.7"], "b.test": ["192.0.2.7"], "c.test": ["192.0.2.9"]}

    async def scenario() -> None:
        await web.ask("http://b.test/")  # looked up
        asyncio.get_running_loop().call_later(70.0, places.update, {"b.test": ["192.0.2.9"]})
        held = asyncio.create_task(web.gate.fetch(Url.parse("http://a.test/slow")))
        await asyncio.sleep(58.9)
        waiting = asyncio.create_task(web.gate.fetch(Url.parse("http://b.test/2")))
        await asyncio.sleep(30.0)
        there = asyncio.create_task(web.gate.fetch(Url.parse("http://c.test/")))
        await asyncio.gather(held, waiting, there)

    web = Web({"http://a.test/slow": [Reply(page("x"), 90.0)], "http://c.test/": [Reply(page("x"), 30.0)]}, places)
    run(scenario())
    check_politeness(web.log, POLITENESS)
    assert [request.address for request in web.log if request.url.path == "/2"] == ["192.0.2.9"]


def test_a_request_given_up_while_it_waits_costs_nobody_time() -> None:
    async def scenario() -> None:
        first = asyncio.create_task(web.ask("http://a.test/1"))
        second = asyncio.create_task(web.ask("http://a.test/2"))
        third = asyncio.create_task(web.ask("http://a.test/3"))
        await asyncio.sleep(0.5)
        second.cancel()
        await asyncio.wait([first, second, third])

    web = Web({})
    run(scenario())
    assert [(request.url.path, request.began_at) for request in web.log] == [("/1", 0.0), ("/3", 1.0)]


def test_a_request_given_up_under_way_is_followed_by_the_pause() -> None:
    async def scenario() -> None:
        first = asyncio.create_task(web.ask("http://a.test/slow"))
        second = asyncio.create_task(web.ask("http://a.test/2"))
        await asyncio.sleep(4.0)
        first.cancel()
        await asyncio.wait([first, second])

    web = Web({"http://a.test/slow": [Reply(page("x"), 100.0)]})
    run(scenario())
    assert web.begins() == [0.0, 4.0 + 8.0]


@pytest.mark.parametrize(("asked_s", "rest_s"), [(17.0, 17.0), (0.0, 5.0), (1e9, 86_400.0)])
def test_a_host_is_left_alone_for_as_long_as_it_asks(asked_s: float, rest_s: float) -> None:
    places = {"a.test": ["192.0.2.7"], "b.test": ["192.0.2.7"]}
    web = Web({"http://a.test/": [Reply(BUSY, retry_after_s=asked_s)]}, places)
    run(web.ask("http://a.test/", "http://a.test/2", "http://b.test/"))
    began_at = {request.url.text: request.began_at for request in web.log}
    assert began_at["http://a.test/2"] - began_at["http://a.test/"] >= rest_s
    assert began_at["http://b.test/"] < 2.5, "its address is not left alone"


def test_a_host_in_trouble_is_left_alone_for_longer_each_time_whoever_asks() -> None:
    replies = [Reply(BUSY), Reply(Failed(FailureReason.TIMEOUT, "late")), Reply(BUSY), Reply(BUSY), Reply(page("x"))]
    web = Web({f"http://a.test/{number}": [reply] for number, reply in enumerate(replies)})
    run(web.ask(*(f"http://a.test/{n}" for n in (0, 1, 2, 3, 4, 0, 1))))
    began = web.begins()
    gaps = [later - earlier for earlier, later in pairwise(began)]
    # Half of 10 s, 20 s and twice of 30 s at least; the page ends the row, and a missing page is no trouble.
    assert all(least <= gap <= 2 * least for gap, least in zip(gaps, [5, 10, 15, 15, 0.5, 5], strict=True))
    assert gaps[4] == pytest.approx(1.0)


def test_a_rest_that_the_crawl_has_decided_on_is_not_shortened_by_a_request_under_way() -> None:
    async def scenario() -> None:
        asking = asyncio.create_task(web.gate.fetch(Url.parse("http://a.test/")))
        await asyncio.sleep(1.0)
        web.schedule.rest("a.test", 60.0)
        await asking
        await web.ask("http://a.test/2")

    web = Web({"http://a.test/": [Reply(page("x"), takes_s=2.0)]})
    run(scenario())
    assert web.begins() == [0.0, 60.0]


def test_a_page_with_retry_after_does_not_close_its_host() -> None:
    web = Web({"http://a.test/": [Reply(page("x"), retry_after_s=5000.0)]})
    run(web.ask("http://a.test/", "http://a.test/2"))
    assert web.begins() == [0.0, 1.0]


def test_the_pause_lies_between_robots_txt_and_the_first_page_too() -> None:
    async def scenario() -> None:
        await web.fetcher.fetch(Url.parse("http://a.test/"))
        await web.fetcher.fetch(Url.parse("http://a.test/2"))

    web = Web({"http://a.test/robots.txt": [Reply(robots("User-agent: *\nCrawl-delay: 7\n"))]})
    run(scenario())
    assert web.begins() == [0.0, 7.0, 14.0]


def test_a_robots_txt_that_lies_on_another_host_waits_for_that_host() -> None:
    async def scenario() -> None:
        await web.gate.fetch(Url.parse("http://b.test/page"))
        await web.fetcher.fetch(Url.parse("http://a.test/"))

    moved = Redirected(301, Url.parse("http://b.test/rules"))
    web = Web({"http://a.test/robots.txt": [Reply(moved)], "http://b.test/page": [Reply(page("x"), 5.0)]})
    run(scenario())
    told = [(request.url.text, request.began_at) for request in web.log]
    assert told == [
        ("http://b.test/page", 0.0),
        ("http://a.test/robots.txt", 5.0),
        ("http://b.test/rules", 15.0),
        ("http://a.test/", 15.0),
    ]


def test_what_was_known_before_this_process_began_still_counts() -> None:
    async def scenario() -> None:
        web.schedule.presume_all_asked(0.0)
        web.schedule.set_crawl_delay(Url.parse("http://slow.test/"), 5.0)
        web.schedule.set_crawl_delay(Url.parse("https://slow.test/"), 0.0)
        web.schedule.restore(HostRest("closed.test", 50.0))
        web.schedule.restore(HostRest("other.test", 0.0, address="192.0.2.7", address_ready_at=3.0))
        await web.ask("http://any.test/", "http://slow.test/", "http://closed.test/", "http://at7.test/")

    places = {name: [f"192.0.2.{n}"] for n, name in enumerate(("any.test", "slow.test", "closed.test"))}
    web = Web({}, places | {"at7.test": ["192.0.2.7"]})
    run(scenario())
    assert {str(one.url.host): round(one.began_at, 2) for one in web.log} == {
        "any.test": 1.0, "slow.test": 5.0, "closed.test": 50.0, "at7.test": 3.0,
    }  # fmt: skip


seconds = st.sampled_from([0.0, 0.1, 0.7, 3.0, 40.0])
patiences = st.sampled_from([None, None, 0.0, 1.5, 30.0])
hosts = [f"{letter}.test" for letter in "abcd"]
asked_addresses = st.lists(
    st.sampled_from(["192.0.2.1", "192.0.2.2", "192.0.2.3"]), min_size=1, max_size=2, unique=True
)


@st.composite
def robots_replies(draw: st.DrawFn) -> Reply:
    kind = draw(st.sampled_from(["delay", "missing", "elsewhere", "busy"]))
    takes_s = draw(seconds)
    if kind == "delay":
        return Reply(robots(f"User-agent: *\nCrawl-delay: {draw(st.sampled_from([0.5, 4, 300]))}\n"), takes_s)
    if kind == "elsewhere":
        other = draw(st.sampled_from(hosts))
        path = draw(st.sampled_from(["robots.txt", "rules"]))
        return Reply(Redirected(301, Url.parse(f"http://{other}/{path}")), takes_s)
    if kind == "busy":
        return Reply(BUSY, takes_s, draw(st.sampled_from([0.0, 100.0])))
    return Reply(Fetched(200, "text/plain", b""), takes_s)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_host_and_no_address_is_ever_asked_early_under_any_interleaving(data: st.DataObject) -> None:
    places = {host: data.draw(asked_addresses) for host in hosts}
    replies = {f"http://{host}/robots.txt": [data.draw(robots_replies())] for host in hosts}
    wanted = data.draw(
        st.lists(
            st.tuples(st.sampled_from(hosts), seconds, seconds, patiences, st.booleans()),
            min_size=1, max_size=14,
        )
    )  # fmt: skip
    moves = data.draw(st.lists(st.tuples(seconds, st.sampled_from(hosts), asked_addresses), max_size=3))
    for number, (host, _, takes_s, _, is_busy) in enumerate(wanted):
        replies[f"http://{host}/{number}"] = [
            Reply(BUSY if is_busy else page("x"), takes_s, 33.0 * (is_busy and number % 2))
        ]
    politeness = PolitenessSettings(
        delay_s=data.draw(st.sampled_from([0.0, 1.0])),
        max_delay_s=20.0,
        delay_factor=data.draw(st.sampled_from([0.0, 2.0])),
    )
    web = Web(replies, places, politeness)

    async def one(number: int) -> None:
        host, begins_s, _, patience_s, _ = wanted[number]
        await asyncio.sleep(begins_s)
        fetching = web.fetcher.fetch(Url.parse(f"http://{host}/{number}"))
        with suppress(TimeoutError):
            await asyncio.wait_for(fetching, patience_s)

    async def move(after_s: float, host: str, addresses: list[str]) -> None:
        await asyncio.sleep(60 * after_s)
        places[host] = addresses

    async def scenario() -> None:
        await asyncio.gather(*map(one, range(len(wanted))), *(move(*each) for each in moves))
        await web.fetcher.close()

    run(scenario())
    check_politeness(web.log, politeness, fetch=FETCH)
    assert not web.turns._queues, "everybody has left"


def test_the_robots_txt_of_another_host_that_was_led_to_counts_for_that_host_too() -> None:
    async def scenario() -> None:
        for url in ("http://a.test/1", "http://b.test/1", "http://b.test/no"):
            await web.fetcher.fetch(Url.parse(url))

    replies = {
        "http://a.test/robots.txt": [Reply(Redirected(301, Url.parse("http://b.test/robots.txt")))],
        "http://b.test/robots.txt": [Reply(robots("User-agent: *\nCrawl-delay: 7\nDisallow: /no\n"))],
    }
    web = Web(replies)
    run(scenario())
    asked = [(request.url.text, request.began_at) for request in web.log if request.url.host == "b.test"]
    assert asked == [("http://b.test/robots.txt", 0.0), ("http://b.test/1", 7.0)]


def test_a_robots_txt_that_nobody_waits_for_any_more_is_not_asked_for() -> None:
    async def scenario() -> None:
        await web.ask("http://a.test/1")
        given_up = [asyncio.create_task(web.fetcher.fetch(Url.parse(f"http://a.test/{n}"))) for n in (2, 3)]
        await asyncio.sleep(0.5)
        for fetching in given_up:
            fetching.cancel()
        await asyncio.gather(*given_up, return_exceptions=True)
        await asyncio.sleep(10.0)
        assert len(web.log) == 1
        await web.fetcher.fetch(Url.parse("http://a.test/4"))

    web = Web({})
    run(scenario())
    assert [request.url.path for request in web.log] == ["/1", "/robots.txt", "/4"]


def test_a_robots_txt_is_asked_for_while_one_still_waits_for_it() -> None:
    async def scenario() -> None:
        await web.ask("http://a.test/1")
        given_up, other = (asyncio.create_task(web.fetcher.fetch(Url.parse(f"http://a.test/{n}"))) for n in (2, 3))
        await asyncio.sleep(0.5)
        given_up.cancel()
        await other

    web = Web({})
    run(scenario())
    assert [request.url.path for request in web.log] == ["/1", "/robots.txt", "/3"]


def test_rules_from_an_earlier_process_are_believed_until_they_expire() -> None:
    kept = {"http://a.test": SiteFile("http://a.test", 100.0, b"User-agent: *\nDisallow: /no\nCrawl-delay: 3\n")}

    class Memory:
        def site_file(self, origin: str, path: str = "/robots.txt") -> SiteFile | None:
            return kept.get(origin)

        def keep_site_file(self, file: SiteFile) -> None:
            kept[file.origin] = file

    async def scenario() -> None:
        fetcher = RobotsFetcher(
            web.gate, POLITENESS, "Honeyguide/1", LoopClock(), schedule=web.schedule, memory=Memory()
        )
        for path in ("no", "1", "2"):
            await fetcher.fetch(Url.parse(f"http://a.test/{path}"))
        await asyncio.sleep(100.0)
        await fetcher.fetch(Url.parse("http://a.test/3"))

    web = Web({})
    run(scenario())
    assert [(request.url.path, request.began_at) for request in web.log] == [
        ("/1", 0.0), ("/2", 3.0), ("/robots.txt", 103.0), ("/3", 104.0),
    ]  # fmt: skip
    assert kept["http://a.test"] == SiteFile("http://a.test", 103.0 + 86_400, detail="404 Not Found", asked_at=103.0)
