"""The settings of the guard."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings.declaring import setting

GUARD_RULES = FOLDING, SERIES, SOFT_404, SITE_BUDGET = ("folding", "series", "soft-404", "site-budget")


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """Loops, traps and near-duplicates: when a link waits behind others, and how far."""

    on: bool = setting(
        default=True, meaning="whether there is a guard at all; without one no link waits behind others", everyday=True
    )
    rules: tuple[str, ...] = setting(
        GUARD_RULES,
        "rules besides that of near-duplicates: folding learns which parts of addresses do not matter, series looks "
        "for calendars, pagers, facets, growing queries and repeating paths, soft-404 for one answer to any address, "
        "site-budget bounds what a site may cost",
    )
    window_pages: int = setting(
        500, "pages seen last that a page is compared with; the paper's number", at_least=1, at_most=100_000
    )
    window_s: float = setting(
        86_400.0, "seconds after which a page is compared with no more: it may have changed for good reason", above=0
    )
    threshold: float = setting(
        0.85,
        "similarity from which on a page is a near-duplicate: 0.8 is its text's part, the rest the shape of its "
        "address, title and number of links; not below 0.6, because texts that differ in more than 16 of 64 bits, a "
        "similarity of 0.575 at most, are never compared",
        at_least=0.6,
        at_most=1,
    )
    site_budget: int = setting(
        28, "pages that an unknown site may cost before its links wait behind others", at_least=1, at_most=1_000_000
    )
    budget_per_referrer: float = setting(
        2.0, "pages on top for each independent site that refers to it", at_least=0, at_most=1_000_000
    )
    maze_addresses: int = setting(
        3000,
        "addresses that a site must be estimated to have before it waits, from how few its pages show twice",
        at_least=1,
        at_most=1_000_000_000,
    )
    budget_per_relevant: float = setting(
        0.1,
        "pages on top for each relevant page; below 1, because mazes have the topic's words, too",
        at_least=0,
        at_most=1_000_000,
    )
    memory: int = setting(
        32_768, "entries that each table of the guard may have, some 100 bytes each", at_least=64, at_most=10_000_000
    )
    patience_s: float = setting(
        10.0,
        "seconds that a link at level 3 or deeper waits for the hosts of better ones; at levels 1 and 2 it is taken "
        "when no better one's host is ready",
        at_least=0,
    )
    drop: bool = setting(default=False, meaning="whether links at the bottom, level 7, are never fetched")
