"""RobotsFetcher in front of a real server: what may be asked for, at what pause, and at what cost."""

from __future__ import annotations

import asyncio
import tracemalloc
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from honeyguide.fetch import HttpFetcher, PinnedResolver, RobotsFetcher, product_of
from honeyguide.fetch.robots import rules_from
from honeyguide.fetch.site_rules import MAX_RULES, MAX_WILDCARDS, OriginRules
from honeyguide.model import Answer, Failed, FailureReason, Fetched, RefusalReason, Refused, Url
from honeyguide.model.clock import SimulatedClock
from honeyguide.settings import FetchSettings, PolitenessSettings
from local_site import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from local_site import Handler

USER_AGENT = "Honeyguide/1.0 (focused crawler; crawl@example.org)"
PAGE = web.Response(text="a page")


@asynccontextmanager
async def opened(
    clock: SimulatedClock | None = None,
    politeness: PolitenessSettings = PolitenessSettings(),  # noqa: B008 - frozen
    fetch: FetchSettings = FetchSettings(timeout_s=0.5, allow_private=("127.0.0.0/8",)),  # noqa: B008 - frozen
    resolver: PinnedResolver | None = None,
) -> AsyncIterator[RobotsFetcher]:
    clock = clock or SimulatedClock()
    fetcher = RobotsFetcher(HttpFetcher(fetch, clock, resolver), politeness, USER_AGENT, clock)
    try:
        yield fetcher
    finally:
        await fetcher.close()


class RobotsFile:
    """A robots.txt whose requests are counted and whose answer can be changed."""

    def __init__(self, text: str = "", status: int = 200) -> None:
        self.text = text
        self.status = status
        self.requests = 0

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        self.requests += 1
        await asyncio.sleep(0.01)
        return web.Response(status=self.status, text=self.text)


def answers_of(robots: Handler | web.Response, *paths: str) -> list[Answer]:
    """Ask for the paths one after another on a site with this robots.txt."""

    async def scenario() -> list[Answer]:
        routes: dict[str, Handler | web.Response] = dict.fromkeys(paths, PAGE)
        async with serve(routes | {"/robots.txt": robots}) as root, opened() as fetcher:
            return [await fetcher.fetch(Url.parse(path, base=root)) for path in paths]

    return asyncio.run(scenario())


def is_allowed(answer: Answer) -> bool:
    if isinstance(answer.outcome, Refused):
        assert answer.outcome.reason is RefusalReason.ROBOTS
        assert "robots.txt" in answer.outcome.detail
        return False
    return isinstance(answer.outcome, Fetched)


class TestRules:
    def test_what_is_disallowed_is_refused_and_the_rest_fetched(self) -> None:
        robots = RobotsFile("User-agent: *\nDisallow: /private\nAllow: /private/open\n")
        answers = answers_of(robots, "/", "/private/x", "/private/open")
        assert [is_allowed(answer) for answer in answers] == [True, False, True]

    def test_a_group_for_our_name_goes_before_the_one_for_everybody(self) -> None:
        robots = RobotsFile("User-agent: *\nDisallow: /\n\nUser-agent: honeyguide\nDisallow: /private\n")
        answers = answers_of(robots, "/", "/private")
        assert [is_allowed(answer) for answer in answers] == [True, False]

    def test_a_word_in_our_user_agent_that_is_not_our_name_does_not_address_us(self) -> None:
        robots = RobotsFile("User-agent: crawler\nDisallow: /\n")
        (answer,) = answers_of(robots, "/")
        assert is_allowed(answer)

    def test_the_pause_a_host_asks_for_is_passed_on_with_every_answer(self) -> None:
        robots = RobotsFile("User-agent: *\nCrawl-delay: 7.5\nDisallow: /private\n")
        answers = answers_of(robots, "/", "/private")
        assert [answer.host_delay_s for answer in answers] == [7.5, 7.5]

    @pytest.mark.parametrize("delay", ["-3", "soon", "nan", "inf"])
    def test_a_pause_that_is_no_number_of_seconds_is_ignored(self, delay: str) -> None:
        (answer,) = answers_of(RobotsFile(f"User-agent: *\nCrawl-delay: {delay}\n"), "/")
        assert answer.host_delay_s == 0

    def test_robots_txt_may_be_told_not_to_count(self) -> None:
        robots = RobotsFile("User-agent: *\nDisallow: /\n")

        async def scenario() -> Answer:
            async with (
                serve({"/": PAGE, "/robots.txt": robots}) as root,
                opened(politeness=PolitenessSettings(obey_robots=False)) as fetcher,
            ):
                return await fetcher.fetch(root)

        assert is_allowed(asyncio.run(scenario()))
        assert robots.requests == 0

    @pytest.mark.parametrize(
        ("user_agent", "product"),
        [
            (USER_AGENT, "Honeyguide"),
            ("Surveyor", "Surveyor"),
            ("Mozilla/5.0 (compatible; Surveyor/2.0; +https://example.org)", "Surveyor"),
        ],
    )
    def test_the_name_robots_txt_knows_us_by_is_the_product(self, user_agent: str, product: str) -> None:
        assert product_of(user_agent) == product


