"""A built wiki as a world: its addresses answered from its file with simulated time, and its links as a graph."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from honeyguide.errors import WorldError
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.model.saved_state import unpack_zstandard
from honeyguide.settings import MOST_BODY_BYTES
from honeyguide.worlds.wiki.titles import SiteInfo, TitleRules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from honeyguide.model import Outcome
    from honeyguide.settings import Settings

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WikiGraph:
    """Links by their source: those of page n are `targets[offsets[n]:offsets[n + 1]]`, ascending and distinct."""

    offsets: NDArray[np.int64]  # one more than there are pages
    targets: NDArray[np.uint32]

    @classmethod
    def of(cls, out_degrees: NDArray[np.uint32], targets: NDArray[np.uint32]) -> WikiGraph:
        return cls(np.concatenate(([0], np.cumsum(out_degrees, dtype=np.int64))), targets)

    @property
    def page_count(self) -> int:
        return len(self.offsets) - 1

    def targets_of(self, page: int) -> NDArray[np.uint32]:
        return self.targets[self.offsets[page] : self.offsets[page + 1]]

    def sources(self) -> NDArray[np.uint32]:
        """Return the source of every link, in the order of `targets`."""
        return np.repeat(np.arange(self.page_count, dtype=np.uint32), np.diff(self.offsets))

    def reversed(self) -> WikiGraph:
        """Return the same links the other way round."""
        order = np.argsort(self.targets, kind="stable")
        in_degrees = np.bincount(self.targets, minlength=self.page_count).astype(np.uint32)
        return WikiGraph.of(in_degrees, self.sources()[order])

    def reachable(self, starts: Sequence[int]) -> Mask:
        """Return the pages that a walk from any of `starts` can come to, those included."""
        reached = np.zeros(self.page_count, dtype=np.bool_)
        newly = np.unique(np.array(starts, dtype=np.int64))
        while len(newly):
            reached[newly] = True
            found = self._targets_of_all(newly)
            newly = np.unique(found[~reached[found]])
        return reached

    def _targets_of_all(self, pages: NDArray[np.int64]) -> NDArray[np.int64]:
        starts = self.offsets[pages]
        lengths = self.offsets[pages + 1] - starts
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
        return self.targets[places].astype(np.int64)


FILE_NAME: Final = "wiki.sqlite"
FORMAT: Final = 1
_APPLICATION_ID: Final = 0x686E7977  # says in the file's head whose it is
_WRITE_CACHE_KB: Final = 65_536
SCRATCH_NAME: Final = "scratch.sqlite"


def create(folder: Path) -> sqlite3.Connection:
    """Return a new, empty world in `folder`, to be written in one go: whoever fails throws the folder away."""
    database = fast_database(folder / FILE_NAME)
    database.executescript(resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"))
    return database


def fast_database(path: Path) -> sqlite3.Connection:
    """Return a database that is not safe against a crash, because nothing half-made is ever kept."""
    database = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_WRITE_CACHE_KB}", "page_size = 8192"):
        database.execute(f"PRAGMA {pragma}")
    return database


def open_scratch(folder: Path) -> sqlite3.Connection:
    """Return the scratch database of a build, for reading alone; nothing is written to it any more."""
    path = quote(str((folder / SCRATCH_NAME).absolute()))
    return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)


def finish(database: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    """Write what is known of the whole, then the marks that say it is whole."""
    database.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [(key, fact if isinstance(fact, bytes) else json.dumps(fact)) for key, fact in facts.items()],
    )
    database.execute("CREATE INDEX labels_by_category ON labels (category, number)")
    database.execute("ANALYZE")
    database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {FORMAT}")


def open_world_file(folder: Path) -> sqlite3.Connection:
    """Return the file of a finished world, for reading alone; several processes may read it at once."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise WorldError(f"{folder} is not a wiki world; make one with honeyguide wiki build DUMP {folder}")
    database = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    try:
        with wrap_sqlite_errors(folder):
            _check(database, path)
    except WorldError:
        database.close()
        raise
    return database


def read_fact(database: sqlite3.Connection, key: str) -> Any:  # noqa: ANN401 - what JSON holds, or bytes
    found = database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if found is None:
        raise sqlite3.DatabaseError(f"no {key} in it")
    return found[0] if isinstance(found[0], bytes) else json.loads(found[0])


