"""Pages as Parquet, through pyarrow, which is an extra: pip install 'honeyguide[parquet]'.

Columns are those of `PageRecord` with their types: times with microseconds in UTC, parents as lists. A row group is
written when it has a thousand pages or eight million characters, so memory stays flat however large the run.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.exports.choice import chosen_records
from honeyguide.reading import PageRecord

if TYPE_CHECKING:
    from typing import BinaryIO

    from honeyguide.exports.choice import Choice
    from honeyguide.exports.written import PagesWritten, Progress
    from honeyguide.store import Run

ROWS_AT_ONCE: Final = 1_000
CHARACTERS_AT_ONCE: Final = 8_000_000
_NAMES: Final = tuple(field.name for field in fields(PageRecord))


def write_parquet(run: Run, out: BinaryIO, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write pages in the order they came. ExportError where pyarrow is not installed."""
    arrow, parquet = _pyarrow()
    schema = _schema(arrow)
    with (
        chosen_records(run, choice, progress) as records,
        parquet.ParquetWriter(out, schema, compression="zstd") as writer,
    ):
        batch = _Batch()
        for record in records:
            batch.add(record)
            if batch.is_full:
                writer.write_table(batch.taken(arrow, schema))
        if batch.rows:
            writer.write_table(batch.taken(arrow, schema))
        return records.written


class _Batch:
    """Rows that wait to be written together."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._characters = 0

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= ROWS_AT_ONCE or self._characters >= CHARACTERS_AT_ONCE

    def add(self, record: PageRecord) -> None:
        self.rows.append({name: _sayable(getattr(record, name)) for name in _NAMES})
        self._characters += len(record.text or "") + sum(map(len, record.parents))

    def taken(self, arrow: Any, schema: Any) -> Any:  # noqa: ANN401 - pyarrow's, which need not be installed
        table = arrow.Table.from_pylist(self.rows, schema=schema)
        self.rows, self._characters = [], 0
        return table


def _sayable(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    """Text without the lone halves of surrogate pairs that UTF-8 cannot say."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _schema(arrow: Any) -> Any:  # noqa: ANN401
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    types = {
        "fetched_at": arrow.timestamp("us", tz="UTC"), "step": whole, "status": arrow.int32(), "body_bytes": whole,
        "words": whole, "score": real, "relevance": real, "is_relevant": arrow.bool_(), "reward": real,
        "depth": arrow.int32(), "parents": arrow.list_(text), "parent_count": whole,
    }  # fmt: skip
    return arrow.schema([(name, types.get(name, text)) for name in _NAMES])


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise ExportError(
            "the format parquet needs pyarrow, which is not installed; add it: pip install 'honeyguide[parquet]'"
        ) from None
    return pa, parquet
