"""A built wiki as a world: any of its addresses answered from the file, with simulated time."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash
import zstandard

from honeyguide.domain import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.errors import WorldError
from honeyguide.worlds.wiki.link_graph import LinkGraph
from honeyguide.worlds.wiki.siteinfo import SiteInfo
from honeyguide.worlds.wiki.titles import TitleRules
from honeyguide.worlds.wiki.world_file import open_world_file, read_fact, told_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Any, Self

    from honeyguide.domain import Outcome

HTML: Final = "text/html; charset=utf-8"
_MISSING: Final = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
_FASTEST_S: Final = 0.05
_BYTES_PER_S: Final = 1e6


class WikiWorld:
    """A `World` read from a folder that `build_wiki` made. Equal folders give equal answers, byte for byte.

    Only the page asked for is in memory. `categories_of`, `pages_labelled` and `link_graph` know what no page says of
    itself: they are for grading a crawl.
    """

    is_offline = True

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._database = open_world_file(self.path)
        with told_plainly(self.path):
            self._rules = TitleRules(SiteInfo(**self.fact("site")))
            self.page_count: int = self.fact("pages")
            self._entry: int = self.fact("entry")
            dictionary = self.fact("dictionary")
        self._unpacker = zstandard.ZstdDecompressor(
            dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        )

    async def fetch(self, url: Url) -> Answer:
        return self.answer(url)

    def answer(self, url: Url) -> Answer:
        """What `fetch` answers, without a coroutine around it."""
        if not url.text.startswith(self._rules.home):
            return Answer(Failed(FailureReason.CONNECTION, f"not in this wiki: {url.host}"), _FASTEST_S)
        with told_plainly(self.path):
            outcome = self._outcome(url)
        body_bytes = len(outcome.body) if isinstance(outcome, Fetched) else 0
        return Answer(outcome, _elapsed_s(url, body_bytes))

    def entry_urls(self) -> Sequence[Url]:
        """The best linked article: the one whose links in, times its links out, are the most."""
        return (self.url_of(self._entry),)

    async def close(self) -> None:
        self.shut()

    def shut(self) -> None:
        """What `close` does, without a coroutine around it."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()

    def number_of(self, url: Url) -> int | None:
        """The number of the article at a URL, also where that is a redirect to it; None where there is none."""
        with told_plainly(self.path):
            return self._find(self._rules.title_at(url.text))[0]

    def number_titled(self, title: str) -> int | None:
        """The number of the article with this title, redirects followed; None where there is none."""
        with told_plainly(self.path):
            return self._find(self._rules.article(title))[0]

    def url_of(self, number: int) -> Url:
        return Url(self._rules.address(self.title_of(number)))

    def title_of(self, number: int) -> str:
        with told_plainly(self.path):
            found = self._database.execute("SELECT title FROM pages WHERE number = ?", (number,)).fetchone()
        if found is None:
            raise WorldError(f"no article {number} in {self.path}; it has {self.page_count:,}, numbered from 0")
        return str(found[0])

    def urls(self) -> Iterator[Url]:
        """Every article, by its number."""
        with told_plainly(self.path):
            for (title,) in self._database.execute("SELECT title FROM pages ORDER BY number"):
                yield Url(self._rules.address(title))

    def links_of(self, url: Url) -> tuple[Url, ...]:
        """For grading: the articles that a page links to, by their numbers; none where there is no such page."""
        number = self.number_of(url)
        if number is None:
            return ()
        with told_plainly(self.path):
            (targets,) = self._database.execute("SELECT targets FROM links WHERE number = ?", (number,)).fetchone()
        return tuple(self.url_of(target) for target in np.frombuffer(targets, dtype="<u4").tolist())

    def categories_of(self, url: Url) -> tuple[str, ...]:
        """For grading: the categories that the article itself names, by name."""
        with told_plainly(self.path):
            found = self._database.execute(
                """SELECT name FROM labels JOIN categories USING (category) WHERE number = ? ORDER BY name""",
                (self.number_of(url),),
            )
            return tuple(name for (name,) in found)

    def categories(self) -> Iterator[tuple[str, int]]:
        """For grading: every category with the number of its articles, the largest first."""
        with told_plainly(self.path):
            yield from self._database.execute("SELECT name, pages FROM categories ORDER BY pages DESC, name")

    def pages_labelled(self, names: Sequence[str]) -> list[int]:
        """For grading: the numbers of the articles in any of these categories, ascending."""
        numbers: set[int] = set()
        with told_plainly(self.path):
            for name in names:
                found = self._database.execute(
                    "SELECT number FROM labels WHERE category = (SELECT category FROM categories WHERE name = ?)",
                    (name,),
                )
                numbers.update(number for (number,) in found)
        return sorted(numbers)

    @cached_property
    def link_graph(self) -> LinkGraph:
        """For grading: all links at once, 4 bytes each; kept in memory from the first use on."""
        with told_plainly(self.path):
            rows = self._database.execute("SELECT targets FROM links ORDER BY number")
            targets = np.frombuffer(b"".join(blob for (blob,) in rows), dtype="<u4")
            return LinkGraph.of(np.frombuffer(self.fact("out_degrees"), dtype="<u4"), targets)

    def fact(self, key: str) -> Any:  # noqa: ANN401 - what JSON holds, or bytes
        """Something that the build wrote down of the whole world."""
        return read_fact(self._database, key)

    def _outcome(self, url: Url) -> Outcome:
        title = self._rules.title_at(url.text)
        number, own_title = self._find(title)
        if number is None:
            return _MISSING
        address = self._rules.address(own_title)
        if address != url.text:
            return Redirected(301, Url(address))
        (packed,) = self._database.execute("SELECT html FROM bodies WHERE number = ?", (number,)).fetchone()
        try:
            return Fetched(200, HTML, self._unpacker.decompress(packed))
        except zstandard.ZstdError as error:
            raise WorldError(f"the wiki world {self.path} is damaged ({error}); build it again") from error

    def _find(self, title: str) -> tuple[int | None, str]:
        """The number and title of the article that a title leads to; (None, "") where there is none."""
        found = self._database.execute("SELECT number, title FROM pages WHERE title = ?", (title,)).fetchone()
        if found is None:
            found = self._database.execute(
                "SELECT p.number, p.title FROM redirects r JOIN pages p ON p.number = r.number WHERE r.title = ?",
                (title,),
            ).fetchone()
        return found or (None, "")


def _elapsed_s(url: Url, body_bytes: int) -> float:
    """Simulated: a time that belongs to the address, with a long tail, and the transfer."""
    draw = xxhash.xxh3_64_intdigest(url.text.encode()) / 2.0**64
    return round(_FASTEST_S / (1.0 - 0.9 * draw) ** 0.5 + body_bytes / _BYTES_PER_S, 4)
