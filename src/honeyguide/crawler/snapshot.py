"""What a run keeps of its learner every so often: the states of strategy, judge and guard in one blob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.errors import GuardError, StrategyError

if TYPE_CHECKING:
    from honeyguide.guard import Guard
    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy

_MARK: Final = b"HGS1"
_MARK_WITH_GUARD: Final = b"HGS2"
_LENGTH_BYTES: Final = 8


def taken_of(strategy: Strategy, judge: Verdicts, guard: Guard | None = None) -> bytes:
    """The states of all, to be loaded by `load_into`."""
    states = [strategy.save(), judge.save()] if guard is None else [strategy.save(), judge.save(), guard.save()]
    lengths = b"".join(len(state).to_bytes(_LENGTH_BYTES, "little") for state in states[:-1])
    return (_MARK if guard is None else _MARK_WITH_GUARD) + lengths + b"".join(states)


def load_into(strategy: Strategy, judge: Verdicts, snapshot: bytes, guard: Guard | None = None) -> None:
    """Bring all back to where they were; a guard of which the snapshot knows nothing stays as it is.

    GuardError with a way to go on where the guard cannot.
    """
    of_strategy, of_judge, of_guard = parted(snapshot)
    strategy.load(of_strategy)
    judge.load(of_judge)
    if guard is not None and of_guard is not None:
        try:
            guard.load(of_guard)
        except GuardError as error:
            raise GuardError(
                "the guard of this run was saved by another version of the program, or is damaged: to go on without "
                "it, write on = false under [guard] in the run's settings.toml"
            ) from error


def parted(snapshot: bytes) -> tuple[bytes, bytes, bytes | None]:
    """The states of strategy, judge and guard; the last is None where there was none. StrategyError if not these."""
    mark, rest = snapshot[: len(_MARK)], snapshot[len(_MARK) :]
    if mark not in (_MARK, _MARK_WITH_GUARD):
        raise StrategyError("not a snapshot of a learner")
    count = 1 if mark == _MARK else 2
    if len(rest) < count * _LENGTH_BYTES:
        raise StrategyError("not a snapshot of a learner")
    states, end = [], count * _LENGTH_BYTES
    for number in range(count):
        length = rest[number * _LENGTH_BYTES : (number + 1) * _LENGTH_BYTES]
        begin, end = end, end + int.from_bytes(length, "little")
        states.append(rest[begin:end])
    if end > len(rest):
        raise StrategyError("the snapshot of the learner is cut short")
    states.append(rest[end:])
    return states[0], states[1], states[2] if count > 1 else None
