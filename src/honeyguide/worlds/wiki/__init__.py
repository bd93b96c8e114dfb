"""A Wikipedia, or any other MediaWiki, as a world to crawl offline, made from its XML dump.

`build_wiki` reads the dump as a stream: `dump` cuts it into pages, `wikitext` turns markup into HTML with open links,
and `first_pass` puts articles, redirects and labels aside. When every title is known, `second_pass` closes the links
and stores the pages; `pagelinks` may say which links there are instead of the wikitext. Both passes share their work
among processes. `WikiWorld` answers from the file. `wiki_stats` and `wiki_topics` look at it as a graph. Categories are
labels for grading: they are in the file, and on no page.
"""

from honeyguide.worlds.wiki.building import BuildProgress, BuiltWiki, build_wiki
from honeyguide.worlds.wiki.stats import Degrees, PowerLaw, WikiStats, wiki_stats
from honeyguide.worlds.wiki.topics import WikiTopic, wiki_topics
from honeyguide.worlds.wiki.world import WikiGraph, WikiWorld

__all__ = [
    "BuildProgress",
    "BuiltWiki",
    "Degrees",
    "PowerLaw",
    "WikiGraph",
    "WikiStats",
    "WikiTopic",
    "WikiWorld",
    "build_wiki",
    "wiki_stats",
    "wiki_topics",
]