class TestFilesThatAreNotThere:
    @pytest.mark.parametrize("status", [401, 403, 404, 410])
    def test_a_missing_file_allows_everything(self, status: int) -> None:
        (answer,) = answers_of(RobotsFile(status=status), "/")
        assert is_allowed(answer)

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_server_in_trouble_allows_nothing(self, status: int) -> None:
        (answer,) = answers_of(RobotsFile(status=status), "/")
        assert not is_allowed(answer)

    def test_a_file_that_never_comes_allows_nothing(self) -> None:
        async def silence(request: web.BaseRequest) -> web.Response:
            await asyncio.sleep(60)
            return web.Response()

        (answer,) = answers_of(silence, "/")
        assert not is_allowed(answer)

    def test_a_redirected_file_counts_for_the_host_that_sent_us(self) -> None:
        async def scenario() -> Answer:
            elsewhere = {"/rules": web.Response(text="User-agent: *\nDisallow: /private\n")}
            async with serve(elsewhere) as other:
                moved = web.Response(status=301, headers={"Location": f"{other}rules"})
                async with serve({"/robots.txt": moved}) as root, opened() as fetcher:
                    return await fetcher.fetch(Url.parse("/private", base=root))

        answer = asyncio.run(scenario())
        assert not is_allowed(answer)
        assert answer.robots_fetches == 2

    def test_a_file_redirected_without_end_counts_as_missing(self) -> None:
        loop = web.Response(status=302, headers={"Location": "/robots.txt"})
        (answer,) = answers_of(loop, "/")
        assert is_allowed(answer)
        assert answer.robots_fetches == 6


class TestAwkwardFiles:
    def test_a_huge_file_is_read_up_to_the_limit(self) -> None:
        start = "User-agent: *\nDisallow: /private\n"
        huge = RobotsFile(start + "# padding\n" * 200_000 + "Disallow: /late\n")
        answers = answers_of(huge, "/private", "/late")
        assert [is_allowed(answer) for answer in answers] == [False, True]

    def test_a_rule_cut_in_two_by_the_limit_is_dropped(self) -> None:
        start, rule = "User-agent: *\n", "Disallow: /only-this\n"
        padding = "#" * (500 * 1024 - len(start) - len("Disallow: /") - 1) + "\n"
        (answer,) = answers_of(RobotsFile(start + padding + rule), "/page")
        assert is_allowed(answer)

    def test_a_small_limit_on_pages_does_not_hide_the_rules(self) -> None:
        robots = RobotsFile("User-agent: *\nDisallow: /private\n")

        async def scenario() -> Answer:
            async with (
                serve({"/robots.txt": robots}) as root,
                opened(fetch=FetchSettings(max_body_bytes=5, allow_private=("127.0.0.0/8",))) as fetcher,
            ):
                return await fetcher.fetch(Url.parse("/private", base=root))

        assert not is_allowed(asyncio.run(scenario()))

    def test_a_byte_order_mark_does_not_hide_the_first_line(self) -> None:
        (answer,) = answers_of(RobotsFile("\ufeffUser-agent: *\nDisallow: /\n"), "/")
        assert not is_allowed(answer)

    def test_a_web_page_in_place_of_the_file_allows_everything(self) -> None:
        (answer,) = answers_of(RobotsFile("<!doctype html><title>Oops: not found</title>"), "/")
        assert is_allowed(answer)

    @given(st.binary() | st.text().map(lambda text: f"user-agent: *\ndisallow: {text}".encode()))
    def test_no_garbage_makes_the_rules_fail(self, body: bytes) -> None:
        url = Url.parse("https://example.org/page?q=1")
        rules = rules_of(body)
        rules.refusal_of(url)
        assert rules.delay_s >= 0


def rules_of(body: bytes) -> OriginRules:
    return rules_from(Fetched(200, "text/plain", body), "https://example.org", now=0.0, product="Honeyguide")


AGENTS = ("*", "honeyguide", "HONEY", "guide", "h*", "honey*guide*", "**", "honeyguide-news", "other", "")
LINES = st.one_of(
    st.builds("{}{}".format, st.sampled_from(("user-agent: ", "User agent ", "useragent:")), st.sampled_from(AGENTS)),
    st.builds("{}{}".format, st.sampled_from(("allow: /", "Disallow /", "disalow:/")), st.sampled_from("abc*$")),
    st.sampled_from(
        ("crawl-delay: 3", "crawl-delay 4", "sitemap: /s", "host x", "unknown: /a", "no rule", "# none", "")
    ),
)


