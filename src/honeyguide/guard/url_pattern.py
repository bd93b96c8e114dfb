"""Patterns of addresses: the shape of an address without what varies, and its forms without one part each.

`/calendar/2031/04/?view=list&day=7` has the shape `/calendar/#/#/?day&view`. The first part of a path is kept, because
it mostly names a section of the site; in later ones a number is `#`, an id `@` and any other word `*`. Names of
parameters are sorted, their values left out. The *section* of an address is its host and the literal beginning of its
path, up to what varies: `/calendar/`. The *series* is host and shape without names of parameters. A *form* of an
address is the address without one part that may turn out not to matter: a parameter, a slash, an id.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

import xxhash

from honeyguide.model import Url
from honeyguide.text import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.model import HostKey

_SURE: Final = re.compile(r"(?:cal|calendar|date|day|week|month|year)s?|agenda|ym")
_WITH_A_YEAR: Final = frozenset({"event", "events", "archive", "archives"})
_IN_SHORT: Final = {"y": "year", "yr": "year", "m": "month", "mon": "month", "d": "day"}
_YEAR: Final = re.compile(  # alone, or with a month or a day written on to it, as in 20310407
    r"(?<!\d)(?:19|20|21)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?)?(?!\d)"
)


def is_dated(names: Iterable[str], path_and_query: str) -> bool:
    """Whether an address says that it is about a day, a month or a year.

    Words such as *calendar* and *month* among `names` say so. *Archive* and *events* do where there is a year in the
    address. Of the letters for a day, a month and a year it takes two.
    """
    words = set(letters_of(" ".join(names).lower()))
    if any(map(_SURE.fullmatch, words)):
        return True
    if len({_IN_SHORT[word] for word in words & _IN_SHORT.keys()}) > 1:
        return True
    return not words.isdisjoint(_WITH_A_YEAR) and _YEAR.search(path_and_query) is not None


_NUMBER: Final = re.compile(r"\d+(?:[-_.:,]\d+)*")
_ID: Final = re.compile(
    r"(?=[^\d]*\d)(?:[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[A-Za-z]*\d+[A-Za-z]+\d)[0-9A-Za-z]{20,})"  # a long name with one number in it is a name
)
_DIGITS: Final = re.compile(r"\d+")
_ENDING: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")

LONGEST_KEPT: Final = 256
"""Characters of an address up to which what is worked out from it is kept: longer ones are rare, or a trap's."""


class Shape(NamedTuple):
    """The shape of one address, with what is looked up by it.

    A tuple that works out only what most links are asked for: a page may have thousands.
    """

    host: HostKey
    address: str  # path and query as they are
    folded: tuple[str, ...]  # the parts of the path
    series: str  # host and folded path, and whether there are parameters
    names: tuple[str, ...]  # of parameters, sorted, each once
    repeats: int  # how often the path says the same; 1 for most
    is_serial: bool  # whether something in it can be counted on for ever: a number, an id, a parameter

    @property
    def path(self) -> str:
        """The folded path and the names of parameters."""
        path = "/" + "/".join(self.folded)
        return f"{path}?{'&'.join(self.names)}" if self.names else path

    @property
    def text(self) -> str:
        """The whole shape, for people."""
        return self.host + self.path

    @property
    def section(self) -> str:
        """Host and family."""
        return self.host + self._family

    @property
    def words(self) -> tuple[str, ...]:
        """The parts of the path that are no numbers, no ids and not its first, with # for their numbers."""
        parts = zip(self._parts, self.folded, strict=True)
        return tuple(_DIGITS.sub("#", part) for part, kept in parts if kept.startswith("*"))

    @property
    def is_dated(self) -> bool:
        """Whether it says that it is about a day, a month or a year."""
        return self.is_serial and is_dated((self._family, *self.names), self.address)

    @property
    def _family(self) -> str:
        return _family(self.folded, self._parts, has_query=bool(self.names))

    @property
    def _parts(self) -> list[str]:
        return self.address.partition("?")[0].split("/")[1:]


def is_id(text: str) -> bool:
    """Whether a part of an address reads like an id that a program made up."""
    return _ID.fullmatch(text) is not None


def shape_of(url: Url) -> Shape:
    """The shape of an address. Depends on nothing but the address."""
    return _kept_shape(url.text) if len(url.text) <= LONGEST_KEPT else _shape(url)


@lru_cache(maxsize=8192)  # a site's menu is on every page of it, and a new link is asked about several times
def _kept_shape(address: str) -> Shape:
    return _shape(Url(address))


def _shape(url: Url) -> Shape:
    host, address = url.host, url.path_and_query
    path, _, query = address.partition("?")
    parts = path.split("/")[1:]
    last = -1 if query else len(parts) - 1
    folded = tuple(
        [_folded(part, is_first=place == 0, is_last=place == last) if part else "" for place, part in enumerate(parts)]
    )
    names = tuple(sorted({unquote(item.partition("=")[0]) for item in query.split("&") if item})) if query else ()
    return Shape(
        host,
        address,
        folded,
        series=f"{host}/{'/'.join(folded)}{'?' if names else ''}",
        names=names,
        repeats=1 if len(set(parts)) == len(parts) else repeats_in([part for part in parts if part]),
        is_serial=bool(names) or any(part[:1] in ("#", "@") for part in folded),
    )


