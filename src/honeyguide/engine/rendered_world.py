"""A world whose empty pages are run in a browser before anyone reads them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from honeyguide.domain import Fetched
from honeyguide.engine.preparing import Preparation, Unreadable, prepared_by
from honeyguide.parse import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.clock import Clock
    from honeyguide.domain import Answer, Url
    from honeyguide.fetch import Renderer
    from honeyguide.worlds import World

log = logging.getLogger(__name__)


class RenderedWorld:
    """Answers of another world; those of which a script makes all the text come back as the script leaves them."""

    is_offline = False

    def __init__(self, world: World, renderer: Renderer, clock: Clock) -> None:
        self._world = world
        self._renderer = renderer
        self._clock = clock

    async def fetch(self, url: Url) -> Answer:
        answer = await self._world.fetch(url)
        if not isinstance(answer.outcome, Fetched) or not needs_a_browser(url, answer.outcome):
            return answer
        started = self._clock.now()
        rendered = await self._renderer.render(url, answer.outcome)
        if rendered is None:
            return answer
        log.debug("%s was rendered", url)
        return replace(answer, outcome=rendered, elapsed_s=answer.elapsed_s + self._clock.now() - started)

    def entry_urls(self) -> Sequence[Url]:
        return self._world.entry_urls()

    async def close(self) -> None:
        await self._renderer.close()
        await self._world.close()


def needs_a_browser(url: Url, fetched: Fetched) -> bool:
    """Whether a page has scripts and, without them, not a word and not a link."""
    if b"<script" not in fetched.body.lower():
        return False
    read = prepared_by(Preparation(parse), url, fetched)
    if isinstance(read, Unreadable):
        return False
    page = read.page
    return page.charset != "" and not page.words and not page.links
