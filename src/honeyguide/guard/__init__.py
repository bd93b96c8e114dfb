"""Loops, traps and near-duplicates: where the crawl walks in circles, and which waiting links go last for it.

Every page that comes in has a `Fingerprint`. A `Guard` observes it with its links and returns a `Judgement`: a
`Finding`, and a demotion that the page's links carry. Asked about a waiting link, it returns the level at which the
link waits. It throws no link away and does no I/O: `crawler/guarding.py` shows the pages and moves the links.

`WebGuard` joins the rules: the `window` of recent pages, `folding` of addresses that are one page, `series` that run on
and bring nothing, `soft_404` and `site_budget`. `shape` is what addresses have in common. Every table is `bounded`.
"""

from honeyguide.guard.fingerprint import Fingerprint, fingerprint_of, simhashes_of
from honeyguide.guard.guard import (
    FIRM_LEVEL,
    MAX_LEVEL,
    Cause,
    Finding,
    FindingKind,
    Guard,
    Judgement,
    LateFinding,
    LinkLevel,
    Reason,
    SeenPage,
    Target,
)
from honeyguide.guard.web_guard import WebGuard

__all__ = [
    "FIRM_LEVEL",
    "MAX_LEVEL",
    "Cause",
    "Finding",
    "FindingKind",
    "Fingerprint",
    "Guard",
    "Judgement",
    "LateFinding",
    "LinkLevel",
    "Reason",
    "SeenPage",
    "Target",
    "WebGuard",
    "fingerprint_of",
    "simhashes_of",
]
