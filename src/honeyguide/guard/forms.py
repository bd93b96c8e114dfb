"""An address without each of the parts that may turn out not to matter: a parameter, a slash, an id in the path."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from honeyguide.guard.shape import LONGEST_KEPT, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator

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
