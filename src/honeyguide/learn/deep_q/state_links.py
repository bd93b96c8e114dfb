"""Which links there are in a state, for the dueling form: an advantage is measured against theirs.

The papers on dueling have a fixed set of actions. Here the actions of a state are the links of the pages that look like
that state. A state keeps the first `KEPT` of them by a hash of their numbers: a fair sample of the different links met
in it, and the same sample in whatever order they were met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Row, Rows

KEPT: Final = 32


class StateLinks:
    """A sample of the distinct rows met in every state. A row begins with the numbers of its state."""

    def __init__(self, state_width: int, row_width: int) -> None:
        self._state_width = state_width
        self._row_width = row_width
        self._rows_by_state: dict[bytes, Rows] = {}

    def __len__(self) -> int:
        return len(self._rows_by_state)

    def state_of(self, row: Row) -> bytes:
        return (row[: self._state_width] + np.float16(0)).tobytes()  # no negative zero

    def states(self) -> Sequence[bytes]:
        """All states, in the order in which they were met."""
        return list(self._rows_by_state)

    def add(self, rows: Rows) -> None:
        """Rows of one page, which all begin with the same numbers."""
        if not len(rows):
            return
        state = self.state_of(rows[0])
        known = self._rows_by_state.get(state, rows[:0])
        row_by_hash = {xxhash.xxh3_64_intdigest(row.tobytes()): row for row in (*known, *rows)}
        self._rows_by_state[state] = np.stack([row_by_hash[each] for each in sorted(row_by_hash)[:KEPT]])

    def of(self, state: bytes) -> Rows:
        """The sample of a state, empty for one that was never met."""
        return self._rows_by_state.get(state, np.empty((0, self._row_width), dtype=np.float16))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything, in columns; the states stand in their rows."""
        samples = list(self._rows_by_state.values())
        return {
            "counts": np.array([len(rows) for rows in samples], dtype=np.int64),
            "rows": np.concatenate([np.empty((0, self._row_width), dtype=np.float16), *samples]),
        }

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to what `arrays` gave."""
        ends = np.cumsum(arrays["counts"].astype(np.int64))
        samples = np.split(arrays["rows"].astype(np.float16), ends)[: len(ends)]
        self._rows_by_state = {self.state_of(rows[0]): rows for rows in samples}
