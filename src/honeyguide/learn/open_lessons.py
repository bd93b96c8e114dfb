"""Lessons of decisions whose reward, or whose following state, is not known yet.

A decision is followed by the next one, and a fetch is rewarded when its page comes in: in either order, and with
several fetches at once the rewards of many decisions are due together. Every lesson is given back once, when it is
complete.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from honeyguide.domain import Url

MOST_OPEN: Final = 8192  # twice as many as there can be fetches at once


@dataclass(frozen=True, slots=True)
class Lesson:
    """In this state this action paid so much and led to that state."""

    state: int
    action: int
    reward: float
    following: int


@dataclass(slots=True)
class _Open:
    state: int
    action: int
    reward: float | None
    following: int | None = None

    @property
    def lesson(self) -> Lesson | None:
        if self.reward is None or self.following is None:
            return None
        return Lesson(self.state, self.action, self.reward, self.following)


class OpenLessons:
    """Decisions in the order in which they were made, each by its URL, which is decided on only once.

    A redirect, or an answer that is unknown, brings no reward. So beyond `MOST_OPEN` the oldest is forgotten.
    """

    def __init__(self) -> None:
        self._open_by_url: dict[str, _Open] = {}
        self._last: str | None = None

    def __len__(self) -> int:
        return len(self._open_by_url)

    def decided(self, url: Url, state: int, action: int, reward: float | None) -> Lesson | None:
        """A decision was made, with the reward where it is known at once. The lesson of the one before, if complete."""
        lesson = None
        if self._last is not None:
            self._open_by_url[self._last].following = state
            lesson = self._closed(self._last)
        self._last = url.text
        self._open_by_url[url.text] = _Open(state, action, reward)
        if len(self._open_by_url) > MOST_OPEN:
            del self._open_by_url[next(iter(self._open_by_url))]
        return lesson

    def rewarded(self, url: Url, reward: float) -> Lesson | None:
        """The reward of a fetch has come. Its lesson, if complete; None also for a fetch that nobody decided on."""
        decision = self._open_by_url.get(url.text)
        if decision is None:
            return None
        decision.reward = reward
        return self._closed(url.text)

    def _closed(self, url: str) -> Lesson | None:
        lesson = self._open_by_url[url].lesson
        if lesson is not None:
            del self._open_by_url[url]
        return lesson

    def saved(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        return {"open": {url: astuple(each) for url, each in self._open_by_url.items()}, "last": self._last}

    @classmethod
    def loaded(cls, saved: dict[str, Any]) -> OpenLessons:
        """KeyError, TypeError or ValueError where `saved` is nothing of the kind."""
        lessons = cls()
        for url, (state, action, reward, following) in saved["open"].items():
            lessons._open_by_url[url] = _Open(state, action, reward, following)
        lessons._last = saved["last"]
        if lessons._last is not None and lessons._last not in lessons._open_by_url:
            raise ValueError(f"the last decision, on {lessons._last}, is not among the open ones")
        return lessons
