"""The seam for pages that are nothing until a browser has run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from honeyguide.domain import Fetched, Redirected, Url


class Renderer(Protocol):
    """Something that runs a page as a browser does. Whatever the page does, only misuse raises."""

    async def render(self, url: Url, page: Fetched) -> Fetched | Redirected | None:
        """What the page becomes, or where it leads; None where it could not be run."""
        ...

    async def close(self) -> None:
        """Release what is held; may be called twice. Nothing can be rendered afterwards."""
        ...
