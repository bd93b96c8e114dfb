"""Reading the synthetic web as a crawler would, for tests."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from honeyguide.model import Answer, Fetched, Redirected, Url

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic import SyntheticWorld

_LINK = re.compile(r'<a href="([^"]+)">([^<]*)</a>')
_MAIN = re.compile(r"<main>(.*)</main>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def html(world: SyntheticWorld, url: Url) -> str:
    """The markup of a page; empty when there is none."""
    outcome = world.answer(url).outcome
    return outcome.body.decode() if isinstance(outcome, Fetched) and outcome.media_type == "text/html" else ""


def main_html(markup: str) -> str:
    found = _MAIN.search(markup)
    return found[1] if found else ""


def main_words(markup: str) -> list[str]:
    return _TAG.sub(" ", main_html(markup)).lower().split()


def links(markup: str, base: Url) -> list[tuple[Url, str]]:
    return [(Url.parse(target, base), anchor) for target, anchor in _LINK.findall(markup)]


def crawl(world: SyntheticWorld) -> dict[str, Answer]:
    """Every URL that links lead to from the entry pages, breadth first, and its answer."""
    answers: dict[str, Answer] = {}
    waiting = deque(world.entry_urls())
    while waiting:
        url = waiting.popleft()
        if url.text in answers:
            continue
        answer = answers[url.text] = world.answer(url)
        match answer.outcome:
            case Redirected(_, target):
                waiting.append(target)
            case Fetched():
                waiting.extend(target for target, _ in links(html(world, url), url))
            case _:
                pass
    return answers
