"""Traps in the synthetic web, one at a time: pages computed from their URLs that a crawler should spend little on.

A `Trap` answers the addresses at which the honest web has nothing, on hosts of its own or beside the honest pages of
one host. `Ground` is what it is built from, and `comments` are how honest pages lead into it. `Truth` says what each
page really is, and `Waste` which fetches of a crawl were for nothing. `docs/traps.md` describes every scenario.
"""

from __future__ import annotations

from typing import assert_never

from honeyguide.worlds.synthetic.spec import Scenario
from honeyguide.worlds.synthetic.traps.comments import Mentions, mentions_of
from honeyguide.worlds.synthetic.traps.copies import Mirrors, SessionIds
from honeyguide.worlds.synthetic.traps.encyclopaedia import Encyclopaedia
from honeyguide.worlds.synthetic.traps.endless_calendar import EndlessCalendar
from honeyguide.worlds.synthetic.traps.lists import Facets, Pagination
from honeyguide.worlds.synthetic.traps.loops import RepeatingSegments, Ring, SelfLink
from honeyguide.worlds.synthetic.traps.maze import Dynamic, Maze
from honeyguide.worlds.synthetic.traps.soft_404 import Soft404
from honeyguide.worlds.synthetic.traps.trap import Door, Ground, Trap, Truth, Waste, url_key

__all__ = ["Door", "Ground", "Mentions", "Scenario", "Trap", "Truth", "Waste", "build_trap", "mentions_of", "url_key"]


def build_trap(ground: Ground) -> Trap | None:  # noqa: C901, PLR0911, PLR0912 - one line for each
    """The trap that the spec of this web names."""
    spec = ground.layout.spec
    match Scenario(spec.trap):
        case Scenario.NONE:
            return None
        case Scenario.SELF_LINK:
            return SelfLink(ground)
        case Scenario.RING:
            return Ring(ground)
        case Scenario.DYNAMIC:
            return Dynamic(ground)
        case Scenario.ENCYCLOPAEDIA:
            return Encyclopaedia(ground)
        case Scenario.CALENDAR:
            return EndlessCalendar(ground)
        case Scenario.FACETS:
            return Facets(ground)
        case Scenario.SESSION_IDS:
            return SessionIds(ground)
        case Scenario.SOFT_404:
            return Soft404(ground)
        case Scenario.PAGINATION:
            return Pagination(ground)
        case Scenario.REPEATING_SEGMENTS:
            return RepeatingSegments(ground)
        case Scenario.MIRRORS:
            return Mirrors(ground)
        case Scenario.MAZE:
            return Maze(ground, Scenario.MAZE, 1)
        case Scenario.MAZE_HOSTS:
            return Maze(ground, Scenario.MAZE_HOSTS, spec.maze_hosts)
        case unknown:
            assert_never(unknown)
