"""What learners of several shards tell one another: sums that add up, whoever has seen which page.

Ridge statistics (Σ x xᵀ, Σ r x) and counts of dead ends add up exactly, so the learner of each shard is the learner of
all pages but those of the last exchanges. Weights that are no sums are averaged: a learner tells n·w and n.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.model.saved_state import load_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SharedSums:
    """Sums by name, and two counts for each of some signs."""

    sums: Mapping[str, NDArray[np.float64]]
    signs: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    counts: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))

    @classmethod
    def total(cls, all_sums: Iterable[SharedSums]) -> SharedSums | None:
        """Add up; None where there is nothing."""
        given = list(all_sums)
        if not given:
            return None
        sums = {name: np.sum([each.sums[name] for each in given], axis=0) for name in given[0].sums}
        signs, places = np.unique(np.concatenate([each.signs for each in given]), return_inverse=True)
        counts = np.zeros((2, len(signs)))
        for row, told in zip(counts, np.concatenate([each.counts for each in given], axis=1), strict=True):
            np.add.at(row, places, told)
        return cls(sums, signs.astype(np.int32), counts)

    def pack(self) -> bytes:
        """Return the sums as they are journaled."""
        buffer = io.BytesIO()
        np.savez(buffer, signs=self.signs, counts=self.counts, **self.sums)  # type: ignore[arg-type]
        return buffer.getvalue()

    @classmethod
    def unpack(cls, packed: bytes) -> SharedSums:
        """Read packed sums. ValueError where they are none."""
        arrays = load_arrays(packed)
        try:
            signs, counts = arrays.pop("signs"), arrays.pop("counts")
        except KeyError as error:
            raise ValueError(f"not the sums of a learner: {error}") from None
        return cls(arrays, signs, counts)
