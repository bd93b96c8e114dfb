"""A host that hangs up on a connection that was kept: asked once more, and not at once."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

from honeyguide.fetch import Gate, GatedFetcher, HostSchedule, HttpFetcher
from honeyguide.model import Fetched, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings, PolitenessSettings

DELAY_S = 0.2
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nrock"


def test_a_request_on_a_broken_connection_takes_another_turn() -> None:
    requests: list[tuple[float, bytes]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Every second request on a connection is read, and not answered."""
        for is_answered in (True, False):
            line = await reader.readline()
            await reader.readuntil(b"\r\n\r\n")
            requests.append((time.monotonic(), line.split()[1]))
            if is_answered:
                writer.write(PAGE)
                await writer.drain()
        writer.close()

    async def scenario() -> list[object]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        clock = RealClock()
        sender = HttpFetcher(FetchSettings(allow_private=True), clock)
        schedule = HostSchedule(PolitenessSettings(delay_s=DELAY_S), FetchSettings(backoff_s=60.0))
        gate = GatedFetcher(sender, Gate(schedule, clock))
        async with server:
            answers = [await gate.fetch(Url.parse(f"http://127.0.0.1:{port}/{name}")) for name in ("a", "b")]
            await gate.close()
        return [one.outcome for one in answers]

    outcomes = asyncio.run(scenario())

    assert all(isinstance(outcome, Fetched) for outcome in outcomes)
    assert [path for _, path in requests] == [b"/a", b"/b", b"/b"]
    times = [moment for moment, _ in requests]
    assert all(later - earlier >= DELAY_S - 0.001 for earlier, later in pairwise(times))
