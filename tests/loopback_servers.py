"""Servers on many addresses of this machine, in a thread of their own, with a log of who was asked when."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = Callable[[web.BaseRequest], web.Response]

CLOCKS_DIFFER_S = 0.002  # between the end of an answer as the server and as the client sees it


@dataclass
class Served:
    """One request as the server saw it."""

    host: str  # as the client named it
    address: str  # at which it came in
    path: str
    began_at: float
    ended_at: float = 0.0
    is_answered: bool = False  # else the client hung up

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


@dataclass
class LoopbackServers:
    """Every address 127.x.y.z at one port."""

    port: int = 0
    log: list[Served] = field(default_factory=list)

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def times(self) -> Counter[str]:
        return Counter(served.url for served in self.log)

    def gaps_s(self, key: Callable[[Served], str]) -> dict[str, list[float]]:
        """By host or address, the seconds between the end of each request and the beginning of the next."""
        by_key: dict[str, list[Served]] = defaultdict(list)
        for served in sorted(self.log, key=lambda one: one.began_at):
            by_key[key(served)].append(served)
        return {
            name: [later.began_at - earlier.ended_at for earlier, later in pairwise(requests)]
            for name, requests in by_key.items()
        }

    def wait_for(self, is_there: Callable[[], bool], patience_s: float = 30.0) -> None:
        """Until something shows in the log."""
        gives_up_at = time.monotonic() + patience_s
        while not is_there():
            assert time.monotonic() < gives_up_at, f"nothing of the kind among {len(self.log)} requests"
            time.sleep(0.01)


@contextmanager
def loopback_servers(answer: Answer, response_s: float = 0.0) -> Iterator[LoopbackServers]:
    """Serve until the end of the block."""
    servers = LoopbackServers()
    loop = asyncio.new_event_loop()
    is_up, is_over = threading.Event(), asyncio.Event()

    async def handle(request: web.BaseRequest) -> web.Response:
        assert request.transport is not None
        address = request.transport.get_extra_info("sockname")[0]
        served = Served(request.host, address, request.path, time.time())
        servers.log.append(served)
        try:
            await asyncio.sleep(response_s)
            served.is_answered = True
            return answer(request)
        finally:
            served.ended_at = time.time()

    async def main() -> None:
        server = web.Server(handle, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "0.0.0.0", 0).start()
        servers.port = runner.addresses[0][1]
        is_up.set()
        await is_over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    is_up.wait()
    try:
        yield servers
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join()
        loop.close()
