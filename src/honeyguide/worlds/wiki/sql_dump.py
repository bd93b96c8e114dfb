"""Rows of one table out of a MySQL dump, as a stream: what `INSERT` says, by the names that `CREATE TABLE` gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.errors import WorldError
from honeyguide.worlds.wiki.compressed import BrokenStream, CompressedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_VALUE: Final = rb"(-?[0-9.]+(?:[eE][-+]?[0-9]+)?|NULL|'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'|0x[0-9A-Fa-f]+)"
_COLUMN = re.compile(rb"\s*`(\w+)`\s")
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_BY_ESCAPE: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"b": b"\b", b"Z": b"\x1a"}


def rows(
    path: Path, table: str, wanted: Sequence[Sequence[str]], progress: Callable[[int, int], None]
) -> Iterator[tuple[bytes, ...]]:
    """The wanted columns of every row; `wanted` are alternatives, the first that the table has all of is taken.

    Numbers come as they are written, text without its quotes and escapes. `progress` hears of bytes read and in all.
    """
    file = CompressedFile(path)
    try:
        yield from _Table(path, table, wanted).rows(file, progress)
    except BrokenStream as error:
        trouble = "ends too soon" if error.is_cut_off else f"is damaged ({error})"
        raise WorldError(
            f"{path} {trouble}: read {file.bytes_read:,} of {file.size_bytes:,} bytes; get it again"
        ) from error
    finally:
        file.close()


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

    def rows(self, file: CompressedFile, progress: Callable[[int, int], None]) -> Iterator[tuple[bytes, ...]]:
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
                picks = self._picks(named)
                row = re.compile(rb"\(" + rb"\s*,\s*".join([_VALUE] * len(named)) + rb"\)", re.DOTALL)
                is_in_insert = True
            if is_in_insert and row is not None:
                for values in row.findall(line, start.end() if start else 0):
                    yield tuple(_plain(values[pick]) for pick in picks)
                is_in_insert = not line.rstrip().endswith(b";")
                progress(file.bytes_read, file.size_bytes)
        if row is None:
            raise WorldError(f"{self._path} has no rows of the table {self._name}; give a MySQL dump of it")

    def _picks(self, columns: list[str]) -> list[int]:
        for names in self._wanted:
            if all(name in columns for name in names):
                return [columns.index(name) for name in names]
        known = " or ".join(", ".join(names) for names in self._wanted)
        raise WorldError(f"{self._path}: the table {self._name} has no columns {known}; it has {', '.join(columns)}")


def _plain(value: bytes) -> bytes:
    if not value.startswith(b"'"):
        return value
    text = value[1:-1]
    return _ESCAPE.sub(_unescaped, text) if b"\\" in text or b"''" in text else text


def _unescaped(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    return b"'" if letter is None else _BY_ESCAPE.get(letter, letter)
