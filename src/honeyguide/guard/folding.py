"""An address without each of the parts that may turn out not to matter: a parameter, a slash, an id in the path.

Pairs of addresses that differ in one part, and what their texts say of the rule that the part does not matter.

Hosts and schemes that show the same pages under the same paths, learned from pages that were the same.

Which parts of an address do not matter on a host, learned from pages that turned out to be the same.

An address can be written without one of its parts: a parameter, the trailing slash, the name of an index page, an id in
the path, what stands between two equal parts of the path, the whole query; or, between hosts, without the host. Two
addresses that are equal without a part, and differ with it, are a *pair* for the rule that the part does not matter. A
rule holds on a host (or in one section of it) once several pairs had the very same text and none did not. One pair with
different texts ends it, and it then takes four times as many to establish it again. No rule is ever taken for granted:
on one site `?page=2` is a page of its own and `?ref=2` is not, and on the next it is the other way round.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import xxhash

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.guard import FindingKind
from honeyguide.guard.shape import LONGEST_KEPT, is_id, shape_of
from honeyguide.model import HostKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.guard.bounded import State
    from honeyguide.model import LinkId, Url

    RuleKey: TypeAlias = tuple[str, str]

_INDEX: Final = re.compile(r"/(?:index|default|home)\.[A-Za-z]{3,5}$")
_SESSION_NAMES: Final = frozenset(
    {"sid", "session", "sessionid", "session_id", "phpsessid", "jsessionid", "aspsessionid", "cfid", "cftoken", "s"}
)
_MOST_PARAMETERS: Final = 8
"""Parameters of an address that are tried; one with more is tried as a whole only."""

WHOLE_QUERY: Final = "query"
SLASH: Final = "slash"
INDEX: Final = "index"
REPEATED_PART: Final = "what stands between two equal parts of the path"


class Form(NamedTuple):
    """An address without one of its parts."""

    rule: str  # what was left out, as in "parameter sid"
    text: str
    is_session: bool  # whether what was left out reads like the id of a visit
    names: tuple[str, ...] = ()  # of parameters, where all of them were left out


def forms_of(address: str) -> tuple[Form, ...]:
    """An address without each of the parts that may turn out not to matter."""
    return _kept_forms(address) if len(address) <= LONGEST_KEPT else tuple(_forms(address))


@lru_cache(maxsize=8192)
def _kept_forms(address: str) -> tuple[Form, ...]:
    return tuple(_forms(address))


def _forms(address: str) -> Iterator[Form]:
    path, mark, query = address.partition("?")
    start = path.index("/", 8)
    after = mark + query
    is_index = _INDEX.search(path, start)
    if is_index or path.endswith("/"):
        folder = path[: max(start + 1, path.rindex("/"))]  # nothing is shorter than the root
        yield Form(INDEX, folder + after, is_session=False)
        if not is_index and len(path) > start + 1:
            yield Form(SLASH, folder + after, is_session=False)
    elif "." not in path[path.rindex("/") :]:
        yield Form(SLASH, path + after, is_session=False)
    yield from _without_path_parts(path, start, after)
    if not query:
        return
    items = query.split("&")
    names = tuple(dict.fromkeys(item.partition("=")[0] for item in items))
    if len(items) <= _MOST_PARAMETERS:
        for name in names:
            values = [item.partition("=")[2] for item in items if item.partition("=")[0] == name]
            left = "&".join(item for item in items if item.partition("=")[0] != name)
            is_session = name.lower() in _SESSION_NAMES or all(map(is_id, values))
            yield Form(f"parameter {name}", f"{path}?{left}" if left else path, is_session)
        if len(items) > 1:
            yield Form("order of parameters", f"{path}?{'&'.join(sorted(items))}", is_session=False)
    yield Form(WHOLE_QUERY, path, is_session=False, names=names)


def _without_path_parts(path: str, start: int, after: str) -> Iterator[Form]:
    """Without `;jsessionid=…`, without a part that is an id, and without the way round to a part that stands twice."""
    bare, semicolon, parameter = path.partition(";")
    if semicolon:
        name = parameter.partition("=")[0]
        yield Form(f"path parameter {name}", bare + after, is_session=True)
    parts = path[start + 1 :].split("/")
    again = next((part for part in parts if len(part) > 1 and not part.isdigit() and parts.count(part) > 1), None)
    if again is not None:
        last = len(parts) - 1 - parts[::-1].index(again)
        kept = parts[: parts.index(again)] + parts[last:]
        yield Form(REPEATED_PART, path[: start + 1] + "/".join(kept) + after, is_session=False)
    for place, part in enumerate(parts):
        if is_id(part):
            parts = path[start + 1 :].split("/")
            parts[place] = ""
            yield Form(f"id in part {place + 1} of the path", f"{path[: start + 1]}{'/'.join(parts)}{after}", True)  # noqa: FBT003


def path_of(address: str) -> str:
    """Path and query, whatever stands at the end of the path."""
    path, mark, query = address[address.index("/", 8) :].partition("?")
    return _INDEX.sub("", path).removesuffix("/") + mark + query


def hash_of(text: str) -> int:
    """The same for equal addresses, and the same in every process."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


