"""Parse a query into a tree, and hosts and times as people write them.

    query   = either { "OR" either }
    either  = part { [ "AND" ] part }
    part    = { "NOT" | "-" | "+" } term
    term    = [ field ":" ] ( word | phrase | "(" query ")" )
    phrase  = '"' words '"' [ "~" number ]        so many words may stand in between
    field   = "title" | "text" | "host"

Operators are written in capitals: and, or, not are words. Parts side by side must all be there, or any of them, by
`search.match`; `+` makes one necessary in any case, `-` forbids it. Everything else that is no letter or digit is
ignored, so an address or a line of code may be searched for as it is.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from honeyguide.errors import InvalidUrl, QueryError
from honeyguide.model import Url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Moment: TypeAlias = "datetime | date | float | str | None"


def host_name(text: str) -> str:
    """Return a host as the index has it, however it is spelled. QueryError for an address, or for nothing."""
    name = text.strip().rstrip("/")
    if not name or "/" in name:
        raise QueryError(f"{text!r} is not a host: give its name alone, as in example.org")
    try:
        return str(Url.parse(f"http://{name}/").host)
    except InvalidUrl:
        return name.lower()


_DAY_S: Final = 86_400
_SECONDS: Final = re.compile(r"\d{1,12}(?:\.\d+)?")


def span(first: Moment, last: Moment) -> tuple[float | None, float | None]:
    """Return the first and the last moment at which a page counts. QueryError for no time, or the wrong order."""
    begins, ends = _seconds(first, "since", is_end=False), _seconds(last, "until", is_end=True)
    if begins is not None and ends is not None and begins > ends:
        raise QueryError(f"since {first} is after until {last}: no page can be from then; swap them")
    return begins, ends


def _seconds(moment: Moment, name: str, *, is_end: bool) -> float | None:
    """Return a moment in seconds on the crawl's clock; of a day, its beginning or its end."""
    match moment:
        case None | "":
            return None
        case datetime():
            return _utc(moment).timestamp()
        case date():
            return _of_day(moment, is_end=is_end)
        case str() if _SECONDS.fullmatch(moment):
            return float(moment)
        case str():
            return _read(moment, name, is_end=is_end)
        case int() | float() if -sys.float_info.max <= moment <= sys.float_info.max:
            return float(moment)
        case int() | float():
            raise QueryError(f"{name} is no finite number of seconds: give one, as in 1777593600")
        case _:
            raise QueryError(f"{name} is {moment!r}: give a datetime, text or seconds")


def _read(text: str, name: str, *, is_end: bool) -> float:
    try:
        return _of_day(date.fromisoformat(text), is_end=is_end)
    except ValueError:
        pass
    try:
        return _utc(datetime.fromisoformat(text)).timestamp()
    except (ValueError, OverflowError):
        raise QueryError(
            f"{name} is {text!r}: write a day or a time, as in 2026-05-01 or 2026-05-01T12:30, or seconds"
        ) from None


def _of_day(day: date, *, is_end: bool) -> float:
    """Return the first moment of a day, or its last: in seconds, since Python knows no day after its last one."""
    begins = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    return math.nextafter(begins + _DAY_S, begins) if is_end else begins


