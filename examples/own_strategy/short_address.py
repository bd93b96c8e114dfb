"""A strategy of one's own: links with short addresses first, those with wanted words before all others.

Install the folder (`pip install ./examples/own_strategy`), then

    honeyguide crawl my-run --world synthetic --topic geology --strategy short-address \
        --set 'short_address.wanted=["rock", "mineral"]'

The name of the strategy is the entry point's in `pyproject.toml`. A judge, a world or an export format is added in the
same way, in the groups `honeyguide.judges`, `honeyguide.worlds` and `honeyguide.exports`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from honeyguide.learn import Ingredients, Order, Unlearned
from honeyguide.settings import setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Candidates, Rows


@dataclass(frozen=True, slots=True)
class ShortAddressSettings:
    """The settings, in a table of the TOML file that carries the strategy's name."""

    table: ClassVar = "short_address"

    wanted: tuple[str, ...] = setting((), "words that put an address before all without them")
    per_part: float = setting(1.0, "what every part of the path costs", at_least=0, at_most=100)


class ShortAddress(Unlearned):
    """Scores are computed once, when a link is found. A strategy that learns also has `learn`, `save` and `load`."""

    settings_type = ShortAddressSettings
    needs_topic = False
    order = Order.BEST_SCORE
    row_width = 1

    def __init__(self, settings: ShortAddressSettings) -> None:
        self._settings = settings

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(ShortAddressSettings))

    def describe(self, candidates: Candidates) -> Rows:
        """Return all that is kept of each link, a row of `row_width` numbers: here its score."""
        return np.array([[self._worth(url.text)] for url in candidates.targets], dtype=np.float16).reshape(-1, 1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)

    def _worth(self, address: str) -> float:
        is_wanted = any(word in address for word in self._settings.wanted)
        return 1000.0 * is_wanted - self._settings.per_part * address.count("/")
