"""The URLs that a crawl has met, in a few small columns beside their text, and the pages that have come from them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from honeyguide.columns import NumbersByHash, grown, release, trim
from honeyguide.frontier import SeenUrls
from honeyguide.learn.dead_ends import FIRST_SIGNS as FIRST_OF_ENDS
from honeyguide.learn.dead_ends import KINDS
from honeyguide.learn.site_parts import FIRST_SIGNS as FIRST_OF_PARTS
from honeyguide.learn.site_parts import SIGNS
from honeyguide.model import HostId, LinkId, LinkState, registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.scope import Scope
    from honeyguide.learn import DeadEnds, SiteParts, Strategy
    from honeyguide.model import HostKey, Page, Rows, Url

_STATES: Final = tuple(LinkState)
NOWHERE: Final = -1  # in place of a page
RELEASED_EVERY: Final = 4096  # links; then cold ones leave memory, where they are in a file, and so does free memory
_COLUMNS: Final = ("_host", "_state", "_hops", "_depth", "_distance", "_found_on", "_carried")


class LinkTable:
    """URLs by number, with host, state, depth, and distance from the last relevant page on the way."""

    def __init__(self) -> None:
        self._seen = SeenUrls()
        self._count = 0
        self._host_by_key: dict[HostKey, HostId] = {}
        self._host_keys: list[HostKey] = []
        self._host = np.zeros(1024, dtype=np.int32)
        self._state = np.zeros(1024, dtype=np.int8)
        self._hops = np.zeros(1024, dtype=np.int16)
        self._depth = np.zeros(1024, dtype=np.int16)
        self._distance = np.zeros(1024, dtype=np.int16)
        self._found_on = np.zeros(1024, dtype=np.int32)
        self._carried = np.zeros(1024, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self._seen)

    def find(self, url: Url) -> LinkId | None:
        return self._seen.find(url)

    def url(self, link: LinkId) -> Url:
        return self._seen.url(link)

    def meet(
        self, url: Url, *, depth: int, distance: int, hops: int = 0, found_on: LinkId | None = None
    ) -> tuple[LinkId, bool]:
        """The number of a URL, and whether it is new; a new one waits. `distance` is that of the page it stands on."""
        link = self._seen.add(url)
        if link < self._count:
            return link, False
        if link >= len(self._state):
            self._grow()
        self._count += 1
        self._host[link] = self.host_id(url.host)
        self._found_on[link] = NOWHERE if found_on is None else found_on
        self.place(link, depth=depth, distance=distance, hops=hops)
        return link, True

    def meet_new(
        self,
        urls: Sequence[Url],
        *,
        depth: NDArray[np.int64],
        distance: NDArray[np.int64],
        found_on: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """The numbers of URLs of which none was met before, and none is there twice; they wait."""
        links = np.arange(self._count, self._count + len(urls))
        self._seen.add_new(urls)
        if (self._count + len(urls)) // RELEASED_EVERY > self._count // RELEASED_EVERY:
            release(getattr(self, name) for name in _COLUMNS)
            trim()
        self._count += len(urls)
        while self._count > len(self._state):
            self._grow()
        self._host[links] = [self.host_id(url.host) for url in urls]
        self._found_on[links] = found_on
        self._depth[links] = np.minimum(depth, 32_767)
        self._distance[links] = np.minimum(distance, 32_767)
        return links

    def place(self, link: LinkId, *, depth: int, distance: int, hops: int = 0) -> None:
        """Note from where a link is now expected to be followed."""
        # Depths beyond 32,767 clicks are traps; they need not be told apart.
        self._depth[link] = min(depth, 32_767)
        self._distance[link] = min(distance, 32_767)
        self._hops[link] = min(hops, 32_767)

    def place_again(self, links: NDArray[np.int64], distances: NDArray[np.int64]) -> None:
        """Note how far the pages that these links stand on are from a relevant one, after they were judged again."""
        self._distance[links] = np.minimum(distances, 32_767)

    def host_id(self, key: HostKey) -> HostId:
        """The number of a host, a new one if it was never met."""
        host = self._host_by_key.get(key)
        if host is None:
            host = self._host_by_key[key] = HostId(len(self._host_keys))
            self._host_keys.append(key)
        return host

    @property
    def host_count(self) -> int:
        """Hosts met."""
        return len(self._host_keys)

    def host_key(self, host: HostId) -> HostKey:
        return self._host_keys[host]

    def hosts(self, links: Sequence[LinkId]) -> list[HostId]:
        return [HostId(host) for host in self._host[np.asarray(links, dtype=np.int64)].tolist()]

    def state(self, link: LinkId) -> LinkState:
        return _STATES[self._state[link]]

    def set_state(self, link: LinkId, state: LinkState) -> None:
        self._state[link] = state

    def set_states(self, links: Sequence[LinkId], state: LinkState) -> None:
        self._state[np.asarray(links, dtype=np.int64)] = state

    def waiting(self) -> NDArray[np.int64]:
        """Every link that waits, in order of discovery. Looks at all links ever met."""
        return np.flatnonzero(self._state[: self._count] == LinkState.WAITING)

    def waiting_among(self, links: Sequence[LinkId]) -> list[LinkId]:
        """Those of some links that wait."""
        if not len(links):
            return []
        numbers = np.asarray(links, dtype=np.int64)
        return [LinkId(link) for link in numbers[self._state[numbers] == LinkState.WAITING].tolist()]

    def waiting_on(self, host: HostId) -> list[LinkId]:
        """The links of one host that wait, in order of discovery. Looks at all links ever met."""
        is_there = (self._state[: self._count] == LinkState.WAITING) & (self._host[: self._count] == host)
        return [LinkId(link) for link in np.flatnonzero(is_there).tolist()]

    def waiting_seeds(self) -> list[LinkId]:
        """Seeds that wait, and links to which seeds have led, in order of discovery. Looks at all links ever met."""
        is_seed = (self._state[: self._count] == LinkState.WAITING) & (self._depth[: self._count] == 0)
        return [LinkId(link) for link in np.flatnonzero(is_seed).tolist()]

    def count_followed(self) -> int:
        """Count the links besides seeds, and those to which seeds have led, that were fetched or are in flight."""
        states = self._state[: self._count]
        is_fetched = (states == LinkState.DONE) | (states == LinkState.IN_FLIGHT)
        return int((is_fetched & (self._depth[: self._count] > 0)).sum())

    def depth(self, link: LinkId) -> int:
        return int(self._depth[link])

    def distance(self, link: LinkId) -> int:
        return int(self._distance[link])

    def hops(self, link: LinkId) -> int:
        return int(self._hops[link])

    def found_on(self, link: LinkId) -> LinkId | None:
        """The page on which a link was met first; None for a seed, and for what a seed has led to."""
        page = int(self._found_on[link])
        return None if page == NOWHERE else LinkId(page)

    def first_met_on(self, pages: Sequence[LinkId]) -> list[LinkId]:
        """The links that were first met on any of these pages, in order of number. Looks at every link."""
        return [LinkId(link) for link in np.flatnonzero(np.isin(self._found_on[: len(self)], pages)).tolist()]

    def carried(self, link: LinkId) -> int:
        """The least demotion among the pages that show a link."""
        return int(self._carried[link])

    def carried_column(self, links: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The same of some links."""
        return self._carried[links]

    def carry(self, link: LinkId, demotion: int) -> None:
        """Note the least demotion among the pages that show a link."""
        self._carried[link] = demotion

    def of_hosts(self, links: NDArray[np.int64], keys: Iterable[HostKey]) -> NDArray[np.int64]:
        """Those of some links that are on these hosts."""
        hosts = [host for key in keys if (host := self._host_by_key.get(key)) is not None]
        return links[np.isin(self._host[links], hosts)]

    def host_column(self, links: NDArray[np.int64]) -> NDArray[np.int32]:
        """The hosts of some links."""
        return self._host[links]

    def asked_by_host(self) -> NDArray[np.int64]:
        """For each host, how many of its links are fetched or being fetched. Looks at all links ever met."""
        states = self._state[: self._count]
        is_asked = (states == LinkState.DONE) | (states == LinkState.IN_FLIGHT)
        return np.bincount(self._host[: self._count][is_asked], minlength=len(self._host_keys))

    def _grow(self) -> None:
        for name in _COLUMNS:
            setattr(self, name, grown(getattr(self, name), 0, fill=0))


