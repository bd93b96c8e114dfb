"""What the core says: which link to fetch next, or why none; and what an outcome changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from honeyguide.domain import Row, Url
    from honeyguide.engine.budget import StopReason
    from honeyguide.engine.events import Event
    from honeyguide.frontier import HostId
    from honeyguide.store import DispatchRecord, StepRecord


@dataclass(frozen=True, slots=True, eq=False)
class Dispatch:
    """A link that is being fetched."""

    record: DispatchRecord
    url: Url
    host: HostId
    row: Row
    not_before: float = 0.0  # a fetch taken up again waits for its host like any other


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be fetched before `until`, or before an answer comes in; infinite when only an answer helps."""

    until: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The crawl is over."""

    reason: StopReason


Choice: TypeAlias = Dispatch | Wait | Stop


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What one outcome changed: to be stored first, then announced."""

    record: StepRecord
    events: tuple[Event, ...]
