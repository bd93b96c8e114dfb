"""Word vectors on which a worker process dies, or never ends, in a module that it can import by name."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from vectors_by_hash import HashedVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

POISON = "poison"


class DeadlyVectors(HashedVectors):
    """Ends the process that looks up a certain word, unless it is the one that made these vectors."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        if POISON in words and os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().vectors(words)


class BusyVectors(HashedVectors):
    """Never comes to an end with a certain word."""

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        while POISON in words:
            pass
        return super().vectors(words)
