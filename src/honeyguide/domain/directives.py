"""What a page asks of those who crawl it. Whether they do so is for the settings to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.domain.url import Url


@dataclass(frozen=True, slots=True)
class Refresh:
    """A page sends its reader on."""

    delay_s: float
    target: Url  # never the page itself


@dataclass(frozen=True, slots=True)
class Directives:
    """Of one page, from its head and its headers together: the strictest of all that is said counts."""

    nofollow: bool = False
    noindex: bool = False
    canonical: Url | None = None  # the address it calls its own, where that is another one
    refresh: Refresh | None = None


NO_DIRECTIVES: Final = Directives()
