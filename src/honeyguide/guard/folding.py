"""Parts of addresses that do not matter on a host, learned from pages that turned out to be the same.

An address can be written without one of its parts: a parameter, the trailing slash, the name of an index page, an id in
the path, what stands between two equal parts of the path, the whole query; or, between hosts, without the host. Two
addresses that are equal without a part, and differ with it, are a *pair* for the rule that the part does not matter. A
rule holds on a host (or in one section of it) once several pairs had the very same text and none did not. One pair with
different texts ends it, and it then takes four times as many to establish it again. No rule is ever taken for granted:
on one site `?page=2` is a page of its own and `?ref=2` is not, and on the next it is the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.guard import FindingKind
from honeyguide.guard.mirrors import LEAST_SECTIONS, PAIRS, Copy, Fetched, Mirrors, Rule
from honeyguide.guard.url_pattern import REPEATED_PART, WHOLE_QUERY, Form, forms_of, hash_of, path_of, shape_of
from honeyguide.model import HostKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.guard.bounded import State
    from honeyguide.model import LinkId, Url

    RuleKey: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Learned:
    """The changes that a page made to the rules."""

    copy: Copy | None = None
    has_new_rule: bool = False
    unfolded: tuple[HostKey, ...] = ()  # hosts that have lost one


class Folding:
    """Learns rules host by host, and knows which addresses are variants of one that was fetched."""

    def __init__(self, memory: int, *, pairs: int = PAIRS, probe_every: int = 16) -> None:
        """Rules take so many equal pairs. `memory` bounds the forms of fetched addresses that are remembered."""
        self._pairs = pairs
        self._probe_every = probe_every
        self._fetched: Bounded[int, Fetched] = Bounded(memory)  # by forms of their addresses
        self._met: Bounded[int, int] = Bounded(memory)  # folded addresses that were met on hosts that have rules
        self._names: Bounded[int, tuple[str, ...]] = Bounded(memory)  # of the parameters last seen with a path
        self._rules: Bounded[RuleKey, Rule] = Bounded(max(1, memory // 8))
        self._mirrors = Mirrors(pairs=pairs, memory=memory)
        self._held: dict[str, list[str]] = {}  # names of the rules that hold, by host or section
        self._ruled: frozenset[str] = frozenset()  # hosts on which a rule holds

    def has_rules(self, host: HostKey) -> bool:
        """Whether anything about the addresses of a host is known not to matter."""
        return host in self._ruled

    def learn(self, url: Url, exact: int, link: LinkId) -> Learned:
        """Take in the address and the exact print of a page with enough text to tell."""
        page = (exact, link)
        host, section = url.host, shape_of(url).section
        before = self._rules_of(host, section, url.origin)
        folded, applied = self._fold(url)
        known = self._known(host, url.text, folded, applied)
        rules_met = self._rules_about(host, section, folded, applied, known)
        copy: Copy | None = None
        released: list[HostKey] = []
        if rules_met:
            copy = self._check(rules_met, section, exact)
        elif known is None:
            for form in (*forms_of(folded), *self._as_the_shorter(host, folded)):
                found, forgotten = self._compare(host, section, form, page)
                copy = copy or found
                released += forgotten
        mirrored, parted = self._mirrors.learn(url.origin, folded, page)
        released += parted
        for name in ("", *(name for _, name in applied)):
            self._keep(_key(host, name, folded), page)
        after = self._rules_of(host, section, url.origin)
        if after != before or released:
            self._ruled = self._hosts_with_rules()
        return Learned(
            copy or mirrored,
            has_new_rule=bool(after - before),
            unfolded=tuple(dict.fromkeys([host] * bool(before - after) + released)),
        )

    def fold(self, url: Url) -> str:
        """Return the address without the parts that do not matter on its host."""
        return self._fold(url)[0]

    def meet(self, url: Url) -> int:
        """Return how often the address or a variant of it was met before, on hosts that have rules."""
        key = _key(self._mirrors.leader(url.origin) or url.origin, "met", path_of(self.fold(url)))
        times = self._met.get(key) or 0
        self._met.put(key, times + 1)
        return times

    def variant_of(self, url: Url) -> str | None:
        """Return the rule by which a fetched page is this one under another address; None where there is none."""
        if url.host not in self._ruled:
            return None
        folded, rules_met = self._folded_rules(url)
        if rules_met:
            return rules_met[0][0][1]
        return self._mirrors.fetched_from(url.origin, folded)

    def is_probe(self, url: Url) -> bool:
        """Whether a variant is to be fetched all the same, to see whether its rule still holds."""
        if hash_of(url.text) % self._probe_every:
            return False
        folded, rules_met = self._folded_rules(url)
        rules = [self._rules.get(key) for key, _ in rules_met]
        other = self._mirrors.fetched_from(url.origin, folded)
        rules += [] if other is None else [self._mirrors.rule(url.origin, other)]
        return any(rule is not None and rule.wants_a_probe for rule in rules)

    def has_copies(self, host: HostKey, name: str) -> bool:
        """Whether pages of a host that differ in this part of the address were the same, the last time."""
        rule = self._rules.get((host, name))
        return rule is not None and rule.equal > 0

    def state(self) -> State:
        """Return the state, for `restore`."""
        return [
            list(self._fetched.items()),
            list(self._met.items()),
            list(self._names.items()),
            [(key, fields_of(rule)) for key, rule in self._rules.items()],
            self._mirrors.state(),
            self._held,
        ]

    def restore(self, state: State) -> None:
        """Back to a saved state; rules that there is no room for hold no longer."""
        fetched, met, names, rules, mirrors, held = state
        self._fetched.replace(fetched)
        self._met.replace(met)
        self._names.replace(names)
        self._rules.replace((key, Rule(*fields)) for key, fields in rules)
        self._held = {
            scope: kept
            for scope, names in held.items()
            if (kept := [name for name in names if (scope, name) in self._rules])
        }
        self._mirrors.restore(mirrors)
        self._ruled = self._hosts_with_rules()

    def _hosts_with_rules(self) -> frozenset[str]:
        return frozenset([scope.partition("/")[0] for scope in self._held] + self._mirrors.hosts())

    def _rules_of(self, host: str, section: str, origin: str) -> set[tuple[str, str]]:
        """Return the rules that hold for an address now, to be compared before and after a page."""
        rules = {(scope, name) for scope in (host, section) for name in self._held.get(scope, ())}
        return rules | {("mirror", leader) for leader in [self._mirrors.leader(origin)] if leader is not None}

    def _fold(self, url: Url) -> tuple[str, list[RuleKey]]:
        """The folded address, and the rules that changed it."""
        text, applied = url.text, []
        if url.host in self._ruled:
            for scope in (url.host, shape_of(url).section):
                for name in self._held.get(scope, ()):
                    shorter = next((form.text for form in forms_of(text) if form.rule == name), text)
                    if shorter != text:
                        text = shorter
                        applied.append((scope, name))
        return text, applied

    def _known(self, host: str, address: str, folded: str, applied: list[RuleKey]) -> Fetched | None:
        """The page fetched at this address, or at one that the rules say is the same."""
        known = self._fetched.get(_key(host, "", folded))
        names = [name for _, name in applied]
        for form in forms_of(address) if known is None and names else ():
            # What was fetched before a rule was established is remembered by that rule alone.
            if form.rule in names and known is None:
                known = self._fetched.get(_key(host, form.rule, form.text))
        return known

    def _rules_about(
        self, host: str, section: str, folded: str, applied: list[RuleKey], known: Fetched | None
    ) -> list[tuple[RuleKey, Fetched]]:
        """The rules that hold and say that an address is that of a fetched page, each with the page.

        They made the address shorter, or they made what it is folded to out of a longer one.
        """
        if applied and known is not None:
            return [(key, known) for key in applied]
        return [
            ((scope, name), longer)
            for scope in (host, section)
            for name in self._held.get(scope, ())
            if (longer := self._fetched.get(_key(host, name, folded))) is not None
        ]

    def _folded_rules(self, url: Url) -> tuple[str, list[tuple[RuleKey, Fetched]]]:
        """The folded address, and what the rules of its host say of it."""
        folded, applied = self._fold(url)
        known = self._known(url.host, url.text, folded, applied)
        return folded, self._rules_about(url.host, shape_of(url).section, folded, applied, known)

    def _keep(self, key: int, page: Fetched) -> None:
        """Remember a page; of those with one text, the first."""
        known = self._fetched.get(key)
        self._fetched.put(key, page if known is None or known[0] != page[0] else known)

    def _as_the_shorter(self, host: str, address: str) -> Iterator[Form]:
        """An address that is what is left of a longer one, where that was fetched first."""
        if _key(host, REPEATED_PART, address) in self._fetched:
            yield Form(REPEATED_PART, address, is_session=False)

    def _compare(self, host: str, section: str, form: Form, page: Fetched) -> tuple[Copy | None, list[HostKey]]:
        """Look for the other half of a pair, and count it. Also the hosts that lost a rule for want of room."""
        key = _key(host, form.rule, form.text)
        known = self._fetched.touch(key)
        if known is None:
            known = self._fetched.get(_key(host, "", form.text))  # without the part it may be an address of its own
        is_equal = known is not None and known[0] == page[0]
        if not is_equal:
            self._fetched.put(key, page)
        is_telling = self._is_telling(key, form)
        if known is None or not is_telling:
            return None, []
        equal, released = 0, []
        for scope in (host, section):
            rule = self._rules.touch((scope, form.rule))
            if rule is None:
                rule = Rule()
                dropped = self._rules.put((scope, form.rule), rule)
                released += [] if dropped is None else self._forget(*dropped[0])
            rule.count(section, is_equal=is_equal, is_session=form.is_session)
            self._settle(scope, form.rule, rule)
            equal = rule.equal
        copy = Copy(_kind(form.rule, is_session=form.is_session), form.rule, equal, known[1]) if is_equal else None
        return copy, released

    def _is_telling(self, key: int, form: Form) -> bool:
        """Whether a pair is about this rule: a query as a whole was changed only where no parameter stayed."""
        if form.rule != WHOLE_QUERY:
            return True
        before = self._names.touch(key)
        self._names.put(key, form.names)
        return before is not None and not set(before) & set(form.names)

    def _check(self, rules_met: list[tuple[RuleKey, Fetched]], section: str, exact: int) -> Copy | None:
        """A page that should have the text of an earlier one has it, or not: then the rules that say so end."""
        copy = None
        for (scope, name), earlier in rules_met:
            rule = self._rules.touch((scope, name))
            assert rule is not None  # the table lets go of a rule and its counts together
            is_equal = earlier[0] == exact
            rule.count(section, is_equal=is_equal)
            rule.copies += 1
            self._settle(scope, name, rule)
            if is_equal:
                copy = Copy(_kind(name, is_session=rule.is_session), name, rule.equal, earlier[1])
        return copy

    def _settle(self, scope: str, name: str, rule: Rule) -> None:
        """Have a rule hold in its scope, or no longer. For a whole host it must have been seen in two sections."""
        is_wide_enough = "/" in scope or len(rule.sections) >= LEAST_SECTIONS
        if not (rule.holds(self._pairs) and is_wide_enough):
            self._release(scope, name)
        elif name not in self._held.get(scope, ()):
            self._held[scope] = [*self._held.get(scope, ()), name]

    def _forget(self, scope: str, name: str) -> list[HostKey]:
        """Let go of a rule that there is no room for; the host, where what the rule kept behind is looked at again."""
        if name not in self._held.get(scope, ()):
            return []
        self._release(scope, name)
        return [HostKey(scope.partition("/")[0])]

    def _release(self, scope: str, name: str) -> None:
        held = [other for other in self._held.pop(scope, ()) if other != name]
        if held:
            self._held[scope] = held


def _key(host: str, rule: str, text: str) -> int:
    return hash_of(f"{host} {rule} {text}")


def _kind(rule: str, *, is_session: bool) -> FindingKind:
    if rule == REPEATED_PART:
        return FindingKind.REPEATING_PATH
    return FindingKind.SESSION_ID if is_session else FindingKind.VARIANT
