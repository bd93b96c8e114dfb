"""The links of a wiki from its `pagelinks` table instead of its wikitext, in the older and the newer schema.

The tables come as MySQL dumps, read as a stream: what `INSERT` says, by the names that `CREATE TABLE` gives. The older
table names the target of a link by namespace and title; the newer one by a number, which the table `linktarget`
explains. Rows are looked up in batches, and wait in a scratch database sorted by source.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import WorldError
from honeyguide.text.compressed import BrokenStream, CompressedFile
from honeyguide.worlds.wiki.first_pass import KeyTable, keys_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.worlds.wiki.first_pass import Keys, Numbers

    Rows = Iterator[tuple[bytes, ...]]
    Progress = Callable[[int, int], None]

_VALUE: Final = rb"(-?[0-9.]+(?:[eE][-+]?[0-9]+)?|NULL|'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'|0x[0-9A-Fa-f]+)"
_COLUMN = re.compile(rb"\s*`(\w+)`\s")
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_BY_ESCAPE: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"b": b"\b", b"Z": b"\x1a"}


def table_rows(path: Path, table: str, wanted: Sequence[Sequence[str]], progress: Progress) -> Rows:
    """Yield the wanted columns of every row; of the alternatives in `wanted` the first that the table has is taken.

    Numbers come as they are written, text without its quotes and escapes. `progress` hears of bytes read and in all.
    """
    try:
        file = CompressedFile(path)
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    with file:
        try:
            yield from _Table(path, table, wanted).rows(file, progress)
        except BrokenStream as error:
            trouble = "ends too soon" if error.is_cut_off else f"is damaged ({error})"
            read = f"read {file.bytes_read:,} of {file.size_bytes:,} bytes"
            raise WorldError(f"{path} {trouble}: {read}; get it again") from error


class _Table:
    """Reads the lines of a dump that concern one table."""

    def __init__(self, path: Path, table: str, wanted: Sequence[Sequence[str]]) -> None:
        self._path = path
        self._name = table
        self._wanted = wanted
        name = re.escape(table.encode())
        self._create = re.compile(rb"\s*CREATE TABLE (?:IF NOT EXISTS )?`?" + name + rb"`?[\s(]", re.IGNORECASE)
        self._insert = re.compile(
            rb"\s*INSERT (?:IGNORE )?INTO `?" + name + rb"`?\s*(?:\(([^()]*)\)\s*)?VALUES", re.IGNORECASE
        )

    def rows(self, file: CompressedFile, progress: Progress) -> Rows:
        columns: list[str] = []
        row: re.Pattern[bytes] | None = None
        picks: list[int] = []
        is_in_create = is_in_insert = False
        for line in file.lines():
            if self._create.match(line):
                is_in_create, columns = True, []
            elif is_in_create:
                found = _COLUMN.match(line)
                columns += [found[1].decode()] if found else []
                is_in_create = not line.lstrip().startswith(b")")
            start = self._insert.match(line)
            if start is not None:
                named = re.findall(r"\w+", start[1].decode()) if start[1] else columns
                picks = self._find_columns(named)
                row = re.compile(rb"\(" + rb"\s*,\s*".join([_VALUE] * len(named)) + rb"\)", re.DOTALL)
                is_in_insert = True
            if is_in_insert and row is not None:
                for values in row.findall(line, start.end() if start else 0):
                    yield tuple(_unquote(values[pick]) for pick in picks)
                is_in_insert = not line.rstrip().endswith(b";")
                progress(file.bytes_read, file.size_bytes)
        if row is None:
            raise WorldError(f"{self._path} has no rows of the table {self._name}; give a MySQL dump of it")

    def _find_columns(self, columns: list[str]) -> list[int]:
        for names in self._wanted:
            if all(name in columns for name in names):
                return [columns.index(name) for name in names]
        known = " or ".join(", ".join(names) for names in self._wanted)
        raise WorldError(f"{self._path}: the table {self._name} has no columns {known}; it has {', '.join(columns)}")


def _unquote(value: bytes) -> bytes:
    if not value.startswith(b"'"):
        return value
    text = value[1:-1]
    return _ESCAPE.sub(_unescape, text) if b"\\" in text or b"''" in text else text


def _unescape(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    return b"'" if letter is None else _BY_ESCAPE.get(letter, letter)


_BATCH_ROWS: Final = 100_000
_OLDER: Final = ("pl_from", "pl_namespace", "pl_title")
_NEWER: Final = ("pl_from", "pl_target_id")
_TARGET: Final = ("lt_id", "lt_namespace", "lt_title")


class PageLinks:
    """The links between the articles of one collection, kept in a scratch database."""

    def __init__(self, scratch: sqlite3.Connection, numbers_by_page_id: KeyTable, titles: KeyTable) -> None:
        self._scratch = scratch
        self._numbers_by_page_id = numbers_by_page_id
        self._titles = titles
        scratch.execute("CREATE TABLE edges (source, target, PRIMARY KEY (source, target)) WITHOUT ROWID")

    def read(self, pagelinks: Path, linktarget: Path | None, progress: Progress) -> None:
        """Read the links whose both ends are in the collection."""
        links = table_rows(pagelinks, "pagelinks", [_OLDER, _NEWER], progress)
        numbers_by_target_id = None if linktarget is None else self._read_targets(linktarget, progress)
        for batch in _batches(links):
            targets = self._find_targets(batch, numbers_by_target_id, pagelinks)
            self._store(_parse_integers(row[0] for row in batch), targets)

    def _find_targets(
        self, batch: list[tuple[bytes, ...]], numbers_by_target_id: KeyTable | None, path: Path
    ) -> Numbers:
        if len(batch[0]) == len(_OLDER):
            return self._find_titles((namespace, title) for _, namespace, title in batch)
        if numbers_by_target_id is None:
            raise WorldError(f"{path} names its targets by number; give the table that explains them with --linktarget")
        return numbers_by_target_id.numbers_of(_parse_integers(row[1] for row in batch))

    def _store(self, page_ids: Keys, targets: Numbers) -> None:
        sources = self._numbers_by_page_id.numbers_of(page_ids)
        kept = (sources >= 0) & (targets >= 0) & (sources != targets)
        self._scratch.executemany(
            "INSERT OR IGNORE INTO edges VALUES (?, ?)",
            zip(sources[kept].tolist(), targets[kept].tolist(), strict=True),
        )

    def _read_targets(self, linktarget: Path, progress: Progress) -> KeyTable:
        """Return the articles by the number of a link target."""
        ids: list[Keys] = []
        numbers: list[Numbers] = []
        for batch in _batches(table_rows(linktarget, "linktarget", [_TARGET], progress)):
            found = self._find_titles((namespace, title) for _, namespace, title in batch)
            ids.append(_parse_integers(row[0] for row in batch)[found >= 0])
            numbers.append(found[found >= 0])
        empty = np.empty(0, dtype=np.uint64)
        return KeyTable.of(np.concatenate([empty, *ids]), np.concatenate([empty, *numbers]).astype(np.int32))

    def _find_titles(self, named: Iterable[tuple[bytes, bytes]]) -> Numbers:
        titles = [title.decode("utf-8", "replace").replace("_", " ") if space == b"0" else "" for space, title in named]
        return self._titles.numbers_of(keys_of(titles))


def _batches(rows: Rows) -> Iterator[list[tuple[bytes, ...]]]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        yield batch


def _parse_integers(texts: Iterable[bytes]) -> Keys:
    return np.fromiter((int(text) if text.isdigit() else 0 for text in texts), dtype=np.uint64)
