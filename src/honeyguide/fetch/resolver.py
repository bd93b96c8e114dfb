"""A resolver that knows a fixed set of hosts and no others: how a client is kept to the servers of a demo or a test."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver, ResolveResult

if TYPE_CHECKING:
    from collections.abc import Mapping


class PinnedResolver(AbstractResolver):
    """Resolves exactly the hosts it was given, each to its own address and port, and refuses everything else.

    The port given here replaces the one in the URL: aiohttp connects to the port a resolver returns. So the pages of
    `http://host.test/` can be served on any free port. Nothing is ever asked of the network.
    """

    def __init__(self, addresses: Mapping[str, tuple[str, int]]) -> None:
        self._addresses = dict(addresses)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The pinned address of `host`; raises an `OSError` for a host that is not pinned or not of this family."""
        del port
        pinned = self._addresses.get(host)
        if pinned is None or family not in (socket.AF_INET, socket.AF_UNSPEC):
            message = f"{host!r} is not one of the {len(self._addresses)} hosts this client may call"
            raise socket.gaierror(socket.EAI_NONAME, message)
        address, pinned_port = pinned
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=pinned_port,
                family=socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""
