"""Pages of a run as rows, and the options and results that all export formats share."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from honeyguide.errors import ExportError
from honeyguide.guard import Fingerprint
from honeyguide.model.counts import count_of
from honeyguide.runs.advice import advise
from honeyguide.runs.fields import text_of_field
from honeyguide.runs.snippets import PageTexts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from honeyguide.model import FieldValue
    from honeyguide.parse.content import PageContent
    from honeyguide.runs.pages import CrawledPage, CrawledPages
    from honeyguide.runs.run import Run
    from honeyguide.settings import Settings

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called now and then with how much is done, and of how much."""
MOST_PARENTS: Final = 100
"""Named per page; a front page may be linked from every other one."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Options besides the format."""

    relevant_only: bool = False
    with_text: bool = True  # which takes parsing every page again
    one_file: bool = False  # where a format is a folder of files otherwise
    keep_duplicates: bool = False  # in a corpus


@dataclass(frozen=True, slots=True)
class EdgesWritten:
    """The size of a graph that was written."""

    vertices: int
    edges: int

    def __str__(self) -> str:
        return f"{count_of(self.vertices, 'vertex', 'vertices')}, {count_of(self.edges, 'edge')}"


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """How many pages were written."""

    pages: int
    without_text: int = 0  # pages whose bodies the run had not stored, so that they have no text here

    def __str__(self) -> str:
        pages = count_of(self.pages, "page")
        return f"{pages}, {self.without_text:,} of them without text: it was not stored" if self.without_text else pages


@dataclass(frozen=True, slots=True)
class CorpusWritten:
    """How many pages a corpus has, and how many near-duplicates there were, which it may have too."""

    pages: int
    tokens: int
    near_duplicates: int
    without_text: int

    def __str__(self) -> str:
        found = f"{count_of(self.pages, 'page')}, {count_of(self.tokens, 'token')}"
        found += f", {count_of(self.near_duplicates, 'near-duplicate')}" if self.near_duplicates else ""
        return f"{found}, {self.without_text:,} without text left out" if self.without_text else found


@dataclass(frozen=True, slots=True)
class AnswersWritten:
    """How many answers were written."""

    answers: int

    def __str__(self) -> str:
        return count_of(self.answers, "answer")


@dataclass(frozen=True, slots=True)
class KeywordsWritten:
    """How many keywords were written, a keyword once for each search phrase that it satisfies."""

    keywords: int

    def __str__(self) -> str:
        return count_of(self.keywords, "keyword")


@dataclass(frozen=True, slots=True)
class RecordsWritten:
    """How many records a WARC file has."""

    responses: int
    pages: int  # of these responses

    def __str__(self) -> str:
        return f"{count_of(self.responses, 'response')}, {count_of(self.pages, 'page')} among them"


Written: TypeAlias = EdgesWritten | PagesWritten | CorpusWritten | RecordsWritten | AnswersWritten | KeywordsWritten


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format by its name. `write` writes a run that is open to a file that is open."""

    name: str
    write: Callable[[Run, Any, ExportOptions, OnProgress], Written]
    is_binary: bool = False
    newline: str | None = None  # of a text file, as `open` takes it
    has_text: bool = False  # the text of pages, which can be left out
    needs_all_pages: bool = False  # cannot write the relevant ones alone
    write_folder: Callable[[Run, Path, ExportOptions, OnProgress], Written] | None = None  # unless asked for one file
    by_suffix: Mapping[str, ExportFormat] = field(default_factory=dict)  # by how a file's name ends: written so

    def for_file(self, file: Path) -> ExportFormat:
        """Return the format in which a file of that name is written."""
        return self.by_suffix.get(file.suffix.lower(), self)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One page. The fields are the columns, in their order."""

    url: str
    host: str
    fetched_at: datetime  # offline the crawl's simulated time, from 1970
    step: int  # the fetch that brought it, from 1
    status: int
    media_type: str
    body_bytes: int
    title: str
    text: str | None  # the main text, white space folded; None where the run stored no body, or nobody asked
    words: int  # of all its text
    score: float  # of its link, when that was chosen
    relevance: float  # from 0 to 1, by the newest judgement
    is_relevant: bool
    crawl_relevance: float  # when it was crawled
    was_relevant: bool  # then
    reward: float | None
    depth: int  # clicks from a seed
    found_on: str | None  # the page whose link was followed; None for a seed
    parents: tuple[str, ...]  # pages that link here, in order of discovery, the first hundred
    parent_count: int
    canonical: str | None  # the other address that the page calls its own
    digest: str  # of title and text: equal for pages that read the same
    simhash: str | None  # 64 bits in hexadecimal: few differ between pages that read much alike; None without a guard
    robots: str  # allowed, no-file, ignored by setting, or empty where no robots.txt was asked for
    robots_tag: str | None  # the X-Robots-Tag headers, one a line
    reserved: str | None  # rules that it asks of crawlers, separated by spaces: noindex, nofollow, noai, noimageai, tdm
    tdm_policy: str | None  # where the conditions of text and data mining are told
    cut_by: str | None  # limits of [parse] that it was over, separated by spaces
    provenance: str  # a JSON object: whom it was had from, when, by whom and under which rules
    fields: Mapping[str, FieldValue]  # by name; in tables, a column `field_NAME` each

    @property
    def heading(self) -> str:
        """The title on one line, or the address where there is none."""
        return " ".join(self.title.split()) or self.url


