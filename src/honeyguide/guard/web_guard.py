"""The guard of a crawl: window, folding, series, apologies and accounts, joined behind one seam.

A page is shown to each of them in turn. What they say of it becomes one finding, the most telling, and one demotion for
the page's links: what a page is part of tells more than that it repeats another; else the first that was said does.
`docs/guard.md` has the rules in words. A link that is asked about waits at the deepest level that any
of them gives it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.counts import count_of
from honeyguide.domain.guard_words import by_rule
from honeyguide.guard.apologies import SameTitle
from honeyguide.guard.fingerprint import NO_TITLE
from honeyguide.guard.guard import FIRM_LEVEL, MAX_LEVEL, Finding, FindingKind, Judgement
from honeyguide.guard.series import Series, is_about
from honeyguide.guard.shape import Shape, shape_of
from honeyguide.guard.standings import FORGIVING, NEAR, REPEATS, Standings
from honeyguide.guard.tables import Tables
from honeyguide.guard.window import Kept
from honeyguide.settings.guard_table import BY_REFERRERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import HostKey, LinkId, Url
    from honeyguide.guard.accounts import Account
    from honeyguide.guard.guard import SeenPage, Standing, Target
    from honeyguide.guard.neighbourhoods import Site
    from honeyguide.guard.pairs import Copy
    from honeyguide.settings.guard_table import GuardSettings

_COPY: Final = FIRM_LEVEL  # what the links of a copy are demoted
_APOLOGY: Final = 4
_MOST_DEEPER: Final = 2  # levels that a chain of pages with findings adds to the demotion
_LOOP: Final = 3  # pages in a row, each found on the one before, that repeat others
_COPIES: Final = frozenset({FindingKind.DUPLICATE, FindingKind.NEAR_DUPLICATE})
_REPEATING: Final = _COPIES | {
    FindingKind.VARIANT,
    FindingKind.SESSION_ID,
    FindingKind.MIRROR,
    FindingKind.REPEATING_PATH,
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one of the parts found out about a page."""

    finding: Finding
    demotion: int
    earlier: list[LinkId]  # pages that came before, which the same was found out about


@dataclass(slots=True)
class _Links:
    """What the links of a page are, to the page's group, site, section and series."""

    fresh: int = 0
    crossing: int = 0
    fresh_at_home: int = 0
    crossing_at_home: int = 0
    fresh_in_section: int = 0
    crossing_in_section: int = 0
    brings: bool = False
    turns: bool = False

    def count(
        self,
        *,
        is_new: bool,
        is_met_again: bool,
        is_in_group: bool,
        is_at_home: bool,
        is_in_section: bool,
        is_serial: bool,
    ) -> None:
        """Count a link to an address that was not fetched."""
        if is_new:
            self.fresh += is_in_group
            self.fresh_at_home += is_at_home
            self.fresh_in_section += is_in_section
            is_turn = is_in_section and is_serial
            self.turns |= is_turn
            self.brings |= not is_turn
        elif is_met_again:
            self.crossing += is_in_group
            self.crossing_at_home += is_at_home
            self.crossing_in_section += is_in_section


