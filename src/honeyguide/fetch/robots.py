"""robots.txt as RFC 9309 reads it, in front of another fetcher.

A file that is not there (a 4xx, or redirects without end) allows everything. One that cannot be had (a 5xx, a time-out,
no connection) allows nothing until it is asked for again, after a minute at first and five times as long after each
further try, up to a day. Of a host that does not exist, or may not be called, every URL has that outcome. We depart
from the standard in one place: 429 is read as a server in trouble rather than as a missing file.

`Request-rate: 1/30` is a pause of 30 seconds, at whatever time of day; the longer of it and `Crawl-delay` counts.
Other files are asked for in the same way, right after robots.txt and where that allows it, only if the settings name
them. Under strict respect one of them that cannot be had closes its origin as robots.txt does.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from honeyguide.fetch.site_rules import FRESH_S, MAX_BYTES, PATHS, OriginRules, is_fresh, problem_in, product_of
from honeyguide.model import (
    ROBOTS_TXT,
    Answer,
    Failed,
    FailureReason,
    Fetched,
    Redirected,
    RefusalReason,
    Refused,
    SiteFile,
    Unchanged,
    Unknown,
    Url,
)
from honeyguide.settings.sections import DirectiveSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.fetch.http import Fetcher
    from honeyguide.fetch.schedule import HostSchedule
    from honeyguide.model import Outcome
    from honeyguide.model.clock import Clock
    from honeyguide.settings import PolitenessSettings

logger = logging.getLogger(__name__)

RETRY_S: Final = 60.0
"""How long a host whose robots.txt could not be had is left alone at first."""
RETRY_FACTOR: Final = 5.0
"""How many times as long it is after every further try in a row."""
LASTING_S: Final = 600.0
"""How long a host that does not exist, or may not be called, is taken to stay so."""
MAX_REDIRECTS: Final = 5
MAX_ORIGINS: Final = 50_000
MAX_KEPT_BYTES: Final = 64_000_000
"""Of files whose rules are in memory; the origins unused for longest go first."""

_LASTING: Final = frozenset({FailureReason.DNS, FailureReason.TLS})


class SiteFileMemory(Protocol):
    """Where robots.txt and the like outlive the process."""

    def site_file(self, origin: str, path: str = ROBOTS_TXT) -> SiteFile | None:
        """Return the newest file that was kept of an origin, if any; it may have expired."""
        ...

    def keep_site_file(self, file: SiteFile) -> None:
        """Keep it as the newest of its origin and path."""
        ...


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
        memory: SiteFileMemory | None = None,
        directives: DirectiveSettings = DirectiveSettings(),  # noqa: B008 - frozen
    ) -> None:
        self._inner = inner
        self._others = tuple(PATHS[name] for name in directives.files)
        self._is_strict = directives.is_strict
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
            if isinstance(answer.outcome, Fetched) and rules.reserving:
                reserved = replace(answer.outcome, site_directives=rules.directives_of(url))
                answer = replace(answer, outcome=reserved)
        else:
            closing = rules.closing
            wait_s = max(0.0, closing.expires - self._clock.now()) if closing is not None and closing.troubles else 0.0
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
        if known is not None and known.are_fresh(self._clock.now()):
            return known, 0
        asking = self._asking_by_origin.get(origin)
        if asking is not None:
            rules, _ = await self._wait_for(origin, asking)
            return rules, 0
        asking = self._asking_by_origin[origin] = _Asking(asyncio.create_task(self._ask(origin, known)))
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
        if self._memory is None:
            return None
        kept = [self._memory.site_file(origin, path) for path in (ROBOTS_TXT, *self._others)]
        files = [file for file in kept if file is not None]
        return self._in_force(self._rules(files)) if len(files) == len(kept) else None

    def _rules(self, files: Sequence[SiteFile]) -> OriginRules:
        return OriginRules(files[0], self._product, tuple(files[1:]), self._is_strict)

    async def _ask(self, origin: str, known: OriginRules | None) -> tuple[OriginRules, int]:
        """Ask for those files of an origin that are wanted and not fresh; robots.txt comes first."""
        before = {} if known is None else {file.path: file for file in known.files}
        files: list[SiteFile] = []
        new: list[SiteFile] = []
        requests = 0
        for path in (ROBOTS_TXT, *self._others):
            file = before.get(path)
            if file is None or not is_fresh(file, self._clock.now()):
                robots = OriginRules(files[0], self._product) if files else None
                file, cost = await self._ask_for(origin, path, robots, 0 if file is None else file.troubles)
                new.append(file)
                requests += cost
            files.append(file)
        return self._keep(files, new), requests

    async def _ask_for(self, origin: str, path: str, robots: OriginRules | None, troubles: int) -> tuple[SiteFile, int]:
        """Ask for a file, following redirects wherever they lead but to what `robots` disallows; count the requests."""
        url, requests = Url.parse(origin + path), 0
        answer = Answer(Redirected(status=0, target=url), elapsed_s=0.0)
        while isinstance(answer.outcome, Redirected) and requests <= MAX_REDIRECTS:
            url = answer.outcome.target
            if robots is not None and url.origin == origin and (refusal := robots.refusal_of(url)) is not None:
                detail = f"not asked for: {refusal.detail}"
                return SiteFile(
                    origin, robots.kept.expires, detail=detail, path=path, asked_at=self._clock.now()
                ), requests
            answer = await self._inner.fetch(url, first_bytes=MAX_BYTES)
            requests += not isinstance(answer.outcome, Refused)  # which is an answer without a request
        now = self._clock.now()
        is_of_other = path == ROBOTS_TXT and url.origin != origin and url.text == url.origin + path
        if isinstance(answer.outcome, Fetched) and is_of_other and not self._others:
            other = [file_from(answer, url.origin, now)]
            self._keep(other, other)  # of that host, which is asked once less
        file = file_from(answer, origin, now, troubles, path)
        if self._is_strict and file.body is not None and file.detail:
            logger.warning("%s%s %s: what it says there is not obeyed", origin, path, file.detail)
        return file, requests

    def _keep(self, files: Sequence[SiteFile], new: Sequence[SiteFile]) -> OriginRules:
        """Let the files of an origin count, and keep those that are new."""
        rules = self._rules(files)
        if self._memory is not None:  # only now: a file that cannot be read must not be met again
            for file in new:
                self._memory.keep_site_file(file)
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


def file_from(answer: Answer, origin: str, now: float, troubles: int = 0, path: str = ROBOTS_TXT) -> SiteFile:
    """Read the last answer to asking `origin` for a file, after so many troubles in a row."""
    outcome = answer.outcome
    file = SiteFile(origin, now + FRESH_S, path=path, asked_at=now)
    match outcome:
        case Fetched():
            found = replace(file, body=outcome.body[:MAX_BYTES])
            return replace(found, detail=problem_in(found))
        case Redirected():  # one too many
            return replace(file, detail=f"more than {MAX_REDIRECTS} redirects")
        case Unchanged() | Unknown():  # a recording without the file
            return file
        case Failed() if _is_missing(outcome):
            return replace(file, detail=outcome.detail)
        case Failed() if outcome.reason not in _LASTING or path != ROBOTS_TXT:
            wait_s = max(RETRY_S * RETRY_FACTOR ** min(troubles, 10), answer.retry_after_s)
            detail = f"{origin}{path} cannot be had: {outcome.detail}"
            logger.info("%s", detail)
            reason = RefusalReason.ROBOTS if path == ROBOTS_TXT else RefusalReason.RESERVED
            expires = now + min(wait_s, FRESH_S)
            return replace(file, expires=expires, closed_by=reason, detail=detail, troubles=troubles + 1)
        case Failed() | Refused():
            return replace(file, expires=now + LASTING_S, closed_by=outcome.reason, detail=outcome.detail)
        case _:
            assert_never(outcome)


def rules_from(outcome: Outcome, origin: str, now: float, product: str) -> OriginRules:
    """Return the rules for `product` that follow from the outcome of asking for `origin`'s robots.txt."""
    return OriginRules(file_from(Answer(outcome, elapsed_s=0.0), origin, now), product)


def _is_missing(failure: Failed) -> bool:
    status = failure.status if failure.reason is FailureReason.HTTP_STATUS else None
    return status is not None and status < 500 and status not in (407, 429)  # a proxy or a server in trouble
