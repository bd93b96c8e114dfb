"""Vectors of pages, for a search by meaning: the same that judges and strategies use, kept beside the index.

A page's vector is its text vector (`text.WordRows.text_vector`) at length 1, in half precision. They are made when
somebody first searches by meaning, from the text that the index holds, and later only those of new pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import tantivy

from honeyguide.index.fields import schema
from honeyguide.index.kept_arrays import keep_arrays, kept_arrays
from honeyguide.index.plain_text import unmarked
from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.text import WordVectors

_FILE: Final = "meanings.npz"
_AT_ONCE: Final = 4_096  # rows turned to single precision at a time


@dataclass(frozen=True, slots=True, eq=False)
class Meanings:
    """Vectors of pages by step, which rises."""

    steps: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def cosines(self, wanted: NDArray[np.float64]) -> NDArray[np.float32]:
        """How near each page is to a vector, from -1 to 1."""
        direction = unit(wanted).astype(np.float32)
        nearness = np.empty(len(self.steps), dtype=np.float32)
        for first in range(0, len(nearness), _AT_ONCE):
            block = slice(first, first + _AT_ONCE)
            nearness[block] = self.vectors[block].astype(np.float32) @ direction
        return nearness


def meanings_of(searcher: tantivy.Searcher, vectors: WordVectors, folder: Path | None, *, may_write: bool) -> Meanings:
    """The vectors of all pages of an index; `folder` is where they are kept, None for an index in memory."""
    kept = _kept(folder, vectors) if folder is not None else None
    known = kept or Meanings(np.empty(0, dtype=np.int64), np.empty((0, vectors.dimension), dtype=np.float16))
    added = _made_after(searcher, int(known.steps[-1]) if len(known.steps) else 0, vectors)
    if not len(added.steps):
        return known
    both = Meanings(np.concatenate((known.steps, added.steps)), np.concatenate((known.vectors, added.vectors)))
    if folder is not None and may_write:
        keep_arrays(folder / _FILE, digest=np.array(vectors.digest), steps=both.steps, vectors=both.vectors)
    return both


def _made_after(searcher: tantivy.Searcher, step: int, vectors: WordVectors) -> Meanings:
    newer = tantivy.Query.range_query(schema(), "step", tantivy.FieldType.Unsigned, step, include_lower=False)
    found = searcher.search(newer, max(1, searcher.num_docs), order_by_field="step", order=tantivy.Order.Asc).hits
    rows = np.empty((len(found), vectors.dimension), dtype=np.float16)
    for row, (_, address) in enumerate(found):
        document = searcher.doc(address)
        words = words_of(unmarked(f"{document.get_first('title')} {document.get_first('text')}"))
        rows[row] = unit(vectors.vector(words))
    return Meanings(np.array([number for number, _ in found], dtype=np.int64), rows)


def _kept(folder: Path, vectors: WordVectors) -> Meanings | None:
    kept = kept_arrays(folder / _FILE)
    if kept is None or kept.keys() != {"digest", "steps", "vectors"}:
        return None
    is_ours = vectors.digest and str(kept["digest"]) == vectors.digest
    is_whole = kept["vectors"].shape == (len(kept["steps"]), vectors.dimension)
    return Meanings(kept["steps"], kept["vectors"]) if is_ours and is_whole else None