Fetched: TypeAlias = "tuple[int, LinkId]"
"""The exact print of a fetched page, and the first page that had it there."""

PAIRS: Final = 3
"""Pairs of addresses with the same text that a rule takes."""

LEAST_SECTIONS: Final = 2
"""Sections of a host in which there must have been pairs for a rule to hold on all of it."""

_TIMES_AS_MANY: Final = 4  # pairs that it takes again, for each that had different texts
_MOST_SETBACKS: Final = 8  # of these, that make it take more
_PAIRS_FOR_A_PROBE: Final = 64  # more equal ones, for each probe after the first


@dataclass(slots=True)
class Rule:
    """How pairs for one rule turned out."""

    equal: int = 0  # pairs with equal texts since the last that had different ones
    different: int = 0  # pairs with different texts, ever
    is_session: bool = False
    copies: int = 0  # pages fetched although the rule held: what it was probed with
    sections: list[str] = field(default_factory=list)  # in which there were pairs, as many as it takes

    def holds(self, pairs: int) -> bool:
        """Whether there were enough equal pairs: four times as many for each different one."""
        return self.equal >= pairs * _TIMES_AS_MANY ** min(self.different, _MOST_SETBACKS)

    @property
    def wants_a_probe(self) -> bool:
        """Whether one more page is to be fetched though the rule says that it is known."""
        return self.copies < 1 + self.equal // _PAIRS_FOR_A_PROBE

    def count(self, section: str, *, is_equal: bool, is_session: bool = False) -> None:
        """Take in a pair."""
        if section not in self.sections and len(self.sections) < LEAST_SECTIONS:
            self.sections.append(section)
        self.is_session = self.is_session or is_session
        self.equal = self.equal + 1 if is_equal else 0
        self.different += not is_equal


@dataclass(frozen=True, slots=True)
class Copy:
    """A page that has the text of an earlier one, at an address that differs in one part."""

    kind: FindingKind
    rule: str
    pairs: int  # equal ones that the rule has by now
    like: LinkId  # the earlier page


_MOST_TEXTS: Final = 3  # of one path, each with the origin that showed it first


