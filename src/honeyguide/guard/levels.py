"""How links wait: what every rule says of an address, and the level that comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.guard.folding import REPEATED_PART
from honeyguide.guard.guard import FIRM_LEVEL, MAX_LEVEL, FindingKind, Standing
from honeyguide.guard.shape import Shape, shape_of
from honeyguide.model.guard_words import Cause, Reason, beside_seeds
from honeyguide.settings.guard_section import BY_PAGERANK, BY_REFERRERS

if TYPE_CHECKING:
    from honeyguide.guard.neighbourhoods import Site
    from honeyguide.guard.tables import Tables
    from honeyguide.model import Url
    from honeyguide.settings.guard_section import GuardSettings

NEAR: Final = 2
"""The most that a near-duplicate's links are demoted."""

USUAL_NEAR: Final = FIRM_LEVEL
"""What they are demoted where near-duplicates are usual in the section; the most that importance forgives."""

REPEATS: Final = 3
"""From so many on, a path that says the same again and again is taken to be a trap's."""

FORGIVING: Final = (8, 16)
"""Groups of hosts that refer to a host: from so many on, one level of a near-duplicate is forgiven, or all are."""

_FORGIVING_RANK: Final = (4.0, 16.0)  # the same by the PageRank of a site's most important address
_FORGIVEN: Final = (0, 1, USUAL_NEAR)  # levels, by how many of the bounds above are reached
_DOUBT: Final = 1  # the level of what was not found out
_VARIANT: Final = 6
_MOST_REPEATS: Final = 5


class Standings:
    """Reads what a guard remembers, and changes nothing."""

    def __init__(self, rules: GuardSettings, tables: Tables) -> None:
        self._rules = rules
        self._tables = tables

    def of(self, url: Url, carried: int) -> Standing:
        """How a link waits that was found on pages with this demotion at least.

        The deepest level of all rules that say something counts, and one more for each further rule that is as firm.
        """
        said = self._said_of(url, shape_of(url), carried)
        if not said:
            return _CLEAN
        level, reason = max(said, key=lambda each: each[0])
        firm = sum(each[0] >= FIRM_LEVEL for each in said)
        return Standing(min(MAX_LEVEL, level + max(0, firm - 1)), reason.told())

    def forgiven(self, site: Site) -> int:
        """Levels of a near-duplicate that the importance of its site makes up for."""
        if self._rules.importance == BY_PAGERANK:
            return _FORGIVEN[sum(site.importance >= bound for bound in _FORGIVING_RANK)]
        if self._rules.importance == BY_REFERRERS:
            return _FORGIVEN[sum(len(site.account.referrers) >= bound for bound in FORGIVING)]
        return 0

    def _said_of(self, url: Url, shape: Shape, carried: int) -> list[tuple[int, Reason]]:
        """What the rules say of a link: levels above 0, with their reasons."""
        said = []
        site = self._tables.groups.find(shape.host)
        if 0 < carried <= USUAL_NEAR and site is not None:
            carried -= self.forgiven(site)
        if carried > 0:
            said.append((carried, _FOUND_ON_COPIES))
        if self._rules.series:
            said += self._said_by_series(shape)
        if self._rules.accounts:
            said += self._said_by_accounts(shape, site)
        if self._rules.shares and site is not None:
            said += self._said_by_shares(url, shape, site)
        if self._rules.folding and self._tables.folding.has_rules(shape.host):
            rule = self._tables.folding.variant_of(url)
            if rule is not None and not self._tables.folding.is_probe(url):
                said.append((_VARIANT, Reason(Cause.VARIANT, rule, FindingKind.VARIANT)))
        return said

    def _said_by_series(self, shape: Shape) -> list[tuple[int, Reason]]:
        said = []
        if shape.repeats >= REPEATS:
            reason = Reason(Cause.REPEATING_PATH, str(shape.repeats), FindingKind.REPEATING_PATH)
            is_known = self._tables.folding.has_copies(shape.host, REPEATED_PART)
            said.append((min(_MOST_REPEATS, shape.repeats) if is_known else _DOUBT, reason))
        series = self._tables.series.get(shape.series) if shape.is_serial else None
        if series is not None and series.level:
            idle = Reason(Cause.IDLE, shape.series, series.kind(shape))
            said.append((series.level, idle if series.is_idle else Reason(Cause.REPETITIVE, shape.series)))
        return said

    def _said_by_accounts(self, shape: Shape, site: Site | None) -> list[tuple[int, Reason]]:
        level = 0 if site is None else self._tables.groups.level(site)
        if site is not None and level:
            return [(level, Reason(Cause.OVERDRAWN, self._tables.groups.group(site).name, FindingKind.MAZE))]
        section = self._tables.find_section(shape.section)
        if section is not None and section.level:
            return [(section.level, Reason(Cause.OVERDRAWN, shape.section, FindingKind.MAZE))]
        beside = None if site is None or (section is not None and section.is_trusted) else site.beside
        if site is not None and beside is not None and beside.level:
            return [(beside.level, Reason(Cause.OVERDRAWN, beside_seeds(site.domain), FindingKind.MAZE))]
        return []

    def _said_by_shares(self, url: Url, shape: Shape, site: Site) -> list[tuple[int, Reason]]:
        behind = (key for key in (site.domain, shape.series) if self._tables.shares.is_behind(key, url.text))
        unpaid = next(behind, None)
        return [] if unpaid is None else [(_DOUBT, Reason(Cause.UNPAID, unpaid))]


_CLEAN: Final = Standing()
_FOUND_ON_COPIES: Final = Reason(Cause.COPIES)
