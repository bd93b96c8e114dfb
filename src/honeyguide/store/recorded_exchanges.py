"""What hosts answered in a run, as WARC records: copied from its archive, or made again from what the store holds.

Without an archive the request and most headers are gone. What is made again is the response, as an archive of a world
that sends no headers has it: status, content type, X-Robots-Tag, the address a redirect leads to, the body, the date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from honeyguide.domain import Answer, Cut, Fetched, Url
from honeyguide.domain.whole_exchange import whole_exchange
from honeyguide.errors import RunDamaged
from honeyguide.store.archive import file_name
from honeyguide.store.bodies import ARCHIVE_FOLDER, StoredBodies
from honeyguide.store.recorded_answers import outcome_of
from honeyguide.store.warc_records import fetch_records, warc_date, warcinfo_id, warcinfo_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Select = Callable[..., Iterator[tuple[Any, ...]]]

_UNINDEXED: Final = "coalesce(d.is_unindexed, 0)"


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """The records of one fetch, each a gzip member of its own."""

    records: bytes
    is_page: bool


class RecordedExchanges:
    """Reads the exchanges of a run that is open, one at a time."""

    def __init__(self, select: Select, database_file: Path, *, relevant_only: bool = False) -> None:
        self._select = select
        self._path = database_file
        self._folder = database_file.parent / ARCHIVE_FOLDER
        self._bodies = StoredBodies(database_file)
        self._which = "p.is_relevant" if relevant_only else "s.outcome <> 'unknown'"

    def __len__(self) -> int:
        """How many fetches are looked at; those without an answer have no exchange."""
        ((count,),) = self._select(f"SELECT count(*) {self._tables()}")
        return int(count)

    def all(self, about: dict[str, str], name: str) -> Iterator[RecordedExchange | None]:
        """Every fetch in order; None for one that has no exchange. `about` and `name` tell of the file made anew."""
        rows = self._select(
            f"""SELECT s.step, l.url, s.finished_at, s.elapsed_s, s.outcome, s.status, s.detail, p.content_type, p.body,
                       a.file, a.offset, a.end, coalesce(d.robots_tag, ''), {_UNINDEXED}
                {self._tables()} ORDER BY s.step"""
        )
        info_id, begun = warcinfo_id(about, name), set[int]()
        for step, url, finished_at, elapsed_s, *outcome, stored, file, offset, end, tag, is_unindexed in rows:
            is_page = stored is not None and not is_unindexed
            if file is not None:
                start = b"" if file in begun else self._beginning(file)
                begun.add(file)
                yield RecordedExchange(start + self._archived(file, offset, end), is_page)
                continue
            answer = self._answer(outcome, stored, elapsed_s, tag, is_unindexed=bool(is_unindexed))
            exchange = None if answer is None else whole_exchange(answer)
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

    def _tables(self) -> str:
        return f"""FROM steps s JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
                   LEFT JOIN directives d ON d.link = p.link LEFT JOIN archive a ON a.step = s.step
                   WHERE {self._which}"""

    def _answer(
        self, columns: list[Any], stored: bytes | None, elapsed_s: float, tag: str, *, is_unindexed: bool
    ) -> Answer | None:
        """What was answered; None where that was not kept."""
        kind, status, detail, content_type = columns
        if is_unindexed:
            return Answer(Fetched(status, content_type, b"", robots_tag=tag), elapsed_s)
        body = None if stored is None else self._bodies.read(stored, None, None)
        if stored is not None and body is None:
            return None
        outcome = outcome_of(self._path, kind, status, detail, content_type, body)
        return Answer(replace(outcome, robots_tag=tag) if isinstance(outcome, Fetched) else outcome, elapsed_s)

    def _beginning(self, file: int) -> bytes:
        """The first record of an archive file, which the others refer to."""
        ((first,),) = self._select("SELECT min(offset) FROM archive WHERE file = ?", file)
        return self._archived(file, 0, first)

    def _archived(self, file: int, start: int, end: int) -> bytes:
        path = self._folder / file_name(file)
        try:
            with path.open("rb") as opened:
                opened.seek(start)
                records = opened.read(end - start)
        except OSError as error:
            raise RunDamaged(f"{path} cannot be read: {error.strerror}; restore it from a copy of the run") from error
        if len(records) < end - start:
            raise RunDamaged(f"{path} has lost its end; restore it from a copy of the run")
        return records
