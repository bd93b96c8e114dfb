"""The run folder: written while a crawl goes on, and read by everything afterwards.

`folder` has its files and its lock, `trust` says which of its settings count, `inbox` has the messages of other
processes, `sqlite` the store that a crawl writes to, `archive` its WARC files. A run of several machines has parts
(`shards`), of which `gathering` makes one database. `open_run` opens a run for reading: its pages (`pages`), what hosts
answered (`recorded`), its link graph (`discovered_graph`). Made from these are counts (`stats`, `harvest`, `diff`),
ranks (`ranking`), snippets, exports and the report.
"""

from honeyguide.guard import FindingKind
from honeyguide.runs.answers import PageColumns, PastFetches
from honeyguide.runs.bodies import body_packer
from honeyguide.runs.diff import HostOfOne, PageOfBoth, PageOfOne, RunDiff, diff
from honeyguide.runs.folder import FileLock, RunFolder, RunLock, is_being_crawled
from honeyguide.runs.forecast import MOST_LOOKED_AT, BlindSpots, Estimate, Outlook, YieldForecast, forecast
from honeyguide.runs.gathering import gather
from honeyguide.runs.graph import Components, LinkGraph, RankedPage, jaccard, place_of, top
from honeyguide.runs.history import FetchOfUrl, KeptOfLink, LinkHistory, PageJudgement, PageOnPath
from honeyguide.runs.inbox import BudgetExtension, Letter, Message, PageAnswer, StopRequest
from honeyguide.runs.pagerank import Dangling, RankRules, RefreshedRanks, hits, pagerank, restart_on
from honeyguide.runs.pages import CrawledPage, CrawledPages
from honeyguide.runs.passes import Pass, PassFinding
from honeyguide.runs.records import (
    AnswerEffect,
    AnswerRecord,
    CompletionRecord,
    DispatchRecord,
    FindingRecord,
    FoundLink,
    GuardRecord,
    JournalEntry,
    JudgedAgain,
    JudgementChange,
    LearnerSnapshot,
    LinkMove,
    MoveRecord,
    PairRecord,
    PrintRecord,
    Progress,
    RedirectedLink,
    RestartRecord,
    SkipRecord,
    StepRecord,
    StoredLink,
    StoredVisit,
    VisitRecord,
)
from honeyguide.runs.revisits import HostsAsked, PageChange, Revisit
from honeyguide.runs.run import CrawledStep, PageVersion, Run, open_run
from honeyguide.runs.snippets import PageSnippets, PageTexts, Snippet
from honeyguide.runs.sqlite import SqliteStore, open_store
from honeyguide.runs.stats import HostStats, PatternStats, RunStats, downsampled, harvest_curve, stats
from honeyguide.runs.sums import CauseSums, HostSums, RunSums, RunTotals
from honeyguide.runs.traps import GuardFinding, HostMoves, LinksMoved, Trap, TrapSummary
from honeyguide.runs.trust import refuse_strange, remember, settings_to_build, trust_run

__all__ = [
    "MOST_LOOKED_AT",
    "AnswerEffect",
    "AnswerRecord",
    "BlindSpots",
    "BudgetExtension",
    "CauseSums",
    "CompletionRecord",
    "Components",
    "CrawledPage",
    "CrawledPages",
    "CrawledStep",
    "Dangling",
    "DispatchRecord",
    "Estimate",
    "FetchOfUrl",
    "FileLock",
    "FindingKind",
    "FindingRecord",
    "FoundLink",
    "GuardFinding",
    "GuardRecord",
    "HostMoves",
    "HostOfOne",
    "HostStats",
    "HostSums",
    "HostsAsked",
    "JournalEntry",
    "JudgedAgain",
    "JudgementChange",
    "KeptOfLink",
    "LearnerSnapshot",
    "Letter",
    "LinkGraph",
    "LinkHistory",
    "LinkMove",
    "LinksMoved",
    "Message",
    "MoveRecord",
    "Outlook",
    "PageAnswer",
    "PageChange",
    "PageColumns",
    "PageJudgement",
    "PageOfBoth",
    "PageOfOne",
    "PageOnPath",
    "PageSnippets",
    "PageTexts",
    "PageVersion",
    "PairRecord",
    "Pass",
    "PassFinding",
    "PastFetches",
    "PatternStats",
    "PrintRecord",
    "Progress",
    "RankRules",
    "RankedPage",
    "RedirectedLink",
    "RefreshedRanks",
    "RestartRecord",
    "Revisit",
    "Run",
    "RunDiff",
    "RunFolder",
    "RunLock",
    "RunStats",
    "RunSums",
    "RunTotals",
    "SkipRecord",
    "Snippet",
    "SqliteStore",
    "StepRecord",
    "StopRequest",
    "StoredLink",
    "StoredVisit",
    "Trap",
    "TrapSummary",
    "VisitRecord",
    "YieldForecast",
    "body_packer",
    "diff",
    "downsampled",
    "forecast",
    "gather",
    "harvest_curve",
    "hits",
    "is_being_crawled",
    "jaccard",
    "open_run",
    "open_store",
    "pagerank",
    "place_of",
    "refuse_strange",
    "remember",
    "restart_on",
    "settings_to_build",
    "stats",
    "top",
    "trust_run",
]
