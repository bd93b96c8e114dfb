"""How bodies are packed in the store: the same bytes wherever it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable

_LEVEL: Final = 3


def body_packer() -> Callable[[bytes], bytes]:
    """A function that packs bodies; for one thread."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress
