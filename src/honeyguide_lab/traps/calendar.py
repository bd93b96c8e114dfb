"""A calendar of events that can be turned back and forth for ever, day by day and month by month."""

from __future__ import annotations

import re
from calendar import monthrange
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.trap import Truth, WebParts
from honeyguide_lab.traps.trap import CommentedTrap, Scenario, in_paragraphs, listed, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Url

MONTHS: Final = 14
"""Months in a row that have events."""

_EVENTS: Final = 3  # in each of them
_FIRST_YEAR, _LAST_YEAR = 1, 9999
_STYLES: Final = (
    ("/calendar/{0}/{1:02d}/", "/calendar/{0}/{1:02d}/{2:02d}/"),
    ("/calendar/?year={0}&month={1}", "/calendar/?year={0}&month={1}&day={2}"),
    ("/calendar/{0}-{1:02d}", "/calendar/{0}-{1:02d}-{2:02d}"),
)
_MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_EVENT: Final = re.compile(r"/calendar/event-(0|[1-9][0-9]?)")


class _Date(NamedTuple):
    """A month, or with a day from 1 a day; months are counted from January of year 0."""

    month: int
    day: int = 0

    @property
    def is_real(self) -> bool:
        year, month = divmod(self.month, 12)
        return _FIRST_YEAR <= year <= _LAST_YEAR and self.day <= monthrange(year, month + 1)[1]


class EndlessCalendar(CommentedTrap):
    """Worth having are the months and days with an event in them, and the events; all others are empty."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 5)
        self._ground.show_door("/calendar/", "Calendar")
        self._styles = self._ground.variant(_STYLES)
        self._addresses = [_pattern(style) for style in self._styles]
        self._first = (2015 + (self._key >> 8) % 12) * 12 + (self._key >> 16) % 12

    def page(self, url: Url) -> bytes | None:
        if url.host != self._ground.home_name:
            return None
        if (event := _event(url)) is not None:
            return self._event_page(event)
        date = self._date(url)
        if date is None:
            return None
        return self._day_page(date) if date.day else self._month_page(date)

    def truth(self, url: Url) -> Truth | None:
        if url.host != self._ground.home_name:
            return None
        if (event := _event(url)) is not None:
            return Truth(Scenario.CALENDAR, self._url(f"/calendar/event-{event}"))
        date = self._date(url)
        if date is None:
            return None
        return Truth(Scenario.CALENDAR, self._url(self._path(date)), is_worthless=not self._events(date))

    def entrance(self, number: int) -> str:
        """Near the months with events, before and after."""
        return self._url(self._path(_Date(self._first + hash_int(self._key, number) % (3 * MONTHS) - MONTHS)))

    def _date(self, url: Url) -> _Date | None:
        path = url.path_and_query
        if path == "/calendar/":
            return _Date(self._first + MONTHS // 2)
        for address in self._addresses:
            if match := address.fullmatch(path):
                year, month, *day = map(int, match.groups())
                date = _Date(year * 12 + month - 1, *day)
                is_own = 1 <= month <= 12 and date.is_real and (not day or day[0] > 0) and self._path(date) == path
                return date if is_own else None
        return None

    def _path(self, date: _Date) -> str:
        year, month = divmod(date.month, 12)
        return self._styles[date.day > 0].format(year, month + 1, date.day)

    def _url(self, path: str) -> str:
        return self._ground.home_url + path[1:]

    def _events(self, date: _Date) -> list[int]:
        """The numbers of the events in a month or on a day."""
        place = date.month - self._first
        if not 0 <= place < MONTHS:
            return []
        events = range(place * _EVENTS, (place + 1) * _EVENTS)
        return [event for event in events if date.day in (0, self._day_of(event))]

    def _day_of(self, event: int) -> int:
        return 1 + hash_int(self._key, event, 1) % 28

    def _event_page(self, event: int) -> bytes:
        key = hash_int(self._key, event)
        date = _Date(self._first + event // _EVENTS, self._day_of(event))
        when = f"<p>{tag(self._path(date), _name_of(date))}</p>"
        return self._ground.at_home(self._ground.title(key), [when, *in_paragraphs(self._ground.paragraphs(key, 3))])

    def _month_page(self, date: _Date) -> bytes:
        year, month = divmod(date.month, 12)
        days = [_Date(date.month, day) for day in range(1, monthrange(year, month + 1)[1] + 1)]
        grid = f"<p>{' '.join(tag(self._path(each), str(each.day)) for each in days)}</p>"
        return self._dated(date, [_Date(date.month + step) for step in (-1, 1, -12, 12)], grid)

    def _day_page(self, date: _Date) -> bytes:
        days = [_Date(date.month, date.day + step) for step in (-1, 1) if date.day + step > 0]
        return self._dated(date, [*days, _Date(date.month), _Date(date.month + 1)], "")

    def _dated(self, date: _Date, others: Sequence[_Date], grid: str) -> bytes:
        events = self._events(date)
        links = [(f"/calendar/event-{event}", self._ground.title(hash_int(self._key, event))) for event in events]
        ways = [(self._path(other), _name_of(other)) for other in others if other.is_real]
        summary = f"<p>{len(events) or 'No'} events in {_name_of(date)}.</p>"
        return self._ground.at_home(f"Events, {_name_of(date)}", [summary, listed(links), grid, listed(ways)])


def _pattern(style: str) -> re.Pattern[str]:
    """The addresses of a style, with year, month and day as groups."""
    text = re.escape(style)
    for field, digits in ((r"\{0\}", r"(\d{1,4})"), (r"\{1:02d\}", r"(\d{2})"), (r"\{2:02d\}", r"(\d{2})"),
                          (r"\{1\}", r"(\d{1,2})"), (r"\{2\}", r"(\d{1,2})")):  # fmt: skip
        text = text.replace(field, digits)
    return re.compile(text, re.ASCII)


def _event(url: Url) -> int | None:
    match = _EVENT.fullmatch(url.path_and_query)
    return int(match[1]) if match and int(match[1]) < MONTHS * _EVENTS else None


def _name_of(date: _Date) -> str:
    year, month = divmod(date.month, 12)
    return f"{f'{date.day} ' if date.day else ''}{_MONTH_NAMES[month]} {year}"
