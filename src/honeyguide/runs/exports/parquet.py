"""Pages as Parquet, through pyarrow, which is an extra: pip install 'honeyguide[parquet]'.

Columns are those of `PageRecord` with their types: times with microseconds in UTC, parents as lists. A row group is
written when it has a thousand pages or eight million characters, so memory stays flat however large the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.runs.exports.rows import COLUMNS, ExportFormat, chosen_records, without_surrogates

if TYPE_CHECKING:
    from typing import BinaryIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PagesWritten
    from honeyguide.runs.run import Run

ROWS_AT_ONCE: Final = 1_000
CHARACTERS_AT_ONCE: Final = 8_000_000


def write_parquet(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write pages in the order they came. ExportError where pyarrow is not installed."""
    arrow, parquet = _pyarrow()
    schema = _schema(arrow)
    with (
        chosen_records(run, options, on_progress) as records,
        parquet.ParquetWriter(out, schema, compression="zstd") as writer,
    ):
        rows: list[dict[str, Any]] = []
        characters = 0
        for record in records:
            rows.append({name: _value(getattr(record, name)) for name in COLUMNS})
            characters += len(record.text or "") + sum(map(len, record.parents))
            if len(rows) >= ROWS_AT_ONCE or characters >= CHARACTERS_AT_ONCE:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                rows, characters = [], 0
        if rows:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
        return records.written


def _value(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    return without_surrogates(value) if isinstance(value, str) else value


def _schema(arrow: Any) -> Any:  # noqa: ANN401 - pyarrow's, which need not be installed
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    types = {
        "fetched_at": arrow.timestamp("us", tz="UTC"), "step": whole, "status": arrow.int32(), "body_bytes": whole,
        "words": whole, "score": real, "relevance": real, "is_relevant": arrow.bool_(), "crawl_relevance": real,
        "was_relevant": arrow.bool_(), "reward": real, "depth": arrow.int32(), "parents": arrow.list_(text),
        "parent_count": whole,
    }  # fmt: skip
    return arrow.schema([(name, types.get(name, text)) for name in COLUMNS])


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise ExportError(
            "the format parquet needs pyarrow, which is not installed; add it: pip install 'honeyguide[parquet]'"
        ) from None
    return pa, parquet


PARQUET: Final = ExportFormat("parquet", write_parquet, is_binary=True, has_text=True)
