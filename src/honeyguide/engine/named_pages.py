"""Pages that a person names, by file or by URL, read the way a crawl reads the pages it finds."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from honeyguide.clock import RealClock
from honeyguide.domain import Failed, FailureReason, Fetched, Redirected, Refused, Unchanged, Unknown, Url
from honeyguide.engine.build import open_world
from honeyguide.errors import InvalidUrl, PageError
from honeyguide.frontier import next_request_at
from honeyguide.parse import parse

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from honeyguide.clock import Clock
    from honeyguide.domain import HostKey, Outcome, Page
    from honeyguide.engine.web_memory import WebMemory
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

STANDARD_INPUT: Final = "-"
_HTML_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml"})


def is_url(name: str) -> bool:
    """Whether a person means a URL by this, rather than a file."""
    return name.lower().startswith(("http://", "https://"))


class NamedPages:
    """Reads pages one at a time, politely.

    Files need no world. For URLs the world given is asked, and left open; without one, that of the settings is opened,
    with `memory` for its hosts. Standard input is read once; `input_is_read` says that somebody else does.
    """

    def __init__(
        self,
        settings: Settings,
        world: World | None = None,
        clock: Clock | None = None,
        *,
        input_is_read: bool = False,
        memory: WebMemory | None = None,
    ) -> None:
        self._settings = settings
        self._world = world
        self._clock = clock or RealClock()
        self._opened = AsyncExitStack()
        self._ready_at: dict[HostKey, float] = {}
        self._input_is_read = input_is_read
        self._memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    async def read(self, name: str) -> Page:
        """The page in a file, on standard input (`-`) or at a URL, redirects followed.

        PageError if there is no such page, or if there is not a word of HTML or text in it.
        """
        page = await self._page_at(_url(name)) if is_url(name) else self._page_in(name)
        if not page.words:
            what = f"is {page.media_type}, not HTML or text" if not page.charset else "has no words in it"
            raise PageError(f"{name} {what}; give another page")
        return page

    def _page_in(self, name: str) -> Page:
        if name == STANDARD_INPUT:
            if self._input_is_read:
                raise PageError(
                    "standard input can be read only once, and is named twice; put one of the two in a file"
                )
            self._input_is_read = True
        limit = self._settings.fetch.max_body_bytes
        body = _content(name, limit + 1)
        if not body:
            raise PageError(f"{name} is empty; give another page")
        if len(body) > limit:
            raise PageError(f"{name} is over {limit:,} bytes; cut it, or raise fetch.max_body_bytes")
        declared = "text/html" if Path(name).suffix.lower() in _HTML_ENDINGS else ""
        # Not through the door of web addresses: nothing is ever fetched from here.
        address = Url("file:///dev/stdin") if name == STANDARD_INPUT else Url(Path(name).absolute().as_uri())
        return parse(address, Fetched(200, declared, body))

    async def _page_at(self, url: Url) -> Page:
        return parse(*await self.fetched(url))

    async def fetched(self, url: Url) -> tuple[Url, Fetched]:
        """What is at a URL, redirects followed, and the URL where it is at last. PageError if there is nothing."""
        if self._world is None:
            self._world = await self._opened.enter_async_context(open_world(self._settings, self._memory))
        target = url
        for _ in range(self._settings.fetch.max_redirects + 1):
            match await self._ask(self._world, target):
                case Fetched() as fetched:
                    return target, fetched
                case Redirected() as redirected:
                    target = redirected.target
                case Unchanged():
                    raise PageError(f"{url} gave no page: its host says it is unchanged; give another one")
                case Failed(reason=FailureReason.TOO_LARGE, detail=detail):
                    raise PageError(f"{url} gave no page: {detail}; raise fetch.max_body_bytes, or give another one")
                case Failed() | Refused() | Unknown() as trouble:
                    raise PageError(f"{url} gave no page: {trouble.detail}; give another one")
                case unexpected:
                    assert_never(unexpected)
        raise PageError(f"{url} gave no page: over {self._settings.fetch.max_redirects} redirects; give another one")

    async def _ask(self, world: World, url: Url) -> Outcome:
        """One answer; a live host is left alone for as long as a crawl would."""
        if not world.is_offline:
            await asyncio.sleep(max(0.0, self._ready_at.get(url.host, 0.0) - self._clock.now()))
        answer = await world.fetch(url)
        self._ready_at[url.host] = next_request_at(self._clock.now(), answer.host_delay_s, self._settings.politeness)
        return answer.outcome


def _url(name: str) -> Url:
    try:
        return Url.parse(name)
    except InvalidUrl as error:
        raise PageError(str(error)) from None


def _content(name: str, most_bytes: int) -> bytes:
    try:
        if name == STANDARD_INPUT:
            return sys.stdin.buffer.read(most_bytes)
        with open(name, "rb") as file:  # noqa: PTH123 - a name with a null byte in it is an OSError nowhere else
            return file.read(most_bytes)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise PageError(f"cannot read {name}: {reason}; check the path") from None
