"""What a run keeps of its learner every so often: the states of strategy and judge in one blob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy

_MARK: Final = b"HGS1"
_LENGTH_BYTES: Final = 8


def taken_of(strategy: Strategy, judge: Verdicts) -> bytes:
    """The states of both, to be loaded by `load_into`."""
    state = strategy.save()
    return _MARK + len(state).to_bytes(_LENGTH_BYTES, "little") + state + judge.save()


def load_into(strategy: Strategy, judge: Verdicts, snapshot: bytes) -> None:
    """Bring both back to where they were."""
    of_strategy, of_judge = parted(snapshot)
    strategy.load(of_strategy)
    judge.load(of_judge)


def parted(snapshot: bytes) -> tuple[bytes, bytes]:
    """The state of the strategy and that of the judge. StrategyError if it is no snapshot."""
    begin = len(_MARK) + _LENGTH_BYTES
    if not snapshot.startswith(_MARK) or len(snapshot) < begin:
        raise StrategyError("not a snapshot of a learner")
    end = begin + int.from_bytes(snapshot[len(_MARK) : begin], "little")
    if end > len(snapshot):
        raise StrategyError("the snapshot of the learner is cut short")
    return snapshot[begin:end], snapshot[end:]
