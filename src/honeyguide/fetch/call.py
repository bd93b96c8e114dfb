"""One request while it is on its way: how far it has come, whom it calls, and how much time it has left."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from honeyguide.settings import FetchSettings


class Stage(Enum):
    """How far a request has come; the value says what is missing when its time is up."""

    CONNECTING = "no connection"
    WAITING = "no answer"
    READING = "no whole answer"


class Call:
    """The state of one request.

    The connector tells it what happens below the HTTP library, which hands on none of it.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self.address = ""  # that was called, or would have been
        self.objection = ""  # why the last address that was found may not be called
        self._settings = settings
        self._stage = Stage.CONNECTING
        self._limit_s = settings.timeout_s
        self._ends_at = 0.0
        self._timer = asyncio.timeout(None)

    @asynccontextmanager
    async def on_its_way(self) -> AsyncIterator[None]:
        """Give the request its time, stage by stage. TimeoutError when one of the limits is reached."""
        async with self._timer:
            self._ends_at = asyncio.get_running_loop().time() + self._settings.timeout_s
            self._enter(Stage.CONNECTING, self._settings.connect_timeout_s)
            token = _current.set(self)
            try:
                yield
            finally:
                _current.reset(token)

    def connected(self, address: str) -> None:
        """There is a connection, new or kept, and the request goes out on it."""
        self.address = address
        self._enter(Stage.WAITING, self._settings.first_byte_timeout_s)

    def answered(self) -> None:
        """The headers are in."""
        self._enter(Stage.READING, self._settings.timeout_s)

    @property
    def overdue(self) -> str:
        """What did not come in time."""
        return f"{self._stage.value} within {self._limit_s:g} s"

    @property
    def is_refused(self) -> bool:
        """Whether every address that was found is one not to be called."""
        return bool(self.objection) and not self.address

    def _enter(self, stage: Stage, limit_s: float) -> None:
        stage_ends_at = asyncio.get_running_loop().time() + limit_s
        is_shorter = stage_ends_at < self._ends_at
        self._stage, self._limit_s = stage, limit_s if is_shorter else self._settings.timeout_s
        self._timer.reschedule(min(stage_ends_at, self._ends_at))


_current: ContextVar[Call] = ContextVar("call")


def current_call() -> Call:
    """The request that this task is busy with."""
    return _current.get()
