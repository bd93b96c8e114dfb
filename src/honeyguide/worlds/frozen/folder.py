"""A folder of HTML files as a world: a site as a plain web server would serve it, under a base URL.

One page has one URL. `index.html` is its folder (asked for by name it redirects there), a folder without its slash
redirects to the slash, another spelling of a name redirects to the canonical one, a symbolic link inside the folder
redirects to what it stands for, and so does a query, which means nothing to a file. Everything else is `missing`.

A name is a path below the folder, parts joined with "/". In its URL each part is percent-encoded where it must be:
`%`, `?`, `#`, blanks, control characters, bytes beyond ASCII. What WHATWG leaves as it stands stays as it stands, so
that the URL is the one that an ordinary link on a page leads to. A name that is not UTF-8 is encoded byte by byte. A
URL is looked up among the names and never joined to a path, so no spelling of it can lead out of the folder.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Outcome, Redirected, Url
from honeyguide.worlds.frozen.answers import (
    HTML_TYPES,
    MISSING,
    SNIFFED_BYTES,
    UNRECORDED,
    answer_in_time,
    looks_like_html,
    type_by_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.fetch.site_rules import OriginRules

# What stands in a path as it is, besides letters, digits and "-._~".
_LITERAL: Final = "!$&'()*+,/:;=@[]|"


def url_of(name: str, base: Url) -> Url:
    """Return the canonical URL of a name below `base`, which ends in a slash. InvalidUrl when it gets too long."""
    return Url.parse(base.text + quote_from_bytes(os.fsencode(name), safe=_LITERAL))


def name_of(address: str) -> str | None:
    """Return the name that the rest of a URL's path below the base stands for; None when no file can be called so.

    Purely a translation: whether there is such a file is for an index to say.
    """
    parts = [unquote_to_bytes(part) for part in address.split("/")]
    if any(b"/" in part or b"\0" in part or part in (b".", b"..") for part in parts):
        return None
    return os.fsdecode(b"/".join(parts))


log = logging.getLogger(__name__)

INDEX_NAMES: Final = ("index.html", "index.htm", "index.xhtml")
"""What answers for a folder, the first that is there."""


class FolderIndex:
    """Names of the regular files below a folder, and of the symbolic links that stay inside it.

    Names are paths below the root with "/" between parts; a folder's name ends in "/", the root's own is "". A link
    that leads out of the root, leads nowhere, or is no file or folder is left out.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._files: set[str] = set()
        self._folders = {""}
        self._link_targets: dict[str, str] = {}  # name of a link: name of the file or folder it stands for
        self._read("")
        self._link_targets = {link: name for link, name in self._link_targets.items() if self._has(name)}

    def __len__(self) -> int:
        return len(self._files)

    def is_file(self, name: str) -> bool:
        return name in self._files

    def is_folder(self, name: str) -> bool:
        """Return whether `name`, which ends in "/" or is empty, is a folder."""
        return name in self._folders

    def index_of(self, folder: str) -> str | None:
        """Return the file that answers for a folder."""
        return next((folder + name for name in INDEX_NAMES if folder + name in self._files), None)

    def follow_links(self, name: str) -> str | None:
        """Follow the symbolic link that `name` is or goes through; None when there is none."""
        end = len(name)
        while end > 0:
            target = self._link_targets.get(name[:end])
            if target is not None:
                rest = name[end:]
                return target + (rest.removeprefix("/") if self.is_folder(target) else rest)
            end = name.rfind("/", 0, end)
        return None

    def names(self) -> Iterator[str]:
        """Yield every file, in order of its name."""
        return iter(sorted(self._files))

    def path_of(self, name: str) -> Path:
        """Return where a file of the index lies."""
        return self.root / name

    def _has(self, name: str) -> bool:
        return name in self._files or name in self._folders

    def _read(self, top: str) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(self.root / folder) as entries:
                    for entry in entries:
                        self._add_entry(entry, folder + entry.name, waiting)
            except PermissionError:
                log.warning("%s may not be read; what is in it counts as missing", self.root / folder)

    def _add_entry(self, entry: os.DirEntry[str], name: str, waiting: list[str]) -> None:
        if entry.is_symlink():
            target = self._resolve_link(Path(entry.path))
            if target is not None:
                self._link_targets[name] = target
        elif entry.is_dir():
            self._folders.add(f"{name}/")
            waiting.append(f"{name}/")
        elif entry.is_file():
            self._files.add(name)

    def _resolve_link(self, link: Path) -> str | None:
        """Return the name of what a link leads to; None when that is outside or nothing."""
        try:
            target = link.resolve(strict=True)
            name = target.relative_to(self.root).as_posix()
        except (OSError, RuntimeError, ValueError):  # broken, a loop, or outside
            return None
        if name == ".":
            return ""
        return f"{name}/" if target.is_dir() else name