class Mirrors:
    """Knows which origins (scheme and host) are mirrors of each other. All mirrors of one have one leader."""

    def __init__(self, *, pairs: int, memory: int) -> None:
        """Two origins are mirrors after so many paths with equal texts; `memory` bounds the paths remembered."""
        self._pairs = pairs
        self._shown: Bounded[int, tuple[tuple[str, Fetched], ...]] = Bounded(memory)  # by path: the origins and pages
        self._rules: Bounded[tuple[str, str], Rule] = Bounded(max(1, memory // 8))  # by two origins
        self._leader: dict[str, str] = {}  # of an origin that has mirrors, the one that was met first

    def learn(self, origin: str, address: str, page: Fetched) -> tuple[Copy | None, list[HostKey]]:
        """Look for the same path on other hosts, or under the other scheme. Also says which hosts are seen anew.

        Sites that have nothing to do with each other have paths in common, too: a page is compared with the last few
        that had another text each. It counts against two origins that their texts differ where there is a rule about
        them, or no other page has its text.
        """
        key = hash_of(path_of(address))
        others = [shown for shown in self._shown.get(key) or () if shown[0] != origin]
        same = next((shown for shown in others if shown[1][0] == page[0]), None)
        self._shown.put(key, tuple(others if same else [*others, (origin, page)][-_MOST_TEXTS:]))
        copy, parted = None, []
        for shown in others:
            if shown is same or self.rule(origin, shown[0]) is not None or (same is None and shown is others[-1]):
                rule, seen_anew = self._count(shown[0], origin, is_equal=shown is same)
                parted += seen_anew
                if shown is same:
                    copy = Copy(FindingKind.MIRROR, shown[0], rule.equal, shown[1][1])
        return copy, parted

    def leader(self, origin: str) -> str | None:
        """The mirror of an origin that was met first; None where it has none."""
        return self._leader.get(origin)

    def hosts(self) -> list[str]:
        """Those that have mirrors."""
        return [_host(origin) for origin in self._leader]

    def fetched_from(self, origin: str, address: str) -> str | None:
        """The mirror of an origin from which this path was fetched."""
        if origin not in self._leader:
            return None
        shown = self._shown.get(hash_of(path_of(address))) or ()
        return next((other for other, _ in shown if other != origin and self._are_mirrors(other, origin)), None)

    def rule(self, one: str, two: str) -> Rule | None:
        """How the pairs of two origins turned out."""
        return self._rules.get(_pair(one, two))

    def state(self) -> State:
        """What `restore` takes."""
        rules = [(key, fields_of(rule)) for key, rule in self._rules.items()]
        return [list(self._shown.items()), rules, self._leader]

    def restore(self, state: State) -> None:
        """Back to a saved state; mirrors by a rule that there is no room for are none."""
        shown, saved, self._leader = state
        rules = [(key, Rule(*fields)) for key, fields in saved]
        self._shown.replace(shown)
        self._rules.replace(rules)
        for key, rule in rules:
            if key not in self._rules:
                self._let_go(key, rule)

    def _count(self, one: str, two: str, *, is_equal: bool) -> tuple[Rule, list[HostKey]]:
        """Take in a pair, the origin that was first with it first; the rule, and the hosts that are seen anew."""
        parted: list[HostKey] = []
        pair = _pair(one, two)
        rule = self._rules.touch(pair)
        if rule is None:
            rule = Rule()
            dropped = self._rules.put(pair, rule)
            parted += [] if dropped is None else self._let_go(*dropped)
        rule.copies += rule.holds(self._pairs)
        rule.count("", is_equal=is_equal)
        if rule.holds(self._pairs):
            self._join(one, two)
        elif not is_equal:
            parted += self._part(*pair)
        return rule, parted

    def _let_go(self, pair: tuple[str, str], rule: Rule) -> list[HostKey]:
        """There is no room for a rule; the hosts that are seen anew."""
        return self._part(*pair) if rule.holds(self._pairs) else []

    def _are_mirrors(self, one: str, two: str) -> bool:
        leader = self._leader.get(one)
        return leader is not None and leader == self._leader.get(two)

    def _part(self, one: str, two: str) -> list[HostKey]:
        """Two origins are no mirrors of each other; the hosts that are seen anew, with all their mirrors."""
        if not self._are_mirrors(one, two):
            return []
        leader = self._leader[one]
        together = [origin for origin, led_by in self._leader.items() if led_by == leader]
        for origin in together:
            del self._leader[origin]
        return [HostKey(_host(origin)) for origin in together]

    def _join(self, one: str, two: str) -> None:
        """Two origins are mirrors of each other, and so are all that are mirrors of either."""
        leader, joining = self._leader.get(one, one), self._leader.get(two, two)
        for origin in (one, two, *(each for each, led_by in self._leader.items() if led_by == joining)):
            self._leader[origin] = leader


def _host(origin: str) -> str:
    return origin.split("//")[1]


def _pair(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)


@dataclass(frozen=True, slots=True)
class Learned:
    """What a page taught."""

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
        before = self._standing(host, section, url.origin)
        folded, applied = self._fold(url)
        known = self._known(host, url.text, folded, applied)
        told = self._told_by(host, section, folded, applied, known)
        copy: Copy | None = None
        released: list[HostKey] = []
        if told:
            copy = self._check(told, section, exact)
        elif known is None:
            for form in (*forms_of(folded), *self._as_the_shorter(host, folded)):
                found, forgotten = self._compare(host, section, form, page)
                copy = copy or found
                released += forgotten
        mirrored, parted = self._mirrors.learn(url.origin, folded, page)
        released += parted
        for name in ("", *(name for _, name in applied)):
            self._keep(_key(host, name, folded), page)
        after = self._standing(host, section, url.origin)
        if after != before or released:
            self._ruled = self._hosts_with_rules()
        return Learned(
            copy or mirrored,
            has_new_rule=bool(after - before),
            unfolded=tuple(dict.fromkeys([host] * bool(before - after) + released)),
        )

    def fold(self, url: Url) -> str:
        """The address without the parts that do not matter on its host."""
        return self._fold(url)[0]

    def meet(self, url: Url) -> int:
        """How often the address or a variant of it was met before, on hosts that have rules."""
        key = _key(self._mirrors.leader(url.origin) or url.origin, "met", path_of(self.fold(url)))
        times = self._met.get(key) or 0
        self._met.put(key, times + 1)
        return times

    def variant_of(self, url: Url) -> str | None:
        """The rule by which a page that was fetched is this one under another address; None where there is none."""
        if url.host not in self._ruled:
            return None
        folded, told = self._told_of(url)
        if told:
            return told[0][0][1]
        other = self._mirrors.fetched_from(url.origin, folded)
        return None if other is None else other

    def is_probe(self, url: Url) -> bool:
        """Whether a variant is to be fetched all the same, to see whether its rule still holds."""
        if hash_of(url.text) % self._probe_every:
            return False
        folded, told = self._told_of(url)
        rules = [self._rules.get(key) for key, _ in told]
        other = self._mirrors.fetched_from(url.origin, folded)
        rules += [] if other is None else [self._mirrors.rule(url.origin, other)]
        return any(rule is not None and rule.wants_a_probe for rule in rules)

    def has_copies(self, host: HostKey, name: str) -> bool:
        """Whether pages of a host that differ in this part of the address were the same, the last time."""
        rule = self._rules.get((host, name))
        return rule is not None and rule.equal > 0

    def state(self) -> State:
        """What `restore` takes."""
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

    def _standing(self, host: str, section: str, origin: str) -> set[tuple[str, str]]:
        """What holds for an address, to be compared before and after."""
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

    def _told_by(
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

    def _told_of(self, url: Url) -> tuple[str, list[tuple[RuleKey, Fetched]]]:
        """The folded address, and what the rules of its host say of it."""
        folded, applied = self._fold(url)
        known = self._known(url.host, url.text, folded, applied)
        return folded, self._told_by(url.host, shape_of(url).section, folded, applied, known)

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

    def _check(self, told: list[tuple[RuleKey, Fetched]], section: str, exact: int) -> Copy | None:
        """A page that should have the text of an earlier one has it, or not: then the rules that say so end."""
        copy = None
        for (scope, name), earlier in told:
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
