"""robots.txt as RFC 9309 reads it, in front of another fetcher.

A file that is not there (a 4xx, or redirects without end) allows everything; one that cannot be had (a 5xx, a
time-out, no connection) allows nothing until it is asked for again. We depart from the standard in one place:
429 is read as a server in trouble rather than as a missing file.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, assert_never

from protego import Protego

from honeyguide.domain import (
    Answer,
    Failed,
    FailureReason,
    Fetched,
    Redirected,
    RefusalReason,
    Refused,
    Unchanged,
    Unknown,
    Url,
)

if TYPE_CHECKING:
    from honeyguide.clock import Clock
    from honeyguide.domain import Outcome
    from honeyguide.fetch.fetcher import Fetcher
    from honeyguide.settings import PolitenessSettings

logger = logging.getLogger(__name__)

FRESH_S: Final = 24 * 3600.0
"""How long an answer about robots.txt is believed."""
RETRY_S: Final = 600.0
"""How long a host whose robots.txt could not be had is left alone."""
MAX_BYTES: Final = 500 * 1024
MAX_REDIRECTS: Final = 5
MAX_ORIGINS: Final = 50_000
"""Rules kept in memory; the origin unused for longest goes first."""

_PRODUCT = re.compile(r"(?:.*\bcompatible;)?\s*([^\s/;()]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OriginRules:
    """What one origin's robots.txt says to us. Without a file everything is allowed."""

    expires: float  # clock time
    file: Protego | None = None
    refusal: Refused | None = None  # the origin is closed as a whole

    def refusal_of(self, url: Url, product: str) -> Refused | None:
        if self.refusal is not None or self.file is None or self.file.can_fetch(url.text, product):
            return self.refusal
        return Refused(RefusalReason.ROBOTS, f"{url.origin}/robots.txt disallows {url.path_and_query}")

    def delay_s(self, product: str) -> float:
        """The pause between two requests this origin asks for; 0 when it asks for none."""
        return (self.file and self.file.crawl_delay(product)) or 0.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """The rules of one origin, and what asking for them cost."""

    rules: OriginRules
    requests: int
    elapsed_s: float


class RobotsFetcher:
    """Asks `inner` only for what the host's robots.txt allows, and passes on the pause it asks for.

    Each origin's robots.txt is asked for once a day however many fetches wait for it; the fetch that made the
    request carries its cost.
    """

    def __init__(self, inner: Fetcher, settings: PolitenessSettings, user_agent: str, clock: Clock) -> None:
        self._inner = inner
        self._obeys = settings.obey_robots
        self._product = product_of(user_agent)
        self._clock = clock
        self._rules_by_origin: dict[str, OriginRules] = {}  # least recently used first
        self._asking_by_origin: dict[str, asyncio.Task[_Asked]] = {}

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Fetch `url` where robots.txt allows it, else answer `Refused` without asking the host."""
        if not self._obeys:
            return await self._inner.fetch(url, first_bytes=first_bytes)
        asked = await self._asked_about(url.origin)
        refusal = asked.rules.refusal_of(url, self._product)
        if refusal is not None:
            answer = Answer(refusal, elapsed_s=0.0)
        else:
            answer = await self._inner.fetch(url, first_bytes=first_bytes)
        return replace(
            answer,
            elapsed_s=answer.elapsed_s + asked.elapsed_s,
            host_delay_s=max(answer.host_delay_s, asked.rules.delay_s(self._product)),
            robots_fetches=answer.robots_fetches + asked.requests,
        )

    async def close(self) -> None:
        """Stop asking and close `inner`; may be called twice."""
        asking = list(self._asking_by_origin.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await self._inner.close()

    async def _asked_about(self, origin: str) -> _Asked:
        """Return the rules in force and what they cost this call: nothing, unless it was the one to ask."""
        rules = self._fresh_rules(origin)
        if rules is not None:
            return _Asked(rules, requests=0, elapsed_s=0.0)
        asking = self._asking_by_origin.get(origin)
        if asking is not None:
            return replace(await asyncio.shield(asking), requests=0, elapsed_s=0.0)
        asking = asyncio.create_task(self._ask(origin))
        self._asking_by_origin[origin] = asking
        asking.add_done_callback(lambda _: self._asking_by_origin.pop(origin, None))
        # Shielded: a fetch that is cancelled must not take the robots.txt of the others with it.
        return await asyncio.shield(asking)

    def _fresh_rules(self, origin: str) -> OriginRules | None:
        rules = self._rules_by_origin.pop(origin, None)
        if rules is None or rules.expires <= self._clock.now():
            return None
        self._rules_by_origin[origin] = rules  # now the most recently used
        return rules

    async def _ask(self, origin: str) -> _Asked:
        """Ask for an origin's robots.txt, following its redirects wherever they lead."""
        url, requests, elapsed_s = Url.parse(f"{origin}/robots.txt"), 0, 0.0
        outcome: Outcome = Redirected(status=0, target=url)
        while isinstance(outcome, Redirected) and requests <= MAX_REDIRECTS:
            answer = await self._inner.fetch(outcome.target, first_bytes=MAX_BYTES)
            outcome = answer.outcome
            requests += 1
            elapsed_s += answer.elapsed_s
        rules = rules_from(outcome, origin, self._clock.now())
        self._keep(origin, rules)
        return _Asked(rules, requests, elapsed_s)

    def _keep(self, origin: str, rules: OriginRules) -> None:
        self._rules_by_origin[origin] = rules
        if len(self._rules_by_origin) > MAX_ORIGINS:
            del self._rules_by_origin[next(iter(self._rules_by_origin))]


def rules_from(outcome: Outcome, origin: str, now: float) -> OriginRules:
    """Read the last outcome of asking for `origin`'s robots.txt."""
    match outcome:
        case Fetched():
            return OriginRules(now + FRESH_S, file=Protego.parse(_text(outcome.body)))
        case Redirected() | Unchanged() | Unknown():  # one too many, or a recording without the file: no rules
            return OriginRules(now + FRESH_S)
        case Failed() if _is_missing(outcome):
            return OriginRules(now + FRESH_S)
        case Failed():
            logger.info("%s/robots.txt cannot be had, so the host waits: %s", origin, outcome.detail)
            detail = f"{origin}/robots.txt cannot be had: {outcome.detail}"
            return OriginRules(now + RETRY_S, refusal=Refused(RefusalReason.ROBOTS, detail))
        case Refused():
            return OriginRules(now + RETRY_S, refusal=outcome)
        case _:
            assert_never(outcome)


def product_of(user_agent: str) -> str:
    """Find the name a robots.txt would address us by: the first product, or the one said to be compatible."""
    found = _PRODUCT.match(user_agent)
    return (found and found[1]) or user_agent.strip()


def _is_missing(failure: Failed) -> bool:
    status = failure.status if failure.reason is FailureReason.HTTP_STATUS else None
    return status is not None and status < 500 and status != 429


def _text(body: bytes) -> str:
    if len(body) >= MAX_BYTES:
        # Cut in the middle of a line: half a rule would say something its author did not.
        body = body[: body.rfind(b"\n") + 1]
    return body.decode("utf-8-sig", errors="replace")
