"""Who lives where: which host, section and topic each cluster of pages has, and which clusters are islands.

This is all a synthetic web remembers: a few numbers per cluster and a few names per host. What is true of a single page
is computed when it is asked for, in `traits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic import words as common_words
from honeyguide.worlds.synthetic.hashing import Hashes, Ints, hash_each, hash_int, of_65536, quarters, unit
from honeyguide.worlds.synthetic.words import TOPICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.worlds.synthetic.spec import SyntheticSpec

FEEDS: Final = 3
"""Each topic's pages lead to this many other topics more often than chance, and as many lead to it."""

_SPECIALIST_SHARE: Final = 0.65  # hosts that are mostly about one topic
_SPECIALIST_PURITY: Final = 0.7  # of their clusters
_TIDY_SHARE: Final = 0.75  # clusters filed under the section their host keeps for their topic
_SIZE_SLOPE: Final = 0.8  # the n-th largest host has 1 / n^slope as many clusters as the largest
_HOST, _TOPIC, _SECTION, _ORDER, _NAME, _RULES, _FEED, _LOSS = range(100, 108)


@dataclass(frozen=True, slots=True)
class Host:
    """A host: its name, the sections of its site, and what its robots.txt says."""

    name: str
    sections: tuple[str, ...]
    is_portal: bool
    closed_section: str  # "" when robots.txt closes none
    crawl_delay_s: float
    latency_s: float  # of an ordinary answer
    is_gone: bool = False  # every address of it is a 404
    lost_sections: frozenset[str] = frozenset()  # so is every address in these

    @property
    def has_rules(self) -> bool:
        """Whether its robots.txt asks for anything."""
        return bool(self.closed_section or self.crawl_delay_s)

    @property
    def robots_txt(self) -> str:
        lines = ["User-agent: *"]
        lines.append(f"Disallow: /{self.closed_section}/" if self.closed_section else "Disallow:")
        if self.crawl_delay_s:
            lines.append(f"Crawl-delay: {self.crawl_delay_s:g}")
        return "\n".join(lines) + "\n"

    def has_lost(self, path: str) -> bool:
        """Return whether nothing is left at a path that once was there."""
        return self.is_gone or (bool(self.lost_sections) and path.split("/", 2)[1] in self.lost_sections)

    def allows(self, path: str) -> bool:
        """Return whether `robots_txt` allows a path."""
        return not self.closed_section or not path.startswith(f"/{self.closed_section}/")


class Groups:
    """Numbers sorted into groups, kept as one array and its edges; a group may be empty."""

    def __init__(self, members: Ints, group_of_member: Ints, groups: int) -> None:
        order = np.argsort(group_of_member, kind="stable")
        self._members = members[order]
        self._edges = np.searchsorted(group_of_member[order], np.arange(groups + 1))

    def members(self, group: int) -> Ints:
        return self._members[self._edges[group] : self._edges[group + 1]]

    def pick(self, groups: Ints, fractions: NDArray[np.float64]) -> Ints:
        """From each group the member at a fraction of its length; from an empty group, one of its neighbours."""
        starts, ends = self._edges[groups], self._edges[groups + 1]
        places = starts + ((ends - starts) * fractions).astype(np.int64)
        return self._members[np.minimum(places, len(self._members) - 1)]