class WebGuard:
    """A `Guard` over everything that one crawl sees."""

    def __init__(self, rules: GuardSettings) -> None:
        self._rules = rules
        self._begin(Tables(rules))

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        """Take in a page and its links. Called once for every page, in the order of steps."""
        shape = shape_of(page.url)
        print_ = page.fingerprint
        reconsider: dict[HostKey, None] = {}
        has_text = print_.words >= self._rules.least_words
        self._tables.fetched.put(page.link, 1)
        site = self._site_of(page)
        self._pay(page, shape, site, reconsider)
        self._rank(site, page.importance, reconsider)
        seen: list[_Seen] = []
        if has_text:
            seen += self._compared(page, shape, reconsider)
            is_usual = self._tables.section(shape.section).note(is_repetition=bool(seen))
            if is_usual and seen and seen[0].demotion < _COPY and self._standings.forgiven(site) < NEAR:
                seen[0] = replace(seen[0], demotion=_COPY)  # so many are no accident
        links = self._look_at(shape, site, targets, reconsider)
        if has_text:
            seen += self._in_series(page, shape, links, reconsider, is_repetition=bool(seen))
            seen += self._under_title(page, shape)
        if not seen:
            seen += self._charged(page, shape, site, links, reconsider)
        judgement = self._judge(page, seen) if seen else _NOTHING
        return replace(judgement, reconsider=tuple(reconsider)) if reconsider else judgement

    def level(self, url: Url, carried: int) -> Standing:
        """How a link to `url` waits now. Changes nothing."""
        return self._standings.of(url, carried)

    def save(self) -> bytes:
        """The state, to be loaded by a guard made with the same settings."""
        return self._tables.save()

    def load(self, state: bytes) -> None:
        """Go back to a saved state; GuardError if it is not one."""
        self._begin(Tables.saved(self._rules, state))

    def _begin(self, tables: Tables) -> None:
        self._tables = tables
        self._standings = Standings(self._rules, tables)

    def _site_of(self, page: SeenPage) -> Site:
        if page.is_seed:
            self._tables.section(shape_of(page.url).section).is_trusted = True
            return self._tables.groups.trust(page.url.host)
        return self._tables.groups.meet(page.url.host, None)

    def _pay(self, page: SeenPage, shape: Shape, site: Site, reconsider: dict[HostKey, None]) -> None:
        """Count what a page earns for its site and its shape of address."""
        pay = max(0.0, page.reward) if page.is_relevant else 0.0
        mean = self._tables.shares.begin_page(pay)
        for key in (site.domain, shape.series):
            if self._tables.shares.count(key, pay, mean):
                reconsider.update(dict.fromkeys(site.hosts))

    def _rank(self, site: Site, importance: float, reconsider: dict[HostKey, None]) -> None:
        """Take in the PageRank of one of a site's addresses."""
        if importance <= site.importance:
            return
        forgiven = self._standings.forgiven(site)
        site.importance = importance
        if self._standings.forgiven(site) > forgiven:
            reconsider.update(dict.fromkeys(site.hosts))

    def _compared(self, page: SeenPage, shape: Shape, reconsider: dict[HostKey, None]) -> list[_Seen]:
        """What the window and the rules of the host say of a page's text."""
        print_ = page.fingerprint
        self._tables.window.expire(page.moment)
        seen = []
        copy = self._folded(page, shape, reconsider) if self._rules.folding else None
        if copy is not None:
            finding = Finding(copy.kind, by_rule(shape.section, copy.rule), copy.told(), copy.like)
            seen.append(_Seen(finding, _COPY, []))
        equal = self._tables.window.equal(print_.exact)
        near = None if equal is not None else self._tables.window.nearest(print_, shape.path)
        if equal is not None:
            kind = FindingKind.REPEATING_PATH if shape.repeats >= REPEATS - 1 else FindingKind.DUPLICATE
            evidence = f"its text of {count_of(print_.words, 'word')} is that of {equal.address}"
            seen.append(_Seen(Finding(kind, shape.text, evidence), _COPY, []))
        elif near is not None and near.similarity >= self._rules.threshold:
            differ = f"{near.bits} of 64 bits {'differs' if near.bits == 1 else 'differ'}"
            evidence = f"similarity {near.similarity:.2f} with {near.kept.address}, {differ}"
            excess = (near.similarity - self._rules.threshold) / max(1e-9, 1 - self._rules.threshold)
            demotion = 1 + round(excess * (NEAR - 1))
            seen.append(_Seen(Finding(FindingKind.NEAR_DUPLICATE, shape.text, evidence), demotion, []))
        self._tables.window.add(
            Kept(
                page.link,
                page.url.text,
                shape.path,
                print_.exact,
                print_.simhash,
                print_.title,
                print_.links,
                page.moment,
            )
        )
        return seen

    def _folded(self, page: SeenPage, shape: Shape, reconsider: dict[HostKey, None]) -> Copy | None:
        learned = self._tables.folding.learn(page.url, page.fingerprint.exact, page.link)
        if learned.established:
            # Growth was counted in addresses of which many are one.
            site = self._tables.groups.find(shape.host)
            for account in () if site is None else self._tables.groups.accounts(site):
                account.begin_anew()
        reconsider.update(dict.fromkeys(learned.unfolded))
        return learned.copy

    def _look_at(
        self,
        shape: Shape,
        site: Site,
        targets: Sequence[Target],
        reconsider: dict[HostKey, None],
    ) -> _Links:
        """Sort the links of a page, and count what they say of the hosts and sections that they lead to."""
        links = _Links()
        for target in targets:
            there = shape_of(target.url)
            other = site if there.host == shape.host else None
            if not target.is_new and self._tables.fetched.touch(target.link) is not None:
                if other is None:
                    self._rank(self._refer(site, there, reconsider, is_new=False), target.importance, reconsider)
                continue
            times = 0 if target.is_new else self._times_met(target.link)
            if self._tables.folding.has_rules(there.host):
                if self._tables.folding.variant_of(target.url) is not None:
                    continue
                times = max(times, self._tables.folding.meet(target.url))
            is_new = times == 0
            if other is None:
                other = self._refer(site, there, reconsider, is_new=is_new)
                self._rank(other, target.importance, reconsider)
            links.count(
                is_new=is_new,
                is_met_again=times == 1,
                is_in_group=other.group == site.group,
                is_at_home=other is site,
                is_in_section=there.section == shape.section,
                is_serial=there.is_serial,
            )
            if is_new and there.section != shape.section:
                self._tables.section(there.section).from_outside += 1
        return links

    def _times_met(self, link: LinkId) -> int:
        """1 when a link is met for the second time, then 2."""
        if self._tables.again.touch(link) is not None:
            return 2
        self._tables.again.put(link, 1)
        return 1

    def _refer(self, site: Site, there: Shape, reconsider: dict[HostKey, None], *, is_new: bool) -> Site:
        """Count a link to another host; the site of that host."""
        known = self._tables.groups.find(there.host)
        referrers = 0 if known is None else len(known.account.referrers)
        level = 0 if known is None else self._tables.groups.level(known)
        other = self._tables.groups.refer(site, there.host, is_new=is_new)
        if other.group == site.group:
            return other
        section = self._tables.section(there.section)
        section.refer(site.group, is_new=False)
        is_forgiven_more = len(other.account.referrers) != referrers and self._is_forgiven_more(other.account)
        if is_forgiven_more or any(map(self._has_risen, self._tables.groups.accounts(other))):
            reconsider.update(dict.fromkeys(self._tables.groups.group(other).hosts))
        if self._tables.groups.level(other) < level:
            reconsider.update(dict.fromkeys(other.hosts))
        if self._has_risen(section):
            reconsider[there.host] = None
        return other

    def _has_risen(self, account: Account) -> bool:
        """Whether an overdrawn account is less so by now, or no longer."""
        level = account.level
        return level > 0 and account.settle(self._rules) < level

    def _is_forgiven_more(self, account: Account) -> bool:
        """Whether the newest referrer has made a group important enough for the next level to be forgiven."""
        return self._rules.importance == BY_REFERRERS and len(account.referrers) in FORGIVING

    def _in_series(
        self, page: SeenPage, shape: Shape, links: _Links, reconsider: dict[HostKey, None], *, is_repetition: bool
    ) -> list[_Seen]:
        if not (self._rules.series and shape.is_serial):
            return []
        series = self._tables.series.touch(shape.series)
        if series is None:
            series = Series()
            self._tables.series.put(shape.series, series)
        before = series.level
        turn = series.take(
            page.link, page.fingerprint, shape, brings=links.brings, turns=links.turns, repeats=is_repetition
        )
        is_idle = series.settle(self._rules.series_pages)
        if series.level < before:
            reconsider[shape.host] = None
        if not is_idle:
            return []
        if not (turn.is_idle and turn.is_alike):
            return []
        kind = series.kind(shape)
        if not is_about(kind, len(shape.names)):
            return []
        return [_Seen(Finding(kind, shape.series, series.told()), _COPY, series.name_pages(kind))]

    def _under_title(self, page: SeenPage, shape: Shape) -> list[_Seen]:
        if not self._rules.series or page.fingerprint.title == NO_TITLE:
            return []
        key = (shape.host, page.fingerprint.title)
        title = self._tables.titles.touch(key)
        if title is None:
            title = SameTitle()
            self._tables.titles.put(key, title)
        if not title.take(page.link, page.fingerprint, shape.series):
            return []
        finding = Finding(FindingKind.SOFT_404, shape.host, title.told())
        earlier, title.pages = title.pages, []
        return [_Seen(finding, _APOLOGY, earlier)]

    def _charged(
        self, page: SeenPage, shape: Shape, site: Site, links: _Links, reconsider: dict[HostKey, None]
    ) -> list[_Seen]:
        """What a page without any other finding costs the accounts that it belongs to."""
        group, waited_at = self._tables.groups.group(site), self._tables.groups.level(site)
        at_home = (site.account, site.domain, links.fresh_at_home, links.crossing_at_home)
        in_group = [(group.shared, group.name, links.fresh, links.crossing)] if group.shared is not None else []
        section = self._tables.section(shape.section)
        in_section = (section, shape.section, links.fresh_in_section, links.crossing_in_section)
        seen = []
        for account, about, fresh, crossing in (*in_group, at_home, in_section):
            before = account.level
            kept = None if account is group.shared else page.link
            account.take(kept, fresh, crossing, is_relevant=page.is_relevant)
            level = account.settle(self._rules) if self._rules.accounts else 0
            if level < before:
                reconsider.update(dict.fromkeys(group.hosts))
            if not (level and fresh):
                continue
            if account is not group.shared:
                earlier, account.pages = account.pages, []
            elif self._tables.groups.is_liable(site):
                earlier = group.take_pages(self._tables.groups.is_liable)
            else:
                continue
            # Links into the account wait at its level, as long as it is overdrawn; they carry nothing.
            seen.append(_Seen(Finding(FindingKind.MAZE, about, account.told(self._rules)), 0, earlier))
        if self._tables.groups.let_go(site) or self._tables.groups.level(site) < waited_at:
            reconsider.update(dict.fromkeys(site.hosts))
        return seen

    def _judge(self, page: SeenPage, seen: list[_Seen]) -> Judgement:
        """One finding out of all, the most telling, and a demotion that is deeper along a chain of pages with findings.

        Earlier pages have the finding of the part that named them.
        """
        above, repetitions = _NO_CHAIN if page.parent is None else self._tables.chains.get(page.parent) or _NO_CHAIN
        is_repetition = any(each.finding.kind in _REPEATING for each in seen)
        repetitions = repetitions + 1 if is_repetition else 0
        self._tables.chains.put(page.link, (above + 1, repetitions))
        demotion = max(each.demotion for each in seen)
        demotion += min(_MOST_DEEPER, above) if demotion > NEAR else 0
        finding = min(seen, key=lambda each: each.finding.kind in _COPIES).finding
        if finding.kind in _COPIES and repetitions >= _LOOP:
            evidence = f"{finding.evidence}; the {repetitions - 1} pages that led here were repetitions, too"
            finding = Finding(FindingKind.LOOP, finding.about, evidence)
        late = {link: each.finding for each in reversed(seen) for link in each.earlier}
        earlier = tuple(
            (link, named) for link, named in late.items() if link != page.link and link not in self._tables.chains
        )
        for link, _ in earlier:
            self._tables.chains.put(link, (1, 0))
        return Judgement(finding, min(MAX_LEVEL, demotion), earlier=earlier)


_NO_CHAIN: Final = (0, 0)
_NOTHING: Final = Judgement()
