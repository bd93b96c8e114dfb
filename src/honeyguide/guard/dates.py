"""Whether an address says that it is about a day, a month or a year.

Words such as *calendar* and *month* say so. *Archive* and *events* do where there is a year in the address: else they
are lists of things that have numbers. A letter for a day, a month or a year says nothing alone, two of them do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SURE: Final = frozenset(
    [
        "cal",
        "cals",
        "calendar",
        "calendars",
        "date",
        "dates",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "agenda",
        "ym",
    ]
)
_WITH_A_YEAR: Final = frozenset({"event", "events", "archive", "archives"})
_IN_SHORT: Final = {"y": "year", "yr": "year", "m": "month", "mon": "month", "d": "day"}
_WORD: Final = re.compile(r"[^\W\d_]+")
_YEAR: Final = re.compile(  # alone, or with a month or a day written on to it, as in 20310407
    r"(?<!\d)(?:19|20|21)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?)?(?!\d)"
)


def is_dated(names: Iterable[str], path_and_query: str) -> bool:
    """By the names in an address (of the beginning of its path, and of parameters), and the numbers in all of it."""
    words = set(_WORD.findall(" ".join(names).lower()))
    if not words.isdisjoint(_SURE):
        return True
    if len({_IN_SHORT[word] for word in words & _IN_SHORT.keys()}) > 1:
        return True
    return not words.isdisjoint(_WITH_A_YEAR) and _YEAR.search(path_and_query) is not None
