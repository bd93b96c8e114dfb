"""From a fetched body to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Page
from honeyguide.parse.charset import decode
from honeyguide.parse.directives import Said, directives_of
from honeyguide.parse.html import read_html
from honeyguide.parse.links import base_of, links_of
from honeyguide.parse.marked_text import read_marked, read_plain
from honeyguide.parse.media_type import HTML_TYPES, PLAIN_TEXT, media_type_of
from honeyguide.parse.page_rules import WHOLE_PAGE

if TYPE_CHECKING:
    from honeyguide.domain import Directives, Fetched, Url
    from honeyguide.parse.page_rules import PageRules


def parse(url: Url, fetched: Fetched, rules: PageRules = WHOLE_PAGE, agent: str = "") -> Page:
    """The page that `fetched` holds, found at `url`. Never raises: broken input gives what could be read of it.

    `rules` are for HTML only. `agent` is the name by which a page may address us.
    """
    media_type = media_type_of(fetched)
    if media_type in HTML_TYPES:
        return _html_page(url, media_type, fetched, rules, agent)
    directives = directives_of(Said(), fetched.robots_tag, agent, url, url)
    if media_type == PLAIN_TEXT:
        return _plain_page(url, fetched, directives)
    return Page(url, media_type, "", title="", text="", words=(), main_spans=(), links=(), directives=directives)


def _html_page(url: Url, media_type: str, fetched: Fetched, rules: PageRules, agent: str) -> Page:
    html, charset = decode(fetched.body, fetched.content_type)
    document = read_html(html, from_first_paragraph=rules.from_first_paragraph, agent=agent)
    reading = read_marked(document.marked_text)
    return Page(
        url=url,
        media_type=media_type,
        charset=charset,
        title=document.title,
        text=reading.text,
        words=reading.words,
        main_spans=reading.main_spans,
        links=links_of(url, document.base_href, document.anchors, reading.places, rules),
        directives=directives_of(document.said, fetched.robots_tag, agent, url, base_of(url, document.base_href)),
    )


def _plain_page(url: Url, fetched: Fetched, directives: Directives) -> Page:
    text, charset = decode(fetched.body, fetched.content_type)
    reading = read_plain(text)
    return Page(
        url=url,
        media_type=PLAIN_TEXT,
        charset=charset,
        title="",
        text=reading.text,
        words=reading.words,
        main_spans=reading.main_spans,
        links=(),
        directives=directives,
    )
