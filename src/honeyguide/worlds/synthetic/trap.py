"""The seam between the synthetic web and a trap in it.

A trap is named in the spec and found among the entry points of the group `honeyguide.traps`; the scenarios themselves
are in `honeyguide_lab.traps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import xxhash

if TYPE_CHECKING:
    from honeyguide.model import Url
    from honeyguide.worlds.synthetic.layout import Host, Layout
    from honeyguide.worlds.synthetic.places import AddressBook, TraitTable
    from honeyguide.worlds.synthetic.prose import Chrome
    from honeyguide.worlds.synthetic.words import Lexicon

NO_TRAP: Final = "none"
"""The name of the honest web alone."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth about a page: for grading a crawl, and nowhere on the page."""

    trap: str  # the trap whose page this is, its honest pages included; "" on the honest web
    page: str  # the address of the page that is shown here; several addresses may show one page
    is_worthless: bool = False  # nobody would want this page, whenever it is fetched
    nearly: str = ""  # the address of an honest page whose text this one repeats but for a few words


class WebParts(NamedTuple):
    """The honest web that a trap is built into."""

    layout: Layout
    lexicon: Lexicon
    traits: TraitTable
    addresses: AddressBook
    chrome: Chrome


class WebTrap(Protocol):
    """Pages computed from their URLs, on hosts of its own or beside the honest pages of one host.

    It is asked only for addresses at which the honest web has nothing. The same address always shows the same page, and
    nothing is remembered. `page` and `truth` know the same addresses.
    """

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts that are the trap's own."""
        ...

    def page(self, url: Url) -> bytes | None:
        """Return the HTML at an address; None where the trap has nothing."""
        ...

    def truth(self, url: Url) -> Truth | None:
        """Return what that page really is."""
        ...

    def under(self, page: int) -> str:
        """Return markup for the end of an honest numbered page, with links into the trap; mostly empty."""
        ...

    def on_portal(self, portal: int) -> str:
        """Return markup for the end of a portal's front page."""
        ...


class NoTrap:
    """The honest web alone."""

    hosts: tuple[Host, ...] = ()

    def page(self, _url: Url) -> bytes | None:
        return None

    def truth(self, _url: Url) -> Truth | None:
        return None

    def under(self, _page: int) -> str:
        return ""

    def on_portal(self, _portal: int) -> str:
        return ""


@cache
def trap_names() -> tuple[str, ...]:
    """Return the traps that a spec can name."""
    return (NO_TRAP, *sorted(entry_points(group="honeyguide.traps").names))


def build_trap(name: str, parts: WebParts) -> WebTrap:
    """Build the trap of this name into a web."""
    if name == NO_TRAP:
        return NoTrap()
    build = entry_points(group="honeyguide.traps")[name].load()
    trap: WebTrap = build(parts)
    return trap


def trap_topic(layout: Layout) -> int:
    """Return the number of the topic whose crawlers a trap of this web is for."""
    return layout.spec.seed * 7 % layout.no_topic


def url_key(url: Url) -> int:
    """Return a number that belongs to an address, whatever it looks like."""
    return xxhash.xxh3_64_intdigest(url.text.encode())