FORBIDDEN: Final = Failed(FailureReason.HTTP_STATUS, "403 Forbidden", 403)
MOVED: Final = 301


class FolderWorld:
    """A `World` of the files below `folder`, at `base`. Names are case-sensitive. Holds names, reads bodies.

    The names are read once, when the world is opened; a file that is gone by the time it is asked for is missing. What
    the `robots.txt` at the root of the host forbids `robots_agent` is refused; no name, no questions asked.
    """

    is_offline = True
    writes_pages = False

    def __init__(
        self,
        folder: Path,
        base: Url,
        *,
        max_body_bytes: int = 5_000_000,
        robots_agent: str = "",
        missing: Outcome = UNRECORDED,
    ) -> None:
        if not base.text.endswith("/") or "?" in base.text:
            raise WorldError(f"{base} is not the address of a folder; end it in a slash, as in http://host/prefix/")
        self.base = base
        self._max_body_bytes = max_body_bytes
        self._robots_agent = robots_agent
        self._missing = missing
        self._index = FolderIndex(folder)
        if next(self.urls(), None) is None:
            raise WorldError(f"{folder} holds no HTML page; name a folder of .html files")

    async def fetch(self, url: Url) -> Answer:
        if self._robots is None or url.origin != self.base.origin:
            return self._answer(url)
        refusal = self._robots.refusal_of(url)
        answer = self._answer(url) if refusal is None else Answer(refusal, elapsed_s=0.0)
        return replace(answer, host_delay_s=self._robots.delay_s)

    def _answer(self, url: Url) -> Answer:
        try:
            outcome = self._outcome(url)
        except InvalidUrl:  # the canonical URL would be longer than a URL may be
            outcome = MISSING
        return answer_in_time(self._missing if outcome is MISSING else outcome, url)

    def entry_urls(self) -> Sequence[Url]:
        """Return the index page of the root; where there is none, the page with the shortest URL."""
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
    def _robots(self) -> OriginRules | None:
        """The rules of the host, if it has any; only a folder at its root can hold them."""
        if not self._robots_agent or self.base.path != "/":
            return None
        name = "robots.txt" if self._index.is_file("robots.txt") else self._index.follow_links("robots.txt")
        if name is None or not self._index.is_file(name):
            return None
        from honeyguide.fetch.robots import rules_from  # noqa: PLC0415 - loads what the live web needs
        from honeyguide.fetch.site_rules import product_of  # noqa: PLC0415

        return rules_from(self._read(name), self.base.origin, now=0.0, product=product_of(self._robots_agent))

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
        return self._resolve_name(name, url)

    def _resolve_name(self, name: str, asked: Url) -> Outcome:
        """Return the file that a name stands for if `asked` is its one URL, else a redirect there."""
        index = self._index
        if index.is_folder(name):
            file = index.index_of(name)
        elif index.is_file(name):
            file = name
        elif index.is_folder(f"{name}/"):
            return Redirected(MOVED, url_of(f"{name}/", self.base))
        else:
            meant = index.follow_links(name)
            return MISSING if meant is None else self._redirect_through_link(meant)
        if file is None:
            return MISSING
        canonical = self._url(file)
        return self._read(file) if canonical == asked else Redirected(MOVED, canonical)

    def _redirect_through_link(self, meant: str) -> Outcome:
        """Return a redirect to what a symbolic link stands for, if it is there."""
        if self._index.is_file(meant):
            return Redirected(MOVED, self._url(meant))
        folder = f"{meant.removesuffix('/')}/" if meant else ""
        return Redirected(MOVED, url_of(folder, self.base)) if self._index.is_folder(folder) else MISSING

    def _url(self, file: str) -> Url:
        """Return the one URL of a file: its folder's for the index page of a folder."""
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
