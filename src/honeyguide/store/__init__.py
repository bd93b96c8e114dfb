"""A run on disk: every step in whole or not at all.

The core hands over one `StepRecord` after each fetch; a `Store` writes it in one transaction. After a kill, the store
gives back the last whole step (`progress`), the links with their text, the fetches in flight and the learner's newest
snapshot with the transitions after it. A `RunFolder` holds the database and the settings, and has one writer at a time.
"""

from honeyguide.store.discovered_graph import DiscoveredGraph
from honeyguide.store.file_lock import FileLock
from honeyguide.store.hosts_asked import HostsAsked
from honeyguide.store.kept_pages import KeptPage, KeptPages, Parents
from honeyguide.store.opening import open_store
from honeyguide.store.packing import body_packer
from honeyguide.store.recorded_exchanges import RecordedExchange, RecordedExchanges
from honeyguide.store.records import (
    CompletionRecord,
    DispatchRecord,
    DropRecord,
    FindingRecord,
    FoundLink,
    GuardRecord,
    HostRecord,
    MoveRecord,
    PairRecord,
    PrintRecord,
    Progress,
    RedirectedLink,
    RestartRecord,
    SkipRecord,
    StepRecord,
    VisitRecord,
)
from honeyguide.store.revisits import Finding, Revisit, Revisits
from honeyguide.store.run import CrawledPage, CrawledStep, Run, open_run
from honeyguide.store.run_folder import RunFolder, RunLock, run_around
from honeyguide.store.sqlite import SqliteStore
from honeyguide.store.store import (
    LearnerSnapshot,
    Store,
    StoredAttempt,
    StoredDecision,
    StoredLink,
    StoredPrint,
    StoredTransition,
    StoredVisit,
)
from honeyguide.store.trap_grouping import GuardFinding, HostMoves, LinksMoved, Trap, TrapPart
from honeyguide.store.traps import Restart, TrapSummary

__all__ = [
    "CompletionRecord",
    "CrawledPage",
    "CrawledStep",
    "DiscoveredGraph",
    "DispatchRecord",
    "DropRecord",
    "FileLock",
    "Finding",
    "FindingRecord",
    "FoundLink",
    "GuardFinding",
    "GuardRecord",
    "HostMoves",
    "HostRecord",
    "HostsAsked",
    "KeptPage",
    "KeptPages",
    "LearnerSnapshot",
    "LinksMoved",
    "MoveRecord",
    "PairRecord",
    "Parents",
    "PrintRecord",
    "Progress",
    "RecordedExchange",
    "RecordedExchanges",
    "RedirectedLink",
    "Restart",
    "RestartRecord",
    "Revisit",
    "Revisits",
    "Run",
    "RunFolder",
    "RunLock",
    "SkipRecord",
    "SqliteStore",
    "StepRecord",
    "Store",
    "StoredAttempt",
    "StoredDecision",
    "StoredLink",
    "StoredPrint",
    "StoredTransition",
    "StoredVisit",
    "Trap",
    "TrapPart",
    "TrapSummary",
    "VisitRecord",
    "body_packer",
    "open_run",
    "open_store",
    "run_around",
]
