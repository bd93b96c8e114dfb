"""The guard of a crawl: window, folding, series, apologies and accounts, joined behind one seam.

A page is shown to each of them in turn. What they say of it becomes one finding, the most telling, and one demotion for
the page's links: what a page is part of tells more than that it repeats another; else the first that was said does.
`docs/guard.md` has the rules in words. A link that is asked about waits at the deepest level that any
of them gives it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.guard.fingerprint import NO_TITLE
from honeyguide.guard.guard import MAX_LEVEL, Finding, FindingKind, Judgement, Late
from honeyguide.guard.levels import NEAR, REPEATS, USUAL_NEAR, Standings
from honeyguide.guard.link_stats import LinkCensus, Scope
from honeyguide.guard.series import Series, is_about
from honeyguide.guard.shape import Shape, shape_of
from honeyguide.guard.site_budget import DEEP
from honeyguide.guard.soft_404 import SameTitle
from honeyguide.guard.tables import Tables
from honeyguide.guard.window import Kept
from honeyguide.model.counts import count_of
from honeyguide.model.guard_words import beside_seeds, by_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.guard.folding import Copy
    from honeyguide.guard.guard import SeenPage, Standing, Target
    from honeyguide.guard.link_stats import LinksOfPage
    from honeyguide.guard.neighbourhoods import Site
    from honeyguide.model import HostKey, LinkId, Url
    from honeyguide.settings.guard_section import GuardSettings

_COPY: Final = USUAL_NEAR + 1  # what the links of a copy are demoted, or of a page that says there is none
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
    is_about_page: bool = True  # or about these alone


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
        site = self._site_of(page, reconsider)
        generation = self._tables.begin_page(page.link, page.parent, site.group)
        self._pay(page, shape, site, reconsider)
        self._census.rank(site, page.importance, reconsider)
        seen: list[_Seen] = []
        if has_text:
            seen += self._compared(page, shape, reconsider)
            is_usual = self._tables.section(shape.section).note(is_repetition=bool(seen))
            if is_usual and seen and seen[0].demotion <= NEAR:
                seen[0] = replace(seen[0], demotion=USUAL_NEAR)  # so many are no accident
        links = self._census.take(shape, site, targets, reconsider)
        if has_text:
            is_repetition = bool(seen)
            seen += self._in_series(page, shape, links, reconsider, is_repetition=is_repetition)
            seen += self._under_title(page, shape)
            if not is_repetition:
                self._credit(page, shape, reconsider)
        if not any(each.is_about_page for each in seen):
            seen += self._charged(page, shape, site, links, reconsider, is_deep=generation >= DEEP)
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
        self._census = LinkCensus(self._rules, tables, self._standings)

    def _site_of(self, page: SeenPage, reconsider: dict[HostKey, None]) -> Site:
        if page.is_seed:
            return self._trust(page, reconsider)
        return self._tables.groups.meet(page.url.host, None)

    def _trust(self, page: SeenPage, reconsider: dict[HostKey, None]) -> Site:
        """The site of a seed. It may stand better for it, and so may the group that it leaves."""
        groups = self._tables.groups
        known = groups.find(page.url.host)
        left = None if known is None else groups.group(known)
        level = 0 if left is None else left.level
        was_behind = known is not None and groups.level(known) > 0
        was_behind |= self._tables.trust_section(shape_of(page.url).section)
        site = groups.trust(page.url.host)
        if left is not None and left.level < level:
            reconsider.update(dict.fromkeys(left.hosts))
        reconsider.update(dict.fromkeys(site.hosts if was_behind else ()))
        return site

    def _pay(self, page: SeenPage, shape: Shape, site: Site, reconsider: dict[HostKey, None]) -> None:
        """Count what a page earns for its site and its shape of address."""
        pay = max(0.0, page.reward) if page.is_relevant else 0.0
        mean = self._tables.shares.begin_page(pay)
        for key in (site.domain, shape.series):
            if self._tables.shares.count(key, pay, mean):
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
            site, section = self._tables.groups.find(shape.host), self._tables.section(shape.section)
            if section.begin_anew():
                reconsider[shape.host] = None
            if site is not None and site.beside is not None and not section.is_trusted and site.beside.begin_anew():
                reconsider.update(dict.fromkeys(site.hosts))
            if site is not None and self._tables.groups.begin_anew(site):
                reconsider.update(dict.fromkeys(self._tables.groups.group(site).hosts))
        reconsider.update(dict.fromkeys(learned.unfolded))
        return learned.copy

    def _in_series(
        self, page: SeenPage, shape: Shape, links: LinksOfPage, reconsider: dict[HostKey, None], *, is_repetition: bool
    ) -> list[_Seen]:
        if not (self._rules.series and shape.is_serial):
            return []
        series = self._tables.series.touch(shape.series)
        if series is None:
            series = Series()
            self._tables.series.put(shape.series, series)
        self._tables.led_by.put(page.link, (shape.series, shape.section))
        before, was_idle = series.level, series.is_idle
        turn = series.take(
            page.link, page.fingerprint, shape, brings=links.brings, turns=links.turns, repeats=is_repetition
        )
        is_idle = series.settle(self._rules.series_pages)
        if series.level < before:
            reconsider[shape.host] = None
        if not is_idle:
            return []
        kind = series.kind(shape)
        is_part = turn.is_idle and turn.is_alike and is_about(kind, len(shape.names))
        if was_idle and not is_part:
            return []
        # Links into the series wait at its level; what else it shows has to be seen first.
        finding = Finding(kind, shape.series, series.told())
        return [_Seen(finding, 0, series.name_pages(kind), is_about_page=is_part)]

    def _credit(self, page: SeenPage, shape: Shape, reconsider: dict[HostKey, None]) -> None:
        """Count a page that repeats no other for the series that led to it."""
        led_by = None if page.parent is None else self._tables.led_by.get(page.parent)
        if led_by is None or led_by[0] == shape.series or led_by[1] != shape.section or not shape.is_serial:
            return  # what is elsewhere, or has a name, was brought by the page that showed it
        series, own = self._tables.series.get(led_by[0]), self._tables.series.get(shape.series)
        if series is None or (own is not None and own.is_last_alike):
            return
        level = series.level
        series.lead_to()
        series.settle(self._rules.series_pages)
        if series.level < level:
            reconsider[shape.host] = None

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
        return [_Seen(finding, _COPY, earlier)]

    def _charged(
        self,
        page: SeenPage,
        shape: Shape,
        site: Site,
        links: LinksOfPage,
        reconsider: dict[HostKey, None],
        *,
        is_deep: bool,
    ) -> list[_Seen]:
        """What a page without any other finding costs the accounts that it belongs to."""
        group, waited_at = self._tables.groups.group(site), self._tables.groups.level(site)
        section = self._tables.section(shape.section)
        charged = [(site.account, site.domain, Scope.SITE), (section, shape.section, Scope.SECTION)]
        if group.shared is not None:
            charged.insert(0, (group.shared, group.name, Scope.GROUP))
        if site.beside is not None and not section.is_trusted:
            charged.insert(-1, (site.beside, beside_seeds(site.domain), Scope.BESIDE))
        seen = []
        for account, about, scope in charged:
            before, fresh = account.level, links.fresh[scope]
            # The pages of a group are kept with its sites.
            is_kept = scope is not Scope.GROUP and links.fresh[Scope.GROUP if scope is Scope.SITE else scope]
            account.take(
                page.link if is_kept else None,
                fresh,
                links.crossing[scope],
                is_relevant=page.is_relevant,
                is_deep=is_deep,
            )
            level = account.settle(self._rules) if self._rules.accounts else 0
            if level < before:
                reconsider.update(dict.fromkeys(group.hosts))
            if not (level and fresh):
                continue
            if scope is not Scope.GROUP:
                earlier, account.pages = account.pages, []
            elif self._tables.groups.is_liable(site):
                earlier = group.take_pages(self._tables.groups.is_liable)
            else:
                continue
            # Links into the account wait at its level, as long as it is overdrawn; they carry nothing.
            seen.append(_Seen(Finding(FindingKind.MAZE, about, account.told(self._rules)), 0, earlier))
        self._tables.groups.keep_pages(site)
        level = group.level
        if self._tables.groups.let_go(site) or self._tables.groups.level(site) < waited_at:
            reconsider.update(dict.fromkeys(site.hosts))
        if group.level < level:
            reconsider.update(dict.fromkeys(group.hosts))
        return seen

    def _judge(self, page: SeenPage, seen: list[_Seen]) -> Judgement:
        """What the parts say of a page and of earlier ones, each of which has the finding of the part that named it."""
        about_page = [each for each in seen if each.is_about_page]
        finding, demotion = self._found(page, about_page) if about_page else (None, 0)
        late = {link: Late(link, each.finding, each.demotion) for each in reversed(seen) for link in each.earlier}
        earlier = tuple(named for link, named in late.items() if link != page.link and link not in self._tables.chains)
        for named in earlier:
            self._tables.chains.put(named.link, (1, 0))
        return Judgement(finding, demotion, earlier=earlier)

    def _found(self, page: SeenPage, seen: list[_Seen]) -> tuple[Finding, int]:
        """The most telling finding of all, and a demotion that is deeper along a chain of pages with findings."""
        above, repetitions = _NO_CHAIN if page.parent is None else self._tables.chains.get(page.parent) or _NO_CHAIN
        is_repetition = any(each.finding.kind in _REPEATING for each in seen)
        repetitions = repetitions + 1 if is_repetition else 0
        self._tables.chains.put(page.link, (above + 1, repetitions))
        demotion = max(each.demotion for each in seen)
        demotion += min(_MOST_DEEPER, above) if demotion > USUAL_NEAR else 0
        finding = min(seen, key=lambda each: each.finding.kind in _COPIES).finding
        if finding.kind in _COPIES and repetitions >= _LOOP:
            evidence = f"{finding.evidence}; the {repetitions - 1} pages that led here were repetitions, too"
            finding = Finding(FindingKind.LOOP, finding.about, evidence)
        return finding, min(MAX_LEVEL, demotion)


_NO_CHAIN: Final = (0, 0)
_NOTHING: Final = Judgement()
