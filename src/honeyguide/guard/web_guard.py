"""The guard of a crawl: window, folding, series, soft 404s and site budgets, joined behind one seam.

A page is shown to each rule in turn. Their findings become one, the most telling, and one demotion for the page's
links. A link waits at the deepest level that any rule gives it. `docs/guard.md` has the rules in words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import GuardError
from honeyguide.guard.bounded import Bounded, fields_of, gc_paused, pack, unpack
from honeyguide.guard.fingerprint import LEAST_WORDS, NO_TITLE
from honeyguide.guard.folding import Folding
from honeyguide.guard.guard import (
    DEEPEST,
    FIRM_LEVEL,
    MAX_LEVEL,
    Cause,
    Finding,
    FindingKind,
    Judgement,
    LateFinding,
    LinkLevel,
    Reason,
)
from honeyguide.guard.near_duplicates import ELSEWHERE, Kept, Window
from honeyguide.guard.series import RECENT, Series, is_about
from honeyguide.guard.site_budget import FORGIVING, SiteBudgets
from honeyguide.guard.soft_404 import SameTitle
from honeyguide.guard.url_pattern import REPEATED_PART, Shape, hash_of, shape_of
from honeyguide.settings.guard_section import FOLDING, SERIES, SOFT_404

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.guard.guard import SeenPage, Target
    from honeyguide.guard.site_budget import Site
    from honeyguide.model import HostKey, LinkId, Url
    from honeyguide.settings.guard_section import GuardSettings

_NEAR: Final = 2  # the most that the links of a near-duplicate are demoted
_COPY: Final = FIRM_LEVEL + 1  # the demotion of links on a copy or a soft 404
_MOST_DEEPER: Final = 2  # levels that a chain of pages with findings adds
_REPEATS: Final = 3  # copies in a row, or times that one part stands in a path, from which on it may be a trap's
_MOST_REPEATS: Final = 5
_USUAL: Final = 4  # copies among the last pages of a section, from which on they are usual
_COPIES: Final = frozenset({FindingKind.DUPLICATE, FindingKind.NEAR_DUPLICATE})
_REPEATING: Final = _COPIES | {
    FindingKind.VARIANT,
    FindingKind.SESSION_ID,
    FindingKind.MIRROR,
    FindingKind.REPEATING_PATH,
}


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The finding of one rule, about the page itself, about earlier pages, or both."""

    finding: Finding
    demotion: int = 0
    earlier: Sequence[LinkId] = ()
    is_about_page: bool = True


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of a page to addresses that were not fetched."""

    fresh: int  # to new addresses of sites that use the page's budget
    brings: bool  # one leads to anything new but more of the page's own series
    turns: bool  # one leads to more of it
    raised: list[HostKey]  # hosts that have a better level for being referred to


class WebGuard:
    """A `Guard` over everything that one crawl sees."""

    def __init__(self, rules: GuardSettings) -> None:
        self._rules = rules
        self._shapes: dict[str, Shape] = {}  # of the links of the page that was observed last
        self._begin()

    def _begin(self) -> None:
        memory = self._rules.memory
        self._window = Window(self._rules.window_pages, self._rules.window_s)
        self._folding = Folding(memory)
        self._sites = SiteBudgets(self._rules)
        self._series: Bounded[str, Series] = Bounded(memory // 16)
        self._titles: Bounded[tuple[HostKey, int], SameTitle] = Bounded(memory // 16)
        self._led_by: Bounded[LinkId, tuple[str, str]] = Bounded(memory // 16)  # series and section of pages
        self._words: Bounded[int, int] = Bounded(memory)  # in numbered addresses, by section
        self._copies: Bounded[str, int] = Bounded(memory // 4)  # by section, a bit for each recent page: set for a copy
        # Pages with a finding: how many in a row, each found on the one before, have one, and how many are copies.
        self._chains: Bounded[LinkId, tuple[int, int]] = Bounded(memory)
        self._fetched: Bounded[LinkId, int] = Bounded(memory)  # _COSTLY, _FREE or _CONFIRMED
        self._shown_twice: Bounded[LinkId, int] = Bounded(memory)  # before they were fetched

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        shape = shape_of(page.url)
        raised: list[HostKey] = []
        if page.parent is None:
            site, raised = self._sites.meet_seed(shape.host)
        else:
            site = self._sites.meet(shape.host)
        self._fetched.put(page.link, _CONFIRMED)  # until its own links are counted
        has_text = page.fingerprint.words >= LEAST_WORDS
        verdicts: list[_Verdict] = []
        if has_text:
            verdicts, more = self._compare(page, shape)
            raised = [*raised, *more]
        links = self._count_links(page.parent, shape, site, targets)
        raised = [*raised, *links.raised]
        if has_text:
            is_copy = bool(verdicts)
            if shape.is_serial and SERIES in self._rules.rules:
                verdict, has_risen = self._take_in_series(page, shape, links, is_copy=is_copy)
                verdicts += [] if verdict is None else [verdict]
                has_risen |= not is_copy and self._credit_series(page, shape)
                raised += [shape.host] if has_risen else []
            verdicts += self._compare_title(page, shape)
        if any(each.is_about_page for each in verdicts):
            self._fetched.put(page.link, _CONFIRMED)  # it counts neither for nor against its site
        else:
            verdict, more = self._charge(page, site, links.fresh)
            verdicts += [] if verdict is None else [verdict]
            raised += more
        judgement = self._join(page, verdicts) if verdicts else Judgement()
        return replace(judgement, raised=tuple(dict.fromkeys(raised))) if raised else judgement

    def hear(self, page: Url, targets: Sequence[Target]) -> Sequence[HostKey]:
        shape = shape_of(page)
        links = self._count_links(None, shape, self._sites.meet(shape.host), targets)
        return tuple(dict.fromkeys(links.raised))

    def remember(self, pages: Sequence[tuple[Url, Fingerprint]], moment: float) -> None:
        self._window.expire(moment)
        for url, seen in pages[-self._rules.window_pages :]:
            if seen.words >= LEAST_WORDS:
                path = shape_of(url).path
                self._window.add(Kept(ELSEWHERE, path, seen.exact, seen.simhash, seen.title, seen.links, moment))

    def level(self, url: Url, carried: int) -> LinkLevel:
        """Take the deepest level of all rules, and one more for each further rule that is as firm."""
        said = self._levels(url, self._shapes.get(url.text) or shape_of(url), carried)
        if not said:
            return _CLEAN
        deepest = max(said, key=lambda each: each.level)
        firm = sum(each.level >= FIRM_LEVEL for each in said)
        return replace(deepest, level=min(MAX_LEVEL, deepest.level + max(0, firm - 1)))

    def is_shown_twice(self, link: LinkId) -> bool:
        return link in self._shown_twice

    @gc_paused()
    def save(self) -> bytes:
        state = {name: list(table.items()) for name, table in self._plain_tables().items()}
        return pack(
            state
            | {
                "window": self._window.state(),
                "folding": self._folding.state(),
                "sites": self._sites.state(),
                "series": [(key, fields_of(series)) for key, series in self._series.items()],
                "titles": [(key, fields_of(title)) for key, title in self._titles.items()],
            }
        )

    @gc_paused()
    def load(self, state: bytes) -> None:
        saved = unpack(state)
        self._begin()
        try:
            for name, table in self._plain_tables().items():
                table.replace(saved[name])
            self._window.restore(saved["window"])
            self._folding.restore(saved["folding"])
            self._sites.restore(saved["sites"])
            self._series.replace((key, Series(*fields)) for key, fields in saved["series"])
            self._titles.replace((key, SameTitle(*fields)) for key, fields in saved["titles"])
        except (KeyError, TypeError, ValueError) as error:
            raise GuardError(f"the saved state of the guard is not one ({error!r}): begin the run anew") from None

    def _plain_tables(self) -> dict[str, Bounded[Any, Any]]:
        return {
            "led by": self._led_by,
            "words": self._words,
            "copies": self._copies,
            "chains": self._chains,
            "fetched": self._fetched,
            "shown twice": self._shown_twice,
        }

    def _compare(self, page: SeenPage, shape: Shape) -> tuple[list[_Verdict], list[HostKey]]:
        """Compare a page's text with others; also the hosts that lost a rule of folding, or count again."""
        print_ = page.fingerprint
        self._window.expire(page.moment)
        verdicts: list[_Verdict] = []
        raised: list[HostKey] = []
        if FOLDING in self._rules.rules:
            learned = self._folding.learn(page.url, print_.exact, page.link)
            raised += learned.unfolded
            if learned.has_new_rule:
                raised += self._sites.begin_again(shape.host)
            if learned.copy is not None:
                copy = learned.copy
                finding = Finding(copy.kind, shape.section, copy.rule, copy.like, {"pairs": copy.pairs})
                verdicts.append(_Verdict(finding, _COPY))
        equal = self._window.equal(print_.exact)
        near = None if equal is not None else self._window.nearest(print_, shape.path)
        if equal is not None:
            kind = FindingKind.REPEATING_PATH if shape.repeats >= _REPEATS - 1 else FindingKind.DUPLICATE
            finding = Finding(kind, shape.text, like=equal.like, numbers={"words": print_.words})
            verdicts.append(_Verdict(finding, _COPY))
        elif near is not None and near.similarity >= self._rules.threshold:
            numbers = {"similarity": near.similarity, "bits": near.bits}
            finding = Finding(FindingKind.NEAR_DUPLICATE, shape.text, like=near.kept.like, numbers=numbers)
            verdicts.append(_Verdict(finding, self._near_demotion(near.similarity)))
        self._window.add(
            Kept(page.link, shape.path, print_.exact, print_.simhash, print_.title, print_.links, page.moment)
        )
        recent = ((self._copies.get(shape.section) or 0) << 1 | bool(verdicts)) & ((1 << RECENT) - 1)
        self._copies.put(shape.section, recent)
        if verdicts and verdicts[0].demotion <= _NEAR and recent.bit_count() >= _USUAL:
            verdicts[0] = replace(verdicts[0], demotion=FIRM_LEVEL)  # copies are usual there, and no accident
        return verdicts, raised

    def _near_demotion(self, similarity: float) -> int:
        """Demote in proportion to the similarity beyond the threshold."""
        excess = (similarity - self._rules.threshold) / max(1e-9, 1 - self._rules.threshold)
        return 1 + round(excess * (_NEAR - 1))

    def _count_links(self, parent: LinkId | None, shape: Shape, site: Site, targets: Sequence[Target]) -> _Links:
        """Sort the links of a page, and count its references to other sites."""
        payer = self._sites.payer(site)
        fresh, brings, turns = 0, False, False
        raised: list[HostKey] = []
        self._shapes = {}
        section = shape.section if shape.is_serial else ""
        for target in targets:
            there = self._shapes[target.url.text] = shape_of(target.url)
            other = site
            if there.host != shape.host:
                other, more = self._sites.refer(site, there.host)
                raised += more
            if not target.is_new and (known := self._fetched.touch(target.link)) is not None:
                if known != _CONFIRMED and target.link != parent:
                    self._fetched.put(target.link, _CONFIRMED)
                    raised += self._sites.confirm(there.host, is_costly=known == _COSTLY)
                continue
            times = self._times_shown(target, there)
            if times == 1:
                self._sites.show_again(other)
            if times:
                continue
            fresh += self._sites.payer(other) is payer
            is_turn = bool(
                section and there.is_serial and there.section == section and not self._has_new_word(there, section)
            )
            turns |= is_turn
            brings |= not is_turn
        return _Links(fresh, brings, turns, raised)

    def _times_shown(self, target: Target, there: Shape) -> int:
        """Return how often an address that waits, or a variant of it, was shown before: 0, 1 or 2 for more."""
        times = 0 if target.is_new else 2 if target.link in self._shown_twice else 1
        if FOLDING in self._rules.rules and self._folding.has_rules(there.host):
            if self._folding.variant_of(target.url) is not None:
                return 2
            times = max(times, min(2, self._folding.meet(target.url)))
        if times:
            self._shown_twice.put(target.link, 1)
        return times

    def _has_new_word(self, there: Shape, section: str) -> bool:
        """Whether a name stands in an address that no numbered address of its section had so far.

        A calendar's addresses have numbers, and a few words again and again; below the numbers of a journal are titles.
        """
        is_new = False
        for word in there.words:
            key = hash_of(f"{section} {word}")
            is_new |= self._words.touch(key) is None
            self._words.put(key, 1)
        return is_new

    def _take_in_series(
        self, page: SeenPage, shape: Shape, links: _Links, *, is_copy: bool
    ) -> tuple[_Verdict | None, bool]:
        """Count a page for its series; also whether links into the series have a better level now."""
        series = self._series.touch(shape.series)
        if series is None:
            series = Series()
            self._series.put(shape.series, series)
        self._led_by.put(page.link, (shape.series, shape.section))
        before, was_idle = series.level, series.is_idle
        is_alike = series.take(
            page.link, page.fingerprint, shape, brings=links.brings, turns=links.turns, is_copy=is_copy
        )
        has_risen = series.level < before
        if not series.is_idle:
            return None, has_risen
        kind = series.kind(shape)
        is_part = is_alike and not links.brings and is_about(kind, len(shape.names))
        if was_idle and not is_part:
            return None, has_risen
        # Links into the series wait at its level; what else it shows is judged by itself, so its links carry nothing.
        finding = Finding(kind, shape.series, numbers=series.numbers())
        return _Verdict(finding, 0, series.take_pages(kind), is_about_page=is_part), has_risen

    def _credit_series(self, page: SeenPage, shape: Shape) -> bool:
        """Count a page that is no copy for the series that led to it; whether that has a better level now."""
        led_by = None if page.parent is None else self._led_by.get(page.parent)
        if led_by is None or led_by[0] == shape.series or led_by[1] != shape.section:
            return False  # what is elsewhere was brought by the page that showed it
        series, own = self._series.get(led_by[0]), self._series.get(shape.series)
        if series is None or (own is not None and own.is_last_alike):
            return False
        before = series.level
        series.lead_to()
        return series.level < before

    def _compare_title(self, page: SeenPage, shape: Shape) -> list[_Verdict]:
        """Look for a soft 404: one answer under one title at addresses of several shapes."""
        if SOFT_404 not in self._rules.rules or page.fingerprint.title == NO_TITLE:
            return []
        key = (shape.host, page.fingerprint.title)
        title = self._titles.touch(key)
        if title is None:
            title = SameTitle()
            self._titles.put(key, title)
        if not title.take(page.link, page.fingerprint, shape.series):
            return []
        finding = Finding(FindingKind.SOFT_404, shape.host, numbers=title.numbers())
        earlier, title.pages = title.pages, []
        return [_Verdict(finding, _COPY, earlier)]

    def _charge(self, page: SeenPage, site: Site, fresh: int) -> tuple[_Verdict | None, list[HostKey]]:
        """Charge a page without any other finding to the budget of its site."""
        is_confirmed = page.link in self._shown_twice
        payer, is_costly, raised = self._sites.charge(
            site, page.link, fresh, is_confirmed=is_confirmed, is_relevant=page.is_relevant
        )
        self._fetched.put(page.link, _CONFIRMED if is_confirmed else _COSTLY if is_costly else _FREE)
        if not (payer.level and fresh):
            return None, raised
        finding = Finding(FindingKind.MAZE, payer.domain, numbers=payer.numbers(self._rules))
        earlier, payer.pages = payer.pages, []
        return _Verdict(finding, 0, earlier), raised  # links wait at the level of their site, and carry nothing

    def _join(self, page: SeenPage, verdicts: list[_Verdict]) -> Judgement:
        """Make one judgement of what the rules say; each earlier page gets the finding of the rule that named it."""
        about_page = [each for each in verdicts if each.is_about_page]
        finding, demotion = self._most_telling(page, about_page) if about_page else (None, 0)
        late = {
            link: LateFinding(link, each.finding, each.demotion) for each in reversed(verdicts) for link in each.earlier
        }
        earlier = tuple(each for link, each in late.items() if link != page.link and link not in self._chains)
        for each in earlier:
            self._chains.put(each.link, (1, 0))
        return Judgement(finding, demotion, earlier=earlier)

    def _most_telling(self, page: SeenPage, verdicts: list[_Verdict]) -> tuple[Finding, int]:
        """Return the most telling finding, and a demotion that is deeper along a chain of pages with findings.

        What a page is part of tells more than that it repeats another; else the first counts.
        """
        above, copies = _NO_CHAIN if page.parent is None else self._chains.get(page.parent) or _NO_CHAIN
        copies = copies + 1 if any(each.finding.kind in _REPEATING for each in verdicts) else 0
        self._chains.put(page.link, (above + 1, copies))
        demotion = max(each.demotion for each in verdicts)
        demotion += min(_MOST_DEEPER, above) if demotion > FIRM_LEVEL else 0
        finding = min(verdicts, key=lambda each: each.finding.kind in _COPIES).finding
        if finding.kind in _COPIES and copies >= _REPEATS:
            finding = replace(finding, kind=FindingKind.LOOP, numbers={**finding.numbers, "copies": copies - 1})
        return finding, min(MAX_LEVEL, demotion)

    def _levels(self, url: Url, shape: Shape, carried: int) -> list[LinkLevel]:
        """Return the levels above 0 that the rules give a link."""
        said = []
        if 0 < carried <= FIRM_LEVEL:  # near-duplicates are forgiven on sites that others refer to
            referrers = self._sites.referrers(shape.host)
            carried -= _FORGIVEN[sum(referrers >= bound for bound in FORGIVING)]
        if carried > 0:
            said.append(LinkLevel(carried, _ON_COPIES))
        if SERIES in self._rules.rules:
            said += self._series_levels(shape)
        level, payer = self._sites.level(shape.host)
        if level:
            said.append(LinkLevel(level, Reason(Cause.OVER_BUDGET, payer, FindingKind.MAZE)))
        if FOLDING in self._rules.rules and self._folding.has_rules(shape.host):
            rule = self._folding.variant_of(url)
            if rule is not None and not self._folding.is_probe(url):
                said.append(LinkLevel(DEEPEST, Reason(Cause.VARIANT, rule, FindingKind.VARIANT)))
        return said

    def _series_levels(self, shape: Shape) -> list[LinkLevel]:
        said = []
        if shape.repeats >= _REPEATS:
            is_known = self._folding.has_copies(shape.host, REPEATED_PART)
            level = min(_MOST_REPEATS, shape.repeats) if is_known else 1  # a doubt
            said.append(LinkLevel(level, Reason(Cause.REPEATING_PATH, str(shape.repeats), FindingKind.REPEATING_PATH)))
        series = self._series.get(shape.series) if shape.is_serial else None
        if series is not None and series.level:
            cause = Cause.SERIES if series.is_idle else Cause.REPETITIVE
            said.append(
                LinkLevel(series.level, Reason(cause, shape.series, series.kind(shape) if series.is_idle else None))
            )
        return said


_FREE, _COSTLY, _CONFIRMED = range(3)
_NO_CHAIN: Final = (0, 0)
_CLEAN: Final = LinkLevel()
_ON_COPIES: Final = Reason(Cause.COPIES)
_FORGIVEN: Final = (0, 1, FIRM_LEVEL)  # levels, by how many of the bounds of `FORGIVING` are reached
