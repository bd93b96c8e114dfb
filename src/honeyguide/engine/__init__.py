"""The one engine: alone it knows every stage, and every way of crawling drives it.

`Builder` wires the parts that the settings name. `CrawlCore` is the crawl as a state that changes one step at a time:
choose a link, take in its outcome, give back a record and events. `CrawlLoop` is the thin async shell: it asks the
core, has a `Transport` fetch, stores the record, then announces the events. `restore` brings a killed crawl back.
`crawl` and `resume` are all that most callers need.
"""

from honeyguide.engine.budget import StopReason, limit_reached
from honeyguide.engine.build import Builder, open_world
from honeyguide.engine.chosen_vectors import word_vectors
from honeyguide.engine.core import CrawlCore
from honeyguide.engine.events import (
    CrawlRestarted,
    CrawlStarted,
    CrawlStopped,
    Event,
    FetchFailed,
    LinkPutBack,
    LinkRedirected,
    LinkRefused,
    LinkSkipped,
    LinkUnknown,
    Listener,
    PageJudged,
    PageUnchanged,
)
from honeyguide.engine.examples import with_examples_read
from honeyguide.engine.judging import JudgedPage, UnreadablePage, judge_page, judge_pages, judge_pages_async
from honeyguide.engine.learned_weights import LINEAR_STRATEGIES, LearnedWeights, learned_weights
from honeyguide.engine.loop import CrawlLoop
from honeyguide.engine.parts import Parts
from honeyguide.engine.preset_seeds import preset_seed_urls
from honeyguide.engine.refresh import refresh, refresh_async, settings_to_refresh
from honeyguide.engine.run import Surroundings, crawl, crawl_async, resume, resume_async, with_budget
from honeyguide.engine.steps import Dispatch, Step, Stop, Wait
from honeyguide.engine.topic_suggestions import SuggestedTopic, suggest_topic, suggest_topic_async
from honeyguide.engine.world_pages import all_pages
from honeyguide.guard import FindingKind

__all__ = [
    "LINEAR_STRATEGIES",
    "Builder",
    "CrawlCore",
    "CrawlLoop",
    "CrawlRestarted",
    "CrawlStarted",
    "CrawlStopped",
    "Dispatch",
    "Event",
    "FetchFailed",
    "FindingKind",
    "JudgedPage",
    "LearnedWeights",
    "LinkPutBack",
    "LinkRedirected",
    "LinkRefused",
    "LinkSkipped",
    "LinkUnknown",
    "Listener",
    "PageJudged",
    "PageUnchanged",
    "Parts",
    "Step",
    "Stop",
    "StopReason",
    "SuggestedTopic",
    "Surroundings",
    "UnreadablePage",
    "Wait",
    "all_pages",
    "crawl",
    "crawl_async",
    "judge_page",
    "judge_pages",
    "judge_pages_async",
    "learned_weights",
    "limit_reached",
    "open_world",
    "preset_seed_urls",
    "refresh",
    "refresh_async",
    "resume",
    "resume_async",
    "settings_to_refresh",
    "suggest_topic",
    "suggest_topic_async",
    "with_budget",
    "with_examples_read",
    "word_vectors",
]
