"""The sizes and figures of Pertejo (2021) that ours are set beside, as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SOURCE: Final = "Pertejo, *Crawlers basados en Reinforcement Learning*, master's thesis, 2021, chapters 3 and 4."
TITLE: Final = "Pertejo 2021: crawlers based on reinforcement learning"

STEPS: Final = 10_000
"""Of every crawl with a linear function."""

DEEP_STEPS: Final = 5_000
"""Of the training of the network, and again of its test."""

WARM_UP: Final = 100
"""Steps of the training before the network learns (A.8)."""

DISCOUNT: Final = 0.3
"""γ of all crawls but those of the sweep."""

RELEVANT_BY_DISCOUNT: Final = {
    0.1: 1636, 0.2: 1600, 0.3: 1573, 0.4: 1603, 0.5: 1618, 0.6: 1617, 0.7: 1494, 0.8: 1422, 0.9: 1300,
}  # fmt: skip
"""Table 4.2: relevant pages of the topic fiction after 10,000 steps, by the discount."""


@dataclass(frozen=True, slots=True)
class WholeDump:
    """A row of Table 4.3: relevant pages after 10,000 steps on the whole dump."""

    basic: int
    asynchronous: int

    @property
    def gain(self) -> float:
        """More pages than the basic crawler, as a share of its own."""
        return self.asynchronous / self.basic - 1


WHOLE_DUMP: Final = {
    "cameras": WholeDump(80, 104),
    "cancer": WholeDump(538, 648),
    "fiction": WholeDump(850, 1590),
    "geology": WholeDump(597, 823),
    "poetry": WholeDump(250, 409),
}
"""Olympics is left out there: "after a few steps the crawler has no links left"."""


@dataclass(frozen=True, slots=True)
class DumpSize:
    """A row of Table 4.1."""

    name: str
    pages: int
    links: int  # he gives millions, and some 63,000
    links_a_page: float  # as printed: of the pages that have any, by his code


DUMPS: Final = (DumpSize("norm-seng-dump", 323_198, 5_000_000, 21.41), DumpSize("its 10%", 32_325, 63_000, 4.0))

SHARE: Final = 0.1
"""Of the pages of the dump that are in the reduced one."""

SAMPLE_TOPICS: Final = frozenset({"cancer", "fiction", "geology", "poetry"})
"""Figure 4.6; from cameras and olympics very few pages of the reduced dump can be reached."""

SAMPLE_STEPS: Final = 4_700
"""About so many steps are shown in Figure 4.6: then nothing is left to crawl."""

DEEP_TOPIC: Final = "geology"
"""Figure 4.4."""

BASIC_OVER_DEEP: Final = 4.0
"""4.4: the basic crawler "almost quadruples" what the network finds; the figure's numbers are not printed."""

MINUTES: Final = {"basic": 2.5, "asynchronous": 4.0}
"""4.5: of 10,000 steps on the whole dump, about."""
