"""Points in time as people write them."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from honeyguide.errors import QueryError

if TYPE_CHECKING:
    from typing import TypeAlias

    Moment: TypeAlias = "datetime | float | str | None"

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SECONDS: Final = re.compile(r"\d{1,12}(?:\.\d+)?")


def span(first: Moment, last: Moment) -> tuple[float | None, float | None]:
    """From when on, and before when, a page counts. QueryError where that is no time at all."""
    begins, ends = since(first), until(last)
    if begins is not None and ends is not None and begins >= ends:
        raise QueryError(f"since {first} is after until {last}: no page can be from then; swap them")
    return begins, ends


def since(moment: Moment) -> float | None:
    """Seconds on the crawl's clock from which on a page counts."""
    return _seconds(moment, "since", is_end=False)


def until(moment: Moment) -> float | None:
    """Seconds before which a page counts; of a day, its end."""
    return _seconds(moment, "until", is_end=True)


def _seconds(moment: Moment, name: str, *, is_end: bool) -> float | None:
    match moment:
        case None | "":
            return None
        case datetime():
            return _utc(moment).timestamp()
        case str() if _SECONDS.fullmatch(moment):
            return float(moment)
        case str():
            try:
                read = _utc(datetime.fromisoformat(moment))
                if is_end and _DAY.fullmatch(moment):
                    read += timedelta(days=1)
                return read.timestamp()
            except (ValueError, OverflowError):
                raise QueryError(
                    f"{name} is {moment!r}: write a day or a time, as in 2026-05-01 or 2026-05-01T12:30, or seconds"
                ) from None
        case _ if math.isfinite(moment):
            return float(moment)
        case _:
            raise QueryError(f"{name} is {moment}: give a finite number of seconds")


def _utc(moment: datetime) -> datetime:
    """A time that does not say of which zone it is, is of UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
