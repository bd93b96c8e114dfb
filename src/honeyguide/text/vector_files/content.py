"""Blocks of bytes joined to what they hold: lines, or words and numbers, with an eye on what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Content:
    """Bytes that come in blocks, looked at before they are taken. Keeps a block or two in memory."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._held = b""
        self._start = 0  # of what is not taken yet, in `_held`
        self._dropped = 0

    @property
    def taken(self) -> int:
        """Bytes behind us."""
        return self._dropped + self._start

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, or as many as there are."""
        self._hold(size)
        return self._held[self._start : self._start + size]

    def skip(self, size: int) -> None:
        """Take bytes that were looked at."""
        self._start = min(self._start + size, len(self._held))

    def take(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        taken = self.peek(size)
        self._start += len(taken)
        return taken

    def find(self, byte: bytes, within: int) -> int:
        """How far away the next such byte is; -1 where there is none within so many bytes."""
        place = self._held.find(byte, self._start, self._start + within)
        if place < 0:
            self._hold(within)
            place = self._held.find(byte, self._start, self._start + within)
        return place - self._start if place >= 0 else -1

    def lines(self, longest: int) -> Iterator[bytes]:
        """The lines that are left, without their ends. One that is longer is cut to a little more than `longest`."""
        rest = self._held[self._start :]
        self._start = len(self._held)
        for block in self._blocks:
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
            if len(rest) > longest:
                yield rest
                return
        if rest:
            yield from rest.split(b"\n")

    def _hold(self, size: int) -> None:
        while len(self._held) - self._start < size:
            block = next(self._blocks, b"")
            if not block:
                return
            self._dropped += self._start
            self._held = self._held[self._start :] + block
            self._start = 0
