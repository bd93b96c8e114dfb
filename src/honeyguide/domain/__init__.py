"""The values that move through a crawl, all frozen; this folder imports nothing of ours but the error tree.

A `Url` is the canonical address. A `Link` points to one and remembers where on its page it stood. A world answers a
URL with an `Answer` whose outcome is `Fetched`, `Redirected`, `Refused`, `Failed` or, from a recording, `Unknown`; a
strategy may decide `Skipped` instead. A fetched body parses to a `Page`; a judge gives it a `Verdict`, and `Evidence`
to anyone who asks why; its links become `Candidates`; and the strategy is told of each `Decision` and
learns from the `Transition`.
"""

from honeyguide.domain.candidates import WINDOW_WORDS, Candidates, Origin, Sighting, Standing
from honeyguide.domain.directives import NO_DIRECTIVES, Directives, Refresh
from honeyguide.domain.evidence import Evidence, EvidenceRow
from honeyguide.domain.exchange import Cut, Exchange
from honeyguide.domain.host_pattern import host_pattern
from honeyguide.domain.known_page import KnownPage
from honeyguide.domain.lineage import LineageRules, PageFacts, Parents
from honeyguide.domain.link import Link, LinkId, LinkState, Occurrence
from honeyguide.domain.outcome import (
    Answer,
    Failed,
    FailureReason,
    Fetched,
    Outcome,
    Redirected,
    RefusalReason,
    Refused,
    Skipped,
    Unchanged,
    Unknown,
)
from honeyguide.domain.page import Page, Verdict
from honeyguide.domain.registered_domain import domain_pattern, registered_domain
from honeyguide.domain.robots import RobotsFile
from honeyguide.domain.rows import Row, Rows, weighted_sums
from honeyguide.domain.topic import Topic
from honeyguide.domain.transition import Decision, Transition
from honeyguide.domain.url import HostKey, Url

__all__ = [
    "NO_DIRECTIVES",
    "WINDOW_WORDS",
    "Answer",
    "Candidates",
    "Cut",
    "Decision",
    "Directives",
    "Evidence",
    "EvidenceRow",
    "Exchange",
    "Failed",
    "FailureReason",
    "Fetched",
    "HostKey",
    "KnownPage",
    "LineageRules",
    "Link",
    "LinkId",
    "LinkState",
    "Occurrence",
    "Origin",
    "Outcome",
    "Page",
    "PageFacts",
    "Parents",
    "Redirected",
    "Refresh",
    "RefusalReason",
    "Refused",
    "RobotsFile",
    "Row",
    "Rows",
    "Sighting",
    "Skipped",
    "Standing",
    "Topic",
    "Transition",
    "Unchanged",
    "Unknown",
    "Url",
    "Verdict",
    "domain_pattern",
    "host_pattern",
    "registered_domain",
    "weighted_sums",
]
