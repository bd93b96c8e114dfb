"""The settings of a synthetic web: its size, its seed, and how much of each kind of trouble it has."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields

from honeyguide.errors import WorldError
from honeyguide.worlds.synthetic.trap import NO_TRAP, trap_names
from honeyguide.worlds.synthetic.words import TOPICS

MIN_PAGES = 200
MAX_PAGES = 1_000_000_000
MIN_HOSTS = 4
MAX_HOSTS = 50_000  # each needs a name and, served over HTTP, an address of its own
MIN_TOPICS = 4


@dataclass(frozen=True, slots=True)
class SyntheticSpec:
    """A synthetic web, whole: equal specs are equal webs, byte for byte. Shares are fractions from 0 to 1."""

    seed: int = 0  # of everything random
    pages: int = 20_000  # numbered pages; home pages, section lists, files and redirects come on top
    hosts: int = 120  # portals included; a web with fewer clusters than hosts uses fewer
    topics: int = len(TOPICS)  # how many of the topics there are, from the first
    cluster_pages: int = 25  # pages that share a host, a section and mostly a topic
    mean_words: int = 220  # words of running text on an ordinary page
    mean_links: int = 12  # links in the main text of an ordinary page; the tail is heavy
    general_share: float = 0.10  # clusters about nothing in particular
    stray_share: float = 0.15  # pages that are about another topic than their cluster
    island_share: float = 0.20  # clusters that only bridges lead into
    bridge_share: float = 0.04  # pages that are off-topic link lists leading into islands
    hub_share: float = 0.02  # pages that are long link lists of one topic
    duplicate_share: float = 0.05  # pages that repeat another page but for a few words
    failing_share: float = 0.02  # pages that answer 500 or 503, hang, or drop the connection
    slow_share: float = 0.03  # pages that take seconds
    dead_share: float = 0.04  # links that lead to a 404
    gone_share: float = 0.0  # hosts that are gone: links to them are left, and each leads to a 404
    lost_share: float = 0.0  # sections of the other hosts, their lists included, of which all is a 404
    redirect_share: float = 0.06  # links that lead through one or two redirects, rarely round in a loop
    file_share: float = 0.02  # links that lead to a file that is not HTML
    plain_anchor_share: float = 0.40  # links that say "read more" and the like
    misleading_anchor_share: float = 0.20  # links whose words belong to another topic
    robots_share: float = 0.20  # hosts whose robots.txt closes one of their sections
    crawl_delay_share: float = 0.10  # hosts whose robots.txt asks for a pause
    trap: str = NO_TRAP  # what there is for a crawler to fall into, by its name
    trap_entrances: int = 12  # comments on honest pages that lead into the trap
    trap_topic_share: float = (
        0.50  # pages of a trap's site that are about `SyntheticWorld.trap_topic`, others about any
    )
    encyclopaedia_pages: int = 12_000  # articles of the encyclopaedia
    maze_hosts: int = 100  # hosts of the maze on many hosts
    maze_topical_share: float = 0.25  # words of a maze's text that are a topic's own

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_value(field.name, getattr(self, field.name))
        for names in _EXCLUSIVE:
            if sum(getattr(self, name) for name in names) > 1.0:
                raise WorldError(f"synthetic web: {', '.join(names)} add up to more than 1; lower one of them")

    @classmethod
    def parse(cls, text: str) -> SyntheticSpec:
        """Return the spec that `text` names, as in `seed=3,pages=100_000`; the empty text is the default.

        Raises `WorldError` for an unknown key, a value that is no number and a value that makes no web.
        """
        values: dict[str, int | float | str] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            key, value = _parse_item(item)
            if key in values:
                raise WorldError(f"synthetic web: {key} is given twice; leave one out")
            values[key] = value
        return cls(**values)  # type: ignore[arg-type] # each value has been read as its field's own type

    @property
    def clusters(self) -> int:
        return -(-self.pages // self.cluster_pages)

    @property
    def portals(self) -> int:
        """Hosts that only point to other hosts."""
        return max(1, min(3, self.hosts // 20))


_TYPES = {field.name: {"float": float, "int": int, "str": str}[str(field.type)] for field in fields(SyntheticSpec)}
_EXCLUSIVE = (
    ("bridge_share", "hub_share", "duplicate_share", "stray_share"),
    ("dead_share", "redirect_share", "file_share"),
    ("plain_anchor_share", "misleading_anchor_share"),
)
_LEAST = {
    "seed": 0, "pages": MIN_PAGES, "hosts": MIN_HOSTS, "topics": MIN_TOPICS, "cluster_pages": 8, "mean_words": 40,
    "mean_links": 4, "encyclopaedia_pages": 1, "maze_hosts": 1,
}  # fmt: skip
_MOST = {
    "seed": 2**63 - 1, "pages": MAX_PAGES, "hosts": MAX_HOSTS, "topics": len(TOPICS), "cluster_pages": 1000,
    "mean_words": 2000, "mean_links": 100, "trap_entrances": 10_000, "encyclopaedia_pages": MAX_PAGES,
    "maze_hosts": 1000,
}  # fmt: skip


def _parse_item(item: str) -> tuple[str, int | float | str]:
    key, equals, value = (part.strip() for part in item.partition("="))
    if not equals:
        raise WorldError(f"synthetic web: {item!r} is not key=value; write it as in seed=3,pages=100000")
    if key not in _TYPES:
        near = difflib.get_close_matches(key, _TYPES, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_TYPES)}"
        raise WorldError(f"synthetic web: unknown key {key!r}; {remedy}")
    kind = _TYPES[key]
    try:
        return key, kind(value)
    except ValueError:
        wanted = "a number from 0 to 1" if kind is float else "a whole number"
        raise WorldError(f"synthetic web: {key}={value!r} is not {wanted}") from None


def _check_value(name: str, value: float | str) -> None:
    if isinstance(value, str):
        if value != NO_TRAP and value not in trap_names():
            near = difflib.get_close_matches(value, trap_names(), n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(trap_names())}"
            if len(trap_names()) == 1:
                remedy = "traps come with honeyguide_lab: install this package again"
            raise WorldError(f"synthetic web: no trap is called {value!r}; {remedy}")
        return
    least, most = _LEAST.get(name, 0), _MOST.get(name, 1)
    if not least <= value <= most:  # also refuses NaN
        raise WorldError(f"synthetic web: {name}={value} is out of range; give {least} to {most}")