def _folded(part: str, *, is_first: bool, is_last: bool) -> str:
    ending = _ENDING.search(part)
    stem = part[: ending.start()] if ending else part
    tail = ending.group() if ending else ""
    if _NUMBER.fullmatch(stem):
        return f"#{tail}"
    if is_id(stem):
        return f"@{tail}"
    if is_first and not is_last:
        return _DIGITS.sub("#", part)
    return f"*{tail}"


def _family(folded: Sequence[str], parts: Sequence[str], *, has_query: bool) -> str:
    """The literal parts in front: one, or all before the first number where there is something to count."""
    is_counted = has_query or any(part[:1] in ("#", "@") for part in folded)
    kept: list[str] = []
    for place, part in enumerate(folded):
        is_last = place == len(folded) - 1
        if not part or part[0] in "#@" or (is_last and not has_query):
            break
        if kept and not is_counted:
            break
        kept.append(_DIGITS.sub("#", parts[place]))
    is_file = has_query and len(kept) == len(folded)
    return "/" + "/".join(kept) + ("" if is_file or not kept else "/")


def repeats_in(parts: list[str]) -> int:
    """How often the most frequent part of a path stands in it; numbers and a part of one letter do not count."""
    counted = [part for part in parts if len(part) > 1 and not _NUMBER.fullmatch(part)]
    return max(Counter(counted).values(), default=1)


_INDEX: Final = re.compile(r"/(?:index|default|home)\.[A-Za-z]{3,5}$")
_SESSION_NAMES: Final = frozenset(
    {"sid", "session", "sessionid", "session_id", "phpsessid", "jsessionid", "aspsessionid", "cfid", "cftoken", "s"}
)
_MOST_PARAMETERS: Final = 8
"""Parameters of an address that are tried; one with more is tried as a whole only."""

WHOLE_QUERY: Final = "query"
SLASH: Final = "slash"
INDEX: Final = "index"
REPEATED_PART: Final = "what stands between two equal parts of the path"


class Form(NamedTuple):
    """An address without one of its parts."""

    rule: str  # what was left out, as in "parameter sid"
    text: str
    is_session: bool  # whether what was left out reads like the id of a visit
    names: tuple[str, ...] = ()  # of parameters, where all of them were left out


def forms_of(address: str) -> tuple[Form, ...]:
    """An address without each of the parts that may turn out not to matter."""
    return _kept_forms(address) if len(address) <= LONGEST_KEPT else tuple(_forms(address))


@lru_cache(maxsize=8192)
def _kept_forms(address: str) -> tuple[Form, ...]:
    return tuple(_forms(address))


def _forms(address: str) -> Iterator[Form]:
    path, mark, query = address.partition("?")
    start = path.index("/", 8)
    after = mark + query
    is_index = _INDEX.search(path, start)
    if is_index or path.endswith("/"):
        folder = path[: max(start + 1, path.rindex("/"))]  # nothing is shorter than the root
        yield Form(INDEX, folder + after, is_session=False)
        if not is_index and len(path) > start + 1:
            yield Form(SLASH, folder + after, is_session=False)
    elif "." not in path[path.rindex("/") :]:
        yield Form(SLASH, path + after, is_session=False)
    yield from _without_path_parts(path, start, after)
    if not query:
        return
    items = query.split("&")
    names = tuple(dict.fromkeys(item.partition("=")[0] for item in items))
    if len(items) <= _MOST_PARAMETERS:
        for name in names:
            values = [item.partition("=")[2] for item in items if item.partition("=")[0] == name]
            left = "&".join(item for item in items if item.partition("=")[0] != name)
            is_session = name.lower() in _SESSION_NAMES or all(map(is_id, values))
            yield Form(f"parameter {name}", f"{path}?{left}" if left else path, is_session)
        if len(items) > 1:
            yield Form("order of parameters", f"{path}?{'&'.join(sorted(items))}", is_session=False)
    yield Form(WHOLE_QUERY, path, is_session=False, names=names)


def _without_path_parts(path: str, start: int, after: str) -> Iterator[Form]:
    """Without `;jsessionid=…`, without a part that is an id, and without the way round to a part that stands twice."""
    bare, semicolon, parameter = path.partition(";")
    if semicolon:
        name = parameter.partition("=")[0]
        yield Form(f"path parameter {name}", bare + after, is_session=True)
    parts = path[start + 1 :].split("/")
    again = next((part for part in parts if len(part) > 1 and not part.isdigit() and parts.count(part) > 1), None)
    if again is not None:
        last = len(parts) - 1 - parts[::-1].index(again)
        kept = parts[: parts.index(again)] + parts[last:]
        yield Form(REPEATED_PART, path[: start + 1] + "/".join(kept) + after, is_session=False)
    for place, part in enumerate(parts):
        if is_id(part):
            parts = path[start + 1 :].split("/")
            parts[place] = ""
            yield Form(f"id in part {place + 1} of the path", f"{path[: start + 1]}{'/'.join(parts)}{after}", True)  # noqa: FBT003


def path_of(address: str) -> str:
    """Path and query, whatever stands at the end of the path."""
    path, mark, query = address[address.index("/", 8) :].partition("?")
    return _INDEX.sub("", path).removesuffix("/") + mark + query


def hash_of(text: str) -> int:
    """The same for equal addresses, and the same in every process."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
