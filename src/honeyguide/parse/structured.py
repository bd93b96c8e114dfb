"""What a page says about itself for machines: JSON-LD, microdata and OpenGraph.

Each reader takes the parsed tree of a whole page, scripts and all, and never fails: what cannot be read is left out.
`json_ld_of` and `microdata_of` give objects of the same shape, so that one path, such as `author.name`, reads both.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from selectolax.lexbor import LexborHTMLParser

from honeyguide.parse.boilerplate import ancestors_of
from honeyguide.parse.markup_cost import affordable_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborNode

JsonObject: TypeAlias = dict[str, Any]

MOST_OBJECTS: Final = 500  # of a page, of each kind
_MOST_CHARACTERS: Final = 1_000_000  # of JSON-LD on a page
# Some pages wrap the JSON in a comment or in CDATA, or end it like a statement.
_WRAPPING: Final = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
_WRAPPING_END: Final = re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>|;)\s*$")
_DEEPEST: Final = 50  # values within values
# Where the value of a microdata property stands; else it is the text of the element.
_VALUE_ATTRIBUTES: Final = {
    "meta": "content", "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "embed": "src",
    "iframe": "src", "source": "src", "track": "src", "video": "src", "object": "data", "data": "value",
    "meter": "value", "time": "datetime",
}  # fmt: skip


def whole_tree(html: str) -> LexborHTMLParser:
    """Build the tree of a page with its scripts, as far as its markup is affordable."""
    return LexborHTMLParser(affordable_part(html))


def json_ld_of(tree: LexborHTMLParser) -> list[JsonObject]:
    """Return the JSON-LD objects of a page in order; what stands in an `@graph` or a list is taken out of it."""
    found: list[JsonObject] = []
    characters = 0
    for script in tree.css('script[type="application/ld+json" i]'):
        text = script.text()
        characters += len(text)
        if characters > _MOST_CHARACTERS:
            break
        found += _objects_in(_json(text))
        if len(found) >= MOST_OBJECTS:
            break
    return found[:MOST_OBJECTS]


def _json(text: str) -> Any:  # noqa: ANN401 - whatever the page has there
    for attempt in (text, _WRAPPING_END.sub("", _WRAPPING.sub("", text))):
        try:
            value = json.loads(attempt, strict=False, parse_float=_finite, parse_constant=_finite)
        except (ValueError, RecursionError):
            continue
        return value if _is_shallow(value) else None
    return None


def _finite(written: str) -> float | None:
    """Return a number; None for NaN, Infinity and 1e999, which no JSON can hold."""
    return value if math.isfinite(value := float(written)) else None


def _is_shallow(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether a value nests no deeper than any that is meant; so whoever reads it may recurse."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False


def _objects_in(value: Any) -> Iterator[JsonObject]:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        for each in value:
            yield from _objects_in(each)
    elif isinstance(value, dict):
        graph = value.get("@graph")
        if isinstance(graph, list):
            yield from _objects_in(graph)
        if graph is None or value.keys() - {"@context", "@graph", "@id"}:
            yield {name: each for name, each in value.items() if name not in ("@context", "@graph")}


def microdata_of(tree: LexborHTMLParser) -> list[JsonObject]:
    """Return the microdata items that are no property of another, each shaped as in JSON-LD; types without a host."""
    items: dict[int, JsonObject] = {}  # by element
    roots: list[JsonObject] = []
    for node in tree.css("[itemscope], [itemprop]:not([itemscope])")[: MOST_OBJECTS * 20]:
        attributes = node.attributes
        item: JsonObject | None = None
        if "itemscope" in attributes and len(items) < MOST_OBJECTS:
            types = (attributes.get("itemtype") or "").split()
            item = {"@type": types[0].rstrip("/").rpartition("/")[2]} if types else {}
            items[node.mem_id] = item
        names = (attributes.get("itemprop") or "").split()
        owner = next((items[above.mem_id] for above in ancestors_of(node) if above.mem_id in items), None)
        if not names and item is not None:
            roots.append(item)
        elif owner is not None:
            value = _microdata_value(node) if item is None else item
            for name in names:
                _add(owner, name, value)
    return roots


def _microdata_value(node: LexborNode) -> str:
    attributes = node.attributes
    written = attributes.get("content") or attributes.get(_VALUE_ATTRIBUTES.get(node.tag or "", ""))
    return " ".join((written or node.text()).split())


def _add(item: JsonObject, name: str, value: object) -> None:
    """Add a value to a property; one that has several is a list."""
    if name not in item:
        item[name] = value
    elif isinstance(item[name], list):
        item[name].append(value)
    else:
        item[name] = [item[name], value]


def open_graph_of(tree: LexborHTMLParser) -> JsonObject:
    """Return the OpenGraph properties in the head by name, as in `og:title`; one that stands there twice is a list."""
    found: JsonObject = {}
    for node in _metas(tree, "property"):
        name = (node.attributes.get("property") or "").strip().lower()
        content = " ".join((node.attributes.get("content") or "").split())
        if content and name.partition(":")[0] in ("og", "article", "book", "profile", "music", "video", "fb"):
            _add(found, name, content)
    return found


def meta_of(tree: LexborHTMLParser) -> dict[str, str]:
    """Return the content of the page's named meta elements, by name in lower case; the first of each."""
    found: dict[str, str] = {}
    for node in _metas(tree, "name"):
        content = " ".join((node.attributes.get("content") or "").split())
        if content:
            found.setdefault((node.attributes.get("name") or "").strip().lower(), content)
    return found


def _metas(tree: LexborHTMLParser, attribute: str) -> list[LexborNode]:
    return [] if tree.head is None else tree.head.css(f"meta[{attribute}][content]")[:MOST_OBJECTS]


def values_at(objects: Iterable[Any], path: str) -> Iterator[Any]:
    """Yield the values at a path such as `author.name` in objects, in order; lists on the way are gone through."""
    first, _, rest = path.partition(".")
    for each in objects:
        for value in _listed(each.get(first) if isinstance(each, dict) else None):
            if rest:
                yield from values_at([value], rest)
            else:
                yield value


def _listed(value: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        for each in value:
            yield from _listed(each)
    elif value is not None:
        yield value
