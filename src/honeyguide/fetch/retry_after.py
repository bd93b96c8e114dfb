"""How long a host asks to be left alone, from its `Retry-After` header."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_S: Final = 24 * 3600.0
"""A host that names a later moment is taken to mean this."""

_SECONDS: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)


def retry_after_s(header: str, now: float) -> float:
    """The pause in seconds that `header` asks for at Unix time `now`; 0 where it says nothing that makes sense."""
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST_S)
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    return min(max(0.0, moment - now), LONGEST_S)
