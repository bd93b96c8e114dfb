"""Ctrl-C and SIGTERM: the first lets the crawl finish its step and save, the second gives up at once."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Self

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Called between steps, it says whether someone wants the crawl to stop. Main thread only."""

    def __init__(self) -> None:
        self._signal = 0
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        return self._signal != 0

    @property
    def exit_code(self) -> int:
        """What shells expect of a program that a signal has stopped: 130 or 143; 0 when none came."""
        return 128 + self._signal if self._signal else 0

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._signal:
            for waiting in SIGNALS:  # a third one need not wait for anybody
                signal.signal(waiting, signal.SIG_DFL)
            raise KeyboardInterrupt
        self._signal = number