COLUMNS: Final = tuple(each.name for each in fields(PageRecord) if each.name != "fields")
"""The columns of every run; those of its fields are beside them."""
SHORT_COLUMNS: Final = tuple(name for name in COLUMNS if name not in ("text", "parents"))
"""The columns that are no long lists or texts: what nodes of graphs and front matter say."""


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """The column that a table has for a field."""

    field: str
    kind: str  # number, list or text
    name: str

    def value(self, record: PageRecord) -> FieldValue | None:
        """Return the value of a page, of the kind of the column; None where it has none."""
        value = record.fields.get(self.field)
        return text_of_field(value) or None if self.kind == "text" else value


def field_columns(run: Run) -> list[FieldColumn]:
    """Return the columns that tables have for the fields of a run, with names that differ in more than capitals."""
    columns: dict[str, FieldColumn] = {}
    for asked, kind in run.field_kinds().items():
        names = chain([f"field_{asked}"], (f"field_{asked}_{number}" for number in count(2)))
        name = next(name for name in names if name.casefold() not in columns)
        columns[name.casefold()] = FieldColumn(asked, kind, name)
    return list(columns.values())


@contextmanager
def chosen_pages(run: Run, options: ExportOptions) -> Iterator[CrawledPages]:
    """Give the pages to write, as they are at one moment. ExportError where there are none."""
    with run.at_one_moment():
        pages = run.crawled_pages(relevant_only=options.relevant_only)
        if not len(pages):
            raise nothing_to_write(run, options)
        yield pages


def nothing_to_write(run: Run, options: ExportOptions) -> ExportError:
    if options.relevant_only and run.progress.pages:
        return ExportError(f"{run.path} has no relevant page; write all {run.progress.pages:,} instead")
    advice = advise(run)
    if advice is not None:
        return ExportError(f"{run.path} has no page to write. {advice.words} Try: {advice.command}")
    remedy = "" if run.progress.stop_reason else f"; go on with it: honeyguide resume {shlex.quote(str(run.path))}"
    return ExportError(f"{run.path} has no page to write{remedy}")


class ChosenRecords:
    """Pages as rows in the order they came, one in memory at a time; can be iterated once. Counts what was written."""

    def __init__(self, run: Run, pages: CrawledPages, options: ExportOptions, on_progress: OnProgress) -> None:
        self._run = run
        self._pages = pages
        self._on_progress = on_progress
        self._asks_for_text = options.with_text
        self._done = self._without_text = 0

    def __iter__(self) -> Iterator[PageRecord]:
        for _, record in pages_with_records(self._run, self._pages, self._on_progress, with_text=self._asks_for_text):
            yield record
            self._done += 1
            self._without_text += record.text is None

    def with_content(self) -> Iterator[tuple[PageRecord, PageContent | None]]:
        """Yield rows without text, each with the page's content, if text is asked for at all.

        ExportError where the run keeps no bodies to read it from.
        """
        if self._asks_for_text and self._run.settings.store.archive == "none":
            raise ExportError(
                f"{self._run.path} kept no pages, only facts about them (--archive none), so there is no content to "
                "write; crawl again without --archive none, or write the rest: --format jsonl --no-text"
            )
        texts = PageTexts(self._run, self._pages)
        for page, record in pages_with_records(self._run, self._pages, self._on_progress, with_text=False):
            content = texts.content(page) if self._asks_for_text else None
            yield record, content
            self._done += 1
            self._without_text += content is None

    @property
    def written(self) -> PagesWritten:
        return PagesWritten(self._done, self._without_text if self._asks_for_text else 0)


