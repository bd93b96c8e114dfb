"""Server-sent events: which parts of a run's page have changed.

One watcher a run looks at the times of its files, at most four times a second and only while somebody listens, and
tells all listeners the same. Whoever is told asks for the parts that it shows; nothing is gathered for nobody.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

from honeyguide.runs import is_being_crawled
from honeyguide.web.library import when_written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from honeyguide.web.views import View

LOOK_EVERY_S: Final = 0.25
HEARTBEAT_S: Final = 15.0
_END: Final = ""  # after the last event


class Watcher:
    """Watches the runs that somebody listens to."""

    def __init__(self, views: Sequence[View], is_ending: Callable[[], bool] = lambda: False) -> None:
        """`is_ending` says whether the server is being stopped: events would keep it from that."""
        self._views = tuple(views)
        self._is_ending = is_ending
        self._tasks: dict[Path, asyncio.Task[None]] = {}
        self._listeners: dict[Path, set[asyncio.Queue[str]]] = {}

    async def events(self, path: Path) -> AsyncIterator[str]:
        """Yield events about one run as text, until the listener goes or the run vanishes."""
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=100)
        listeners = self._listeners.setdefault(path, set())
        listeners.add(queue)
        if path not in self._tasks:
            self._tasks[path] = asyncio.create_task(self._watch(path))
        try:
            # A page may be older than the events: another server may have made it.
            yield _event("changed", [view.name for view in self._views])
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), HEARTBEAT_S)
                except TimeoutError:
                    event = ": nothing new\n\n"
                if event == _END:
                    return
                yield event
        finally:
            listeners.discard(queue)
            if not listeners and (task := self._tasks.pop(path, None)):
                task.cancel()

    async def _watch(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        seen = self._look(path)
        due_at = dict.fromkeys(self._views, 0.0)
        changed: set[View] = set()
        is_settling = False
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if self._is_ending():
                self._tell(path, _END)
                return
            found = self._look(path)
            # Told of once more when nothing has changed since: whoever asked too soon may have seen less than all.
            if found != seen or is_settling:
                is_settling = found != seen
                seen = found
                changed |= set(self._views)
            now = loop.time()
            due = [view for view in self._views if view in changed and now >= due_at[view]]
            if due:
                changed -= set(due)
                due_at |= {view: now + view.every_s for view in due}
                self._tell(path, _event("changed", [view.name for view in due]))

    def _look(self, path: Path) -> tuple[object, ...]:
        return (*when_written(path), is_being_crawled(path))

    def _tell(self, path: Path, event: str) -> None:
        for queue in self._listeners.get(path, ()):
            if not queue.full():  # one that does not listen hears the next
                queue.put_nowait(event)


def _event(kind: str, parts: list[str]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'parts': parts})}\n\n"