def _utc(moment: datetime) -> datetime:
    """Take a time without a zone for UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


FIELDS: Final = ("title", "text", "host")
LONGEST_QUERY: Final = 20_000
DEEPEST: Final = 50
WIDEST_GAP: Final = 9_999
"""Words that may stand within a phrase."""
_SYMBOL: Final = re.compile(
    r"""(?P<phrase>"(?P<quoted>[^"]*)"(?:~(?P<slop>\d+))?)
      | (?P<open>\() | (?P<close>\))
      | (?P<field>(?i:title|text|host)(?=:)
          | [A-Za-z_]\w*(?=:)(?!:\d+(?:[\s/"()]|$)|:[^\s"()@]{1,64}@)  # no port or mailto:a@b.org
        ):(?=["(]|[^\s:/)])                               # a colon before a slash or a space is no field's
      | (?P<sign>[+-])(?=[^\s+-])
      | (?P<word>[^\s"()]+)""",
    re.VERBOSE,
)
_FIELDS_ALONE: Final = tuple(f"{name}:" for name in FIELDS)
_OPERATORS: Final = ("AND", "OR", "NOT")


@dataclass(frozen=True, slots=True)
class Words:
    """A word or a phrase to be found, in one field or in any. `start` and `end` are its place in the query."""

    text: str
    field: str  # empty for title and text
    start: int
    end: int
    is_phrase: bool = False
    slop: int = 0


@dataclass(frozen=True, slots=True)
class Not:
    """A part that must not match."""

    part: Node


@dataclass(frozen=True, slots=True)
class Required:
    """A part that must match, where others beside it need not."""

    part: Node


@dataclass(frozen=True, slots=True)
class AllOf:
    """Parts that must all match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Parts of which one at least must match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Parts without an operator between them; `search.match` says whether all must match."""

    parts: tuple[Node, ...]


Node: TypeAlias = Words | Not | Required | AllOf | AnyOf | SideBySide


def parse_query(text: str) -> Node:
    """Parse a query into a tree. QueryError where it is empty or cannot be read."""
    if not text.strip():
        raise QueryError("the query is empty: give a word to look for")
    if len(text) > LONGEST_QUERY:
        raise QueryError(f"the query has {len(text):,} characters: at most {LONGEST_QUERY:,} can be looked for")
    return _Parser(text).parse()


def all_words(node: Node, *, is_wanted: bool = True) -> Iterator[Words]:
    """Yield every word and phrase that should be there, in order; not those under a Not, unless that is negated too."""
    match node:
        case Words():
            if is_wanted:
                yield node
        case Required(part):
            yield from all_words(part, is_wanted=is_wanted)
        case AllOf(parts) | AnyOf(parts) | SideBySide(parts):
            for part in parts:
                yield from all_words(part, is_wanted=is_wanted)
        case Not(part):
            yield from all_words(part, is_wanted=not is_wanted)


@dataclass(frozen=True, slots=True)
class _Symbol:
    kind: str
    text: str
    start: int
    end: int
    slop: int = 0


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._symbols = list(self._split(text))
        self._next = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._either("")
        if self._kind() == "close":
            self._fail("a ) closes no (")
        return node

    def _split(self, text: str) -> Iterator[_Symbol]:
        at = 0
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            found = _SYMBOL.match(text, at)
            if found is None:  # nothing else can be here than a quotation mark that opens nothing
                self._fail('a " is not closed: write "two words"')
            kind = str(found.lastgroup) if found["phrase"] is None else "phrase"
            if kind == "phrase":
                yield _Symbol(kind, found["quoted"], at, found.end(), self._slop(found["slop"] or "0"))
            elif kind == "word" and found["word"] in _OPERATORS:
                yield _Symbol(found["word"], found["word"], at, found.end())
            else:
                if kind == "word" and found["word"].lower() in _FIELDS_ALONE:
                    self._fail(f"no word follows {found['word']} at once: write {found['word']}word, or quote it")
                yield _Symbol(kind, str(found[kind]), at, found.end())
            at = found.end()

    def _slop(self, digits: str) -> int:
        if len(digits.lstrip("0")) > len(str(WIDEST_GAP)):
            shown = digits if len(digits) <= 20 else f"{digits[:19]}…"
            self._fail(f"~{shown} is too much, at most {WIDEST_GAP:,} words may stand in between")
        return int(digits)

    def _kind(self) -> str:
        return self._symbols[self._next].kind if self._next < len(self._symbols) else "end"

    def _take(self) -> _Symbol:
        self._next += 1
        return self._symbols[self._next - 1]

    def _either(self, field: str) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"parentheses stand more than {DEEPEST} deep")
        parts = [self._both(field)]
        while self._kind() == "OR":
            self._take()
            parts.append(self._both(field))
        self._depth -= 1
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _both(self, field: str) -> Node:
        groups = [[self._part(field)]]
        while self._kind() not in ("OR", "close", "end"):
            if self._kind() == "AND":
                self._take()
                groups[-1].append(self._part(field))
            else:
                groups.append([self._part(field)])
        parts = [_joined(AllOf, group) for group in groups]
        return _joined(SideBySide, parts)

    def _part(self, field: str) -> Node:
        signs: list[str] = []
        while self._kind() in ("NOT", "sign"):
            signs.append(self._take().text)
        node = self._term(field)
        if sum(sign in ("NOT", "-") for sign in signs) % 2:
            return node.part if isinstance(node, Not) else Not(node)
        return Required(node) if "+" in signs else node

    def _term(self, field: str) -> Node:
        while self._kind() == "field":
            name = self._take().text
            if name.lower() not in FIELDS:
                self._fail(f'there is no field {name}: use {", ".join(FIELDS)}, or quote it, as in "{name}:"')
            field = name.lower()
        kind = self._kind()
        if kind == "open":
            self._take()
            if self._kind() == "close":
                self._fail("there is nothing in ( )")
            node = self._either(field)
            if self._kind() != "close":
                self._fail("a ( is not closed")
            self._take()
            return node
        if kind in ("word", "phrase"):
            symbol = self._take()
            is_phrase = kind == "phrase"
            if field == "host":
                host_name(symbol.text)
            return Words(symbol.text, field, symbol.start, symbol.end, is_phrase, symbol.slop)
        return self._fail(self._missing_part(kind))

    def _missing_part(self, kind: str) -> str:
        before = self._symbols[self._next - 1].text if self._next else ""
        if before in _OPERATORS:
            return f"nothing follows {before}"
        if kind == "sign" or self._kind_before() == "field":
            return f"no word follows {before}:, a sign stands before the field, as in -title:word"
        if kind in _OPERATORS:
            return f"nothing stands before {kind}"
        return "a ) closes no (" if kind == "close" else "a word is missing"

    def _kind_before(self) -> str:
        return self._symbols[self._next - 1].kind if self._next else "start"

    def _fail(self, reason: str) -> NoReturn:
        shown = self._text if len(self._text) <= 80 else f"{self._text[:79]}…"
        raise QueryError(f"the query {shown!r} cannot be read: {reason}")


def _joined(kind: type[AllOf | SideBySide], parts: Sequence[Node]) -> Node:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))
