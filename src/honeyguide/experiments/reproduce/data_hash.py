"""Which data a figure was made of: every answer that the crawls behind it were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

from honeyguide.domain import Fetched
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from honeyguide.domain import Answer


def data_hash(runs: Iterable[Path]) -> str:
    """A hash of URLs and answers; the same answers give the same one, whoever asked for them and in whatever order."""
    digest_by_url: dict[str, str] = {}
    for path in runs:
        with open_run(path) as run:
            answers = run.recorded_answers()
            for step in run.steps():
                if step.url.text not in digest_by_url:
                    digest_by_url[step.url.text] = _digest(answers.answer(step.url))
    lines = (f"{url} {digest}\n" for url, digest in sorted(digest_by_url.items()))
    return xxhash.xxh3_128("".join(lines).encode()).hexdigest()


def _digest(answer: Answer | None) -> str:
    outcome = None if answer is None else answer.outcome
    body = outcome.body if isinstance(outcome, Fetched) else repr(outcome).encode()
    return xxhash.xxh3_128(body).hexdigest()
