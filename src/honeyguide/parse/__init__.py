"""Bytes become a page, whatever they are. Nothing that a host sends makes this stage fail, but for a document that
cannot be read, which has an error of its own.

`document.parse` finds out what the body is. Text goes through `charset` (bytes to `str`). HTML that `markup_cost` has
bounded goes on to `html`, which builds the tree, drops what no reader sees, and writes the visible text with markers
around every link and around what `boilerplate` recognises as navigation; `marked_text` reads that text once, left to
right, and gives words, link positions and main spans together. `links` resolves each address and gathers its places
into one `Link` per target. Plain text takes the same road without a tree. Documents (`pdf`, `office`) become HTML
first, where that is set; everything else is recorded with its type and no words. Where all pages of a site are laid out
alike, `PageRules` say which part of them counts, and which links.

`content.content_of` gives readers elsewhere the same main content as Markdown (`markdown`) and what the page says of
its origin (`metadata`), from JSON-LD, microdata and OpenGraph (`structured`) or meta elements. Exports ask for it.
`fields` reads values that a user has named.

What a person names as a sitemap or feed is no page: `listing` reads the addresses in it, or says why it cannot.
"""

from honeyguide.parse.charset import decode
from honeyguide.parse.document import manner_of_parsing, media_type_of, parse, parser_for
from honeyguide.parse.links import WHOLE_PAGE, WIKIPEDIA, PageRules
from honeyguide.parse.listing import Listing, read_listing, sitemaps_in_robots
from honeyguide.parse.markup_cost import is_quick
from honeyguide.parse.structured import json_ld_of, microdata_of, open_graph_of, values_at, whole_tree

__all__ = [
    "WHOLE_PAGE",
    "WIKIPEDIA",
    "Listing",
    "PageRules",
    "decode",
    "is_quick",
    "json_ld_of",
    "manner_of_parsing",
    "media_type_of",
    "microdata_of",
    "open_graph_of",
    "parse",
    "parser_for",
    "read_listing",
    "sitemaps_in_robots",
    "values_at",
    "whole_tree",
]
