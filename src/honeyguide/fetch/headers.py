"""Header values as text that can be stored, shown and followed, whatever bytes a host has sent."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 1000
"""Characters that are kept of a header."""

_RAW_BYTE: Final = re.compile("[\ud800-\udfff]")
"""A byte of a header that is not UTF-8, as the library hands it on: a surrogate that carries its value."""


def readable(header: str) -> str:
    """Replace the bytes that were not UTF-8, which could be neither stored nor shown, and cut what is endless."""
    return _RAW_BYTE.sub("\ufffd", header[:LONGEST])


def escaped(header: str) -> str:
    """Percent-encode the bytes that were not UTF-8, as a browser does where the header is an address."""
    return _RAW_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", header)
