"""What a page says of its origin: language, author, dates, site, description, licences.

Each comes from the first place that has it, the most explicit first: JSON-LD, then microdata, OpenGraph, and the
meta elements that publishers use (Dublin Core, Highwire). Nothing is guessed from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url
from honeyguide.parse.structured import json_ld_of, meta_of, microdata_of, open_graph_of, values_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser

    from honeyguide.parse.structured import JsonObject

_LONGEST: Final = 1000  # characters of one
_MOST_LICENCES: Final = 20
_LICENCE_LINKS: Final = (
    'a[rel~="license" i], link[rel~="license" i], a[href*="creativecommons.org/licenses/" i],'
    'a[href*="creativecommons.org/publicdomain/" i], a[href*="opensource.org/licenses" i],'
    'a[href*="gnu.org/licenses/" i], a[href*="apache.org/licenses/" i], a[href*="opendatacommons.org/licenses/" i]'
)
_DATE: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
_EARLIEST: Final = 1990  # years before the web are dates of something else

_AUTHORS: Final = ("author.name", "author", "creator.name", "creator")
_META_AUTHORS: Final = ("author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_META_PUBLISHED: Final = (
    "citation_publication_date", "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "pubdate",
    "publishdate", "parsely-pub-date", "dc.date", "dcterms.date", "date",
)  # fmt: skip
_META_MODIFIED: Final = ("dcterms.modified", "dc.date.modified", "last-modified", "lastmod", "revised")


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """What a page says of its origin; None where it does not."""

    language: str | None = None  # as declared, such as en or pt-br
    author: str | None = None
    published: str | None = None  # a date, or a time where the page has one, as in ISO 8601
    modified: str | None = None
    site_name: str | None = None
    description: str | None = None
    licences: tuple[str, ...] = ()  # links to licences, in order
    open_graph: JsonObject = field(default_factory=dict)
    json_ld: tuple[JsonObject, ...] = ()
    microdata: tuple[JsonObject, ...] = ()


def metadata_of(tree: LexborHTMLParser, url: Url) -> PageMetadata:
    """Return what the page at `url` says of its origin."""
    json_ld, microdata = json_ld_of(tree), microdata_of(tree)
    graph, meta = open_graph_of(tree), meta_of(tree)
    objects = [*json_ld, *microdata]
    return PageMetadata(
        language=_language(tree, graph),
        author=_first_text(
            *(values_at(objects, path) for path in _AUTHORS),
            (meta.get(name) for name in _META_AUTHORS),
            values_at([graph], "article:author"),
        ),
        published=_first_date(
            values_at(objects, "datePublished"),
            values_at([graph], "article:published_time"),
            (meta.get(name) for name in _META_PUBLISHED),
        ),
        modified=_first_date(
            values_at(objects, "dateModified"),
            values_at([graph], "article:modified_time"),
            values_at([graph], "og:updated_time"),
            (meta.get(name) for name in _META_MODIFIED),
        ),
        site_name=_first_text(
            values_at([graph], "og:site_name"),
            (each.get("name") for each in objects if each.get("@type") == "WebSite"),
            [meta.get("application-name")],
            values_at(objects, "publisher.name"),
        ),
        description=_first_text(
            [meta.get("description")],
            values_at([graph], "og:description"),
            [meta.get("dc.description")],
            values_at(objects, "description"),
        ),
        licences=_licences(tree, url, objects),
        open_graph=graph,
        json_ld=tuple(json_ld),
        microdata=tuple(microdata),
    )


def _first_text(*sources: Iterable[Any]) -> str | None:
    """Return the first value that is a text and no address."""
    for value in (each for source in sources for each in source):
        text = " ".join(value.split()) if isinstance(value, str) else ""
        if text and not text.startswith(("http://", "https://")):
            return text[:_LONGEST]
    return None


def _first_date(*sources: Iterable[Any]) -> str | None:
    return next((iso for source in sources for value in source if (iso := iso_date(value)) is not None), None)


def iso_date(written: object) -> str | None:
    """Return a date, or a time in UTC where it has a zone, as in ISO 8601; None for what is no date of a web page."""
    text = written.strip()[:100] if isinstance(written, str) else ""
    moment = _time(text)
    if moment is not None:
        moment = moment if moment.tzinfo is None else moment.astimezone(UTC)
        has_time = len(text) > 10
        iso = moment.isoformat(timespec="seconds").replace("+00:00", "Z") if has_time else moment.date().isoformat()
        return iso if moment.year >= _EARLIEST else None
    found = _DATE.search(text)
    try:
        day = None if found is None else date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None
    return None if day is None or day.year < _EARLIEST else day.isoformat()


def _time(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            moment.astimezone(UTC)  # a time at the edge of the calendar has none
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return moment
    return None


def _language(tree: LexborHTMLParser, graph: JsonObject) -> str | None:
    """Return the declared language in lower case; None where there is none, or what is there names none."""
    root = tree.css_first("html")
    attributes = {} if root is None else root.attributes
    header = tree.css_first('meta[http-equiv="content-language" i][content]')
    declared = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        None if header is None else header.attributes.get("content"),
        next(values_at([graph], "og:locale"), None),
    )
    for each in declared:
        if each and _LANGUAGE.fullmatch(each.strip()):
            return each.strip().lower().replace("_", "-")
    return None


def _licences(tree: LexborHTMLParser, url: Url, objects: list[JsonObject]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for address in _licence_addresses(tree, objects):
        try:
            found[Url.parse(address, url).text] = None
        except InvalidUrl:
            continue
        if len(found) == _MOST_LICENCES:
            break
    return tuple(found)


def _licence_addresses(tree: LexborHTMLParser, objects: list[JsonObject]) -> Iterator[str]:
    for node in tree.css(_LICENCE_LINKS):
        yield node.attributes.get("href") or ""
    for path in ("license", "license.url", "license.@id"):
        for value in values_at(objects, path):
            if isinstance(value, str) and value.startswith(("http://", "https://", "/")):
                yield value
