"""The sixteen states in which a link is parsed or skipped: Lim (2016), section 5.2.1.

Four features, each true or false, of the link whose turn has come. N counts decisions on a host, T the pages of it
whose relevance has come in, R the sum of those:

    host mostly skipped       N_parsed = 0  or  (N_skipped > 0 and N_parsed / N_skipped < x)      x = 1
    previous host relevant    T > 0 and R / T ≥ x, of the host of the link decided before         x = 2/3
    current host relevant     R = 0  or  (T > 0 and R / T ≥ x)                                    x = 2/3
    URL relevant              relevance predicted from the address ≥ x                            x = 2/3

This is the definition to the letter, with two oddities. R = 0 makes the third true for a host that was never parsed,
which is meant, and also for one all of whose pages were worth exactly nothing, which the text beside the formula
denies. And T is defined nowhere; with several fetches at once there are fewer pages in than decisions made, hence our
reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from honeyguide.learn.host_history import HostTally


class State(NamedTuple):
    """What is known when a link's turn has come."""

    host_mostly_skipped: bool
    previous_host_relevant: bool
    current_host_relevant: bool
    url_relevant: bool

    @property
    def number(self) -> int:
        """Place in `STATES`."""
        return 8 * self[0] + 4 * self[1] + 2 * self[2] + self[3]

    def __str__(self) -> str:
        return f"({', '.join(str(bool(feature)) for feature in self)})"


SKIP: Final = 0  # Lim's False
PARSE: Final = 1  # Lim's True
STATES: Final = tuple(State(*features) for features in product((False, True), repeat=4))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the features of hosts begin to be true; the defaults are Lim's."""

    ratio: float = 1.0
    previous_relevance: float = 2 / 3
    current_relevance: float = 2 / 3


def state_of(previous: HostTally, current: HostTally, thresholds: Thresholds, *, url_relevant: bool) -> State:
    """The state of a link on a host with the tally `current`, decided on after a link of a host with `previous`."""
    return State(
        host_mostly_skipped=is_mostly_skipped(current, thresholds.ratio),
        previous_host_relevant=is_known_relevant(previous, thresholds.previous_relevance),
        current_host_relevant=current.relevance == 0 or is_known_relevant(current, thresholds.current_relevance),
        url_relevant=url_relevant,
    )


def is_mostly_skipped(tally: HostTally, ratio: float) -> bool:
    """Whether the host was never parsed, or less than `ratio` times as often as skipped."""
    return tally.parsed == 0 or (tally.skipped > 0 and tally.parsed / tally.skipped < ratio)


def is_known_relevant(tally: HostTally, threshold: float) -> bool:
    """Whether pages of the host have come in, with a mean relevance of at least `threshold`."""
    return tally.judged > 0 and tally.relevance / tally.judged >= threshold
