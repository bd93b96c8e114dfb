"""How the honest web leads into a trap: comments under a few pages, and references to an encyclopaedia under many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.spec import Scenario
from honeyguide.worlds.synthetic.traps.trap import tag

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.traps.trap import Ground, Trap

_PAGE, _REFERENCE, _WORDS = range(20, 23)
_REFERRING: Final = 12  # one honest page in so many refers to the encyclopaedia


class Mentions(Protocol):
    """What honest pages say of a trap."""

    def under(self, page: int) -> str:
        """Markup at the end of a numbered page; mostly empty."""
        ...

    def on_portal(self, portal: int) -> str:
        """Markup at the end of a portal's front page."""
        ...


class Comments:
    """So many comments as `trap_entrances`, each with a link into the trap.

    The first stand on the front pages of the portals, one on each, and the others under numbered pages, popular ones
    rather than others.
    """

    def __init__(self, ground: Ground, trap: Trap) -> None:
        spec, clusters = ground.layout.spec, ground.layout.open_clusters
        comments = [_comment(ground, trap.entrance(number), number) for number in range(spec.trap_entrances)]
        self._on_portals = comments[: spec.portals]
        self._markup: dict[int, str] = {}
        for number, comment in enumerate(comments[spec.portals :]):
            chance = (ground.key(_PAGE, number) & 0xFFFF) / 65536
            # The first page of a cluster always arrives.
            page = int(clusters[int(chance * chance * len(clusters))]) * spec.cluster_pages
            self._markup[page] = self._markup.get(page, "\n<h2>Comments</h2>") + comment

    def under(self, page: int) -> str:
        return self._markup.get(page, "")

    def on_portal(self, portal: int) -> str:
        return "\n<h2>Guest book</h2>" + self._on_portals[portal] if portal < len(self._on_portals) else ""


class References:
    """Pages on all hosts that refer to one to three articles."""

    def __init__(self, ground: Ground, trap: Trap) -> None:
        self._key = ground.key(_REFERENCE)
        self._trap = trap

    def under(self, page: int) -> str:
        key = hash_int(self._key, page)
        if key % _REFERRING:
            return ""
        links = [
            tag(self._trap.entrance(hash_int(key, place)), "the encyclopaedia") for place in range(1 + (key >> 8) % 3)
        ]
        return f"\n<p>See {', '.join(links)}.</p>"

    def on_portal(self, portal: int) -> str:
        return f"\n<p>See {tag(self._trap.entrance(portal), 'the encyclopaedia')}.</p>"


class NoMentions:
    """The honest web alone."""

    def under(self, page: int) -> str:  # noqa: ARG002 - nothing is said anywhere
        return ""

    def on_portal(self, portal: int) -> str:  # noqa: ARG002 - nothing is said anywhere
        return ""


def _comment(ground: Ground, target: str, number: int) -> str:
    words = ground.words(ground.key(_WORDS, number), 12)
    link = tag(target, " ".join(words[6:8]))
    return f"\n<p>{' '.join(words[:6]).capitalize()} {link} {' '.join(words[8:])}.</p>"


def mentions_of(trap: Trap | None, ground: Ground) -> Mentions:
    """How the pages of this web lead into its trap."""
    if trap is None:
        return NoMentions()
    is_encyclopaedia = ground.layout.spec.trap == Scenario.ENCYCLOPAEDIA
    return References(ground, trap) if is_encyclopaedia else Comments(ground, trap)
