"""One synthetic web, one topic, one budget, several strategies, each graded by what the web knows of its own pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide import report
from honeyguide.clock import RealClock
from honeyguide.engine import crawl
from honeyguide.experiments.labels import TruthLabels
from honeyguide.settings import settings_from, validate, with_overrides
from honeyguide.settings.crawl_tables import OFFLINE_FETCHES
from honeyguide.text import WordllamaVectors, WordVectors
from honeyguide.worlds import SyntheticSpec, SyntheticWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.engine import Listener
    from honeyguide.settings import Settings
    from honeyguide.store import Run


@dataclass(frozen=True, slots=True)
class Contest:
    """What every strategy gets alike."""

    topic: str
    budget: int  # fetches
    spec: str = ""  # of the synthetic web, as in seed=1,pages=20000
    seed: int = 0  # of every random choice of the crawls
    over_http: bool = True

    def settings(self, strategy: str) -> Settings:
        """The settings of one contender, fit to crawl and to resume by; raises what is wrong with the contest."""
        world = "synthetic+http" if self.over_http else "synthetic"
        settings = settings_from(
            {
                "topic": {"name": self.topic, "keywords": self.web().keywords_for(self.topic)},
                "crawl": {"world": f"{world}:{self.spec}", "strategy": strategy, "seed": self.seed},
            }
        )
        # On loopback there is nobody to be polite to: robots.txt is obeyed, but its pauses are cut short.
        quick = {"politeness.delay_s": 0.0, "politeness.max_delay_s": 0.05, "politeness.delay_factor": 0.0}
        # The made-up servers fail in the same way every time, and offline and served crawls are to be alike.
        as_offline = {"fetch.retries": 0, "fetch.backoff_s": 0.0, "crawl.concurrency": OFFLINE_FETCHES}
        # A contest is about choosing; whoever wants to search a run can have it indexed later.
        settings = with_overrides(
            settings, {"budget.fetches": self.budget, "search.live": "off", **quick, **as_offline}
        )
        validate(settings)
        return settings

    def web(self) -> SyntheticWorld:
        """The web itself, which knows what its pages are about."""
        return SyntheticWorld(SyntheticSpec.parse(self.spec))


@dataclass(frozen=True, slots=True)
class Graded:
    """What became of one contender."""

    strategy: str
    run: Path
    stop_reason: str
    fetches: int
    pages: int
    judged_relevant: int  # what the judge said while it crawled; for comparison only
    curve: list[int]  # on-topic pages by the truth, after 0, 1, 2, … fetches, over the whole budget
    on_topic_in_web: int  # how many there are to be found
    seconds: float  # of real time

    @property
    def on_topic(self) -> int:
        return self.curve[-1]

    @property
    def harvest_rate(self) -> float:
        return report.harvest_rate(self.curve)

    @property
    def share_found(self) -> float:
        return report.share_found(self.curve, self.on_topic_in_web)

    @property
    def area_under_curve(self) -> float:
        return report.area_under_curve(self.curve)

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0


def compare(
    contest: Contest,
    strategies: Sequence[str],
    folder: Path,
    *,
    listeners_for: Callable[[Settings], Sequence[Listener]] = lambda _: (),
    is_interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[Graded]:
    """Crawl once with each strategy, into a run folder of its name, and grade each run as soon as it is there.

    Every mistake in the contest or the names is raised before the first crawl. Ends early when interrupted.
    """
    settings_by_strategy = {strategy: contest.settings(strategy) for strategy in strategies}
    web, vectors, clock = contest.web(), WordVectors(WordllamaVectors()), RealClock()
    for strategy, settings in settings_by_strategy.items():
        if is_interrupted():
            return
        started = clock.now()
        path, listeners = folder / strategy, listeners_for(settings)
        with crawl(path, settings, listeners=listeners, is_interrupted=is_interrupted, vectors=vectors) as run:
            yield _graded(contest, strategy, run, web, clock.now() - started)


def _graded(contest: Contest, strategy: str, run: Run, web: SyntheticWorld, seconds: float) -> Graded:
    progress = run.progress
    grades = report.graded(run.steps(), TruthLabels(web, contest.topic).is_on_topic)
    return Graded(
        strategy=strategy,
        run=run.path,
        stop_reason=progress.stop_reason,
        fetches=progress.fetches,
        pages=progress.pages,
        judged_relevant=progress.relevant,
        curve=report.harvest_curve(grades, contest.budget),
        on_topic_in_web=web.on_topic_pages(contest.topic),
        seconds=seconds,
    )
