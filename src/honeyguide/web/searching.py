"""Searching runs, also while they are crawled: a page for people, and the same under `/api/search` for programs.

A searcher is kept open for each run that somebody searches, and brought up to date when the run has grown: a page that
came a second ago is found.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence  # noqa: TC003 - FastAPI reads it
from dataclasses import dataclass, replace
from queue import Empty, Queue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse  # noqa: TC002 - FastAPI reads it

from honeyguide.errors import HoneyguideError, QueryError
from honeyguide.runs import Snippet
from honeyguide.runs.exports import iso_time, to_datetime
from honeyguide.search import FacetCounts, Searcher, check_question
from honeyguide.web.library import RunUnknown, number_of, when_written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.search import Question, SearchHit, SearchResults
    from honeyguide.web.app import Dashboard

_MOST_OPEN: Final = 8  # searchers kept
MOST_RUNS_AT_ONCE: Final = 20
PATIENCE_S: Final = 5.0  # for an index to be brought up to date, before whoever asked is told to come back


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as it stands in an address."""

    q: str = ""
    like: str = ""
    host: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    relevant: bool = False
    semantic: bool = False
    any_word: bool = False
    show_all: bool = False
    page: int = 1
    per_page: int = 10

    @property
    def is_empty(self) -> bool:
        return not (self.q.strip() or self.like.strip())

    @property
    def overrides(self) -> dict[str, str]:
        """Settings of the search that this one wants otherwise."""
        return {"search.match": "any"} if self.any_word else {}

    @property
    def question(self) -> Question:
        return {
            "like": self.like, "hosts": self.host, "since": self.since, "until": self.until, "page": self.page,
            "relevant_only": self.relevant, "semantic": self.semantic, "per_page": self.per_page,
            "show_all": self.show_all, "facets": True,
        }  # fmt: skip

    def address(self, **changes: object) -> str:
        """Return the query part of the address of this search with some things changed, back on its first page."""
        changed = replace(self, **({"page": 1} | changes))  # type: ignore[arg-type]
        usual = Asked()
        values = {name: getattr(changed, name) for name in Asked.__slots__}
        chosen = {name: value for name, value in values.items() if value != getattr(usual, name)}
        return "?" + urlencode({name: _as_text(value) for name, value in chosen.items()}, doseq=True, errors="replace")


def _as_text(value: object) -> object:
    return "true" if value is True else list(value) if isinstance(value, tuple) else value


def asked_of(
    *,
    q: Annotated[
        str,
        Query(
            max_length=5000,
            description='The query: all words must be there; "two words" as they stand; OR, NOT and ( ); -word must '
            "not be there; title:, text: and host: look in one place.",
        ),
    ] = "",
    like: Annotated[
        str, Query(max_length=5000, description="Pages like the one with this URL, instead of a query.")
    ] = "",
    host: Annotated[
        Sequence[str], Query(max_length=100, description="Only pages of this host and of hosts below it; repeatable.")
    ] = (),
    since: Annotated[
        str,
        Query(
            max_length=100,
            description="Only pages fetched since then: a day or a time (UTC), as in 2026-05-01T12:30, or seconds on "
            "the crawl's clock.",
        ),
    ] = "",
    until: Annotated[
        str, Query(max_length=100, description="Only pages fetched until then; a day counts to its end.")
    ] = "",
    relevant: Annotated[bool, Query(description="Only pages judged relevant.")] = False,
    semantic: Annotated[bool, Query(description="Find pages by meaning, too, with word vectors.")] = False,
    any_word: Annotated[bool, Query(description="One of the words is enough.")] = False,
    show_all: Annotated[bool, Query(description="Also pages with the same text as a hit.")] = False,
    page: Annotated[int, Query(description="Which page of hits, from 1.")] = 1,
    per_page: Annotated[int, Query(description="Hits on a page, from 1 to 1000.")] = 10,
) -> Asked:
    """Read a search from an address."""
    hosts = tuple(each for each in host if each.strip())
    return Asked(q, like, hosts, since, until, relevant, semantic, any_word, show_all, page, per_page)


def asked_in(address: str) -> Asked:
    """Read a search from the query part of an address that `Asked.address` has made."""
    given = parse_qs(address.removeprefix("?"))
    texts = {name: given[name][-1] for name in ("q", "like", "since", "until") if name in given}
    ticks = {name: given[name][-1] == "true" for name in ("relevant", "semantic", "any_word") if name in given}
    return asked_of(host=given.get("host", ()), **texts, **ticks)  # type: ignore[arg-type]


