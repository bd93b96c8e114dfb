"""What became of the links of each host: how often they were parsed and skipped, and how relevant the pages were.

As Lim (2016), section 5.2.1, counts them: N_sp, N_ss and R_same of a host, and the host of the link decided before.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide.domain import Decision, HostKey, Transition


@dataclass(frozen=True, slots=True)
class HostTally:
    """The books of one host."""

    parsed: int = 0  # links that were fetched, or are being fetched
    skipped: int = 0
    judged: int = 0  # of those fetched, the ones whose relevance has come in; a failure counts, with 0
    relevance: float = 0.0  # sum over those


NEVER_MET = HostTally()


class HostHistory:
    """The books of all hosts, one entry for each host that was decided on. A function of what it was told."""

    def __init__(self) -> None:
        self._tally_by_host: dict[HostKey, HostTally] = {}
        self._previous: HostKey | None = None

    def of(self, host: HostKey) -> HostTally:
        return self._tally_by_host.get(host, NEVER_MET)

    @property
    def previous(self) -> HostTally:
        """Of the host of the last link decided on, as it is now."""
        return NEVER_MET if self._previous is None else self.of(self._previous)

    def note_decision(self, decision: Decision) -> None:
        host, tally = decision.url.host, self.of(decision.url.host)
        if decision.is_skipped:
            self._tally_by_host[host] = replace(tally, skipped=tally.skipped + 1)
        else:
            self._tally_by_host[host] = replace(tally, parsed=tally.parsed + 1)
        self._previous = host

    def note_relevance(self, transition: Transition) -> None:
        host, tally = transition.url.host, self.of(transition.url.host)
        relevance = tally.relevance + transition.relevance
        self._tally_by_host[host] = replace(tally, judged=tally.judged + 1, relevance=relevance)

    def saved(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        tallies = {host: astuple(tally) for host, tally in self._tally_by_host.items()}
        return {"hosts": tallies, "previous": self._previous}

    @classmethod
    def loaded(cls, saved: dict[str, Any]) -> HostHistory:
        """KeyError, TypeError or ValueError where `saved` is nothing of the kind."""
        history = cls()
        for host, (parsed, skipped, judged, relevance) in saved["hosts"].items():
            tally = HostTally(int(parsed), int(skipped), int(judged), float(relevance))
            history._tally_by_host[host] = tally
        history._previous = saved["previous"]
        return history
