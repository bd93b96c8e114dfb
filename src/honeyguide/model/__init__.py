"""The values that move through a crawl, all frozen; this folder imports nothing of ours but the error tree.

A `Url` is the canonical address. A `Link` points to one and remembers where on its page it stood. A world answers a
URL with an `Answer` whose outcome is `Fetched`, `Redirected`, `Refused`, `Failed` or, from a recording, `Unknown`; a
strategy may decide `Skipped` instead. A fetched body parses to a `Page`; a judge gives it a `Verdict`, and `Evidence`
to anyone who asks why; its links become `Candidates`; and the strategy is told of each `Decision` and
learns from the `Transition`.
"""

from honeyguide.model.candidates import (
    WINDOW_WORDS,
    Candidates,
    Decision,
    LinkContext,
    LinkDescriptions,
    Origin,
    PageFacts,
    ParentFacts,
    ParentRules,
    ParentStats,
    Row,
    Rows,
    Transition,
    weighted_sums,
)
from honeyguide.model.link import Link, LinkId, LinkState, Occurrence
from honeyguide.model.outcome import (
    Answer,
    Cut,
    Exchange,
    Failed,
    FailureReason,
    Fetched,
    HostRest,
    KnownPage,
    Outcome,
    Redirected,
    RefusalReason,
    Refused,
    RobotsFile,
    Skipped,
    Unchanged,
    Unknown,
)
from honeyguide.model.page import NO_DIRECTIVES, Directives, Evidence, EvidenceRow, Page, Refresh, Topic, Verdict
from honeyguide.model.url import HostId, HostKey, Url, domain_pattern, host_pattern, registered_domain

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
    "HostId",
    "HostKey",
    "HostRest",
    "KnownPage",
    "Link",
    "LinkContext",
    "LinkDescriptions",
    "LinkId",
    "LinkState",
    "Occurrence",
    "Origin",
    "Outcome",
    "Page",
    "PageFacts",
    "ParentFacts",
    "ParentRules",
    "ParentStats",
    "Redirected",
    "Refresh",
    "RefusalReason",
    "Refused",
    "RobotsFile",
    "Row",
    "Rows",
    "Skipped",
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
