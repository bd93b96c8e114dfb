"""A folder of HTML files as a world: a site as a plain web server would serve it, under a base URL.

One page has one URL. `index.html` is its folder (asked for by name it redirects there), a folder without its slash
redirects to the slash, another spelling of a name redirects to the canonical one, a symbolic link inside the folder
redirects to what it stands for, and so does a query, which means nothing to a file. Everything else is a 404.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Answer, Failed, FailureReason, Fetched, Outcome, Redirected, Url
from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.worlds.frozen.content_types import HTML_TYPES, SNIFFED_BYTES, looks_like_html, type_by_name
from honeyguide.worlds.frozen.file_urls import name_of, url_of
from honeyguide.worlds.frozen.folder_index import FolderIndex
from honeyguide.worlds.frozen.folder_robots import FolderRobots
from honeyguide.worlds.frozen.latency import simulated_latency_s

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MISSING: Final = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
FORBIDDEN: Final = Failed(FailureReason.HTTP_STATUS, "403 Forbidden", 403)
MOVED: Final = 301


class FolderWorld:
    """A `World` of the files below `folder`, at `base`. Names are case-sensitive. Holds names, reads bodies.

    The names are read once, when the world is opened; a file that is gone by the time it is asked for is a 404. What
    the `robots.txt` at the root of the host forbids `robots_agent` is refused; no name, no questions asked.
    """

    is_offline = True

    def __init__(self, folder: Path, base: Url, *, max_body_bytes: int = 5_000_000, robots_agent: str = "") -> None:
        if not base.text.endswith("/") or "?" in base.text:
            raise WorldError(f"{base} is not the address of a folder; end it in a slash, as in http://host/prefix/")
        self.base = base
        self._max_body_bytes = max_body_bytes
        self._robots_agent = robots_agent
        self._index = FolderIndex(folder)
        if next(self.urls(), None) is None:
            raise WorldError(f"{folder} holds no HTML page; name a folder of .html files")

    async def fetch(self, url: Url) -> Answer:
        robots = self._robots
        if robots is None or url.origin != self.base.origin:
            return self._answer(url)
        refusal = robots.refusal_of(url)
        answer = self._answer(url) if refusal is None else Answer(refusal, elapsed_s=0.0)
        return replace(answer, host_delay_s=robots.delay_s)

    def _answer(self, url: Url) -> Answer:
        try:
            outcome = self._outcome(url)
        except InvalidUrl:  # the canonical URL would be longer than a URL may be
            outcome = MISSING
        return Answer(outcome, simulated_latency_s(url))

    def entry_urls(self) -> Sequence[Url]:
        """The index page of the root; where there is none, the page with the shortest URL."""
        return (self._entry_url,)

    def urls(self) -> Iterator[Url]:
        """For grading: every HTML page, in order of its file's name."""
        for name in self._index.names():
            if self._is_html(name):
                try:
                    yield self._url(name)
                except InvalidUrl:  # deeper than a URL may be long, so no link can lead there
                    continue

    async def close(self) -> None:
        """Nothing is held open."""

    @cached_property
    def _entry_url(self) -> Url:
        if self._index.index_of("") is not None:
            return self.base
        return min(self.urls(), key=lambda url: (len(url.text), url.text))

    @cached_property
    def _robots(self) -> FolderRobots | None:
        """The rules of the host, if it has any and somebody asks; only a folder at its root can hold them."""
        if not self._robots_agent or self.base.path != "/":
            return None
        name = "robots.txt" if self._index.is_file("robots.txt") else self._index.behind_links("robots.txt")
        if name is None or not self._index.is_file(name):
            return None
        return FolderRobots.of(self._read(name), self.base.origin, self._robots_agent)

    def _outcome(self, url: Url) -> Outcome:
        if f"{url.text}/" == self.base.text:
            return Redirected(MOVED, self.base)
        if not url.text.startswith(self.base.text):
            return MISSING
        address, _, query = url.text[len(self.base.text) :].partition("?")
        name = name_of(address)
        if name is None:
            return MISSING
        if query and (saved := name_of(f"{address}?{query}")) and self._index.is_file(saved):
            return Redirected(MOVED, self._url(saved))  # as mirroring tools name what they save
        return self._named(name, url)

    def _named(self, name: str, asked: Url) -> Outcome:
        """What the name in a URL stands for: the file itself if `asked` is its one URL, else the way there."""
        index = self._index
        if index.is_folder(name):
            file = index.index_of(name)
        elif index.is_file(name):
            file = name
        elif index.is_folder(f"{name}/"):
            return Redirected(MOVED, url_of(f"{name}/", self.base))
        else:
            meant = index.behind_links(name)
            return MISSING if meant is None else self._through_link(meant)
        if file is None:
            return MISSING
        canonical = self._url(file)
        return self._read(file) if canonical == asked else Redirected(MOVED, canonical)

    def _through_link(self, meant: str) -> Outcome:
        """A redirect to what a symbolic link stands for, if it is there."""
        if self._index.is_file(meant):
            return Redirected(MOVED, self._url(meant))
        folder = f"{meant.removesuffix('/')}/" if meant else ""
        return Redirected(MOVED, url_of(folder, self.base)) if self._index.is_folder(folder) else MISSING

    def _url(self, file: str) -> Url:
        """The one URL of a file: its folder's for the index page of a folder."""
        folder = file[: file.rfind("/") + 1]
        return url_of(folder if self._index.index_of(folder) == file else file, self.base)

    def _read(self, file: str) -> Outcome:
        try:
            path = self._index.path_of(file)
            body = path.read_bytes() if path.stat().st_size <= self._max_body_bytes else None
        except PermissionError:
            return FORBIDDEN
        except OSError:  # gone since the world was opened
            return MISSING
        if body is None:
            return Failed(FailureReason.TOO_LARGE, f"body is over {self._max_body_bytes} bytes", 200)
        return Fetched(200, type_by_name(file) or ("text/html" if looks_like_html(body) else ""), body)

    def _is_html(self, file: str) -> bool:
        declared = type_by_name(file)
        if declared is not None:
            return declared in HTML_TYPES
        try:
            with self._index.path_of(file).open("rb") as opened:
                return looks_like_html(opened.read(SNIFFED_BYTES))
        except OSError:
            return False
