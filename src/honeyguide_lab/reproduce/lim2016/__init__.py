"""Lim (2016), reproduced: queue and stack, the policy that never parses, keywords near search words.

`published` has his figures. `exploration` crawls with each search that he discusses and sets the sizes beside his;
`policy` solves his decision process; `similarity` reads the first pages of those crawls for keywords.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.lim2016.exploration import exploration_section, explorations
from honeyguide_lab.reproduce.lim2016.policy import policy_section
from honeyguide_lab.reproduce.lim2016.published import SOURCE, TITLE
from honeyguide_lab.reproduce.lim2016.similarity import similarity_section
from honeyguide_lab.reproduce.study import Paper, Report

if TYPE_CHECKING:
    from honeyguide_lab.reproduce.lim2016.exploration import Explored
    from honeyguide_lab.reproduce.lim2016.measured_crawl import MeasuredCrawl
    from honeyguide_lab.reproduce.study import Study

__all__ = ["LIM2016"]

_NO_WIKI: Final = (
    "No wiki is among the worlds: there are no figures on a dump of Wikipedia, a world of one host, and no keywords of "
    "its articles. Name one with `--world wiki:PATH` (see `honeyguide wiki build`)."
)


@dataclass(frozen=True, slots=True)
class _Lim2016:
    study: Study
    explored: tuple[Explored, ...]

    @property
    def tasks(self) -> tuple[MeasuredCrawl, ...]:
        return tuple(crawl for each in self.explored for crawl in each.crawl_by_strategy.values())

    def report(self) -> Report:
        policy, policies = policy_section(self.study.seed)
        similarity, similarities = similarity_section(self.explored)
        sections = (exploration_section(self.explored), policy, similarity)
        return Report(TITLE, SOURCE, sections, tuple(self._left_out()), policies | similarities)

    def _left_out(self) -> list[str]:
        return [] if self.study.has_wiki else [_NO_WIKI]


def _begin(study: Study) -> _Lim2016:
    return _Lim2016(study, explorations(study))


LIM2016: Final = Paper(
    name="lim2016",
    title=TITLE,
    own_world="synthetic:seed=1,pages=200000,hosts=2000,mean_links=100",
    quick_world="synthetic:seed=1,pages=2000,hosts=60",
    begin=_begin,
)
