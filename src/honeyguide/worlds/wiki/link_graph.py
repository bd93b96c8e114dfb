"""All links of a world in two arrays, and what can be reached along them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Links by their source: those of page n are `targets[offsets[n]:offsets[n + 1]]`, ascending and distinct."""

    offsets: NDArray[np.int64]  # one more than there are pages
    targets: NDArray[np.uint32]

    @classmethod
    def of(cls, out_degrees: NDArray[np.uint32], targets: NDArray[np.uint32]) -> LinkGraph:
        return cls(np.concatenate(([0], np.cumsum(out_degrees, dtype=np.int64))), targets)

    @property
    def page_count(self) -> int:
        return len(self.offsets) - 1

    def targets_of(self, page: int) -> NDArray[np.uint32]:
        return self.targets[self.offsets[page] : self.offsets[page + 1]]

    def sources(self) -> NDArray[np.uint32]:
        """The source of every link, in the order of `targets`."""
        return np.repeat(np.arange(self.page_count, dtype=np.uint32), np.diff(self.offsets))

    def reversed(self) -> LinkGraph:
        """The same links the other way round."""
        order = np.argsort(self.targets, kind="stable")
        in_degrees = np.bincount(self.targets, minlength=self.page_count).astype(np.uint32)
        return LinkGraph.of(in_degrees, self.sources()[order])

    def reachable(self, starts: Sequence[int]) -> Mask:
        """The pages that a walk from any of `starts` can come to, those included."""
        reached = np.zeros(self.page_count, dtype=np.bool_)
        newly = np.unique(np.array(starts, dtype=np.int64))
        while len(newly):
            reached[newly] = True
            found = self._targets_of_all(newly)
            newly = np.unique(found[~reached[found]])
        return reached

    def _targets_of_all(self, pages: NDArray[np.int64]) -> NDArray[np.int64]:
        starts = self.offsets[pages]
        lengths = self.offsets[pages + 1] - starts
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
        return self.targets[places].astype(np.int64)
