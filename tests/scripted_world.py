"""A world written down in a test: what each URL answers, how long it takes, and how often it was asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, Url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.model import Outcome

Script: TypeAlias = "Mapping[str, str | Outcome | Answer | Exception]"
"""By URL: HTML, any other outcome, an outcome with its cost, or a bug of the world."""

NOT_FOUND = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)


class ScriptedWorld:
    """Answers from a dictionary; what is not in it is not found. Not offline, it takes its latency in real time."""

    writes_pages = False

    def __init__(
        self,
        script: Script,
        *,
        entry_urls: Sequence[str] = (),
        latency_s: float = 0.1,
        is_offline: bool = True,
    ) -> None:
        self.script = {Url.parse(url): answer for url, answer in script.items()}
        self.is_offline = is_offline
        self.fetches: Counter[str] = Counter()
        self._entry_urls = [Url.parse(url) for url in entry_urls] or list(self.script)[:1]
        self._latency_s = latency_s

    async def fetch(self, url: Url) -> Answer:
        self.fetches[url.text] += 1
        if not self.is_offline:
            await asyncio.sleep(self.answer(url).elapsed_s)
        scripted = self.script.get(url)
        if isinstance(scripted, Exception):
            raise scripted
        return self.answer(url)

    def answer(self, url: Url) -> Answer:
        """What `fetch` answers, without asking."""
        match self.script.get(url, NOT_FOUND):
            case Answer() as answer:
                return answer
            case str(html):
                return Answer(Fetched(200, "text/html; charset=utf-8", html.encode()), self._latency_s)
            case Exception():
                return Answer(NOT_FOUND, self._latency_s)
            case outcome:
                return Answer(outcome, self._latency_s)

    def entry_urls(self) -> Sequence[Url]:
        return self._entry_urls

    async def close(self) -> None:
        """Nothing is held."""


def page_with(*targets: str, **anchored: str) -> str:
    """A page of links: targets with the anchor "link", and `anchor=target` for an anchor of your own."""
    links = [("link", target) for target in targets] + list(anchored.items())
    items = "".join(f'<p><a href="{target}">{anchor}</a></p>' for anchor, target in links)
    return f"<html><body><main>{items}</main></body></html>"


def redirect_to(target: str) -> Redirected:
    return Redirected(302, Url.parse(target))


def taking(elapsed_s: float, outcome: str | Outcome, *, host_delay_s: float = 0.0, robots_fetches: int = 0) -> Answer:
    """An answer at its own cost."""
    fetched = Fetched(200, "text/html", outcome.encode()) if isinstance(outcome, str) else outcome
    return replace(Answer(fetched, elapsed_s), host_delay_s=host_delay_s, robots_fetches=robots_fetches)
