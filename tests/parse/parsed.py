"""Short ways to parse what a test writes down."""

from __future__ import annotations

from honeyguide.model import Fetched, Link, Page, Url
from honeyguide.parse import parse

PAGE_URL = Url.parse("http://site.test/folder/page.html")


def page_of(body: bytes | str, content_type: str = "text/html; charset=utf-8") -> Page:
    """The page of a body found at `PAGE_URL`."""
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogatepass")
    return parse(PAGE_URL, Fetched(200, content_type, body))


def link_to(page: Page, target: str) -> Link:
    """The link of `page` to `target`, which may be relative."""
    return next(link for link in page.links if link.target == Url.parse(target, PAGE_URL))


def targets_of(page: Page) -> list[str]:
    return [link.target.text for link in page.links]
