"""The links of a wiki from its `pagelinks` table instead of its wikitext, in the older and the newer schema.

The older table names the target of a link by namespace and title; the newer one by a number, which the table
`linktarget` explains. Rows come in batches, are looked up all at once, and wait in a scratch database sorted by source.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import WorldError
from honeyguide.worlds.wiki import sql_dump
from honeyguide.worlds.wiki.key_table import KeyTable, keys_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from honeyguide.worlds.wiki.key_table import Keys, Numbers

    Rows = Iterator[tuple[bytes, ...]]
    Progress = Callable[[int, int], None]

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
        """Take in the links whose both ends are in the collection."""
        links = sql_dump.rows(pagelinks, "pagelinks", [_OLDER, _NEWER], progress)
        numbers_by_target_id = None if linktarget is None else self._read_targets(linktarget, progress)
        for batch in _batches(links):
            targets = self._targets(batch, numbers_by_target_id, pagelinks)
            self._keep(_integers(row[0] for row in batch), targets)

    def targets_of(self, source: int) -> list[int]:
        found = self._scratch.execute("SELECT target FROM edges WHERE source = ? ORDER BY target", (source,))
        return [target for (target,) in found]

    def _targets(self, batch: list[tuple[bytes, ...]], numbers_by_target_id: KeyTable | None, path: Path) -> Numbers:
        if len(batch[0]) == len(_OLDER):
            return self._numbers_of_titles((namespace, title) for _, namespace, title in batch)
        if numbers_by_target_id is None:
            raise WorldError(f"{path} names its targets by number; give the table that explains them with --linktarget")
        return numbers_by_target_id.numbers_of(_integers(row[1] for row in batch))

    def _keep(self, page_ids: Keys, targets: Numbers) -> None:
        sources = self._numbers_by_page_id.numbers_of(page_ids)
        kept = (sources >= 0) & (targets >= 0) & (sources != targets)
        self._scratch.executemany(
            "INSERT OR IGNORE INTO edges VALUES (?, ?)",
            zip(sources[kept].tolist(), targets[kept].tolist(), strict=True),
        )

    def _read_targets(self, linktarget: Path, progress: Progress) -> KeyTable:
        """The articles by the number of a link target; others are not kept."""
        ids: list[Keys] = []
        numbers: list[Numbers] = []
        for batch in _batches(sql_dump.rows(linktarget, "linktarget", [_TARGET], progress)):
            found = self._numbers_of_titles((namespace, title) for _, namespace, title in batch)
            ids.append(_integers(row[0] for row in batch)[found >= 0])
            numbers.append(found[found >= 0])
        empty = np.empty(0, dtype=np.uint64)
        return KeyTable(np.concatenate([empty, *ids]), np.concatenate([empty, *numbers]).astype(np.int32))

    def _numbers_of_titles(self, named: Iterable[tuple[bytes, bytes]]) -> Numbers:
        titles = [title.decode("utf-8", "replace").replace("_", " ") if space == b"0" else "" for space, title in named]
        return self._titles.numbers_of(keys_of(titles))


def _batches(rows: Rows) -> Iterator[list[tuple[bytes, ...]]]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        yield batch


def _integers(texts: Iterable[bytes]) -> Keys:
    return np.fromiter((int(text) if text.isdigit() else 0 for text in texts), dtype=np.uint64)
