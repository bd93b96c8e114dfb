"""The settings of the guard."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings.declaring import setting

BY_REFERRERS, BY_PAGERANK = "referrers", "pagerank"


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """Loops, traps and near-duplicates: when a link waits behind others, and how far."""

    on: bool = setting(
        default=True, meaning="whether there is a guard at all; without one no link waits behind others", everyday=True
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
    least_words: int = setting(
        20, "words of text below which a page is not compared: short texts are equal by chance", at_least=1
    )
    importance: str = setting(
        BY_REFERRERS,
        "what makes a site important, so that near-duplicates are forgiven, by one level or all: 8 or 16 others that "
        "refer to it, or an address with 4 or 16 times the average PageRank (which needs ranks.every)",
        choices=(BY_REFERRERS, BY_PAGERANK, "none"),
    )
    folding: bool = setting(
        default=True, meaning="whether it is learned, host by host, which parts of addresses do not matter"
    )
    folding_pairs: int = setting(
        3,
        "pairs of addresses with the same text that a rule takes; one pair that differs ends it",
        at_least=2,
        at_most=1000,
    )
    series: bool = setting(
        default=True, meaning="whether calendars, pagers, facets, growing queries and repeating paths are looked for"
    )
    series_pages: int = setting(6, "pages of a series that it takes to tell that it runs idle", at_least=3, at_most=16)
    accounts: bool = setting(
        default=True, meaning="whether sections, hosts and groups of hosts have a number of pages that they may cost"
    )
    allowance: int = setting(
        28,
        "pages that an unknown host or section may cost before it has to show that it is no maze",
        at_least=1,
        at_most=1_000_000,
    )
    allowance_per_referrer: float = setting(
        1.0, "pages on top for each group of hosts that refers to it from outside", at_least=0, at_most=1_000_000
    )
    established_referrers: int = setting(
        16, "such groups that make it established; comments planted for a trap are fewer", at_least=1, at_most=64
    )
    allowance_per_reference: float = setting(
        2.0,
        "pages on top, once it is established, for each of its addresses that was first met elsewhere",
        at_least=0,
        at_most=1_000_000,
    )
    allowance_per_host: float = setting(
        1.0,
        "pages on top for each further registered domain of a group of hosts, for as many as guard.allowance",
        at_least=0,
        at_most=1_000_000,
    )
    allowance_per_relevant: float = setting(
        1.0,
        "pages on top for each relevant page, up to half the allowance: mazes have the topic's words, too",
        at_least=0,
        at_most=1_000_000,
    )
    vast_addresses: int = setting(
        3000,
        "addresses that a maze must be estimated to have, from how seldom its pages show the same ones",
        at_least=1,
        at_most=1_000_000_000,
    )
    vast_per_page: float = setting(
        30.0,
        "such addresses for each of its pages, at least: those of a finite site are soon met again",
        at_least=0,
        at_most=1_000_000,
    )
    vast_per_reference: float = setting(
        500.0,
        "such addresses for each that was first met on pages of others, at least: large honest sites are known by many",
        at_least=0,
        at_most=1_000_000,
    )
    knit: float = setting(
        0.09,
        "share of the addresses of a site that its pages name again or others name first, from which on it is no maze; "
        "half of that for a section",
        at_least=0,
        at_most=1,
    )
    knit_per_doubling: float = setting(
        0.04,
        "what is added to that with every doubling of the allowance, up to 20%: the more pages of an honest site are "
        "seen, the more of its links lead to known ones",
        at_least=0,
        at_most=1,
    )
    shares: bool = setting(
        default=True,
        meaning="whether hosts and shapes of addresses that hardly pay get a smaller share of the budget, and all of "
        "it again when they do",
    )
    share_credit: float = setting(
        4.0,
        "relevant pages that everyone is credited with, and expected to have, before its pages count: the more, the "
        "longer a host may go unpaid",
        at_least=0.001,
        at_most=1_000_000,
    )
    memory: int = setting(
        32_768, "entries that each table of the guard may have, some 100 bytes each", at_least=64, at_most=10_000_000
    )
    patience_s: float = setting(
        10.0,
        "seconds that a link about which something was found out, level 3 and deeper, waits for the hosts of better "
        "ones; the doubtful ones above are taken when no better one's host is ready",
        at_least=0,
    )
    drop: bool = setting(default=False, meaning="whether links at the bottom, level 7, are never fetched")
