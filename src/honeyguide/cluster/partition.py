"""Which shard has a host: by its registered domain, so that a site with all its hosts is in one place."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import xxhash

from honeyguide.model import registered_domain

if TYPE_CHECKING:
    from honeyguide.model import HostKey, Url

HOSTS_KEPT: Final = 1 << 16


class Partition:
    """Rendezvous hashing: a domain belongs to the shard whose hash with it is highest. Nobody has to be asked."""

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self._shard_of_host = lru_cache(HOSTS_KEPT)(self._highest)

    def shard_of(self, url: Url) -> int:
        """Return the shard that has the host of a URL."""
        return self._shard_of_host(url.host)

    def _highest(self, host: HostKey) -> int:
        domain = registered_domain(host).encode()
        return max(range(self.shards), key=lambda shard: xxhash.xxh3_64_intdigest(domain, seed=shard + 1))
