"""What the robots.txt in a folder says to a crawler: read as the live web's is, once and for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain import Failed, Outcome, Refused, Url
    from honeyguide.fetch.robots import OriginRules


@dataclass(frozen=True, slots=True)
class FolderRobots:
    """The rules of one host for one crawler."""

    rules: OriginRules
    product: str

    @classmethod
    def of(cls, robots_txt: Outcome, origin: str, user_agent: str) -> FolderRobots:
        """Read the answer to a request for robots.txt."""
        from honeyguide.fetch.robots import product_of, rules_from  # noqa: PLC0415 - loads what the live web needs

        return cls(rules_from(robots_txt, origin, now=0.0), product_of(user_agent))

    @property
    def delay_s(self) -> float:
        """The pause between two requests that the host asks for; 0 when it asks for none."""
        return self.rules.delay_s(self.product)

    def refusal_of(self, url: Url) -> Refused | Failed | None:
        return self.rules.refusal_of(url, self.product)
