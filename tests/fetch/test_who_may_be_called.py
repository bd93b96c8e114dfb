"""HttpFetcher and the addresses behind its URLs: looked at when they are called, however they came about."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.fetch import HttpFetcher, RobotsFetcher, connections
from honeyguide.model import Answer, Fetched, RefusalReason, Refused, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings, PolitenessSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

PUBLIC, PRIVATE = "127.0.0.2", "127.0.0.1"
"""Both are on this machine; the tests that need a public address have the first taken for one."""


class Names(AbstractResolver):
    """Answers every name with the next of some lists of addresses, and the last one for ever."""

    def __init__(self, port: int, *answers: list[str]) -> None:
        self.port = port
        self.answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            ResolveResult(hostname=host, host=each, port=self.port, family=socket.AF_INET, proto=0, flags=0)
            for each in addresses
        ]

    async def close(self) -> None:
        pass


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[int, list[str]]]:
    """A server at both addresses, and where it was called, connection by connection."""
    called: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append(writer.get_extra_info("sockname")[0])
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nrock")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with (
        await asyncio.start_server(answer, PUBLIC, 0) as first,
        await asyncio.start_server(answer, PRIVATE, first.sockets[0].getsockname()[1]),
    ):
        yield first.sockets[0].getsockname()[1], called


def answers(
    ask: Callable[[HttpFetcher, int], Any], *found: list[str], **settings: Any
) -> tuple[list[Answer], list[str]]:
    """What a fetcher answers where names lead to `found`, and where the server was called."""

    async def scenario() -> tuple[list[Answer], list[str]]:
        async with listening() as (port, called):
            fetcher = HttpFetcher(FetchSettings(**settings), RealClock(), Names(port, *found) if found else None)
            try:
                return [await request for request in ask(fetcher, port)], called
            finally:
                await fetcher.close()

    return asyncio.run(scenario())


@pytest.fixture
def first_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "objection_to", lambda address: "" if address == PUBLIC else "a loopback address")


def refusal_of(answer: Answer) -> str:
    assert isinstance(answer.outcome, Refused)
    assert answer.outcome.reason is RefusalReason.ADDRESS
    assert answer.address == ""
    return answer.outcome.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"])
def test_this_machine_is_refused_and_never_connected_to(host: str) -> None:
    (answer,), called = answers(lambda fetcher, port: [fetcher.fetch(Url.parse(f"http://{host}:{port}/"))])
    assert "a loopback address; --allow-private 127.0.0.1 (fetch.allow_private) lifts this" in refusal_of(answer)
    assert called == []


def test_a_name_that_leads_to_this_machine_is_refused() -> None:
    (answer,), called = answers(lambda fetcher, _: [fetcher.fetch(Url.parse("http://evil.test/"))], [PRIVATE])
    assert refusal_of(answer).startswith(f"{PRIVATE} is a loopback address")
    assert called == []


def test_a_person_may_allow_it_and_the_answer_tells_whom_it_called() -> None:
    (answer,), called = answers(
        lambda fetcher, _: [fetcher.fetch(Url.parse("http://here.test/"))], [PRIVATE], allow_private=("127.0.0.0/8",)
    )
    assert isinstance(answer.outcome, Fetched)
    assert (answer.address, called) == (PRIVATE, [PRIVATE])


@pytest.mark.usefixtures("first_is_public")
def test_of_several_addresses_one_that_is_allowed_is_called() -> None:
    (answer,), called = answers(
        lambda fetcher, _: [fetcher.fetch(Url.parse("http://both.test/"))], [PRIVATE, PUBLIC, PRIVATE]
    )
    assert isinstance(answer.outcome, Fetched)
    assert (answer.address, called) == (PUBLIC, [PUBLIC])


@pytest.mark.usefixtures("first_is_public")
def test_a_name_that_leads_elsewhere_the_second_time_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "NAMES_KEPT_S", 0)
    url = Url.parse("http://rebound.test/")
    found, called = answers(lambda fetcher, _: [fetcher.fetch(url) for _ in range(3)], [PUBLIC], [PRIVATE])
    assert isinstance(found[0].outcome, Fetched)
    assert [refusal_of(answer).split()[0] for answer in found[1:]] == [PRIVATE, PRIVATE]
    assert called == [PUBLIC]


def test_a_host_that_is_allowed_and_led_to_a_metadata_service_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look-up that decides is the one whose address is connected to: there is no second between the two."""
    monkeypatch.setattr(connections, "NAMES_KEPT_S", 0)
    url = Url.parse("http://rebound.test/")
    found, called = answers(
        lambda fetcher, _: [fetcher.fetch(url) for _ in range(2)],
        [PRIVATE], ["169.254.169.254"], allow_private=("rebound.test",),
    )  # fmt: skip
    assert isinstance(found[0].outcome, Fetched)
    assert refusal_of(found[1]).startswith("169.254.169.254 is the address of a metadata service")
    assert called == [PRIVATE]


def test_one_host_that_is_allowed_opens_no_other() -> None:
    def ask(fetcher: HttpFetcher, _: int) -> list[Any]:
        return [fetcher.fetch(Url.parse(f"http://{name}.test/")) for name in ("mine", "evil")]

    found, called = answers(ask, [PRIVATE], allow_private=("mine.test",))
    assert isinstance(found[0].outcome, Fetched)
    assert refusal_of(found[1]).startswith(PRIVATE)
    assert called == [PRIVATE]


def test_robots_txt_is_not_asked_for_either() -> None:
    async def scenario() -> tuple[Answer, list[str]]:
        async with listening() as (port, called):
            clock = RealClock()
            http = HttpFetcher(FetchSettings(), clock, Names(port, [PRIVATE]))
            fetcher = RobotsFetcher(http, PolitenessSettings(), "Honeyguide/1", clock)
            try:
                return await fetcher.fetch(Url.parse("http://evil.test/page")), called
            finally:
                await fetcher.close()

    answer, called = asyncio.run(scenario())
    assert PRIVATE in refusal_of(answer)
    assert called == []


def test_a_kept_connection_tells_its_address_too() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nrock")
                await writer.drain()
        except asyncio.IncompleteReadError:
            writer.close()

    async def scenario() -> list[str]:
        async with await asyncio.start_server(answer, PUBLIC, 0) as server:
            url = Url.parse(f"http://{PUBLIC}:{server.sockets[0].getsockname()[1]}/")
            fetcher = HttpFetcher(FetchSettings(allow_private=("127.0.0.0/8",)), RealClock())
            addresses = [(await fetcher.fetch(url)).address for _ in range(2)]
            await fetcher.close()
            return addresses

    assert asyncio.run(scenario()) == [PUBLIC, PUBLIC]


def test_an_address_that_does_not_answer_is_told_as_well() -> None:
    async def scenario() -> Answer:
        with socket.socket() as unused:
            unused.bind((PUBLIC, 0))
            fetcher = HttpFetcher(FetchSettings(allow_private=("127.0.0.0/8",)), RealClock())
            answer = await fetcher.fetch(Url.parse(f"http://{PUBLIC}:{unused.getsockname()[1]}/"))
            await fetcher.close()
            return answer

    assert asyncio.run(scenario()).address == PUBLIC
