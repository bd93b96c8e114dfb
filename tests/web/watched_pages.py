"""A crawl in a process of its own, and pages of the dashboard that remember what must not happen in them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request

PATIENCE_MS = 60_000  # for a machine with other work
OVER_HTTP = (
    "--topic=geology", "--keyword=rock", "--keyword=mineral", "--world=synthetic+http:seed=1,pages=3000,hosts=40",
    "--budget=3000", "--set=politeness.delay_s=0.5", "--set=politeness.max_delay_s=1", "--set=crawl.workers=0",
)  # fmt: skip
"""A crawl over HTTP on loopback that is slow enough to be watched."""


@contextmanager
def crawling(run: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Crawl in another process until the context ends, or go on with a run that is there."""
    order = ["resume", run] if run.exists() else ["crawl", run, *(arguments or OVER_HTTP)]
    with subprocess.Popen([sys.executable, "-m", "honeyguide", *map(str, order)], text=True) as program:
        try:
            yield program
        finally:
            program.kill()


class WatchedPage:
    """A page in a browser of its own. `check` fails if anything went wrong in it, or anything left for another host."""

    def __init__(self, browser: Browser, width: int = 1280, scheme: str = "light") -> None:
        self._context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self._context.set_default_timeout(PATIENCE_MS)
        self.page: Page = self._context.new_page()
        self.problems: list[str] = []
        self.asked: list[str] = []
        self._context.on("dialog", self._note_dialog)
        self._context.on("page", lambda page: self.problems.append(f"window: {page.url}"))
        self._context.on("weberror", lambda error: self.problems.append(f"error: {error.error}"))
        self._context.on("console", self._note_line)
        self._context.on("request", lambda request: self.asked.append(request.url))
        self._context.on("requestfailed", self._note_failure)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_line(self, line: ConsoleMessage) -> None:
        if line.type == "error":
            self.problems.append(f"console: {line.text}")

    def _note_failure(self, request: Request) -> None:
        """Forget a request that the policy of the page has stopped: it was announced, but never left."""
        if "csp" in (request.failure or "").lower():
            self.asked.remove(request.url)

    def open(self, address: str) -> Page:
        self.page.goto(address)
        return self.page

    def fetches(self) -> int:
        """Return the number of fetches that the page shows."""
        shown = self.page.locator("#part-figures dl.figures div", has_text="fetches").locator("dd").inner_text()
        return int(shown.split()[0].replace(",", ""))

    def wait_for_fetches(self, more_than: int) -> None:
        """Wait until the page, which nobody touches, shows more fetches than that."""
        self.page.wait_for_function(
            """most => {
                const shown = [...document.querySelectorAll("#part-figures dl.figures div")];
                const fetches = shown.find(each => each.querySelector("dt").textContent === "fetches");
                return fetches && parseInt(fetches.querySelector("dd").textContent.replaceAll(",", "")) > most;
            }""",
            arg=more_than,
        )

    def excess(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def check(self, address: str) -> None:
        assert self.problems == []
        assert [url for url in self.asked if not url.startswith((address, "data:", "about:"))] == []

    def close(self) -> None:
        self._context.close()
