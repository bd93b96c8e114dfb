"""The seam between the synthetic web and a trap in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from honeyguide.domain import Url
    from honeyguide.worlds.synthetic.layout import Host
    from honeyguide.worlds.synthetic.traps.truth import Truth


class Door(NamedTuple):
    """A link in the navigation of the honest host that a trap stands on."""

    path: str
    label: str


class Trap(Protocol):
    """Pages computed from their URLs, on hosts of its own or beside the honest pages of one host.

    It is asked only for addresses at which the honest web has nothing. The same address always shows the same page, and
    nothing is remembered. `page` and `truth` know the same addresses.
    """

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Those that are the trap's own."""
        ...

    @property
    def door(self) -> Door | None:
        """How the honest host that it stands on leads to it, on every page."""
        ...

    def page(self, url: Url) -> bytes | None:
        """The HTML at an address; None where the trap has nothing."""
        ...

    def truth(self, url: Url) -> Truth | None:
        """What that page really is."""
        ...

    def entrance(self, number: int) -> str:
        """Where the link of the comment with this number leads."""
        ...
