"""What Han, Wuillemin and Senellart (2018) report, as far as it can be read: their figures have no numbers on them."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Focused crawling through reinforcement learning: Han et al. (2018), reproduced"
SOURCE: Final = (
    "M. Han, P.-H. Wuillemin, P. Senellart: *Focused Crawling through Reinforcement Learning*. 18th International "
    "Conference on Web Engineering (ICWE), 2018, pp. 261-278."
)

STEPS: Final = 10_000  # pages of a crawling task
TASKS: Final = 100  # that figures 1 and 2 are means of
TRIALS: Final = 10  # that figure 3 is a mean of

SECONDS: Final = {"synchronous": 654.0, "asynchronous": 55.0, "no learning": 28.0}
"""Of one crawling task, topic Olympics; moderated is not told."""

USUAL_GAIN: Final = (1.2, 1.6)
"""Relevant pages over those of no learning, "generally"."""
GAIN_BY_TOPIC: Final = {"Cancer": 2.5}

BEST_BY_TOPIC: Final = {
    "Fiction": "synchronous",
    "Olympics": "synchronous",
    "Cancer": "synchronous",
    "Cameras": "moderated",
    "Geology": "moderated",
    "Poetry": "moderated",
}
"""Figure 3: (a) to (c) are the abundant topics, (d) to (f) the sparse ones, in the order of section 4."""


def published_gain(topic: str) -> str:
    """The gain over no learning that the paper tells for a topic; nothing for a topic that is not the paper's."""
    if topic in GAIN_BY_TOPIC:
        return f"{GAIN_BY_TOPIC[topic]}"
    return f"{USUAL_GAIN[0]} to {USUAL_GAIN[1]}" if topic in BEST_BY_TOPIC else ""
