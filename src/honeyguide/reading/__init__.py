"""A run read back for people and programs: what it holds, in values that exports, reports and commands are made of.

`PageTexts` makes the text of a page again from its stored body, `records_of` joins it with what was noted in the crawl,
`PageSnippets` cuts out the part that speaks of the topic. `stats` adds a run up, `diff` holds two runs against each
other. Nothing here writes, and nothing here knows how it will be shown.
"""

from honeyguide.reading.opening import opened
from honeyguide.reading.page_records import PageRecord, iso, moment_of, numbered_records_of, records_of
from honeyguide.reading.page_snippets import PageSnippets
from honeyguide.reading.page_texts import PageTexts
from honeyguide.reading.run_diff import HostOfOne, PageOfBoth, PageOfOne, RunDiff, diff
from honeyguide.reading.run_stats import HostStats, PatternStats, RunStats, stats
from honeyguide.reading.snippets import Snippet, Snippets
from honeyguide.reading.url_patterns import url_pattern

__all__ = [
    "HostOfOne",
    "HostStats",
    "PageOfBoth",
    "PageOfOne",
    "PageRecord",
    "PageSnippets",
    "PageTexts",
    "PatternStats",
    "RunDiff",
    "RunStats",
    "Snippet",
    "Snippets",
    "diff",
    "iso",
    "moment_of",
    "numbered_records_of",
    "opened",
    "records_of",
    "stats",
    "url_pattern",
]
