"""The content of a page for readers elsewhere: main content as Markdown, and what the page says of its origin.

Exports ask for it, a crawl does not; so nothing that a crawl imports imports this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from honeyguide.parse.charset import decode
from honeyguide.parse.document import HTML, HTML_TYPES, PLAIN_TEXT, USUAL_LIMITS, media_type_of, read_document
from honeyguide.parse.links import WHOLE_PAGE, rules_of
from honeyguide.parse.markdown import main_markdown, plain_markdown
from honeyguide.parse.metadata import PageMetadata, metadata_of
from honeyguide.parse.structured import whole_tree
from honeyguide.settings import DOCUMENT_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.model import Fetched, Url
    from honeyguide.parse.links import PageRules
    from honeyguide.settings import ParseSettings, Settings


@dataclass(frozen=True, slots=True)
class PageContent:
    """The main content of a page for readers elsewhere, and what the page says of its origin."""

    markdown: str
    metadata: PageMetadata = field(default_factory=PageMetadata)


def content_of(
    url: Url, fetched: Fetched, rules: PageRules = WHOLE_PAGE, limits: ParseSettings = USUAL_LIMITS
) -> PageContent:
    """Return the content of the page that `fetched` holds, found at `url`; it is empty where that is no text.

    DocumentError for a document of which nothing can be read.
    """
    media_type = media_type_of(fetched)
    if limits.documents and media_type in DOCUMENT_TYPES:
        fetched, _ = read_document(fetched, media_type, limits)
        media_type = HTML
    if media_type in HTML_TYPES:
        tree = whole_tree(decode(fetched.body, fetched.content_type)[0])
        metadata = metadata_of(tree, url)
        return PageContent(main_markdown(tree, url, rules), metadata)
    if media_type == PLAIN_TEXT:
        return PageContent(plain_markdown(decode(fetched.body, fetched.content_type)[0]))
    return PageContent("")


def content_reader_for(settings: Settings) -> Callable[[Url, Fetched], PageContent]:
    """Return the function that reads the content of bodies of a crawl with these settings."""
    return partial(content_of, rules=rules_of(settings.crawl), limits=settings.parse)