class TestFilesThatAreCutDown:
    @given(st.lists(LINES, max_size=20))
    def test_they_say_what_the_whole_file_says(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        whole, ours = Protego.parse(text), rules_of(text.encode())
        for path in ("", "a", "b1", "c", "x"):
            url = Url.parse(f"https://example.org/{path}")
            assert (ours.refusal_of(url) is None) == whole.can_fetch(url.text, "Honeyguide")
        assert ours.delay_s == (whole.crawl_delay("Honeyguide") or 0.0)

    def test_agents_and_rules_do_not_multiply(self) -> None:
        agents = "".join(f"user-agent: {number}\n" for number in range(4_500))
        prefixes = "".join(f"user-agent: {'Honeyguide'[: number % 10 + 1]}{'*' * number}\n" for number in range(400))
        rules = "".join(f"disallow: /{number}\n" for number in range(4_500))
        tracemalloc.start()
        ours = rules_of((agents + prefixes + rules).encode())
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak_bytes < 20_000_000  # the whole file takes 1.6 GB
        assert ours.refusal_of(Url.parse("https://example.org/4499")) is not None

    def test_of_too_many_rules_the_first_count(self) -> None:
        ours = rules_of(b"user-agent: *\n" + b"".join(b"disallow: /%d.\n" % number for number in range(MAX_RULES + 1)))
        assert ours.refusal_of(Url.parse(f"https://example.org/{MAX_RULES - 1}.")) is not None
        assert ours.refusal_of(Url.parse(f"https://example.org/{MAX_RULES}.")) is None

    def test_of_rules_with_wildcards_so_many_count_as_a_url_is_compared_with_in_no_time(self) -> None:
        wild = b"".join(b"disallow: /*/%d.\n" % number for number in range(MAX_RULES - 10))
        ours = rules_of(b"user-agent: *\n" + wild + b"disallow: /plain\ndisallow: /end/*\n")
        refused = ["/a/0.", f"/a/{MAX_WILDCARDS - 1}.", "/plain", "/end/x"]
        assert all(ours.refusal_of(Url.parse(f"https://example.org{path}")) for path in refused)
        assert ours.refusal_of(Url.parse(f"https://example.org/a/{MAX_WILDCARDS}.")) is None

    def test_one_rule_of_nothing_but_wildcards_does_not_count(self) -> None:
        ours = rules_of(b"user-agent: *\ndisallow: /" + b"*a" * (MAX_WILDCARDS + 1) + b"\nallow: /x*\n")
        assert ours.refusal_of(Url.parse("https://example.org/" + "a" * 1000)) is None

    def test_one_that_cannot_be_parsed_is_not_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        kept: list[object] = []

        class Memory:
            def site_file(self, origin: str, path: str = "") -> None:
                return None

            def keep_site_file(self, file: object) -> None:
                kept.append(file)

        def out_of_memory(_text: str) -> Protego:
            raise MemoryError

        async def scenario() -> None:
            async with serve({"/robots.txt": RobotsFile("user-agent: *\ndisallow: /\n")}) as root:
                clock = SimulatedClock()
                inner = HttpFetcher(FetchSettings(allow_private=("127.0.0.0/8",)), clock)
                fetcher = RobotsFetcher(inner, PolitenessSettings(), USER_AGENT, clock, memory=Memory())
                try:
                    await fetcher.fetch(root)
                finally:
                    await fetcher.close()

        monkeypatch.setattr(Protego, "parse", out_of_memory)
        with pytest.raises(MemoryError):
            asyncio.run(scenario())
        assert kept == []


class TestCost:
    def test_the_first_fetch_of_an_origin_carries_the_cost_of_its_file(self) -> None:
        first, second = answers_of(RobotsFile(), "/", "/b")
        assert (first.robots_fetches, second.robots_fetches) == (1, 0)

    def test_fetches_at_once_wait_for_one_request(self) -> None:
        robots = RobotsFile()

        async def scenario() -> list[Answer]:
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened() as fetcher:
                return await asyncio.gather(*(fetcher.fetch(root) for _ in range(20)))

        answers = asyncio.run(scenario())
        assert robots.requests == 1
        assert all(is_allowed(answer) for answer in answers)
        assert sum(answer.robots_fetches for answer in answers) == 1

    def test_a_cancelled_fetch_does_not_take_the_file_from_the_others(self) -> None:
        robots = RobotsFile()

        async def scenario() -> Answer:
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened() as fetcher:
                impatient = asyncio.create_task(fetcher.fetch(root))
                patient = asyncio.create_task(fetcher.fetch(root))
                await asyncio.sleep(0.001)
                impatient.cancel()
                return await patient

        assert is_allowed(asyncio.run(scenario()))
        assert robots.requests == 1

    @pytest.mark.parametrize(("status", "believed_s"), [(200, 24 * 3600), (404, 24 * 3600), (503, 60)])
    def test_an_answer_is_believed_for_its_time_and_then_asked_for_again(self, status: int, believed_s: float) -> None:
        robots, clock = RobotsFile(status=status), SimulatedClock()

        async def scenario() -> list[int]:
            requests = []
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened(clock) as fetcher:
                for moment in (0, believed_s - 1, believed_s):
                    clock.advance_to(moment)
                    await fetcher.fetch(root)
                    requests.append(robots.requests)
            return requests

        assert asyncio.run(scenario()) == [1, 1, 2]

    def test_a_host_that_recovers_is_open_again(self) -> None:
        robots, clock = RobotsFile(status=500), SimulatedClock()

        async def scenario() -> list[bool]:
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened(clock) as fetcher:
                before = await fetcher.fetch(root)
                robots.status = 200
                clock.advance_to(60)
                return [is_allowed(before), is_allowed(await fetcher.fetch(root))]

        assert asyncio.run(scenario()) == [False, True]

    def test_a_fetcher_closes_while_a_file_is_on_its_way_and_twice(self) -> None:
        async def scenario() -> bool:
            async with serve({"/robots.txt": RobotsFile()}) as root, opened() as fetcher:
                waiting = asyncio.create_task(fetcher.fetch(root))
                await asyncio.sleep(0.001)
                await fetcher.close()
                await fetcher.close()
                await asyncio.wait([waiting])
                return waiting.cancelled()

        assert asyncio.run(scenario())


class TestFilesThatCannotBeHad:
    def test_it_is_asked_for_less_and_less_often(self) -> None:
        robots, clock = RobotsFile(status=503), SimulatedClock()

        async def scenario() -> list[float]:
            waits = []
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened(clock) as fetcher:
                for _ in range(8):
                    waits.append((await fetcher.fetch(root)).retry_after_s)
                    clock.advance_to(clock.now() + waits[-1])
            return waits

        assert asyncio.run(scenario()) == [60, 300, 1500, 7500, 37_500, 86_400, 86_400, 86_400]
        assert robots.requests == 8

    def test_retry_after_counts_where_it_is_longer(self) -> None:
        busy = web.Response(status=503, headers={"Retry-After": "200"})
        (answer,) = answers_of(busy, "/")
        assert answer.retry_after_s == 200

    def test_others_are_told_how_long_to_wait_without_a_request(self) -> None:
        robots, clock = RobotsFile(status=500), SimulatedClock()

        async def scenario() -> list[tuple[float, int]]:
            async with serve({"/robots.txt": robots}) as root, opened(clock) as fetcher:
                first = await fetcher.fetch(root)
                clock.advance_to(45.0)
                second = await fetcher.fetch(Url.parse("/other", base=root))
            return [(answer.retry_after_s, answer.robots_fetches) for answer in (first, second)]

        assert asyncio.run(scenario()) == [(60.0, 1), (15.0, 0)]

    def test_a_rule_is_no_trouble_that_passes(self) -> None:
        (answer,) = answers_of(RobotsFile("User-agent: *\nDisallow: /\n"), "/")
        assert answer.retry_after_s == 0

    def test_of_a_host_that_does_not_exist_every_url_has_that_outcome(self) -> None:
        async def scenario() -> list[Answer]:
            async with opened(resolver=PinnedResolver({})) as fetcher:
                return [await fetcher.fetch(Url.parse(f"http://nobody.test/{path}")) for path in ("", "other")]

        for answer in asyncio.run(scenario()):
            assert isinstance(answer.outcome, Failed)
            assert answer.outcome.reason is FailureReason.DNS
            assert answer.retry_after_s == 0

    def test_an_expiry_that_is_too_late_is_of_a_clock_that_was_set_back(self) -> None:
        robots, clock = RobotsFile(), SimulatedClock(1e6)

        async def scenario() -> int:
            async with serve({"/": PAGE, "/robots.txt": robots}) as root, opened(clock) as fetcher:
                await fetcher.fetch(root)
                clock._now = 0.0
                await fetcher.fetch(root)
            return robots.requests

        assert asyncio.run(scenario()) == 2


def test_rules_in_memory_are_bounded_by_the_size_of_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.fetch.robots.MAX_KEPT_BYTES", 2500)

    async def scenario() -> tuple[int, int]:
        routes = {"/": PAGE, "/robots.txt": web.Response(text="#" * 1000)}
        async with serve(routes) as first, serve(routes) as second, serve(routes) as third, opened() as fetcher:
            for root in (first, second, third, third):
                await fetcher.fetch(root)
            return len(fetcher._rules_by_origin), fetcher._kept_bytes

    assert asyncio.run(scenario()) == (2, 2000)
