"""The synthetic web as a world: any of its URLs answered from the spec alone, in process, with simulated time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from honeyguide.errors import WorldError
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Outcome, Redirected, RefusalReason, Refused, Url
from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.layout import Layout
from honeyguide.worlds.synthetic.pages import ListWriter, PageWriter
from honeyguide.worlds.synthetic.places import (
    AddressBook,
    AliasPlace,
    FilePlace,
    ListPlace,
    NumberedPage,
    PageKind,
    RobotsPlace,
    TraitTable,
)
from honeyguide.worlds.synthetic.prose import Chrome
from honeyguide.worlds.synthetic.spec import SyntheticSpec
from honeyguide.worlds.synthetic.trap import Truth, WebParts, build_trap, trap_topic, url_key
from honeyguide.worlds.synthetic.words import TOPICS, Lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.settings import Settings
    from honeyguide.worlds.synthetic.layout import Host
    from honeyguide.worlds.synthetic.places import Place

HTML: Final = "text/html; charset=utf-8"
_TEXT: Final = "text/plain; charset=utf-8"
TIMEOUT_S: Final = 30.0
"""Simulated seconds after which a page that hangs is given up."""

_CONTENT_TYPES: Final = {"pdf": "application/pdf", "png": "image/png"}
_FILE_STARTS: Final = {"pdf": b"%PDF-1.4\n", "png": b"\x89PNG\r\n\x1a\n"}
_MISSING: Final = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
_LATENCY, _FAILURE, _ALIAS = range(500, 503)
_CHUNK: Final = 1 << 16


_lexicon = lru_cache(maxsize=2)(Lexicon)  # never changed, and slow to make
"""Return the words of a web with these topics."""


class SyntheticWorld:
    """A `World` computed on demand; equal specs give equal answers, byte for byte, in any order.

    What `topic_of` and `on_topic_pages` know is for grading a crawl and is nowhere on the pages but in their words; so
    is `truth`. `trap_topic` is the topic whose crawlers the trap of the spec is for: its pages are often about that.
    """

    is_offline = True
    writes_pages = True

    def __init__(self, spec: SyntheticSpec | None = None, *, obey_robots: bool = True) -> None:
        self.spec = spec or SyntheticSpec()
        self._obeys_robots = obey_robots
        topics = TOPICS[: self.spec.topics]
        lexicon = _lexicon(topics)
        self._topics = {topic.name: topic for topic in topics}
        self._layout = layout = Layout(self.spec)
        self._traits = TraitTable(layout, lexicon)
        self._addresses = AddressBook(layout, lexicon, self._traits)
        chrome = Chrome(layout, self._traits, self._addresses)
        web = WebParts(layout, lexicon, self._traits, self._addresses, chrome)
        self._trap = build_trap(self.spec.trap, web)
        self.trap_topic = self.topic_names[trap_topic(layout)]
        self._hosts = {host.name: host for host in (*layout.hosts, *self._trap.hosts)}
        self._pages = PageWriter(web, self._trap)
        self._lists = ListWriter(web, self._trap)
        self._count_on_topic = lru_cache(maxsize=1)(self._count_by_topic)

    @classmethod
    def open(cls, spec: str, settings: Settings) -> SyntheticWorld:
        """Make the world that stands behind `synthetic:` in the settings."""
        return cls(SyntheticSpec.parse(spec), obey_robots=settings.politeness.obey_robots)

    async def fetch(self, url: Url) -> Answer:
        return self.answer(url)

    def answer(self, url: Url) -> Answer:
        """Answer as `fetch` does, without a coroutine."""
        host = self._host(url)
        if host is None:
            return Answer(Failed(FailureReason.CONNECTION, f"no such host: {url.host}"), elapsed_s=0.05)
        if self._obeys_robots and not host.allows(url.path):
            detail = f"robots.txt of {host.name} closes /{host.closed_section}/"
            return Answer(Refused(RefusalReason.ROBOTS, detail), elapsed_s=0.0, host_delay_s=host.crawl_delay_s)
        return self.serve(url)

    def serve(self, url: Url) -> Answer:
        """Answer as the host would, whatever its robots.txt says."""
        host = self._host(url)
        place = self._addresses.find(url) if host is not None else None
        if host is not None and place is None and (trapped := self._trapped(host, url)) is not None:
            return Answer(trapped, self._trap_elapsed_s(host, url), host.crawl_delay_s)
        if host is None or place is None or (host.has_lost(url.path) and not isinstance(place, RobotsPlace)):
            latency_s = host.latency_s if host is not None else 0.05
            return Answer(_MISSING, latency_s, host.crawl_delay_s if host is not None else 0.0)
        outcome = self._outcome(place)
        return Answer(outcome, self._elapsed_s(host, place, outcome), host.crawl_delay_s)

    def entry_urls(self) -> Sequence[Url]:
        """Return the front pages of the portals."""
        return tuple(Url.parse(self._addresses.home(portal)) for portal in range(self.spec.portals))

    async def close(self) -> None:
        """Nothing is held."""

    @property
    def host_names(self) -> tuple[str, ...]:
        return tuple(self._hosts)

    @property
    def robots_txt_by_host(self) -> Mapping[str, str]:
        return {host.name: host.robots_txt for host in self._hosts.values()}

    @property
    def topic_names(self) -> tuple[str, ...]:
        return tuple(self._topics)

    def keywords_for(self, topic: str) -> tuple[str, ...]:
        """Return the few words a person would type to look for a topic."""
        if topic not in self._topics:
            raise WorldError(f"synthetic web: no topic {topic!r}; it has {', '.join(self._topics)}")
        return self._topics[topic].keywords

    def url_of(self, page: int) -> Url:
        """Return the address of a numbered page, from 0 up to `spec.pages`."""
        return Url.parse(self._addresses.page(page))

    def topic_of(self, url: Url) -> str | None:
        """For grading: what a page is about; None for what is about nothing in particular, or no page that arrives."""
        place = self._addresses.find(url)
        if not isinstance(place, NumberedPage) or self._hosts[url.host].has_lost(url.path):
            return None
        topic = int(place.traits.topics[0])
        return None if topic == self._layout.no_topic or place.traits.is_failing[0] else self.topic_names[topic]

    def truth(self, url: Url) -> Truth | None:
        """For grading: what the page at an address really is; None where there is none, as `serve` would say.

        An address that redirects, fails or shows a file is one of the honest web.
        """
        place = self._addresses.find(url)
        if place is None:
            return self._trap_truth(url)
        if isinstance(place, NumberedPage) and place.traits.kinds[0] == PageKind.COPY:
            return Truth("", url.text, nearly=self._addresses.page(self._traits.original(place.page)))
        return Truth("", url.text)

    def on_topic_pages(self, topic: str) -> int:
        """For grading: how many pages are about a topic and can be had. The first call looks at every page."""
        self.keywords_for(topic)
        return self._count_on_topic()[self.topic_names.index(topic)]

    def _count_by_topic(self) -> tuple[int, ...]:
        counts = np.zeros(self._layout.no_topic + 1, dtype=np.int64)
        closed = np.array([bool(host.closed_section) for host in self._layout.hosts])
        last = np.array([len(host.sections) - 1 for host in self._layout.hosts])
        hosts = self._layout.cluster_host
        is_closed = closed[hosts] & (self._layout.cluster_section == last[hosts])
        sections = self._layout.cluster_section.tolist()
        owners = [self._layout.hosts[host] for host in hosts.tolist()]
        is_closed |= np.array(
            [
                host.is_gone or host.sections[place] in host.lost_sections
                for host, place in zip(owners, sections, strict=True)
            ]
        )
        for start in range(0, self.spec.pages, _CHUNK):
            traits = self._traits.of(np.arange(start, min(start + _CHUNK, self.spec.pages), dtype=np.int64))
            can_be_had = ~traits.is_failing & ~is_closed[traits.clusters]
            counts += np.bincount(traits.topics[can_be_had], minlength=len(counts))
        return tuple(counts.tolist())

    def _host(self, url: Url) -> Host | None:
        return self._hosts.get(url.host) if url.scheme == "http" else None

    def _trapped(self, host: Host, url: Url) -> Fetched | None:
        """Return the trap's page at an address where the honest web has none."""
        if url.path_and_query == "/robots.txt":
            return Fetched(200, _TEXT, host.robots_txt.encode())
        body = self._trap.page(url)
        return None if body is None else Fetched(200, HTML, body)

    def _trap_truth(self, url: Url) -> Truth | None:
        if self._host(url) is None:
            return None
        return Truth("", url.text) if url.path_and_query == "/robots.txt" else self._trap.truth(url)

    def _trap_elapsed_s(self, host: Host, url: Url) -> float:
        tail = 1.0 / (1.0 - (url_key(url) & 0xFFFF) / 65537)
        return round(min(host.latency_s * tail**0.5, TIMEOUT_S / 2), 4)

    def _outcome(self, place: Place) -> Outcome:
        match place:
            case NumberedPage():
                return self._page(place)
            case ListPlace(host, section, number):
                body = self._lists.home(host) if section < 0 else self._lists.section(host, section, number)
                return Fetched(200, HTML, body)
            case AliasPlace():
                return self._redirect(place)
            case FilePlace(page, ending):
                filler = hash_int(self.spec.seed, page).to_bytes(8, "big") * 16
                return Fetched(200, _CONTENT_TYPES[ending], _FILE_STARTS[ending] + filler)
            case RobotsPlace(host):
                return Fetched(200, _TEXT, self._layout.hosts[host].robots_txt.encode())
            case _:
                assert_never(place)

    def _page(self, place: NumberedPage) -> Outcome:
        if not place.traits.is_failing[0]:
            return Fetched(200, HTML, self._pages.write(place.traits))
        match self._layout.key(_FAILURE, place.page) % 5:
            case 0 | 1:
                return Failed(FailureReason.HTTP_STATUS, "500 Internal Server Error", 500)
            case 2:
                return Failed(FailureReason.HTTP_STATUS, "503 Service Unavailable", 503)
            case 3:
                return Failed(FailureReason.TIMEOUT, f"no answer within {TIMEOUT_S:g} s")
            case _:
                return Failed(FailureReason.CONNECTION, "the server closed the connection without an answer")

    def _redirect(self, place: AliasPlace) -> Outcome:
        """Mostly straight to the page; one in five takes a second hop, and one in fifty comes back round."""
        draw = self._layout.key(_ALIAS, place.page)
        status = (301, 302)[(draw >> 16) % 2]
        is_loop, is_chain = draw % 50 == 0, draw % 50 <= 10
        if place.has_moved and not is_chain:
            return _MISSING
        if place.has_moved and is_loop:
            target = self._addresses.alias(place.page, place.host)
        elif is_chain and not place.has_moved:
            target = self._addresses.alias(place.page, place.host, has_moved=True)
        else:
            target = self._addresses.page(place.page)
        return Redirected(status, Url.parse(target))

    def _elapsed_s(self, host: Host, place: Place, outcome: Outcome) -> float:
        """Return the host's latency with a heavy tail; seconds for a slow page, the limit for one that hangs."""
        if isinstance(outcome, Failed) and outcome.reason is FailureReason.TIMEOUT:
            return TIMEOUT_S
        draw = self._layout.key(_LATENCY, hash_int(*_numbers(place)))
        tail = 1.0 / (1.0 - (draw & 0xFFFF) / 65537)
        elapsed_s = host.latency_s * tail**0.5
        if isinstance(place, NumberedPage) and (draw >> 16) & 0xFFFF < self.spec.slow_share * 65536:
            elapsed_s += 1.0 + tail**0.7
        return round(min(elapsed_s, TIMEOUT_S / 2), 4)


def _numbers(place: Place) -> tuple[int, ...]:
    """Return a place as numbers to hash."""
    match place:
        case NumberedPage():
            return (0, place.page)
        case ListPlace(host, section, number):
            return (1, host, section + 1, number)
        case AliasPlace(page, host, has_moved):
            return (2, page, host, int(has_moved))
        case FilePlace(page, _):
            return (3, page)
        case RobotsPlace(host):
            return (4, host)
        case _:
            assert_never(place)