@contextmanager
def wrap_sqlite_errors(folder: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, with the remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise WorldError(f"the wiki world {folder} is damaged ({error}); build it again") from error


def _check(database: sqlite3.Connection, path: Path) -> None:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION_ID:
        raise sqlite3.DatabaseError("its file is not that of a wiki world")
    if version > FORMAT:
        raise WorldError(
            f"the wiki world {path.parent} has format {version}, newer than this program's; update honeyguide"
        )
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    if path.stat().st_size < pages * page_bytes:
        raise sqlite3.DatabaseError("its file is cut off")
    read_fact(database, "pages")


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
    writes_pages = True

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._database = open_world_file(self.path)
        self._rules = TitleRules(SiteInfo(**self.fact("site")))
        self.page_count: int = self.fact("pages")
        self._entry: int = self.fact("entry")
        dictionary = self.fact("dictionary")
        self._unpacker = zstandard.ZstdDecompressor(
            dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        )

    @classmethod
    def open(cls, spec: str, settings: Settings) -> WikiWorld:  # noqa: ARG003
        """Open the folder that stands behind `wiki:` in the settings."""
        if not spec:
            raise WorldError("--world wiki names no folder; write wiki:PATH, and make it with honeyguide wiki build")
        return cls(spec)

    async def fetch(self, url: Url) -> Answer:
        return self.answer(url)

    def answer(self, url: Url) -> Answer:
        """Answer as `fetch` does, without a coroutine."""
        if not url.text.startswith(self._rules.home):
            return Answer(Failed(FailureReason.CONNECTION, f"not in this wiki: {url.host}"), _FASTEST_S)
        outcome = self._outcome(url)
        body_bytes = len(outcome.body) if isinstance(outcome, Fetched) else 0
        return Answer(outcome, _elapsed_s(url, body_bytes))

    def entry_urls(self) -> Sequence[Url]:
        """Return the best linked article: the one whose links in, times its links out, are the most."""
        return (self.url_of(self._entry),)

    async def close(self) -> None:
        self.shut()

    def shut(self) -> None:
        """Close as `close` does, without a coroutine."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()

    def number_of(self, url: Url) -> int | None:
        """Return the number of the article at a URL, also where that is a redirect to it; None where there is none."""
        return self._find(self._rules.title_at(url.text))[0]

    def number_titled(self, title: str) -> int | None:
        """Return the number of the article with this title, redirects followed; None where there is none."""
        return self._find(self._rules.article(title))[0]

    def url_of(self, number: int) -> Url:
        return Url(self._rules.address(self.title_of(number)))

    def title_of(self, number: int) -> str:
        for (title,) in self._rows("SELECT title FROM pages WHERE number = ?", number):
            return str(title)
        raise WorldError(f"no article {number} in {self.path}; it has {self.page_count:,}, numbered from 0")

    def urls(self) -> Iterator[Url]:
        """Yield every article, by its number."""
        for (title,) in self._rows("SELECT title FROM pages ORDER BY number"):
            yield Url(self._rules.address(title))

    def links_of(self, url: Url) -> tuple[Url, ...]:
        """For grading: the articles that a page links to, by their numbers; none where there is no such page."""
        rows = self._rows("SELECT targets FROM links WHERE number = ?", self.number_of(url))
        numbers = [number for (targets,) in rows for number in np.frombuffer(targets, dtype="<u4").tolist()]
        return tuple(map(self.url_of, numbers))

    def categories_of(self, url: Url) -> tuple[str, ...]:
        """For grading: the categories that the article itself names, by name."""
        query = "SELECT name FROM labels JOIN categories USING (category) WHERE number = ? ORDER BY name"
        return tuple(name for (name,) in self._rows(query, self.number_of(url)))

    def categories(self) -> Iterator[tuple[str, int]]:
        """For grading: every category with the number of its articles, the largest first."""
        yield from self._rows("SELECT name, pages FROM categories ORDER BY pages DESC, name")

    def pages_labelled(self, names: Sequence[str]) -> list[int]:
        """For grading: the numbers of the articles in any of these categories, ascending."""
        query = "SELECT number FROM labels WHERE category = (SELECT category FROM categories WHERE name = ?)"
        return sorted({number for name in names for (number,) in self._rows(query, name)})

    @cached_property
    def link_graph(self) -> WikiGraph:
        """For grading: all links at once, 4 bytes each; kept in memory from the first use on."""
        rows = self._rows("SELECT targets FROM links ORDER BY number")
        targets = np.frombuffer(b"".join(blob for (blob,) in rows), dtype="<u4")
        return WikiGraph.of(np.frombuffer(self.fact("out_degrees"), dtype="<u4"), targets)

    def fact(self, key: str) -> Any:  # noqa: ANN401 - what JSON holds, or bytes
        """Return a fact that the build wrote down of the whole world."""
        with wrap_sqlite_errors(self.path):
            return read_fact(self._database, key)

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        with wrap_sqlite_errors(self.path):
            yield from self._database.execute(query, values)

    def _outcome(self, url: Url) -> Outcome:
        number, title = self._find(self._rules.title_at(url.text))
        if number is None:
            return _MISSING
        address = self._rules.address(title)
        if address != url.text:
            return Redirected(301, Url(address))
        (packed,) = next(self._rows("SELECT html FROM bodies WHERE number = ?", number))
        try:
            return Fetched(200, HTML, unpack_zstandard(packed, MOST_BODY_BYTES, self._unpacker))
        except ValueError as error:
            raise WorldError(f"the wiki world {self.path} is damaged ({error}); build it again") from error

    def _find(self, title: str) -> tuple[int | None, str]:
        """Return the number and title of the article that a title leads to; (None, "") where there is none."""
        redirects = "SELECT p.number, p.title FROM redirects r JOIN pages p ON p.number = r.number WHERE r.title = ?"
        for query in ("SELECT number, title FROM pages WHERE title = ?", redirects):
            for number, own_title in self._rows(query, title):
                return number, own_title
        return None, ""


def _elapsed_s(url: Url, body_bytes: int) -> float:
    """Simulated: a time that belongs to the address, with a long tail, and the transfer."""
    draw = xxhash.xxh3_64_intdigest(url.text.encode()) / 2.0**64
    return round(_FASTEST_S / (1.0 - 0.9 * draw) ** 0.5 + body_bytes / _BYTES_PER_S, 4)
