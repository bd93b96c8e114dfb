"""robots.txt as RFC 9309 reads it, in front of another fetcher.

A file that is not there (a 4xx, or redirects without end) allows everything. One that cannot be had (a 5xx, a time-out,
no connection) allows nothing until it is asked for again, after a minute at first and five times as long after each
further try, up to a day. Of a host that does not exist, or may not be called, every URL has that outcome. We depart
from the standard in one place: 429 is read as a server in trouble rather than as a missing file.

The parser copies every rule of a group for every agent of it: 124 KB with 4,500 of each take it over a minute and
1.6 GB. So a file is cut down to the rules that concern us before it is parsed, in time that grows with its length.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from protego import Protego

from honeyguide.model import (
    Answer,
    Failed,
    FailureReason,
    Fetched,
    Redirected,
    RefusalReason,
    Refused,
    RobotsFile,
    Unchanged,
    Unknown,
    Url,
)

if TYPE_CHECKING:
    from honeyguide.fetch.http import Fetcher
    from honeyguide.fetch.schedule import HostSchedule
    from honeyguide.model import Outcome
    from honeyguide.model.clock import Clock
    from honeyguide.settings import PolitenessSettings

logger = logging.getLogger(__name__)

FRESH_S: Final = 24 * 3600.0
"""How long an answer about robots.txt is believed."""
RETRY_S: Final = 60.0
"""How long a host whose robots.txt could not be had is left alone at first."""
RETRY_FACTOR: Final = 5.0
"""How many times as long it is after every further try in a row."""
LASTING_S: Final = 600.0
"""How long a host that does not exist, or may not be called, is taken to stay so."""
MAX_BYTES: Final = 500 * 1024
MAX_RULES: Final = 5_000
"""Lines of rules for us that count, the first; every URL is compared with all of them."""
MAX_WILDCARDS: Final = 500
"""Wildcards in rules that count, but for those at an end; of further ones, the rule does not. Each is looked for in
every URL, at up to 10 µs."""
MAX_REDIRECTS: Final = 5
MAX_ORIGINS: Final = 50_000
MAX_KEPT_BYTES: Final = 64_000_000
"""Of files whose rules are in memory; the origins unused for longest go first."""

_LASTING: Final = frozenset({FailureReason.DNS, FailureReason.TLS})
_PRODUCT = re.compile(r"(?:.*\bcompatible;)?\s*([^\s/;()]*)", re.IGNORECASE)
# Lines as the parser reads them: some have no colon.
_AGENT_LINE = re.compile(r"(?:user[- ]?agent\s*:|user(?:-|\s+)?agent(?:\s|$))\s*(.*)", re.IGNORECASE)
_SITE_LINE = re.compile(r"(?:site-?maps?|host)(?:\s*:|\s)", re.IGNORECASE)
_RULE_LINE = re.compile(
    r"(?:allow|diss?all?[ao]w|diasllow|crawl[- ]delay|request[- ]rate|visit[- ]time)(?:\s*:|\s)", re.IGNORECASE
)


class RobotsMemory(Protocol):
    """Where robots.txt files outlive the process."""

    def robots_file(self, origin: str) -> RobotsFile | None:
        """Return the file that was kept of an origin, if any; it may have expired."""
        ...

    def keep_robots_file(self, file: RobotsFile) -> None:
        """Keep it in place of what was kept of its origin."""
        ...


@dataclass(frozen=True, slots=True)
class OriginRules:
    """The robots.txt rules of one origin as they apply to us. Without a file everything is allowed."""

    kept: RobotsFile
    product: str  # the name by which the file addresses us
    file: Protego | None = field(init=False)

    def __post_init__(self) -> None:
        body = self.kept.body
        rules = [] if body is None else rules_for(self.product, _text(body))
        counted = _counted(rules)
        if len(counted) < len(rules):
            logger.info(
                "%s/robots.txt has %s rules for us; %s of them count: at most %s, with at most %s wildcards",
                self.kept.origin, len(rules), len(counted), MAX_RULES, MAX_WILDCARDS,
            )  # fmt: skip
        parsed = Protego.parse("\n".join(("user-agent: *", *counted))) if counted else None
        object.__setattr__(self, "file", parsed)

    def refusal_of(self, url: Url) -> Refused | Failed | None:
        """Return the outcome of a URL that may not be asked for; None where it may be."""
        match self.kept.closed_by:
            case RefusalReason() as reason:
                return Refused(reason, self.kept.detail)
            case FailureReason() as reason:
                return Failed(reason, self.kept.detail)
        if self.file is None or self.file.can_fetch(url.text, self.product):
            return None
        return Refused(RefusalReason.ROBOTS, f"{url.origin}/robots.txt disallows {url.path_and_query}")

    @property
    def delay_s(self) -> float:
        """The pause between two requests that this origin asks for; 0 when it asks for none."""
        return (self.file and self.file.crawl_delay(self.product)) or 0.0

    @property
    def size_bytes(self) -> int:
        return len(self.kept.body or b"")


@dataclass(slots=True, eq=False)
class _Asking:
    """A robots.txt that is being asked for, and how many fetches wait for it.

    The task returns the rules, and how many requests it took to have them.
    """

    task: asyncio.Task[tuple[OriginRules, int]]
    waiting: int = 0


class RobotsFetcher:
    """Asks `inner` only for what the host's robots.txt allows, and passes on the pause it asks for.

    Each origin's robots.txt is asked for once a day however many fetches wait for it, and however often the program
    was started, where a memory is given. Where the file cannot be had, the answer tells when it will be asked for
    again. With a `schedule`, it learns of the pause as well, so that it lies between the file and the first page too.
    """

    def __init__(
        self,
        inner: Fetcher,
        settings: PolitenessSettings,
        user_agent: str,
        clock: Clock,
        *,
        schedule: HostSchedule | None = None,
        memory: RobotsMemory | None = None,
    ) -> None:
        self._inner = inner
        self._obeys = settings.obey_robots
        self._product = product_of(user_agent)
        self._clock = clock
        self._schedule = schedule
        self._memory = memory
        self._rules_by_origin: dict[str, OriginRules] = {}  # least recently used first
        self._kept_bytes = 0
        self._asking_by_origin: dict[str, _Asking] = {}

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Fetch `url` where robots.txt allows it, else answer without asking the host for it."""
        if not self._obeys:
            return await self._inner.fetch(url, first_bytes=first_bytes)
        rules, requests = await self._rules_for(url.origin)
        refusal = rules.refusal_of(url)
        if refusal is None:
            answer = await self._inner.fetch(url, first_bytes=first_bytes)
        else:
            wait_s = max(0.0, rules.kept.expires - self._clock.now()) if rules.kept.troubles else 0.0
            answer = Answer(refusal, elapsed_s=0.0, retry_after_s=wait_s)
        return replace(
            answer,
            host_delay_s=max(answer.host_delay_s, rules.delay_s),
            robots_fetches=answer.robots_fetches + requests,
        )

    async def close(self) -> None:
        """Stop asking and close `inner`; may be called twice."""
        asking = [each.task for each in self._asking_by_origin.values()]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await self._inner.close()

    async def _rules_for(self, origin: str) -> tuple[OriginRules, int]:
        """Return the rules in force, and how many requests this call made for them: none, unless it was the first."""
        known = self._known_rules(origin)
        # What is to expire later than anything does was kept before the machine's clock was set back.
        if known is not None and 0 < known.kept.expires - self._clock.now() <= FRESH_S:
            return known, 0
        asking = self._asking_by_origin.get(origin)
        if asking is not None:
            rules, _ = await self._wait_for(origin, asking)
            return rules, 0
        troubles = 0 if known is None else known.kept.troubles
        asking = self._asking_by_origin[origin] = _Asking(asyncio.create_task(self._ask(origin, troubles)))
        return await self._wait_for(origin, asking)

    async def _wait_for(self, origin: str, asking: _Asking) -> tuple[OriginRules, int]:
        """Wait with others for a robots.txt. When the last of them is cancelled, nobody wants it any more."""
        asking.waiting += 1
        try:
            # Shielded: a fetch that is cancelled must not take the robots.txt of the others with it.
            return await asyncio.shield(asking.task)
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                asking.task.cancel()
                if self._asking_by_origin.get(origin) is asking:
                    del self._asking_by_origin[origin]

    def _known_rules(self, origin: str) -> OriginRules | None:
        """Return the rules of an origin, from memory or from before; they may have expired."""
        rules = self._rules_by_origin.pop(origin, None)
        if rules is not None:
            self._rules_by_origin[origin] = rules  # now the most recently used
            return rules
        kept = None if self._memory is None else self._memory.robots_file(origin)
        return None if kept is None else self._in_force(OriginRules(kept, self._product))

    async def _ask(self, origin: str, troubles: int) -> tuple[OriginRules, int]:
        """Ask for an origin's robots.txt, following its redirects wherever they lead."""
        url, requests = _robots_txt_of(origin), 0
        answer = Answer(Redirected(status=0, target=url), elapsed_s=0.0)
        while isinstance(answer.outcome, Redirected) and requests <= MAX_REDIRECTS:
            url = answer.outcome.target
            answer = await self._inner.fetch(url, first_bytes=MAX_BYTES)
            requests += 1
        if isinstance(answer.outcome, Fetched) and url == _robots_txt_of(url.origin) and url.origin != origin:
            self._keep(file_from(answer, url.origin, self._clock.now()))  # of that host, which is asked once less
        return self._keep(file_from(answer, origin, self._clock.now(), troubles)), requests

    def _keep(self, file: RobotsFile) -> OriginRules:
        rules = OriginRules(file, self._product)
        if self._memory is not None:  # only now: a file that cannot be read must not be met again
            self._memory.keep_robots_file(file)
        return self._in_force(rules)

    def _in_force(self, rules: OriginRules) -> OriginRules:
        """From now on these rules hold for their origin."""
        origin = rules.kept.origin
        before = self._rules_by_origin.pop(origin, None)
        self._kept_bytes += rules.size_bytes - (before.size_bytes if before else 0)
        self._rules_by_origin[origin] = rules
        while len(self._rules_by_origin) > MAX_ORIGINS or self._kept_bytes > MAX_KEPT_BYTES:
            unused = self._rules_by_origin.pop(next(iter(self._rules_by_origin)))
            self._kept_bytes -= unused.size_bytes
            self._set_crawl_delay(unused.kept.origin, 0.0)  # until its rules are wanted again
        self._set_crawl_delay(origin, rules.delay_s)
        return rules

    def _set_crawl_delay(self, origin: str, asked_s: float) -> None:
        if self._schedule is not None:
            self._schedule.set_crawl_delay(Url.parse(f"{origin}/"), asked_s)