AskedHere = Annotated[Asked, Depends(asked_of)]


@dataclass(frozen=True, slots=True)
class ListedHit:
    """A page that was found."""

    url: str
    title: str
    score: float  # from 0 to 1
    snippet: str  # plain text
    highlights: tuple[tuple[int, int], ...]  # places of the words in the snippet, by character
    run: str  # the name of the run
    step: int  # the fetch that brought it
    fetched_at: str | None  # ISO 8601; simulated clocks begin in 1970
    relevance: float  # probability that it belongs to the topic
    is_relevant: bool
    duplicates: tuple[str, ...]  # pages with the same text that are not shown

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the snippet in order, each piece with whether it is highlighted."""
        return Snippet(self.snippet, self.highlights).pieces()


@dataclass(frozen=True, slots=True)
class HitPage:
    """One page of hits, best first, with counts by host and period to narrow the search by."""

    query: str
    total: int  # hits on all pages together
    page: int
    per_page: int
    pages_searched: int
    hidden: int  # pages that match and were left out by settings of the search
    hidden_by: dict[str, int]
    suggestion: str | None  # the query as it was probably meant
    hits: tuple[ListedHit, ...]
    facets: FacetCounts

    @property
    def first(self) -> int:
        """The rank of the first hit on this page."""
        return (self.page - 1) * self.per_page + 1

    def period(self, asked: Asked) -> str:
        """Return the name of the period that a search is narrowed to."""
        for each in self.facets.periods:
            if (str(each.since), str(each.until)) == (asked.since, asked.until):
                return each.name
        ends = (("since", asked.since), ("until", asked.until))
        return " ".join(f"{word} {moment}" for word, moment in ends if moment)

    @property
    def has_more(self) -> bool:
        return self.first + len(self.hits) <= self.total and bool(self.hits)


class Searchers:
    """Searchers of runs, kept open from one search to the next. For several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], _KeptSearcher] = OrderedDict()
        self._lock = Lock()

    def search(self, paths: Sequence[Path], asked: Asked) -> SearchResults:
        """Search runs as they are now. The errors are those of `Searcher`."""
        check_question(asked.q, **asked.question)
        key = (asked.any_word, *paths)
        with self._lock:
            kept = self._kept.setdefault(key, _KeptSearcher(paths, asked))
            self._kept.move_to_end(key)
            dropped = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - _MOST_OPEN)]
        for each in dropped:
            if each.lock.acquire(blocking=False):  # one that is being used is closed when nobody has it any more
                each.close()
                each.lock.release()
        return kept.search(asked)


class IndexUnderway(HoneyguideError):  # noqa: N818 - reads as a statement about the run
    """Pages that are still being indexed, so that there is nothing to search yet."""


class _KeptSearcher:
    """A searcher, and the state of its runs that it has seen. For the thread that holds its lock."""

    def __init__(self, paths: Sequence[Path], asked: Asked) -> None:
        self.lock = Lock()
        self._indexed = (0, 0)  # pages, and of how many
        self._paths = list(paths)
        self._overrides = asked.overrides
        self._searcher: Searcher | None = None
        self._seen: list[object] = []
        self._files: list[int] = []

    def search(self, asked: Asked) -> SearchResults:
        """Search the runs as they are now. IndexUnderway where that takes longer: it goes on beside this thread."""
        if not self.lock.acquire(timeout=PATIENCE_S):
            raise IndexUnderway(self._said())
        found: Queue[SearchResults | BaseException] = Queue(1)
        Thread(target=self._search, args=(asked, found), daemon=True).start()  # which lets go of the lock
        try:
            result = found.get(timeout=PATIENCE_S)
        except Empty:
            raise IndexUnderway(self._said()) from None
        if isinstance(result, BaseException):
            raise result
        return result

    def _search(self, asked: Asked, found: Queue[SearchResults | BaseException]) -> None:
        try:
            found.put(self._up_to_date().search(asked.q, **asked.question))
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            self.close()  # the next search opens the runs anew
            found.put(error)
        finally:
            self._indexed = (0, 0)
            self.lock.release()

    def _said(self) -> str:
        done, total = self._indexed
        pages = f" ({done:,} of {total:,})" if total else ""
        return f"the pages of the run are being indexed{pages}; search again in a moment"

    def _note(self, done: int, total: int) -> None:
        self._indexed = done, total

    def _up_to_date(self) -> Searcher:
        files = [number_of(path / "crawl.sqlite") for path in self._paths]
        seen: list[object] = [when_written(path)[:3] for path in self._paths]
        if files != self._files:  # other runs of the same names
            self.close()
        if self._searcher is None:
            self._searcher = Searcher(list(self._paths), self._overrides, self._note)
        elif seen != self._seen:
            self._searcher.refresh()
        self._files, self._seen = files, seen
        return self._searcher

    def close(self) -> None:
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None


