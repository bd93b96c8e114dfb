"""A run read back for people and programs: what it holds, in values that exports, reports and commands are made of.

`PageTexts` makes the text of a page again from its stored body, `records_of` joins it with what was noted in the crawl,
`Snippets` cuts out the part that speaks of the topic. `stats_of` adds a run up, `diff` holds two runs against each
other. Nothing here writes, and nothing here knows how it will be shown.
"""

from honeyguide.reading.page_records import PageRecord, iso, moment_of, records_of
from honeyguide.reading.page_texts import PageTexts
from honeyguide.reading.snippets import Snippet, Snippets

__all__ = ["PageRecord", "PageTexts", "Snippet", "Snippets", "iso", "moment_of", "records_of"]
