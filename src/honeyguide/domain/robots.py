"""What is kept of an origin's robots.txt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain.outcome import FailureReason, RefusalReason


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What asking for an origin's robots.txt brought, and until when that counts.

    With neither a body nor a reason there is no such file, and everything is allowed.
    """

    origin: str
    expires: float  # clock time
    body: bytes | None = None  # as much of it as is read
    closed_by: RefusalReason | FailureReason | None = None  # why nothing of this origin may be asked for
    detail: str = ""  # of that reason
    troubles: int = 0  # times in a row that the file could not be had
