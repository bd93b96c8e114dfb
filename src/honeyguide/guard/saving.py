"""State to bytes and back: plain lists, tuples, dictionaries, numbers and texts, and nothing that could run."""

from __future__ import annotations

import gc
import io
import pickle
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from honeyguide.errors import GuardError

if TYPE_CHECKING:
    from collections.abc import Iterator

State: TypeAlias = Any
"""What a part of the guard is, in plain values that `pack` takes."""

_MARK: Final = b"guard 5\n"


@contextmanager
def many_values() -> Iterator[None]:
    """Have hundreds of thousands of values made without the garbage collector walking through all of them again and
    again: saving took 0.45 s instead of 1.0 with full tables, loading 0.26 instead of 1.5.
    """
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
        return _PlainValues(io.BytesIO(zlib.decompress(packed[len(_MARK) :]))).load()
    except (zlib.error, pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError) as error:
        raise GuardError(f"the saved state of the guard is damaged ({error}): begin the run anew") from None


class _PlainValues(pickle.Unpickler):
    """Loads plain values only: a class of any kind is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} does not belong there")
