"""Loops, traps and near-duplicates: where the crawl walks in circles, and which waiting links pay for it.

Every page that comes in has a `Fingerprint`; a `Guard` observes it with its links and gives a `Judgement`: a `Finding`
for people to read, and a demotion that the page's links carry. Asked for the `Standing` of a waiting link, it gives the
level at which the link waits: 0 as if there were no guard, deeper behind all that stands above it. Nothing here throws
a link away, and nothing here does I/O: the engine shows the pages and moves the links.

`WebGuard` joins the parts: the `window` of pages seen recently, `folding` of addresses that turned out to be one page,
`series` that run on and bring nothing, `apologies` that a host shows wherever it has nothing, `accounts` of sections,
hosts and `neighbourhoods`, and the `shares` of hosts and shapes that pay or do not. `shape` tells what addresses have
in common. Every table is `bounded`.
"""

from honeyguide.guard.fingerprint import Fingerprint, fingerprint_of
from honeyguide.guard.guard import (
    FIRM_LEVEL,
    MAX_LEVEL,
    Finding,
    FindingKind,
    Guard,
    Judgement,
    Late,
    SeenPage,
    Standing,
    Target,
)
from honeyguide.guard.web_guard import WebGuard

__all__ = [
    "FIRM_LEVEL",
    "MAX_LEVEL",
    "Finding",
    "FindingKind",
    "Fingerprint",
    "Guard",
    "Judgement",
    "Late",
    "SeenPage",
    "Standing",
    "Target",
    "WebGuard",
    "fingerprint_of",
]
