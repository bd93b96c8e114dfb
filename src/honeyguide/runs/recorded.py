"""The answers of hosts in a run, looked up by URL to crawl it again, or as WARC records.

The database has no index of URLs, which a crawl does not need. So the URLs that were fetched are read once into two
sorted columns, hash and step: 16 bytes a fetch. Bodies stay on disk until they are asked for.

WARC records are copied from the run's archive. Without one the request and most headers are lost; the response is made
from what the store holds: status, content type, X-Robots-Tag, the target of a redirect, the body, the date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from honeyguide.errors import RunDamaged
from honeyguide.model import (
    Answer,
    Cut,
    Failed,
    FailureReason,
    Fetched,
    HostKey,
    Outcome,
    Redirected,
    RefusalReason,
    Refused,
    Unchanged,
    Url,
)
from honeyguide.model.outcome import whole_exchange
from honeyguide.runs.archive import (
    fetch_records,
    file_name,
    open_to_read,
    warc_date,
    warcinfo_id,
    warcinfo_record,
    whole_number,
)
from honeyguide.runs.bodies import ARCHIVE_FOLDER, StoredBodies
from honeyguide.runs.shards import place_of_archive
from honeyguide.settings import MOST_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from honeyguide.runs.discovered_graph import Select


class RecordedAnswers:
    """The answers of a run up to the moment it was opened; the same for the same URL every time."""

    def __init__(self, select: Select, database_file: Path, seeds: Sequence[Url]) -> None:
        """`select` reads the run's database; `seeds` are the URLs that it started with."""
        self._select = select
        self._path = database_file
        self._bodies = StoredBodies(database_file)
        self._seeds = seeds
        self._hashes, self._steps = self._read_urls()
        self._delay_by_host = {
            HostKey(host): delay_s for host, delay_s in select("SELECT host, crawl_delay_s FROM hosts")
        }

    def __len__(self) -> int:
        return len(self._steps)

    def answer(self, url: Url) -> Answer | None:
        """Return the answer to `url`; None when it was never asked, not known then either, or not stored."""
        key = np.uint64(_hash(url.text))
        first, last = np.searchsorted(self._hashes, key, "left"), np.searchsorted(self._hashes, key, "right")
        for step in reversed(self._steps[first:last].tolist()):
            answer = self._answer_at(step, url)
            if answer is not None:
                return answer
        return None

    def seed_urls(self) -> Sequence[Url]:
        """Return the URLs that the run started with."""
        return self._seeds

    def page_urls(self) -> Iterator[Url]:
        """Yield URLs that brought an HTML page, in the order they came."""
        rows = self._select(
            """SELECT l.url FROM pages p JOIN links l ON l.id = p.link
               WHERE p.media_type IN ('text/html', 'application/xhtml+xml')
                 AND p.link NOT IN (SELECT link FROM directives WHERE is_unindexed) ORDER BY p.step"""
        )
        return (Url(text) for (text,) in rows)

    def _read_urls(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return hashes of the URLs that were fetched, sorted, and their steps."""
        rows = self._select(
            """SELECT s.step, l.url FROM steps s JOIN links l ON l.id = s.link
               WHERE s.outcome <> 'unknown' ORDER BY s.step"""
        )
        hashes, steps = [], []
        for step, text in rows:
            hashes.append(_hash(text))
            steps.append(step)
        columns = np.array(hashes, dtype=np.uint64), np.array(steps, dtype=np.int64)
        order = np.argsort(columns[0], kind="stable")
        return columns[0][order], columns[1][order]

    def _answer_at(self, step: int, url: Url) -> Answer | None:
        rows = self._select(f"SELECT l.url, s.elapsed_s, a.file, a.offset, {_COLUMNS} {_TABLES} WHERE s.step = ?", step)
        for text, elapsed_s, file, offset, is_unindexed, has_page, stored, *columns in rows:
            if text != url.text or is_unindexed or columns[0] == "unchanged":  # another URL, or nothing that is stored
                return None
            body = self._bodies.read(stored, file, offset) if has_page else None
            if has_page and body is None:
                return None
            return Answer(outcome_of(self._path, body, *columns), elapsed_s, self._delay_by_host.get(url.host, 0.0))
        return None


_COLUMNS: Final = """coalesce(d.is_unindexed, 0), p.link IS NOT NULL OR v.step IS NOT NULL, coalesce(v.body, b.body),
                     s.outcome, s.status, s.reason, s.target, s.detail, coalesce(p.content_type, v.content_type),
                     coalesce(d.robots_tag, ''), coalesce(d.tdm, '')"""
_TABLES: Final = """FROM steps s JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
                    LEFT JOIN bodies b ON b.link = p.link LEFT JOIN directives d ON d.link = p.link
                    LEFT JOIN archive a ON a.step = s.step LEFT JOIN versions v ON v.step = s.step"""

_MOST_RECORD_BYTES: Final = 2 * MOST_BODY_BYTES  # of one fetch


def outcome_of(
    path: Path,
    body: bytes | None,
    kind: str,
    status: int | None,
    reason: str,
    target: str | None,
    detail: str,
    content_type: str | None,
    robots_tag: str,
    tdm: str,
) -> Outcome:
    """Make an outcome from its columns; `path` is the database. RunDamaged where they make no sense."""
    try:
        match kind:
            case "fetched" if status is not None and content_type is not None and body is not None:
                return Fetched(status, content_type, body, robots_tag=robots_tag, tdm=tdm)
            case "unchanged":
                return Unchanged()
            case "redirected" | "failed" if status is not None and target is not None:
                # Also where one redirect was too many: that, the crawl decided.
                return Redirected(status, Url(target))
            case "refused":
                return Refused(RefusalReason(reason), detail)
            case "failed":
                return Failed(FailureReason(reason), detail, status)
    except ValueError:  # a reason that is none of ours
        pass
    raise RunDamaged(f"{path} has a step with outcome {kind!r} ({reason!r}); restore it from a copy of the run")


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode())


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """The records of one fetch, each its own gzip member."""

    records: bytes
    is_page: bool


class RecordedExchanges:
    """Reads the exchanges of a run that is open, one at a time."""

    def __init__(self, select: Select, database_file: Path, *, relevant_only: bool = False) -> None:
        self._select = select
        self._path = database_file
        self._bodies = StoredBodies(database_file)
        self._which = "p.is_relevant" if relevant_only else "s.outcome <> 'unknown'"

    def __len__(self) -> int:
        """Return how many fetches there are; those without an answer have no exchange."""
        ((count,),) = self._select(f"SELECT count(*) {_TABLES} WHERE {self._which}")
        return int(count)

    def all(self, about: dict[str, str], name: str) -> Iterator[RecordedExchange | None]:
        """Yield every fetch in order; None for one without an exchange. `about` and `name` describe the new file."""
        rows = self._select(
            f"""SELECT s.step, l.url, s.finished_at, s.elapsed_s, a.file, a.offset, a.end, {_COLUMNS}
                {_TABLES} WHERE {self._which} ORDER BY s.step"""
        )
        info_id, begun = warcinfo_id(about, name), set[int]()
        for step, url, finished_at, elapsed_s, file, offset, end, is_unindexed, has_page, stored, *columns in rows:
            is_page = has_page and not is_unindexed
            if file is not None:
                start = b"" if file in begun else self._beginning(file)
                begun.add(file)
                yield RecordedExchange(start + self._archived(file, offset, end), is_page)
                continue
            body = b"" if is_unindexed else self._bodies.read(stored, None, None)
            has_answer = not has_page or body is not None
            outcome = outcome_of(self._path, body, *columns) if has_answer else None
            exchange = None if outcome is None else whole_exchange(Answer(outcome, elapsed_s))
            if exchange is None:
                yield None
                continue
            if is_unindexed:
                exchange = replace(exchange, body=b"", cut=Cut.UNSPECIFIED)
            date = warc_date(finished_at - elapsed_s)
            start = b"" if -1 in begun else warcinfo_record(about, date, name)
            begun.add(-1)
            fields = {"WARC-Date": date, "WARC-Warcinfo-ID": f"<urn:uuid:{info_id}>"}
            yield RecordedExchange(start + b"".join(fetch_records(exchange, Url(url), fields, step)), is_page)

    def _beginning(self, file: int) -> bytes:
        """Return the first record of an archive file, which the others refer to."""
        ((first,),) = self._select("SELECT min(offset) FROM archive WHERE file = ?", file)
        return self._archived(file, 0, first)

    def _archived(self, file: int, start: int, end: int) -> bytes:
        folder, number = place_of_archive(self._path.parent, file)
        path = folder / ARCHIVE_FOLDER / file_name(number)
        length = whole_number(whole_number(end) - whole_number(start))
        if length > _MOST_RECORD_BYTES:
            raise RunDamaged(f"{path} has records of {length:,} bytes, which no crawl wrote; restore it from a copy")
        try:
            with open_to_read(path) as opened:
                opened.seek(start)
                records = opened.read(length)
        except OSError as error:
            raise RunDamaged(f"{path} cannot be read: {error.strerror}; restore it from a copy of the run") from error
        if len(records) < length:
            raise RunDamaged(f"{path} has lost its end; restore it from a copy of the run")
        return records
