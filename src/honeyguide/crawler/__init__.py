"""The one engine: alone it knows every stage, and every way of crawling drives it.

`Builder` wires the parts that the settings name. `CrawlCore` is the crawl as a state that changes one step at a time:
choose a link, take in its outcome, give back a record and events. `CrawlLoop` is the thin async shell: it asks the
core, has a `Transport` fetch, stores the record, then announces the events. `restore` brings a killed crawl back.
`crawl` and `resume` are all that most callers need.
"""

from honeyguide.crawler.answering import RunToAnswer, answer, answers_to_take_over, judge_of
from honeyguide.crawler.build import Builder, open_world, word_vectors
from honeyguide.crawler.core import CrawlCore
from honeyguide.crawler.events import (
    AnswersTaken,
    CrawlRestarted,
    CrawlStarted,
    CrawlStopped,
    Dispatch,
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
    Step,
    Stop,
    StopReason,
    Wait,
    limit_reached,
)
from honeyguide.crawler.explaining import Explanation, LinkReason, LinkReasons, RunExplainer, explain
from honeyguide.crawler.judge_pages import JudgedPage, UnreadablePage, judge_page, judge_pages, judge_pages_async
from honeyguide.crawler.learned_weights import hands_on, learned_weights
from honeyguide.crawler.loop import CrawlLoop
from honeyguide.crawler.named_pages import preset_seed_urls, with_examples_read
from honeyguide.crawler.parts import Parts
from honeyguide.crawler.preparing import PagesRead
from honeyguide.crawler.refreshing import days_between_changes, settings_of_pass, settings_to_refresh
from honeyguide.crawler.resume import budget_asked, settings_to_resume, with_budget
from honeyguide.crawler.start import (
    CrawlOptions,
    crawl,
    crawl_async,
    refresh,
    refresh_async,
    resume,
    resume_async,
)
from honeyguide.crawler.suggestions import SuggestedTopic, suggest_topic, suggest_topic_async
from honeyguide.crawler.what_pays import AnswersBySign, WhatPays, what_pays
from honeyguide.crawler.world_graph import WorldGraph, all_pages, explore, link_graph, open_source, rank
from honeyguide.learn import MEANINGS, LearnedWeights, in_words

__all__ = [
    "MEANINGS",
    "AnswersBySign",
    "AnswersTaken",
    "Builder",
    "CrawlCore",
    "CrawlLoop",
    "CrawlOptions",
    "CrawlRestarted",
    "CrawlStarted",
    "CrawlStopped",
    "Dispatch",
    "Event",
    "Explanation",
    "FetchFailed",
    "JudgedPage",
    "LearnedWeights",
    "LinkPutBack",
    "LinkReason",
    "LinkReasons",
    "LinkRedirected",
    "LinkRefused",
    "LinkSkipped",
    "LinkUnknown",
    "Listener",
    "PageJudged",
    "PageUnchanged",
    "PagesRead",
    "Parts",
    "RunExplainer",
    "RunToAnswer",
    "Step",
    "Stop",
    "StopReason",
    "SuggestedTopic",
    "UnreadablePage",
    "Wait",
    "WhatPays",
    "WorldGraph",
    "all_pages",
    "answer",
    "answers_to_take_over",
    "budget_asked",
    "crawl",
    "crawl_async",
    "days_between_changes",
    "explain",
    "explore",
    "hands_on",
    "in_words",
    "judge_of",
    "judge_page",
    "judge_pages",
    "judge_pages_async",
    "learned_weights",
    "limit_reached",
    "link_graph",
    "open_source",
    "open_world",
    "preset_seed_urls",
    "rank",
    "refresh",
    "refresh_async",
    "resume",
    "resume_async",
    "settings_of_pass",
    "settings_to_refresh",
    "settings_to_resume",
    "suggest_topic",
    "suggest_topic_async",
    "what_pays",
    "with_budget",
    "with_examples_read",
    "word_vectors",
]