@contextmanager
def chosen_records(run: Run, options: ExportOptions, on_progress: OnProgress) -> Iterator[ChosenRecords]:
    """Give the pages to write as rows, as they are at one moment. ExportError where there are none."""
    with chosen_pages(run, options) as pages:
        yield ChosenRecords(run, pages, options, on_progress)


def pages_with_records(
    run: Run, pages: CrawledPages, on_progress: OnProgress, *, with_text: bool
) -> Iterator[tuple[CrawledPage, PageRecord]]:
    """Yield pages, each with its row; within `run.at_one_moment`."""
    texts, total = PageTexts(run, pages), len(pages)
    on_progress(0, total)  # before the links are sorted, which takes a while in a large run
    provenance = Provenance(run.settings)
    for done, page in enumerate(pages.all(), 1):
        parents, parent_count = pages.parents(page, MOST_PARENTS)
        fingerprint, robots_txt = pages.fingerprint(page), pages.robots_txt(page)
        record = PageRecord(
            url=page.url.text,
            host=page.url.host,
            fetched_at=to_datetime(page.fetched_at),
            step=page.step,
            status=page.status,
            media_type=page.media_type,
            body_bytes=page.body_bytes,
            title=page.title,
            text=texts.main_text(page) if with_text else None,
            words=page.words,
            score=page.score,
            relevance=page.relevance,
            is_relevant=page.is_relevant,
            crawl_relevance=page.crawl_relevance,
            was_relevant=page.was_relevant,
            reward=page.reward,
            depth=page.depth,
            found_on=None if page.found_on is None else page.found_on.text,
            parents=tuple(url.text for url in parents),
            parent_count=parent_count,
            canonical=None if page.canonical is None else page.canonical.text,
            digest=page.digest,
            simhash=None if fingerprint is None else f"{Fingerprint.unpack(fingerprint).simhash:016x}",
            robots=provenance.robots(robots_txt),
            robots_tag=page.robots_tag or None,
            reserved=" ".join(page.rules) or None,
            tdm_policy=page.tdm_policy or None,
            cut_by=" ".join(page.cut_by) or None,
            provenance=provenance.of(page, robots_txt),
            fields=pages.fields(page),
        )
        yield page, record
        on_progress(done, total)


class Provenance:
    """Tells where the pages of a run come from, and under which rules they were had."""

    def __init__(self, settings: Settings) -> None:
        self._obeys_robots = settings.politeness.obey_robots
        self._always = {"source": settings.crawl.world.partition(":")[0], "by": settings.fetch.identity}
        self._respect = settings.directives.respect

    def robots(self, robots_txt: tuple[float, str] | None) -> str:
        """Return `allowed`, `no-file`, `ignored`, or nothing where no robots.txt was asked for."""
        if not self._obeys_robots:
            return "ignored"
        return "" if robots_txt is None else "allowed" if robots_txt[1] else "no-file"

    def of(self, page: CrawledPage, robots_txt: tuple[float, str] | None) -> str:
        """Return the provenance of a page as a JSON object on one line."""
        told: dict[str, object] = {"url": page.url.text, "asked_at": iso_time(to_datetime(page.asked_at))}
        rules: dict[str, object] = {"respect": self._respect, "robots": self.robots(robots_txt)}
        if robots_txt is not None:
            since, digest = robots_txt
            rules |= {"robots_txt_since": iso_time(to_datetime(since)), "robots_txt_sha256": digest}
        if page.rules:
            rules["reserved"] = list(page.rules)
        return json.dumps(self._always | told | {"rules": rules})


def to_datetime(clock_time: float) -> datetime:
    """Return a time on the crawl's clock as a date, to the microsecond."""
    return _EPOCH + timedelta(seconds=clock_time)


def iso_time(moment: datetime) -> str:
    """Format a time as in 2026-03-01T12:00:00.250000Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def without_surrogates(text: str) -> str:
    """Return text that UTF-8 can write: lone halves of surrogate pairs, which a page may hold, become `?`."""
    return text.encode("utf-8", "replace").decode()
