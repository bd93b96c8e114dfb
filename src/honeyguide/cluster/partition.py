"""Which shard has a host: by its registered domain, so that a site with all its hosts is in one place."""

from __future__ import annotations

import xxhash

from honeyguide.model import HostKey, Url, registered_domain


class Partition:
    """Rendezvous hashing: a domain belongs to the shard whose hash with it is highest. Nobody has to be asked."""

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self._by_host: dict[HostKey, int] = {}

    def shard_of(self, url: Url) -> int:
        """Return the shard that has the host of a URL."""
        host = url.host
        shard = self._by_host.get(host)
        if shard is None:
            shard = self._by_host[host] = self._highest(registered_domain(host))
        return shard

    def _highest(self, domain: str) -> int:
        name = domain.encode()
        return max(range(self.shards), key=lambda shard: xxhash.xxh3_64_intdigest(name, seed=shard + 1))
