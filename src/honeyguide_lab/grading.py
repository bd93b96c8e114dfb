"""A crawl that has ended is graded: by labels, over its whole budget, against what could have been done."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.runs import harvest_curve, open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.model import Url
    from honeyguide.runs import CrawledStep, Run
    from honeyguide_lab.oracle import Oracle

UNKNOWN: Final = "unknown"
"""The outcome of a link that a replayed run never followed: nobody knows what it would have brought."""

MOST_UNKNOWN: Final = 0.1
"""Above this share of unknown answers, figures say more about the earlier run than about the strategy."""


def graded(steps: Iterable[CrawledStep], is_on_topic: Callable[[Url], bool]) -> Iterator[bool]:
    """Say of every fetch, in order, whether it brought a page on the topic."""
    return (step.outcome == "fetched" and is_on_topic(step.url) for step in steps)


def harvest_rate(curve: Sequence[int]) -> float:
    """Return on-topic pages per fetch, over the whole budget."""
    return curve[-1] / (len(curve) - 1) if len(curve) > 1 else 0.0


def share_found(curve: Sequence[int], on_topic_pages: int) -> float:
    """Return the share of all on-topic pages that was found."""
    return curve[-1] / on_topic_pages if on_topic_pages else 0.0


def harvest_at(curve: Sequence[int], fetches: int) -> int | None:
    """Return on-topic pages after so many fetches; None where the budget ends before."""
    return curve[fetches] if fetches < len(curve) else None


def steps_to_first(curve: Sequence[int]) -> int | None:
    """Return after how many fetches the first on-topic page came; None where none did."""
    return next((step for step, pages in enumerate(curve) if pages), None)


def area_under_curve(curve: Sequence[int]) -> float:
    """Rate how early the harvest came: 1 where every fetch brought a page on the topic, 0 where none did."""
    budget = len(curve) - 1
    return sum(curve) / (budget * (budget + 1) / 2) if budget else 0.0


@dataclass(frozen=True, slots=True)
class Grade:
    """The figures of one graded crawl: its harvest beside the oracle's, and its costs."""

    curve: list[int]  # on-topic pages after 0, 1, 2, … fetches, over the whole budget
    oracle: Oracle
    fetches: int  # spent; what is left of the budget counts all the same
    pages: int
    urls: int  # that were met, fetched or not
    body_bytes: int
    robots_fetches: int
    judged_relevant: int  # by the judge, for comparison only
    relevance: list[float] = field(repr=False)  # the judge's, of every page in the order they came
    unknown_share: float
    stop_reason: str

    @property
    def relevant(self) -> int:
        return self.curve[-1]

    @property
    def of_oracle(self) -> float:
        """The part of the oracle's harvest, at the end of the budget."""
        return self.relevant / self.oracle.curve[-1] if self.oracle.curve[-1] else 0.0

    def document(self) -> dict[str, Any]:
        """Every figure by name; None where there is nothing to divide by."""
        per_page = 1 / self.relevant if self.relevant else None
        return {
            "relevant": self.relevant,
            "harvest_rate": harvest_rate(self.curve),
            "area_under_curve": area_under_curve(self.curve),
            "of_oracle": self.of_oracle,
            "harvest_at_R": harvest_at(self.curve, self.oracle.reachable),
            "target_recall": share_found(self.curve, self.oracle.reachable),
            "steps_to_first_relevant": steps_to_first(self.curve),
            "requests_per_relevant": per_page and self.fetches * per_page,
            "bytes_per_relevant": per_page and self.body_bytes * per_page,
            "urls_parsed": self.urls,
            "pages_parsed": self.pages,
            "average_relevance": float(np.mean(self.relevance)) if self.relevance else None,
            "judged_relevant": self.judged_relevant,
            "fetches": self.fetches,
            "robots_fetches": self.robots_fetches,
            "unknown_share": self.unknown_share,
            "stop_reason": self.stop_reason,
        }


def grade(run: Run, is_on_topic: Callable[[Url], bool], budget: int, oracle: Oracle) -> Grade:
    """Grade one run. An unknown answer has spent nothing and is left out; every other step costs one fetch."""
    steps = list(run.steps())
    charged = [step for step in steps if step.outcome != UNKNOWN]
    pages, progress = list(run.pages()), run.progress
    return Grade(
        curve=harvest_curve(graded(charged, is_on_topic), budget),
        oracle=oracle,
        fetches=len(charged),
        pages=len(pages),
        urls=len({url for edge in run.edges() for url in edge}),
        body_bytes=progress.body_bytes,
        robots_fetches=progress.robots_fetches,
        judged_relevant=sum(page.is_relevant for page in pages),
        relevance=[page.relevance for page in pages],
        unknown_share=1 - len(charged) / len(steps) if steps else 0.0,
        stop_reason=progress.stop_reason,
    )


def write_steps(run: Path, is_on_topic: Callable[[Url], bool], file: Path) -> None:
    """Every step of a run as CSV, in whole or not at all; `relevant` is what the labels say."""
    draft = file.with_suffix(".draft")
    with open_run(run) as opened, draft.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow(("step", "url", "outcome", "relevant", "reward", "score"))
        rows.writerows(_columns(step, is_on_topic) for step in opened.steps())
    draft.replace(file)


def _columns(step: CrawledStep, is_on_topic: Callable[[Url], bool]) -> Sequence[object]:
    relevant = int(step.outcome == "fetched" and is_on_topic(step.url))
    reward = "" if step.reward is None else f"{step.reward:.6g}"
    return step.step, step.url.text, step.outcome, relevant, reward, f"{step.score:.6g}"
