"""Points in time as people write them."""

from __future__ import annotations

import math
import re
import sys
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from honeyguide.errors import QueryError

if TYPE_CHECKING:
    from typing import TypeAlias

    Moment: TypeAlias = "datetime | date | float | str | None"

_DAY_S: Final = 86_400
_SECONDS: Final = re.compile(r"\d{1,12}(?:\.\d+)?")


def span(first: Moment, last: Moment) -> tuple[float | None, float | None]:
    """The first and the last moment at which a page counts. QueryError for what is no time, or the wrong way round."""
    begins, ends = since(first), until(last)
    if begins is not None and ends is not None and begins > ends:
        raise QueryError(f"since {first} is after until {last}: no page can be from then; swap them")
    return begins, ends


def since(moment: Moment) -> float | None:
    """Seconds on the crawl's clock from which on a page counts; of a day, its beginning."""
    return _seconds(moment, "since", is_end=False)


def until(moment: Moment) -> float | None:
    """The last moment at which a page counts, in seconds on the crawl's clock; of a day, the last before the next."""
    return _seconds(moment, "until", is_end=True)


def _seconds(moment: Moment, name: str, *, is_end: bool) -> float | None:
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
    """Its first moment, or its last: with seconds, since after the last day that Python knows there is no other."""
    begins = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    return math.nextafter(begins + _DAY_S, begins) if is_end else begins


def _utc(moment: datetime) -> datetime:
    """A time that does not say of which zone it is, is of UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