def file_from(answer: Answer, origin: str, now: float, troubles: int = 0) -> RobotsFile:
    """Read the last answer to asking for `origin`'s robots.txt, after so many troubles in a row."""
    outcome = answer.outcome
    match outcome:
        case Fetched():
            return RobotsFile(origin, now + FRESH_S, outcome.body[:MAX_BYTES])
        case Redirected() | Unchanged() | Unknown():  # one too many, or a recording without the file: no rules
            return RobotsFile(origin, now + FRESH_S)
        case Failed() if _is_missing(outcome):
            return RobotsFile(origin, now + FRESH_S)
        case Failed() if outcome.reason in _LASTING:
            return RobotsFile(origin, now + LASTING_S, None, outcome.reason, outcome.detail)
        case Failed():
            wait_s = max(RETRY_S * RETRY_FACTOR ** min(troubles, 10), answer.retry_after_s)
            logger.info("%s/robots.txt cannot be had, so the host waits: %s", origin, outcome.detail)
            detail = f"{origin}/robots.txt cannot be had: {outcome.detail}"
            expires = now + min(wait_s, FRESH_S)
            return RobotsFile(origin, expires, None, RefusalReason.ROBOTS, detail, troubles + 1)
        case Refused():
            return RobotsFile(origin, now + LASTING_S, None, outcome.reason, outcome.detail)
        case _:
            assert_never(outcome)


