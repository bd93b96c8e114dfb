"""The gate in front of the network: nothing is sent before the host's turn has come, and its address's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain import Answer, Url
    from honeyguide.fetch.fetcher import Fetcher
    from honeyguide.fetch.known_addresses import KnownAddresses
    from honeyguide.fetch.turns import Turns


class GatedFetcher:
    """Asks `inner`, which sends one request for each fetch, when and only when the turn of its host has come.

    Without `addresses` only hosts have turns: behind a proxy, or where the addresses are our own.
    """

    def __init__(self, inner: Fetcher, turns: Turns, addresses: KnownAddresses | None = None) -> None:
        self._inner = inner
        self._turns = turns
        self._addresses = addresses

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Wait for the turn of `url`'s host, then ask for it; once more where a kept connection turned out broken.

        Most hosts that hang up on such a connection have not read the request, but one may have: so it takes another
        turn.
        """
        answer = await self._fetch_in_turn(url, first_bytes)
        return await self._fetch_in_turn(url, first_bytes) if answer.is_of_a_stale_connection else answer

    async def _fetch_in_turn(self, url: Url, first_bytes: int | None) -> Answer:
        while True:
            addresses = await self._addresses_of(url)
            async with self._turns.turn(url.host, sorted(addresses)) as turn:
                if not await self._addresses_of(url) <= addresses:  # the host has moved while we waited
                    turn.is_idle = True
                    continue
                answer = turn.answer = await self._inner.fetch(url, first_bytes=first_bytes)
                if self._addresses is not None:
                    self._addresses.note(url, answer.address)
                return answer

    async def close(self) -> None:
        """Close `inner`, and who knows the addresses; may be called twice."""
        await self._inner.close()
        if self._addresses is not None:
            await self._addresses.close()

    async def _addresses_of(self, url: Url) -> frozenset[str]:
        return frozenset() if self._addresses is None else await self._addresses.of(url)
