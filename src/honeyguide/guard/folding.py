"""Which parts of an address do not matter on a host, learned from pages that turned out to be the same.

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

from honeyguide.counts import count_of
from honeyguide.domain import HostKey
from honeyguide.guard.bounded import Bounded
from honeyguide.guard.guard import FindingKind
from honeyguide.guard.saving import fields_of
from honeyguide.guard.shape import is_id, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.domain import LinkId, Url
    from honeyguide.guard.saving import State

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

_WORDS: Final = {WHOLE_QUERY: "the query", SLASH: "the slash at the end", INDEX: "the name of an index page"}


_Fetched: TypeAlias = "tuple[int, LinkId]"
"""The exact print of a fetched page, and the first page that had it there."""


class Form(NamedTuple):
    """An address without one of its parts."""

    rule: str  # what was left out, as in "parameter sid"
    text: str
    is_session: bool  # whether what was left out reads like the id of a visit
    names: tuple[str, ...] = ()  # of parameters, where all of them were left out


@dataclass(slots=True)
class Rule:
    """How pairs for one rule turned out."""

    equal: int = 0  # pairs with equal texts since the last that had different ones
    different: int = 0  # pairs with different texts, ever
    is_session: bool = False
    copies: int = 0  # pages fetched although the rule held: what it was probed with
    sections: list[str] = field(default_factory=list)  # the first two in which there were pairs

    def holds(self, pairs: int) -> bool:
        """Whether there were enough equal pairs: four times as many for each different one."""
        return self.equal >= pairs * 4 ** min(self.different, 8)

    def count(self, section: str, *, is_equal: bool, is_session: bool = False) -> None:
        """Take in a pair."""
        if section not in self.sections and len(self.sections) < 2:
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

    def told(self) -> str:
        """The numbers that decide, for people."""
        part = _WORDS.get(self.rule, "the host" if self.kind is FindingKind.MIRROR else self.rule)
        return f"the very text of an earlier page, where only this differs: {part}; {count_of(self.pairs, 'such pair')}"


@dataclass(frozen=True, slots=True)
class Learned:
    """What a page taught."""

    copy: Copy | None = None
    established: tuple[HostKey, ...] = ()  # hosts that have a new rule
    unfolded: tuple[HostKey, ...] = ()  # hosts that have lost one


class Folding:
    """Learns rules host by host, and knows which addresses are variants of one that was fetched."""

    def __init__(self, *, pairs: int, memory: int, probe_every: int = 16) -> None:
        """Rules take so many equal pairs. `memory` bounds the forms of fetched addresses that are remembered."""
        self._pairs = pairs
        self._probe_every = probe_every
        self._fetched: Bounded[int, _Fetched] = Bounded(memory)  # by forms of their addresses
        self._met: Bounded[int, int] = Bounded(memory)  # folded addresses that were met on hosts that have rules
        self._names: Bounded[int, tuple[str, ...]] = Bounded(memory)  # of the parameters last seen with a path
        self._origin_by_path: Bounded[int, tuple[str, _Fetched]] = Bounded(memory)
        self._rules: Bounded[tuple[str, str], Rule] = Bounded(max(1, memory // 8))  # by host or section, and name
        self._mirrors: Bounded[tuple[str, str], Rule] = Bounded(max(1, memory // 8))  # by two origins
        self._held: dict[str, list[str]] = {}  # names of the rules that hold, by host or section
        self._leader: dict[str, str] = {}  # of an origin that has mirrors, the one that was met first
        self._ruled: frozenset[str] = frozenset()  # hosts on which a rule holds
        self._parted: list[HostKey] = []  # hosts that the page just seen proved to be no mirrors

    def has_rules(self, host: HostKey) -> bool:
        """Whether anything about the addresses of a host is known not to matter."""
        return host in self._ruled

    def learn(self, url: Url, exact: int, link: LinkId) -> Learned:
        """Take in the address and the exact print of a page with enough text to tell."""
        page = (exact, link)
        host, section = url.host, shape_of(url).section
        before = self._standing(host, section, url.origin)
        self._parted.clear()
        folded, applied = self._fold(url)
        known = self._known(host, url.text, folded, applied)
        told_by = applied or self._rules_of_the_shorter(host, section, folded)
        copy = None
        if known is None:
            for form in (*forms_of(folded), *self._as_the_shorter(host, folded)):
                found = self._compare(host, section, form, page)
                copy = copy or found
        elif told_by:
            copy = self._check(told_by, known, exact)
        mirrored = self._compare_origins(url.origin, folded, page)
        copy = copy or mirrored
        for name in ("", *(name for _, name in applied)):
            self._keep(_key(host, name, folded), page)
        after = self._standing(host, section, url.origin)
        if after != before or self._parted:
            self._ruled = frozenset(
                [scope.partition("/")[0] for scope in self._held] + [origin.split("//")[1] for origin in self._leader]
            )
        return Learned(
            copy,
            established=(host,) if after - before else (),
            unfolded=tuple(dict.fromkeys([host] * bool(before - after) + self._parted)),
        )

    def fold(self, url: Url) -> str:
        """The address without the parts that do not matter on its host."""
        return self._fold(url)[0]

    def meet(self, url: Url) -> int:
        """How often the address or a variant of it was met before, on hosts that have rules."""
        key = _key(self._leader.get(url.origin, url.origin), "met", _path_of(self.fold(url)))
        times = self._met.get(key) or 0
        self._met.put(key, times + 1)
        return times

    def variant_of(self, url: Url) -> str | None:
        """The rule by which a page that was fetched is this one under another address; None where there is none."""
        host = url.host
        if host not in self._ruled:
            return None
        folded, applied = self._fold(url)
        if applied and _key(host, "", folded) in self._fetched:
            return applied[0][1]
        held = (*self._held.get(host, ()), *self._held.get(shape_of(url).section, ()))
        for form in forms_of(url.text) if held else ():
            if form.rule in held and _key(host, form.rule, form.text) in self._fetched:
                return form.rule
        shorter = self._rules_of_the_shorter(host, shape_of(url).section, url.text)
        if shorter:
            return shorter[0][1]
        other = self._mirrored(url.origin, folded)
        return None if other is None else f"mirror of {other}"

    def is_probe(self, url: Url) -> bool:
        """Whether a variant is to be fetched all the same, to see whether its rule still holds."""
        if _hash(url.text) % self._probe_every:
            return False
        rules = [self._rules.get(key) for key in self._fold(url)[1]]
        other = self._mirrored(url.origin, self.fold(url))
        rules += [] if other is None else [self._mirrors.get(_pair(url.origin, other))]
        return any(rule is not None and rule.copies < 1 + rule.equal // 64 for rule in rules)

    def has_copies(self, host: HostKey, name: str) -> bool:
        """Whether pages of a host that differ in this part of the address were the same, the last time."""
        rule = self._rules.get((host, name))
        return rule is not None and rule.equal > 0

    def held(self) -> dict[str, tuple[str, ...]]:
        """The rules that hold, by host, section or origin."""
        mirrors = {origin: (f"mirror of {leader}",) for origin, leader in self._leader.items() if origin != leader}
        return {**{scope: tuple(names) for scope, names in self._held.items()}, **mirrors}

    def state(self) -> State:
        """What `restore` takes."""
        return [
            list(self._fetched.items()),
            list(self._met.items()),
            list(self._names.items()),
            list(self._origin_by_path.items()),
            [(key, fields_of(rule)) for key, rule in self._rules.items()],
            [(key, fields_of(rule)) for key, rule in self._mirrors.items()],
            self._held,
            self._leader,
            sorted(self._ruled),
        ]

    def restore(self, state: State) -> None:
        fetched, met, names, paths, rules, mirrors, self._held, self._leader, ruled = state
        self._ruled = frozenset(ruled)
        self._fetched.replace(fetched)
        self._met.replace(met)
        self._names.replace(names)
        self._origin_by_path.replace(paths)
        self._rules.replace((key, Rule(*fields)) for key, fields in rules)
        self._held = {
            scope: kept
            for scope, names in self._held.items()
            if (kept := [name for name in names if (scope, name) in self._rules])
        }
        self._mirrors.replace((key, Rule(*fields)) for key, fields in mirrors)

    def _standing(self, host: str, section: str, origin: str) -> set[tuple[str, str]]:
        """What holds for an address, to be compared before and after."""
        rules = {(scope, name) for scope in (host, section) for name in self._held.get(scope, ())}
        return rules | {("mirror", leader) for leader in [self._leader.get(origin)] if leader is not None}

    def _fold(self, url: Url) -> tuple[str, list[tuple[str, str]]]:
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

    def _known(self, host: str, address: str, folded: str, applied: list[tuple[str, str]]) -> _Fetched | None:
        """The page fetched at this address, or at one that the rules say is the same."""
        known = self._fetched.touch(_key(host, "", folded))
        names = [name for _, name in applied]
        for form in forms_of(address) if known is None and names else ():
            # What was fetched before a rule was established is remembered by that rule alone.
            if form.rule in names and known is None:
                known = self._fetched.touch(_key(host, form.rule, form.text))
        return known

    def _keep(self, key: int, page: _Fetched) -> None:
        """Remember a page; of those with one text, the first."""
        known = self._fetched.get(key)
        self._fetched.put(key, page if known is None or known[0] != page[0] else known)

    def _rules_of_the_shorter(self, host: str, section: str, address: str) -> list[tuple[str, str]]:
        """The rules that hold and made this address out of a longer one that was fetched."""
        return [
            (scope, name)
            for scope in (host, section)
            for name in self._held.get(scope, ())
            if _key(host, name, address) in self._fetched
        ]

    def _as_the_shorter(self, host: str, address: str) -> Iterator[Form]:
        """An address that is what is left of a longer one, where that was fetched first."""
        if _key(host, REPEATED_PART, address) in self._fetched:
            yield Form(REPEATED_PART, address, is_session=False)

    def _compare(self, host: str, section: str, form: Form, page: _Fetched) -> Copy | None:
        """Look for the other half of a pair, and count it."""
        key = _key(host, form.rule, form.text)
        known = self._fetched.touch(key)
        if known is None:
            known = self._fetched.get(_key(host, "", form.text))  # without the part it may be an address of its own
        is_equal = known is not None and known[0] == page[0]
        if not is_equal:
            self._fetched.put(key, page)
        is_telling = self._is_telling(key, form)
        if known is None or not is_telling:
            return None
        equal = 0
        for scope in (host, section):
            rule = self._rules.touch((scope, form.rule))
            if rule is None:
                rule = Rule()
                dropped = self._rules.put((scope, form.rule), rule)
                if dropped is not None:
                    self._forget(*dropped[0])
            rule.count(section, is_equal=is_equal, is_session=form.is_session)
            self._settle(scope, form.rule, rule)
            equal = rule.equal
        return Copy(_kind(form.rule, is_session=form.is_session), form.rule, equal, known[1]) if is_equal else None

    def _is_telling(self, key: int, form: Form) -> bool:
        """Whether a pair is about this rule: a query as a whole was changed only where no parameter stayed."""
        if form.rule != WHOLE_QUERY:
            return True
        before = self._names.touch(key)
        self._names.put(key, form.names)
        return before is not None and not set(before) & set(form.names)

    def _check(self, applied: list[tuple[str, str]], earlier: _Fetched, exact: int) -> Copy | None:
        """A page that should have the text of an earlier one has it, or not: then the rules that say so end."""
        copy, is_equal = None, earlier[0] == exact
        for scope, name in applied:
            rule = self._rules.touch((scope, name))
            assert rule is not None  # the table lets go of a rule and its counts together
            rule.count(scope, is_equal=is_equal)
            rule.copies += 1
            self._settle(scope, name, rule)
            if is_equal:
                copy = Copy(_kind(name, is_session=rule.is_session), name, rule.equal, earlier[1])
        return copy

    def _settle(self, scope: str, name: str, rule: Rule) -> None:
        """Have a rule hold in its scope, or no longer. For a whole host it must have been seen in two sections."""
        is_wide_enough = "/" in scope or len(rule.sections) > 1
        if not (rule.holds(self._pairs) and is_wide_enough):
            self._release(scope, name)
        elif name not in self._held.get(scope, ()):
            self._held[scope] = [*self._held.get(scope, ()), name]

    def _forget(self, scope: str, name: str) -> None:
        """Let go of a rule that there is no room for; what it kept behind is looked at again."""
        if name in self._held.get(scope, ()):
            self._release(scope, name)
            self._parted.append(HostKey(scope.partition("/")[0]))

    def _release(self, scope: str, name: str) -> None:
        held = [other for other in self._held.pop(scope, ()) if other != name]
        if held:
            self._held[scope] = held

    def _compare_origins(self, origin: str, folded: str, page: _Fetched) -> Copy | None:
        """Look for the same path on another host, or under the other scheme."""
        key = _hash(_path_of(folded))
        known = self._origin_by_path.touch(key)
        if known is None or known[0] == origin:
            self._origin_by_path.put(key, (origin, page))
            return None
        other, earlier = known
        is_equal = earlier[0] == page[0]
        pair = _pair(origin, other)
        rule = self._mirrors.touch(pair)
        if rule is None:
            rule = Rule()
            dropped = self._mirrors.put(pair, rule)
            if dropped is not None:
                self._part(*dropped[0])
        rule.copies += rule.holds(self._pairs)
        rule.count("", is_equal=is_equal)
        if not rule.holds(self._pairs):
            self._part(*pair)
        else:
            self._join(other, origin)
        return Copy(FindingKind.MIRROR, f"mirror of {other}", rule.equal, earlier[1]) if is_equal else None

    def _part(self, one: str, two: str) -> None:
        """Two origins are no mirrors of each other."""
        leader = self._leader.get(one)
        if leader is None or leader != self._leader.get(two):
            return
        # Who is whose mirror without them is seen anew.
        together = [origin for origin, led_by in self._leader.items() if led_by == leader]
        for origin in together:
            del self._leader[origin]
        self._parted += [HostKey(origin.split("//")[1]) for origin in together]

    def _join(self, one: str, two: str) -> None:
        """Two origins are mirrors of each other, and so are all that are mirrors of either."""
        leader, joining = self._leader.get(one, one), self._leader.get(two, two)
        for origin in (one, two, *(each for each, led_by in self._leader.items() if led_by == joining)):
            self._leader[origin] = leader

    def _mirrored(self, origin: str, folded: str) -> str | None:
        """The mirror of an origin from which this path was fetched."""
        if origin not in self._leader:
            return None
        known = self._origin_by_path.get(_hash(_path_of(folded)))
        is_mirror = known is not None and known[0] != origin and self._leader.get(known[0]) == self._leader[origin]
        return known[0] if known is not None and is_mirror else None


@lru_cache(maxsize=8192)
def forms_of(address: str) -> tuple[Form, ...]:
    """An address without each of the parts that may turn out not to matter."""
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


def _path_of(address: str) -> str:
    """Path and query, whatever stands at the end of the path."""
    path, mark, query = address[address.index("/", 8) :].partition("?")
    return _INDEX.sub("", path).removesuffix("/") + mark + query


def _key(host: str, rule: str, text: str) -> int:
    return _hash(f"{host} {rule} {text}")


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def _pair(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)


def _kind(rule: str, *, is_session: bool) -> FindingKind:
    if rule == REPEATED_PART:
        return FindingKind.REPEATING_PATH
    return FindingKind.SESSION_ID if is_session else FindingKind.VARIANT