FEWEST_WORDS: Final = 20
"""Of the main text: shorter ones are equal by chance."""


class LinkChances:
    """Tells a frontier which of its links are answered, and what their parts of sites add, as a strategy has learned.

    Signs are those of dead ends, then those of parts of sites; each is counted from the first of its kind, which takes
    two bytes.
    """

    sign_count = len(KINDS) + len(SIGNS)
    signs_of_chances = len(KINDS)
    _first = np.array([*FIRST_OF_ENDS, *FIRST_OF_PARTS], dtype=np.int32)

    def __init__(self, links: LinkTable, dead_ends: DeadEnds, site_parts: SiteParts) -> None:
        self._links = links
        self._dead_ends = dead_ends
        self._site_parts = site_parts

    @property
    def changed(self) -> NDArray[np.int32] | None:
        answers, bonuses = self._dead_ends.changed, self._site_parts.changed
        if answers is None or bonuses is None:
            return None
        signs = np.concatenate((answers, bonuses))
        return np.where(signs < 0, signs, signs - self._first)

    def signs(self, links: Sequence[LinkId]) -> NDArray[np.uint16]:
        urls = [self._links.url(link) for link in links]
        of_parts = np.array([self._site_parts.signs(url) for url in urls], dtype=np.int32).reshape(-1, len(SIGNS))
        signs = np.concatenate((self._dead_ends.signs(urls), of_parts), axis=1)
        return (signs - self._first).astype(np.uint16)

    def chances(self, signs: NDArray[np.uint16], rows: Rows) -> NDArray[np.float64]:
        return self._dead_ends.chances((signs + self._first)[:, : len(KINDS)], rows)

    def bonuses(self, signs: NDArray[np.uint16]) -> NDArray[np.float64]:
        return self._site_parts.bonuses((signs + self._first)[:, len(KINDS) :])