def shown(results: SearchResults, names: dict[Path, str]) -> HitPage:
    """Return results as plain values; `names` are those of the runs."""
    return HitPage(
        query=results.query,
        total=results.total,
        page=results.page,
        per_page=results.per_page,
        pages_searched=results.pages_searched,
        hidden=results.hidden,
        hidden_by=dict(results.hidden_by),
        suggestion=results.suggestion,
        hits=tuple(_hit(hit, names[hit.run]) for hit in results.hits),
        facets=results.facets or FacetCounts(),
    )


def _hit(hit: SearchHit, run: str) -> ListedHit:
    return ListedHit(
        url=hit.url,
        title=hit.title,
        score=hit.score,
        snippet=hit.snippet.text,
        highlights=hit.snippet.highlights,
        run=run,
        step=hit.step,
        fetched_at=time_text(hit.fetched_at),
        relevance=round(hit.relevance, 6),
        is_relevant=hit.is_relevant,
        duplicates=hit.duplicates,
    )


def time_text(moment: float) -> str | None:
    """Return a time on the crawl's clock in ISO 8601; None for one that no calendar has."""
    try:
        return iso_time(to_datetime(moment))
    except (OverflowError, ValueError):
        return None


def readable_runs(site: Dashboard) -> list[str]:
    """Return the names of the runs that can be read. RunUnknown where there are none."""
    names = [card.name for card in site.library.cards() if not card.problem]
    if not names:
        raise RunUnknown("there is no run here yet")
    return names


def find_pages(site: Dashboard, names: Sequence[str], asked: Asked) -> HitPage:
    """Search the runs of these names together. The errors are those of `Searcher`."""
    if len(names) > MOST_RUNS_AT_ONCE:
        raise QueryError(f"there are {len(names)} runs: name up to {MOST_RUNS_AT_ONCE} of them to search together")
    paths = {site.library.path(name): name for name in names}
    return shown(site.searchers.search(tuple(paths), asked), paths)


def search_routes(site: Dashboard) -> APIRouter:
    """Serve the search of a run, and the search of several together."""
    router = APIRouter()

    @router.get("/runs/{name}/search", include_in_schema=False)
    def search_page(request: Request, name: str, asked: AskedHere) -> HTMLResponse:
        card = site.library.card(name, site.library.path(name))
        values: dict[str, Any] = {
            "card": card,
            "tab": "/search",
            "asked": asked,
            "found": None,
            "problem": "",
            "asks_again": False,
        }
        if asked.is_empty:
            return site.page(request, "search.html", **values)
        try:
            return site.page(request, "search.html", **values | {"found": find_pages(site, [name], asked)})
        except QueryError as error:
            return site.page(request, "search.html", 400, **values | {"problem": str(error)})
        except IndexUnderway as error:
            return site.page(request, "search.html", 503, **values | {"problem": str(error), "asks_again": True})

    @router.get("/api/runs/{name}/search", summary="Search a run", tags=["search"])
    def search_run(name: str, asked: AskedHere) -> HitPage:
        """Search the pages of a run with the query language of `honeyguide search`, also while it is crawled."""
        return find_pages(site, [name], asked)

    @router.get("/search", include_in_schema=False)
    @router.get("/api/search", summary="Search several runs together", tags=["search"])
    def search_all(
        asked: AskedHere,
        run: Annotated[
            Sequence[str], Query(max_length=MOST_RUNS_AT_ONCE, description="Names of runs; all, if none is given.")
        ] = (),
    ) -> HitPage:
        """Search several runs together; a page that several have is one hit. `GET /search` is the same."""
        return find_pages(site, list(run) or readable_runs(site), asked)

    return router