def rules_from(outcome: Outcome, origin: str, now: float, product: str) -> OriginRules:
    """Return the rules for `product` that follow from the outcome of asking for `origin`'s robots.txt."""
    return OriginRules(file_from(Answer(outcome, elapsed_s=0.0), origin, now), product)


def rules_for(product: str, text: str) -> list[str]:
    """Return the lines of a robots.txt with rules for `product`, or else for everybody; of no group, none.

    The longest name that `product` has in it decides, and all groups with that name count.
    """
    names_by_group: list[list[str]] = []  # those that may mean us
    rules_by_group: list[list[str]] = []
    is_naming = False  # whether the last line named an agent
    best, best_score = "", 0
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        agent = _AGENT_LINE.match(line)
        if agent is not None:
            if not is_naming:
                names_by_group.append([])
                rules_by_group.append([])
            is_naming = True
            written = agent[1].lower()
            for name in (written, written.replace("*", "")):
                score = _score(name, product.lower())
                if score:
                    names_by_group[-1].append(name)
                if score > best_score:
                    best, best_score = name, score
        elif _SITE_LINE.match(line) is None and (":" in line or _RULE_LINE.match(line)):
            is_naming = False
            if names_by_group and names_by_group[-1] and _RULE_LINE.match(line):
                rules_by_group[-1].append(line)
    groups = zip(names_by_group, rules_by_group, strict=True)
    return [rule for names, rules in groups if best in names for rule in rules]


def _counted(rules: list[str]) -> list[str]:
    """Return the rules that are few and simple enough together to compare every URL with; the first come first."""
    wildcards = accumulate(rule.rstrip("*").count("*") for rule in rules)
    pairs = zip(rules, wildcards, strict=True)
    return [rule for rule, so_far in pairs if so_far <= MAX_WILDCARDS or "*" not in rule.rstrip("*")][:MAX_RULES]


def _score(name: str, product: str) -> int:
    """Return how well the name of a group fits: its length where `product` has it at the start of a word, else 0."""
    if name == "*":
        return 1
    found = product.find(name) if name else -1
    while found > 0 and (product[found - 1].isalnum() or product[found - 1] in "-_"):
        found = product.find(name, found + 1)
    return len(name) if found >= 0 else 0


def _robots_txt_of(origin: str) -> Url:
    return Url.parse(f"{origin}/robots.txt")


def product_of(user_agent: str) -> str:
    """Find the name a robots.txt would address us by: the first product, or the one said to be compatible."""
    found = _PRODUCT.match(user_agent)
    return (found and found[1]) or user_agent.strip()


def _is_missing(failure: Failed) -> bool:
    status = failure.status if failure.reason is FailureReason.HTTP_STATUS else None
    return status is not None and status < 500 and status not in (407, 429)  # a proxy or a server in trouble


def _text(body: bytes) -> str:
    if len(body) >= MAX_BYTES:
        # Cut in the middle of a line: half a rule would say something its author did not.
        body = body[: body.rfind(b"\n") + 1]
    return body.decode("utf-8-sig", errors="replace")
