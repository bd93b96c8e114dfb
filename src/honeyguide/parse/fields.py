"""Fields of a page that a user has named: `NAME[:TYPE]=KIND:EXPRESSION`, as in `price:number=css:.price`.

The kind is `css` (with `::attr(NAME)` or `::text` behind the selector, as in Scrapy), `xpath`, `re` (over the source of
the page; the first group, if there is one) or `jsonld` (a path, as in `author.name`; microdata where the page has no
JSON-LD for it). The type says what becomes of the texts that are found: `text` is the first of them, `number`, `date`
and `url` the first that there is in them, `list` all of them. A page on which nothing is found has no such field.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.extras import install_hint
from honeyguide.model import Url, linear_pattern
from honeyguide.parse.html import WORD_ENDING_TAG
from honeyguide.parse.links import base_of
from honeyguide.parse.markup_cost import affordable_part
from honeyguide.parse.structured import json_ld_of, microdata_of, values_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

    from honeyguide.model import FieldValue

FIELD_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}", re.ASCII)
MOST_VALUES: Final = 1_000
"""Entries of a list, at most."""
MOST_CHARACTERS: Final = 10_000
"""Characters of a text, at most."""

_PSEUDO: Final = re.compile(r"(?P<selector>.*?)\s*::(?:text|attr\(\s*(?P<attribute>[\w:.-]+)\s*\))\s*", re.DOTALL)
_NUMBER: Final = re.compile(r"(?:(?<!\w)[-+\u2212])?\d[\d.,'\u2019\u00a0\u202f]*(?:[eE][-+]?\d{1,3})?")
_ISO_DATE: Final = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[-+]\d\d:?\d\d))?)?")
_WRITTEN_DATES: Final = (
    (re.compile(r"\b\d{1,2}\.? [A-Za-z]{3,9}\.?,? \d{4}\b"), ("%d %B %Y", "%d %b %Y")),
    (re.compile(r"\b[A-Za-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b"), ("%B %d %Y", "%b %d %Y")),
    (re.compile(r"\b\d{1,2}\.\d{1,2}\.\d{4}\b"), ("%d.%m.%Y",)),
    (re.compile(r"\b\d{4}/\d{1,2}/\d{1,2}\b"), ("%Y/%m/%d",)),
)
# Of a JSON-LD object that stands where a text is asked for, the first of these that is a text.
_NAMES_OF_OBJECTS: Final = ("name", "@value", "url", "@id")


class PageSource:
    """The markup of a page. A tree is built when the first field asks for it."""

    def __init__(self, html: str) -> None:
        self.html = html

    @cached_property
    def _spaced(self) -> str:
        """The affordable part, with a space where a tag ends a word."""
        return WORD_ENDING_TAG.sub(" <", affordable_part(self.html))

    @cached_property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self._spaced)

    @cached_property
    def document(self) -> Any:  # noqa: ANN401 - lxml's, which need not be installed
        """The tree for XPath; None where lxml makes none of it."""
        etree = _lxml()
        try:
            return etree.fromstring(self._spaced.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
        except (etree.ParseError, ValueError):
            return None

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        return [*json_ld_of(self.tree), *microdata_of(self.tree)]

    def base(self, url: Url) -> Url:
        """Return the address from which relative ones count."""
        found = self.tree.css_first("base[href]")
        return base_of(url, "" if found is None else found.attributes.get("href") or "")


Reader: TypeAlias = Callable[[PageSource], Iterator[str]]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """A field, ready to be read."""

    name: str
    kind: str  # of value
    texts: Reader

    def value(self, url: Url, source: PageSource) -> FieldValue | None:
        """Return the value of a page found at `url`; None where it has none."""
        texts = (kept_text(text) for found in self.texts(source) if (text := " ".join(found.split())))
        if self.kind == "list":
            return tuple(islice(texts, MOST_VALUES)) or None
        if self.kind == "url":
            return next(_urls(texts, source.base(url)), None)
        read = _SINGLE[self.kind]
        return next((value for text in islice(texts, MOST_VALUES) if (value := read(text)) is not None), None)


def read_fields(rules: Sequence[FieldRule], url: Url, html: str) -> tuple[tuple[str, FieldValue], ...]:
    """Return the fields of a page found at `url`, those that it has; an answer that is plain text has `re` alone."""
    source = PageSource(html)
    return tuple((rule.name, value) for rule in rules if (value := rule.value(url, source)) is not None)


def kept_text(text: str) -> str:
    """Return a text as it is kept: a plain string, cut, without the halves of characters that JSON may have."""
    return str.encode(text[:MOST_CHARACTERS], "utf-8", "replace").decode()


def compile_fields(specs: Sequence[str]) -> tuple[FieldRule, ...]:
    """Make rules of fields as a user writes them. SettingsError with everything that is wrong with them."""
    rules: list[FieldRule] = []
    mistakes: list[str] = []
    for spec in specs:
        try:
            rules.append(_rule(spec))
        except ValueError as error:
            mistakes.append(f"field {spec!r}: {error}")
    names = [rule.name.casefold() for rule in rules]  # columns of tables, some of which know no capitals
    mistakes += [
        f"field {name!r} is given twice, capitals aside: leave one out"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if mistakes:
        raise SettingsError(mistakes)
    return tuple(rules)


def _rule(spec: str) -> FieldRule:
    """Read one field. ValueError, in a few words, for what is none."""
    head, equals, rest = spec.partition("=")
    name, _, kind = (part.strip() for part in head.partition(":"))
    how, colon, expression = rest.strip().partition(":")
    if not equals or not colon or how not in _READERS:
        raise ValueError(f"write it as NAME=KIND:EXPRESSION, as in price=css:.price; a kind is {_one_of(_READERS)}")
    if not FIELD_NAME.fullmatch(name):
        raise ValueError("a name is a letter, then letters, digits and _")
    if kind and kind not in KINDS:
        raise ValueError(f"{kind!r} is no type: choose {_one_of(KINDS)}")
    if not expression.strip():
        raise ValueError(f"there is nothing behind {how}:")
    return FieldRule(name, kind or "text", _READERS[how](expression.strip()))


def _one_of(words: Iterator[str] | Sequence[str] | dict[str, Any]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}"


def _css(expression: str) -> Reader:
    parts = _PSEUDO.fullmatch(expression)
    selector = expression if parts is None else parts["selector"]
    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        raise ValueError(f"{selector!r} is no CSS selector that can be read; write it as .price or a.author") from None
    attribute = None if parts is None else parts["attribute"]
    if attribute is not None:
        return lambda source: (node.attributes.get(attribute) or "" for node in source.tree.css(selector))
    if parts is not None:
        return lambda source: (node.text(deep=False) for node in source.tree.css(selector))
    return lambda source: map(_text_of, source.tree.css(selector))


def _text_of(node: LexborNode) -> str:
    return node.text()


def _xpath(expression: str) -> Reader:
    etree = _lxml()
    try:
        find = etree.XPath(expression, smart_strings=False)
        find(etree.fromstring("<html/>"))  # tells of functions and prefixes that are not known
    except etree.XPathError as error:
        raise ValueError(f"{expression!r} is no XPath that can be read ({error})") from None
    return lambda source: _found_by_xpath(find, source.document)


def _found_by_xpath(find: Any, document: Any) -> Iterator[str]:  # noqa: ANN401 - lxml's
    if document is None:
        return
    try:
        found = find(document)
    except _lxml().XPathError:  # an expression that this page alone cannot be asked
        return
    for each in found if isinstance(found, list) else [found]:
        yield "".join(each.itertext()) if hasattr(each, "itertext") else _as_text(each)


def _lxml() -> Any:  # noqa: ANN401 - an optional extra
    try:
        from lxml import etree  # noqa: PLC0415
    except ImportError:
        raise ValueError(f"xpath needs lxml, which is not installed; add it: {install_hint('xpath')}") from None
    return etree


def _expression(expression: str) -> Reader:
    try:
        pattern = linear_pattern(expression)
    except ValueError as error:
        raise ValueError(f"{expression!r} is not a regular expression that RE2 knows: {error}") from None
    group = 1 if pattern.groups else 0
    return lambda source: (found[group] or "" for found in pattern.finditer(source.html))


def _json_ld(path: str) -> Reader:
    if not all(part.strip() for part in path.split(".")):
        raise ValueError(f"{path!r} is no path; write it as author.name")
    return lambda source: filter(None, map(_as_text, values_at(source.objects, path)))


def _as_text(value: Any) -> str:  # noqa: ANN401 - JSON, or what an XPath gives
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return f"{value:.15g}"
        case dict():
            return next((_as_text(value[name]) for name in _NAMES_OF_OBJECTS if isinstance(value.get(name), str)), "")
        case _:
            return ""


def number_in(text: str) -> float | int | None:
    """Return the first number in a text, as people write it: 1,299.00 or 1.299,00 or 1 299. One as 1e999 is none.

    Of two kinds of separators the last is the decimal point. So is a single comma, unless three digits follow it.
    """
    found = _NUMBER.search(re.sub(r"(?<=\d) (?=\d{3}(?:\D|$))", "", text))
    if found is None:
        return None
    mantissa, _, exponent = found[0].replace("\u2212", "-").lower().partition("e")
    digits = re.sub(r"['\u2019\u00a0\u202f]", "", mantissa).rstrip(".,")
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma > point >= 0 or (point < 0 and digits.count(",") == 1 and len(digits) - comma != 4):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", "")
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    value = float(f"{digits}e{exponent}" if exponent else digits)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def date_in(text: str) -> str | None:
    """Return the first date in a text as ISO 8601, with its time where there is one.

    Dates such as 03/04/2024, which mean two things, are none.
    """
    for iso in _ISO_DATE.findall(text):
        try:
            moment = datetime.fromisoformat(iso.replace(" Z", "Z"))
        except ValueError:
            continue
        return moment.date().isoformat() if len(iso) == len("2024-05-01") else moment.isoformat()
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    for pattern, forms in _WRITTEN_DATES:
        for found in pattern.findall(text):
            plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|,|(?<=[A-Za-z])\.|(?<=\d)\.(?= )", "", found)
            for form in forms:
                try:
                    return datetime.strptime(plain, form).date().isoformat()  # noqa: DTZ007 - a day has no zone
                except ValueError:
                    continue
    return None


def _urls(texts: Iterator[str], base: Url) -> Iterator[str]:
    for text in texts:
        try:
            yield Url.parse(text, base=base).text
        except InvalidUrl:
            continue


_READERS: Final[dict[str, Callable[[str], Reader]]] = {
    "css": _css, "xpath": _xpath, "re": _expression, "jsonld": _json_ld
}  # fmt: skip
_SINGLE: Final[dict[str, Callable[[str], Any]]] = {"text": str, "number": number_in, "date": date_in}
KINDS: Final = (*_SINGLE, "url", "list")
"""Types of values, by the names that a user writes."""