def link_chances(links: LinkTable, strategy: Strategy) -> LinkChances | None:
    """Return what a strategy tells of its links beside their scores; None where it tells nothing."""
    if strategy.dead_ends is None or strategy.site_parts is None:
        return None
    return LinkChances(links, strategy.dead_ends, strategy.site_parts)


class Identity(NamedTuple):
    """A hash of a page's main text, and the other address that it calls its own."""

    text: int
    canonical: Url | None


class SamePages:
    """The pages that have come, by the addresses they answer to: their own, and the ones they name.

    A page may name another address as canonical. Its word alone hides nothing: it is taken for the same page only if a
    page with the same main text has come before, at that address or naming it too. So a site whose pages all name its
    front page loses none of them, circles of names end, and a page is never stored twice.
    """

    def __init__(self) -> None:
        self._numbers = NumbersByHash()  # of addresses; what follows is by these numbers
        self._addresses = array("Q")
        self._texts = array("Q")  # hashes of the texts of the pages
        self._links = array("I")

    def same_as(self, url: Url, identity: Identity) -> LinkId | None:
        """The page that has come before and that this one is; None where it is a page of its own."""
        for address in (identity.canonical or url, url):
            known = self._find(_hash(address.text))
            if known is not None and self._texts[known] == identity.text:
                return LinkId(self._links[known])
        return None

    def remember(self, link: LinkId, url: Url, identity: Identity) -> None:
        """A page of its own has come. What it says of its own address counts for more than what others said."""
        own = _hash(url.text)
        known = self._find(own)
        if known is None:
            self._add(own, link, identity)
        else:
            self._links[known], self._texts[known] = link, identity.text
        if identity.canonical is not None and self._find(named := _hash(identity.canonical.text)) is None:
            self._add(named, link, identity)

    def _find(self, address: int) -> int | None:
        return next((number for number in self._numbers.having(address) if self._addresses[number] == address), None)

    def _add(self, address: int, link: LinkId, identity: Identity) -> None:
        self._numbers.extend([address])
        self._addresses.append(address)
        self._texts.append(identity.text)
        self._links.append(link)


def identity_of(page: Page, scope: Scope) -> Identity | None:
    """Return the identity of a page; None where its text is too short to tell.

    An address that it calls its own counts where the crawl may go there, on the same registered domain.
    """
    words = page.main_words
    if len(words) < FEWEST_WORDS:
        return None
    canonical = page.directives.canonical
    if canonical is not None and (
        registered_domain(canonical.host) != registered_domain(page.url.host)
        or scope.objection(canonical, depth=0) is not None
    ):
        canonical = None
    return Identity(_hash(" ".join(words)), canonical)


def _hash(text: str) -> int:
    """A hash that fits SQLite's integers."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace")) >> 1