class Layout:
    """Clusters, hosts and topics of a spec. Numbers: hosts from 0, portals first; "no topic" after the last topic."""

    def __init__(self, spec: SyntheticSpec) -> None:
        self.spec = spec
        self.topic_names = tuple(topic.name for topic in TOPICS[: spec.topics])
        self.no_topic = spec.topics
        numbers = np.arange(spec.clusters, dtype=np.int64)
        content_hosts = min(spec.hosts - spec.portals, spec.clusters)
        self._hosts = spec.portals + content_hosts
        specialties = self._assign_specialties(content_hosts)
        self.cluster_host = self._assign_hosts(numbers, content_hosts) + spec.portals
        self.cluster_topic = self._assign_topics(numbers, specialties[self.cluster_host - spec.portals])
        self.hosts = tuple(self._make_host(number, specialties) for number in range(self._hosts))
        self.host_numbers = {host.name: number for number, host in enumerate(self.hosts)}
        self.cluster_section = self._assign_sections(numbers)
        self.is_island = self._choose_islands(numbers)
        self.feeds = self._draw_feeds()
        self._group_clusters(numbers)

    def key(self, stream: int, *parts: int) -> int:
        return hash_int(self.spec.seed, stream, *parts)

    def hash_each(self, numbers: Ints, stream: int, *parts: int) -> Hashes:
        return hash_each(numbers, np.uint64(self.key(stream, *parts)))

    def section_clusters(self, host: int, section: int) -> Ints:
        """Return the clusters a section list shows: those that are no islands."""
        clusters = self.open_by_host.members(host)
        return clusters[self.cluster_section[clusters] == section]

    def _assign_hosts(self, clusters: Ints, hosts: int) -> Ints:
        """Return the content host of each cluster: each has one, then sizes fall off by a power law."""
        weights = np.arange(1, hosts + 1, dtype=np.float64) ** -_SIZE_SLOPE
        edges = np.cumsum(weights) / weights.sum()
        places = np.searchsorted(edges, unit(self.hash_each(clusters, _HOST))).clip(max=hosts - 1)
        return np.where(clusters < hosts, clusters, places)

    def _assign_specialties(self, content_hosts: int) -> Ints:
        """Return the main topic of each content host. The largest, which would drown the rest, have none."""
        numbers = np.arange(content_hosts, dtype=np.int64)
        parts = quarters(self.hash_each(numbers, _TOPIC, 1))
        is_specialist = (parts[0] < of_65536(_SPECIALIST_SHARE)) & (numbers >= content_hosts // 12)
        return np.where(is_specialist, (numbers * 7 + self.key(_TOPIC, 2) % 1000) % self.spec.topics, self.no_topic)

    def _assign_topics(self, clusters: Ints, specialties: Ints) -> Ints:
        parts = quarters(self.hash_each(clusters, _TOPIC))
        follows = (specialties < self.no_topic) & (parts[0] < of_65536(_SPECIALIST_PURITY))
        topics = np.where(follows, specialties, parts[1] % self.spec.topics)
        return np.where(parts[2] < of_65536(self.spec.general_share), self.no_topic, topics)

    def _assign_sections(self, clusters: Ints) -> Ints:
        """Return the section of each cluster: where a tidy host keeps its topic, or anywhere."""
        parts = quarters(self.hash_each(clusters, _SECTION))
        counts = np.array([len(host.sections) for host in self.hosts])[self.cluster_host]
        is_tidy = parts[0] < of_65536(_TIDY_SHARE)
        return np.where(is_tidy, self.cluster_topic * 5 + self.cluster_host, parts[1]) % counts

    def _choose_islands(self, clusters: Ints) -> NDArray[np.bool_]:
        parts = quarters(self.hash_each(clusters, _ORDER, 1))
        chosen = parts[0] < of_65536(self.spec.island_share)
        return chosen & (self.cluster_topic < self.no_topic) & (clusters >= self._hosts - self.spec.portals)

    def _draw_feeds(self) -> Ints:
        """For each topic (row) the topics it feeds: its successors on three rings drawn from the seed."""
        topics = np.arange(self.spec.topics, dtype=np.int64)
        feeds = np.empty((self.spec.topics + 1, FEEDS), dtype=np.int64)
        for ring in range(FEEDS):
            order = np.argsort(self.hash_each(topics, _FEED, ring))
            feeds[order, ring] = np.roll(order, 1)
        feeds[self.no_topic] = feeds[0]
        return feeds

    def _group_clusters(self, clusters: Ints) -> None:
        """Lists to choose link targets from, in order of popularity, which is drawn from the seed."""
        clusters = clusters[np.argsort(self.hash_each(clusters, _ORDER))]
        topics = self.cluster_topic[clusters]
        is_open = ~self.is_island[clusters]
        groups = self.no_topic + 1
        self.open_clusters = clusters[is_open]
        self.open_by_topic = Groups(clusters[is_open], topics[is_open], groups)
        islands = clusters[~is_open] if not is_open.all() else self.open_clusters
        self.islands_by_topic = Groups(islands, self.cluster_topic[islands], groups)
        self.open_by_host = Groups(self.open_clusters, self.cluster_host[self.open_clusters], self._hosts)

    def _make_host(self, number: int, specialties: Ints) -> Host:
        is_portal = number < self.spec.portals
        specialty = self.no_topic if is_portal else int(specialties[number - self.spec.portals])
        draw = self.key(_RULES, number)
        sections = self._name_sections(draw, specialty)
        closes = not is_portal and draw % 1000 < 1000 * self.spec.robots_share
        loss = self.key(_LOSS, number)
        is_gone = not is_portal and loss % 1000 < 1000 * self.spec.gone_share
        lost = (
            []
            if is_portal
            else [
                section
                for place, section in enumerate(sections)
                if self.key(_LOSS, number, place) % 1000 < 1000 * self.spec.lost_share
            ]
        )
        waits = not is_portal and (draw >> 12) % 1000 < 1000 * self.spec.crawl_delay_share
        return Host(
            name=self._name_host(number, specialty),
            sections=sections,
            is_portal=is_portal,
            closed_section=sections[-1] if closes else "",
            crawl_delay_s=(0.5, 1.0, 2.0, 5.0)[(draw >> 24) % 4] if waits else 0.0,
            latency_s=0.03 + 0.3 * ((draw >> 32) % 1000 / 1000) ** 2,
            is_gone=is_gone,
            lost_sections=frozenset(lost),
        )

    def _name_sections(self, draw: int, specialty: int) -> tuple[str, ...]:
        """Return three to six section names, the first sometimes a word of the host's specialty."""
        count, pool = 3 + (draw >> 44) % 4, common_words.SECTIONS
        names = [pool[(draw // 7 + step * 5) % len(pool)] for step in range(count)]
        if specialty < self.no_topic and (draw >> 50) % 2:
            names[0] = TOPICS[specialty].core[(draw >> 52) % 12]
        return tuple(names)

    def _name_host(self, number: int, specialty: int) -> str:
        if number < self.spec.portals:
            return f"portal{number + 1}.test"
        draw = self.key(_NAME, number)
        words: Sequence[str] = common_words.HOST_WORDS
        if specialty < self.no_topic and draw % 5 < 2:
            words = TOPICS[specialty].core[:16]
        first = words[(draw >> 8) % len(words)]
        return f"{first}-{common_words.HOST_ENDINGS[(draw >> 16) % len(common_words.HOST_ENDINGS)]}{number}.test"
