"""What no host may ever see, read off a log of requests."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from honeyguide.model import Failed, Fetched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.settings import FetchSettings, PolitenessSettings
    from scripted_network import Request

TOLERANCE_S = 1e-6  # times of day are no exact numbers


def check_politeness(
    log: Sequence[Request],
    politeness: PolitenessSettings,
    kills: Sequence[float] = (),
    fetch: FetchSettings | None = None,
) -> None:
    """AssertionError for the first request that came too early; with `fetch`, by its backoff too.

    What was learned of a host just before a kill, by an answer that no step was stored of, is lost: how slow it was and
    what it asked for. Its usual pause is not, nor what its robots.txt asks for.
    """
    for name, key in (("host", lambda request: str(request.url.host)), ("address", lambda request: request.address)):
        for place in {key(request) for request in log} - {""}:
            at_place = sorted((one for one in log if key(one) == place), key=lambda one: one.began_at)
            for earlier, later in pairwise(at_place):
                assert later.began_at >= earlier.ended_at, f"{name} {place} is asked twice at once: {earlier}, {later}"
                is_cut = any(earlier.ended_at <= kill <= later.began_at for kill in kills)
                due = earlier.ended_at + (politeness.delay_s if is_cut else _pause_s(earlier, politeness))
                if name == "host":
                    due = max(due, _due_by_host(earlier, at_place, politeness, is_cut=is_cut))
                    due = max(due, earlier.ended_at + (_backoff_s(earlier, at_place, fetch) if fetch else 0.0))
                assert later.began_at >= due - TOLERANCE_S, f"{name} {place} is asked too early: {earlier}, {later}"


def _pause_s(earlier: Request, politeness: PolitenessSettings) -> float:
    response_s = earlier.ended_at - earlier.began_at
    return max(politeness.delay_s, min(politeness.delay_factor * response_s, politeness.max_delay_s))


def _backoff_s(earlier: Request, at_host: Sequence[Request], fetch: FetchSettings) -> float:
    """The least that a host is left alone after the troubles in a row that it has had up to a request."""
    in_a_row = 0
    for request in at_host[: at_host.index(earlier) + 1]:
        if request.reply is not None:
            outcome = request.reply.outcome
            in_a_row = in_a_row + 1 if isinstance(outcome, Failed) and outcome.is_temporary else 0
    # A request that was given up tells nothing, and its host had waited before.
    is_over = earlier.reply is None or not in_a_row
    return 0.0 if is_over else min(fetch.backoff_s * 2 ** (in_a_row - 1), fetch.max_retry_after_s) / 2


def _due_by_host(
    earlier: Request, at_host: Sequence[Request], politeness: PolitenessSettings, *, is_cut: bool
) -> float:
    """When a host may be asked by what it has said itself: in its robots.txt, as known by then, or by Retry-After."""
    due = 0.0
    reply = earlier.reply
    if not is_cut and reply is not None and isinstance(reply.outcome, Failed) and reply.outcome.is_temporary:
        due = earlier.ended_at + reply.retry_after_s
    crawl_delay_s = 0.0
    for request in at_host:
        if request.is_for_robots and request.ended_at <= earlier.ended_at and request.reply is not None:
            outcome = request.reply.outcome
            said = re.search(rb"Crawl-delay: ([\d.]+)", outcome.body) if isinstance(outcome, Fetched) else None
            crawl_delay_s = float(said[1]) if said else 0.0
    return max(due, earlier.ended_at + min(crawl_delay_s, politeness.max_delay_s))
