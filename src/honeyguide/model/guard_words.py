"""The words in which a guard's reasons are kept in a run, and what is read from them again.

A run keeps why links were moved, and what findings are about, as people read it. Whoever looks for the trap that is
meant reads it back. Both ways stand here, side by side, so that no wording can be changed in one of them alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Cause(Enum):
    """The rule by which a link waits where it does; its value is how that is said.

    What has to do with one kind of finding begins with the name of the kind.
    """

    COPIES = "found only on pages that repeat others or lead to nothing"
    RECOVERED = "stands clear again"
    VARIANT = "{kind} of a fetched page: {about}"  # by a rule about addresses
    REPEATING_PATH = "{kind}: a part of it stands there {about} times"
    OVERDRAWN = "{kind}: {about} is overdrawn"  # a group of sites, or a section
    IDLE = "{kind}: {about} runs idle"  # a series
    REPETITIVE = "{about} repeats itself"  # a series
    UNPAID = "{about} hardly pays: most of its links wait"  # a site or a series


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a link waits behind others, or no longer."""

    cause: Cause
    about: str = ""  # what the cause speaks of, where it speaks of anything
    kind: str = ""  # of the findings that it has to do with

    def told(self) -> str:
        """For people."""
        return self.cause.value.format(kind=self.kind, about=self.about)

    @classmethod
    def read(cls, text: str) -> Reason | None:
        """The reason that was told so; None where there is no such."""
        for cause, pattern in _PATTERNS.items():
            found = pattern.fullmatch(text)
            if found is not None:
                return cls(cause, **found.groupdict())
        return None


def _pattern(words: str) -> re.Pattern[str]:
    pattern = re.escape(words).replace(r"\{kind\}", r"(?P<kind>[\w-]+)").replace(r"\{about\}", r"(?P<about>.*)")
    return re.compile(pattern, re.DOTALL)


_PATTERNS: Final = {cause: _pattern(cause.value) for cause in Cause}

_MIRROR_OF: Final = "mirror of "
_OTHERS: Final = re.compile(r" and [\d,]+ more")


def mirror_of(origin: str) -> str:
    """The rule that pages are those of another host, or another scheme."""
    return f"{_MIRROR_OF}{origin}"


def mirrored_by(rule: str) -> str:
    """The host that pages are copies of by such a rule; "" by any other."""
    return rule.partition("//")[2] if rule.startswith(_MIRROR_OF) else ""


def by_rule(section: str, rule: str) -> str:
    """What a finding is about that was made in a section by a rule about addresses."""
    return f"{section}: {rule}"


def section_and_rule(about: str) -> tuple[str, str]:
    """The section of such a finding, and its rule; of any other, what it is about, and ""."""
    section, _, rule = about.partition(": ")
    return section, rule


def with_others(first: str, others: int) -> str:
    """What several hosts or sites are called together."""
    return f"{first} and {others} more" if others else first


def beside_seeds(domain: str) -> str:
    """What all sections of a seed's site are called together in which no seed is."""
    return f"{domain} beside its seeds"


def first_of(name: str) -> str:
    """The first of hosts or sites that are called so."""
    return _OTHERS.split(name)[0]
