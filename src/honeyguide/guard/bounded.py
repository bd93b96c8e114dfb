"""Tables of bounded size for the guard's memory, and its state as bytes.

A full table forgets the entry that was touched longest ago. State is packed as plain lists, tuples, dictionaries,
numbers and texts; anything that could run code is refused when it is loaded.
"""

from __future__ import annotations

import gc
import io
import pickle
import zlib
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeAlias, TypeVar

from honeyguide.errors import GuardError
from honeyguide.model.saved_state import inflate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

K = TypeVar("K")
V = TypeVar("V")


_NEXT_TO_GO: Final = 256


class Bounded(Generic[K, V]):
    """A mapping of at most `capacity` entries. Reading changes nothing; `touch` and `put` make an entry the newest.

    A plain dictionary in the order of touching, because an ordered one takes 100 bytes more for each entry. Looking for
    its first entry passes over all that have left since it grew last, so it is done for some at once: `_next_to_go` are
    its first keys, in order, where there are any.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._values: dict[K, V] = {}
        self._next_to_go: dict[K, None] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def get(self, key: K) -> V | None:
        return self._values.get(key)

    def touch(self, key: K) -> V | None:
        """The value, which is now the last to be forgotten."""
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
            self._next_to_go.pop(key, None)
        return value

    def put(self, key: K, value: V) -> tuple[K, V] | None:
        """Keep a value; where that makes one too many, the entry that had to go."""
        self.remove(key)
        self._values[key] = value
        if len(self._values) <= self.capacity:
            return None
        if not self._next_to_go:
            self._next_to_go = dict.fromkeys(islice(self._values, _NEXT_TO_GO))
        oldest = next(iter(self._next_to_go))
        del self._next_to_go[oldest]
        return oldest, self._values.pop(oldest)

    def remove(self, key: K) -> None:
        """Forget an entry, where there is one."""
        self._values.pop(key, None)
        self._next_to_go.pop(key, None)

    def items(self) -> Iterable[tuple[K, V]]:
        """From what is forgotten first to what is forgotten last."""
        return self._values.items()

    def replace(self, items: Iterable[tuple[K, V]]) -> None:
        """Hold these instead, in this order; the last of them, where there is no room for all."""
        values = dict(items)
        self._values = dict(islice(values.items(), max(0, len(values) - self.capacity), None))
        self._next_to_go = {}


def remember(shingles: dict[int, None], sketch: Iterable[int], most: int) -> None:
    """Add a page's sampled shingles to those of earlier ones; what was on no page for longest is forgotten."""
    for shingle in sketch:
        shingles.pop(shingle, None)
        shingles[shingle] = None
    while len(shingles) > most:
        del shingles[next(iter(shingles))]


State: TypeAlias = Any
"""What a part of the guard is, in plain values that `pack` takes."""

_MARK: Final = b"guard 6\n"


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector while very many values are made: loading full tables took 0.26 s instead of 1.5."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def fields_of(counts: object) -> tuple[State, ...]:
    """The fields of a slotted dataclass, as they are: `dataclasses.astuple` copies everything below them first."""
    return tuple(getattr(counts, name) for name in counts.__slots__)  # type: ignore[attr-defined]


def pack(state: State) -> bytes:
    """The state in bytes: the same for equal states."""
    written = io.BytesIO()
    pickler = pickle.Pickler(written, protocol=5)
    pickler.fast = True  # else what is equal would be written otherwise than what is the same object
    pickler.dump(state)
    return _MARK + zlib.compress(written.getvalue(), level=1)


def unpack(packed: bytes) -> State:
    """The state that was packed; GuardError where it was not, or by another version of the program."""
    if not packed.startswith(_MARK):
        raise GuardError("the saved state of the guard is of another version: set guard.on to false, or begin anew")
    try:
        return _PlainValues(io.BytesIO(inflate(packed[len(_MARK) :]))).load()
    except (pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError) as error:
        raise GuardError(f"the saved state of the guard is damaged ({error}): begin the run anew") from None


class _PlainValues(pickle.Unpickler):
    """Loads plain values only: a class of any kind is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} does not belong there")
