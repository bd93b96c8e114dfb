"""Only pages that are empty without their scripts are run in a browser."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from honeyguide.crawler.live import RenderedWorld, needs_a_browser
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.model.clock import SimulatedClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Outcome

HERE = Url.parse("http://app.test/")
SHELL = (
    b"<html><head><title>App</title></head><body><div id=root></div><noscript>Use scripts</noscript><script>1</script>"
)


class OnePage:
    """A web of one page."""

    is_offline = False
    writes_pages = False

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.is_closed = False

    async def fetch(self, url: Url) -> Answer:
        assert url == HERE
        return Answer(self._outcome, elapsed_s=1.0, host_delay_s=2.0)

    def entry_urls(self) -> Sequence[Url]:
        return (HERE,)

    async def close(self) -> None:
        self.is_closed = True


class WrittenRenderer:
    """Gives what it was told to give, after three seconds."""

    def __init__(self, clock: SimulatedClock, result: Fetched | Redirected | None) -> None:
        self._clock = clock
        self._result = result
        self.is_closed = False

    async def render(self, url: Url, page: Fetched) -> Fetched | Redirected | None:
        assert (url, page.body) == (HERE, SHELL)
        self._clock.advance_to(self._clock.now() + 3.0)
        return self._result

    async def close(self) -> None:
        self.is_closed = True


def html(body: bytes) -> Fetched:
    return Fetched(200, "text/html", body)


def answer_with(outcome: Outcome, result: Fetched | Redirected | None) -> Answer:
    async def scenario() -> Answer:
        clock = SimulatedClock(0.0)
        inner, renderer = OnePage(outcome), WrittenRenderer(clock, result)
        world = RenderedWorld(inner, renderer, clock)
        assert world.entry_urls() == (HERE,)
        answer = await world.fetch(HERE)
        await world.close()
        assert inner.is_closed
        assert renderer.is_closed
        return answer

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SHELL, True),
        (SHELL.upper().replace(b"SCRIPT>1", b"script>1"), True),
        (b"<body></body>", False),
        (b"<body>rock<script>1</script></body>", False),
        (b"<body><a href='/x'></a><script>1</script></body>", False),
        (b"", False),
    ],
)
def test_a_page_needs_a_browser_if_it_is_empty_without_its_scripts(body: bytes, expected: bool) -> None:
    assert needs_a_browser(HERE, html(body)) == expected


def test_other_types_need_no_browser() -> None:
    assert not needs_a_browser(HERE, Fetched(200, "application/pdf", b"%PDF- <script>"))


@pytest.mark.parametrize("result", [html(b"<p>made"), Redirected(200, Url.parse("http://app.test/b"))])
def test_what_was_rendered_takes_the_place_of_the_empty_page(result: Fetched | Redirected) -> None:
    assert answer_with(html(SHELL), result) == Answer(result, elapsed_s=4.0, host_delay_s=2.0)


def test_a_page_that_cannot_be_rendered_stays_as_it_is() -> None:
    assert answer_with(html(SHELL), None).outcome == html(SHELL)


def test_what_is_no_page_is_passed_on() -> None:
    failed = Failed(FailureReason.TIMEOUT, "late")
    assert answer_with(failed, html(b"<p>made")) == Answer(failed, elapsed_s=1.0, host_delay_s=2.0)
