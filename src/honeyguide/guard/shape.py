"""What an address looks like when everything is taken out of it that varies from page to page.

`/calendar/2031/04/?view=list&day=7` has the shape `/calendar/#/#/?day&view`. The first part of a path is kept, because
it mostly names a section of the site; in later ones a number is `#`, an id `@` and any other word `*`. Names of parameters
are sorted, their values left out.

The *family* of an address is the literal beginning of its path, up to what varies: `/calendar/`. The *series* is the
shape without names of parameters: those come and go from page to page of one list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from honeyguide.domain import HostKey, Url

_NUMBER: Final = re.compile(r"\d+(?:[-_.:,]\d+)*")
_ID: Final = re.compile(r"(?=[^\d]*\d)(?:[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Za-z_-]{20,})")
_DIGITS: Final = re.compile(r"\d+")
_ENDING: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_LONGEST_RUN: Final = 4  # parts of a path that may repeat together


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of one address."""

    host: HostKey
    path: str  # the folded path
    names: tuple[str, ...]  # of parameters, sorted, each once
    family: str
    numbers: tuple[int, ...]  # in the order in which they stand in the address
    repeats: int  # how often in a row the path says the same; 1 for most

    @property
    def text(self) -> str:
        """The whole shape, for people."""
        return f"{self.host}{self.path}{'?' + '&'.join(self.names) if self.names else ''}"

    @property
    def series(self) -> str:
        return f"{self.host}{self.path}{'?' if self.names else ''}"

    @property
    def section(self) -> str:
        """Host and family."""
        return f"{self.host}{self.family}"

    @property
    def is_serial(self) -> bool:
        """Whether something in it can be counted on for ever: a number, an id, a parameter."""
        return bool(self.names) or "#" in self.path or "@" in self.path


def is_id(text: str) -> bool:
    """Whether a part of an address reads like an id that a program made up."""
    return _ID.fullmatch(text) is not None


@lru_cache(maxsize=32_768)  # a site's menu is on every page of it, and a link is asked about again and again
def shape_of(url: Url) -> Shape:
    """The shape of an address. Depends on nothing but the address."""
    path, _, query = url.path_and_query.partition("?")
    parts = path.split("/")[1:]
    folded = [_folded(part, is_first=place == 0, is_last=place == len(parts) - 1 and not query)
              for place, part in enumerate(parts)]  # fmt: skip
    names = tuple(sorted({unquote(item.partition("=")[0]) for item in query.split("&") if item}))
    return Shape(
        host=url.host,
        path="/" + "/".join(folded),
        names=names,
        family=_family(folded, parts, has_query=bool(names)),
        numbers=tuple(int(run[:15]) for run in _DIGITS.findall(url.path_and_query)[:8]),
        repeats=repeats_in([part for part in parts if part]),
    )


def _folded(part: str, *, is_first: bool, is_last: bool) -> str:
    if not part:
        return ""
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


def _family(folded: list[str], parts: list[str], *, has_query: bool) -> str:
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
    """How often a run of up to four parts stands in a row, at most; 1 where nothing is repeated."""
    most = 1
    for length in range(1, min(_LONGEST_RUN, len(parts) // 2) + 1):
        count = 1
        for start in range(length, len(parts) - length + 1):
            is_same = parts[start : start + length] == parts[start - length : start]
            count = count + 1 if is_same else 1
            most = max(most, 1 + (count - 1) // length if length > 1 else count)
    return 1 if most > 1 and all(_NUMBER.fullmatch(part) for part in parts) else most
