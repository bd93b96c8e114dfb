"""Pages as Parquet, through pyarrow, which is the extra `parquet`.

Columns are those of `PageRecord` with their types: times with microseconds in UTC, parents as lists. A row group is
written when it has a thousand pages or eight million characters, so memory stays flat however large the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.extras import install_hint
from honeyguide.runs.exports.rows import COLUMNS, ExportFormat, chosen_records, field_columns, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from honeyguide.runs.exports.rows import ExportOptions, FieldColumn, OnProgress, PageRecord, PagesWritten
    from honeyguide.runs.run import Run

ROWS_AT_ONCE: Final = 1_000
CHARACTERS_AT_ONCE: Final = 8_000_000


def write_parquet(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write pages in the order they came. ExportError where pyarrow is not installed."""
    import_pyarrow()
    own = field_columns(run)
    with chosen_records(run, options, on_progress) as records:
        write_row_groups(out, page_schema(own), page_rows(records, own))
        return records.written


def write_row_groups(out: BinaryIO, schema: Any, rows: Iterable[dict[str, Any]]) -> None:  # noqa: ANN401 - pyarrow's
    """Write rows of this schema, a group at a time."""
    _, parquet = import_pyarrow()
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for table in tables_of(rows, schema):
            writer.write_table(table)


def tables_of(rows: Iterable[dict[str, Any]], schema: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow's
    """Yield Arrow tables of a thousand rows or eight million characters each."""
    arrow, _ = import_pyarrow()
    group: list[dict[str, Any]] = []
    characters = 0
    for row in rows:
        group.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        characters += sum(sum(map(len, value)) for value in row.values() if isinstance(value, (tuple, list)))
        if len(group) >= ROWS_AT_ONCE or characters >= CHARACTERS_AT_ONCE:
            yield arrow.Table.from_pylist(group, schema=schema)
            group, characters = [], 0
    if group:
        yield arrow.Table.from_pylist(group, schema=schema)


def page_rows(records: Iterable[PageRecord], own: Sequence[FieldColumn]) -> Iterator[dict[str, Any]]:
    """Yield pages as values by column, those of the run's fields included."""
    for record in records:
        row = {name: _value(getattr(record, name)) for name in COLUMNS}
        yield row | {column.name: _value(column.value(record)) for column in own}


def _value(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    if isinstance(value, tuple):
        return [without_surrogates(str(each)) for each in value]
    return without_surrogates(value) if isinstance(value, str) else value


def page_schema(own: Sequence[FieldColumn]) -> Any:  # noqa: ANN401 - pyarrow's, which need not be installed
    """Return the Arrow types of the columns. ExportError where pyarrow is not installed."""
    arrow, _ = import_pyarrow()
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    types = {
        "fetched_at": arrow.timestamp("us", tz="UTC"), "step": whole, "status": arrow.int32(), "body_bytes": whole,
        "words": whole, "score": real, "relevance": real, "is_relevant": arrow.bool_(), "crawl_relevance": real,
        "was_relevant": arrow.bool_(), "reward": real, "depth": arrow.int32(), "parents": arrow.list_(text),
        "parent_count": whole,
    }  # fmt: skip
    kinds = {"number": real, "list": arrow.list_(text), "text": text}
    columns = [(name, types.get(name, text)) for name in COLUMNS]
    return arrow.schema([*columns, *((column.name, kinds[column.kind]) for column in own)])


def import_pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet. ExportError where it is not installed."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise ExportError(f"this needs pyarrow, which is not installed; add it: {install_hint('parquet')}") from None
    return pa, parquet


PARQUET: Final = ExportFormat("parquet", write_parquet, is_binary=True, has_text=True)
