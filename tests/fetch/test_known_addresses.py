"""Where hosts are: look-ups remembered for those who ask and those who connect."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.fetch import KnownAddresses, canonical_address
from honeyguide.model import Url
from honeyguide.model.clock import SimulatedClock

if TYPE_CHECKING:
    from collections.abc import Sequence

HOST = Url.parse("http://a.test/page")


class Names(AbstractResolver):
    """Answers in turn; an exception is raised."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append((host, port))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        kinds = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in answer]
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)
            for address, kind in zip(answer, kinds, strict=True)
        ]

    async def close(self) -> None:
        self.answers.clear()


def test_a_host_is_looked_up_once_a_minute_whoever_wants_to_know() -> None:
    names, clock = Names(["192.0.2.1", "2001:db8::1"], ["192.0.2.2"]), SimulatedClock()
    known = KnownAddresses(names, clock)

    async def scenario() -> None:
        assert await known.of(HOST) == {"192.0.2.1", "2001:db8::1"}
        assert [found["host"] for found in await known.resolve("a.test", 80)] == ["192.0.2.1", "2001:db8::1"]
        assert [found["host"] for found in await known.resolve("a.test", 80, socket.AF_INET)] == ["192.0.2.1"]
        clock.advance_to(60.0)
        assert [found["host"] for found in await known.resolve("a.test", 80)] == ["192.0.2.1", "2001:db8::1"]
        assert await known.of(HOST) == {"192.0.2.2"}
        assert [found["host"] for found in await known.resolve("a.test", 80)] == ["192.0.2.2"]

    asyncio.run(scenario())
    assert names.asked == [("a.test", 80)] * 2


def test_a_connection_that_is_kept_may_lead_to_where_the_host_was() -> None:
    names, clock = Names(["192.0.2.1"], ["192.0.2.2"]), SimulatedClock()
    known = KnownAddresses(names, clock)

    async def scenario() -> None:
        await known.of(HOST)
        known.note(HOST, "192.0.2.1")
        clock.advance_to(60.0)
        assert await known.of(HOST) == {"192.0.2.1", "192.0.2.2"}

    asyncio.run(scenario())


@pytest.mark.parametrize("trouble", [socket.gaierror(socket.EAI_NONAME, "unknown"), UnicodeError("label too long")])
def test_a_host_that_is_not_found_has_no_address_and_is_looked_up_again_soon(trouble: Exception) -> None:
    names, clock = Names(trouble, ["192.0.2.1"]), SimulatedClock()
    known = KnownAddresses(names, clock)

    async def scenario() -> None:
        assert await known.of(HOST) == frozenset()
        with pytest.raises(socket.gaierror):
            await known.resolve("a.test", 80)
        clock.advance_to(5.0)
        assert await known.of(HOST) == {"192.0.2.1"}

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://192.0.2.1/", "192.0.2.1"),
        ("http://192.0.2.1:8080/", "192.0.2.1"),
        ("http://[2001:db8:0::1]/", "2001:db8::1"),
        ("https://[2001:db8::1]:8443/", "2001:db8::1"),
        ("http://[::ffff:192.0.2.1]/", "192.0.2.1"),
    ],
)
def test_a_number_is_its_own_address(url: str, address: str) -> None:
    assert asyncio.run(KnownAddresses(Names(), SimulatedClock()).of(Url.parse(url))) == {address}


@pytest.mark.parametrize(("url", "port"), [("http://a.test/", 80), ("https://a.test/", 443), ("http://a.test:81/", 81)])
def test_a_host_is_looked_up_at_its_port(url: str, port: int) -> None:
    names = Names(["192.0.2.1"])
    asyncio.run(KnownAddresses(names, SimulatedClock()).of(Url.parse(url)))
    assert names.asked == [("a.test", port)]


def test_names_are_forgotten_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.fetch.addresses.NAMES_KEPT", 2)
    names = Names(*[["192.0.2.1"]] * 4)
    known = KnownAddresses(names, SimulatedClock())

    async def scenario() -> None:
        for name in ("a", "b", "c", "a"):
            await known.of(Url.parse(f"http://{name}.test/"))

    asyncio.run(scenario())
    assert len(names.asked) == 4


@pytest.mark.parametrize(("text", "canonical"), [("fe80::1%eth0", "fe80::1"), ("a.test", ""), ("", ""), ("1.2.3", "")])
def test_an_address_has_one_form(text: str, canonical: str) -> None:
    assert canonical_address(text) == canonical
