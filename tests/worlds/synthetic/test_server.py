"""The synthetic web over real HTTP, on loopback."""

from __future__ import annotations

import asyncio
import ipaddress
import urllib.request

import aiohttp
import pytest

from honeyguide.fetch.addresses import PinnedResolver
from honeyguide.model import Failed, FailureReason, Fetched, Outcome, Redirected, Url
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.synthetic.server import Pace, SyntheticServer

SPEC = SyntheticSpec(pages=600, hosts=12, failing_share=0.1)


def _client(server: SyntheticServer) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(resolver=PinnedResolver(server.addresses), force_close=True)
    return aiohttp.ClientSession(connector=connector)


async def _get(client: aiohttp.ClientSession, url: str) -> tuple[int, str, str, bytes]:
    async with client.get(url, allow_redirects=False) as response:
        headers = response.headers
        return response.status, headers.get("Content-Type", ""), headers.get("Location", ""), await response.read()


async def _matches(client: aiohttp.ClientSession, url: Url, outcome: Outcome) -> bool:
    match outcome:
        case Fetched(status, content_type, body):
            return await _get(client, url.text) == (status, content_type, "", body)
        case Redirected(status, target):
            got = await _get(client, url.text)
            return (got[0], got[2]) == (status, target.text)
        case Failed(_, _, None):
            with pytest.raises(aiohttp.ClientError):
                await _get(client, url.text)
            return True
        case Failed(_, _, status):
            return (await _get(client, url.text))[0] == status
        case _:
            return False


def test_served_bytes_are_those_of_the_world_in_process() -> None:
    world = SyntheticWorld(SPEC)
    urls = [world.url_of(page) for page in range(0, 600, 3)]
    urls += world.entry_urls()
    for page in range(0, 600, 20):
        urls += [Url.parse(f"{world.url_of(page).origin}/{rest}") for rest in ("robots.txt", "nothing", f"go/{page}")]

    async def compare() -> None:
        async with SyntheticServer(world) as server, _client(server) as client:
            for url in urls:
                assert await _matches(client, url, world.serve(url).outcome), url

    asyncio.run(compare())


def test_every_host_has_a_loopback_address_of_its_own_and_one_port() -> None:
    async def addresses() -> dict[str, tuple[str, int]]:
        async with SyntheticServer(SyntheticWorld(SPEC)) as server:
            return dict(server.addresses)

    found = asyncio.run(addresses())

    assert len({address for address, _ in found.values()}) == len(found) == 12
    assert len({port for _, port in found.values()}) == 1
    assert all(ipaddress.ip_address(address).is_loopback for address, _ in found.values())


def test_a_host_is_not_served_at_the_address_of_another() -> None:
    async def ask() -> int:
        async with SyntheticServer(SyntheticWorld(SPEC)) as server:
            one, other = list(server.addresses)[:2]
            crossed = {one: server.addresses[other]}
            connector = aiohttp.TCPConnector(resolver=PinnedResolver(crossed))
            async with aiohttp.ClientSession(connector=connector) as client:
                return (await _get(client, f"http://{one}/"))[0]

    assert asyncio.run(ask()) == 404


def test_requests_are_recorded_in_order() -> None:
    async def ask() -> list[str]:
        async with SyntheticServer(SyntheticWorld(SPEC)) as server, _client(server) as client:
            host = next(iter(server.addresses))
            await _get(client, f"http://{host}/robots.txt")
            await _get(client, f"http://{host}/x?y=1")
            assert server.requests[0].time_s <= server.requests[1].time_s
            return [record.path for record in server.requests if record.host == host]

    assert asyncio.run(ask()) == ["/robots.txt", "/x?y=1"]


def test_simulated_latency_becomes_real_waiting_up_to_a_limit() -> None:
    async def ask() -> float:
        world = SyntheticWorld(SPEC)
        async with SyntheticServer(world, Pace(factor=100.0, longest_s=0.2)) as server, _client(server) as client:
            started = asyncio.get_running_loop().time()
            await _get(client, world.entry_urls()[0].text)
            return asyncio.get_running_loop().time() - started

    assert 0.2 <= asyncio.run(ask()) < 2.0


def test_a_page_that_hangs_outlasts_the_patience_of_a_client() -> None:
    world = SyntheticWorld(SPEC)
    hanging = next(
        url
        for url in map(world.url_of, range(SPEC.pages))
        if isinstance(failed := world.serve(url).outcome, Failed) and failed.reason is FailureReason.TIMEOUT
    )

    async def ask() -> None:
        async with SyntheticServer(world, Pace(hang_s=30.0)) as server, _client(server) as client, asyncio.timeout(0.2):
            await _get(client, hanging.text)

    with pytest.raises(TimeoutError):
        asyncio.run(ask())


def test_a_server_in_a_thread_serves_plain_code_and_stops() -> None:
    world = SyntheticWorld(SPEC)
    with SyntheticServer.in_thread(world) as server:
        name = world.entry_urls()[0].host
        address, port = server.addresses[name]
        request = urllib.request.Request(f"http://{address}:{port}/", headers={"Host": name})
        with urllib.request.urlopen(request, timeout=5) as response:
            body = response.read()

    outcome = world.serve(world.entry_urls()[0]).outcome
    assert isinstance(outcome, Fetched)
    assert body == outcome.body
    assert not server.addresses


def test_closing_twice_is_allowed() -> None:
    async def close_twice() -> SyntheticServer:
        server = SyntheticServer(SyntheticWorld(SPEC))
        await server.open()
        await server.close()
        await server.close()
        return server

    assert not asyncio.run(close_twice()).addresses


def test_the_resolver_refuses_every_host_it_was_not_given() -> None:
    async def ask(host: str) -> None:
        async with SyntheticServer(SyntheticWorld(SPEC)) as server, _client(server) as client:
            await _get(client, f"http://{host}/")

    for host in ("example.com", "localhost", "portal1.test.example"):
        with pytest.raises(aiohttp.ClientConnectorError, match="is not one of the 12 hosts"):
            asyncio.run(ask(host))
