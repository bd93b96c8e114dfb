"""One synthetic web, one topic, one budget, several strategies, each graded by what the web knows of its own pages.

An experiment from beginning to end: survey, crawl, grade, write down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from honeyguide.crawler import crawl
from honeyguide.model.clock import RealClock
from honeyguide.runs import harvest as report
from honeyguide.runs import open_run
from honeyguide.settings import settings_from, validate, with_overrides
from honeyguide.settings.sections import OFFLINE_FETCHES
from honeyguide.text import WordllamaVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.crawl_task import CrawlTask, claim_folder, code_version, refuse_foreign
from honeyguide_lab.grading import grade, write_steps
from honeyguide_lab.labels import TruthLabels
from honeyguide_lab.run import run_crawls
from honeyguide_lab.summary import GradedCrawl, summary
from honeyguide_lab.survey import save_graph, survey
from honeyguide_lab.writing import write_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.crawler import Listener
    from honeyguide.model import Url
    from honeyguide.runs import Run
    from honeyguide.settings import Settings
    from honeyguide_lab.spec import Contender, Experiment
    from honeyguide_lab.survey import Cell, Start, Survey


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of an experiment; the folder has all of it, and the crawls."""

    folder: Path
    document: dict[str, Any] = field(repr=False)
    table: str  # Markdown
    has_plots: bool


@dataclass(frozen=True, slots=True)
class _Crawl:
    """A crawl and the place it has in the experiment."""

    cell: Cell
    start: Start
    contender: Contender
    task: CrawlTask
    steps_file: Path


def compare_strategies(
    experiment: Experiment,
    folder: Path,
    *,
    jobs: int | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Comparison | None:
    """Have every contender crawl every topic of every world, and write curves, figures and tables into a folder.

    Called again with the same experiment and folder it goes on where it stopped; None when it was interrupted. Every
    mistake is raised before the folder is made. `on_progress` hears what is being done, how far it is, of how much.
    """
    refuse_foreign(folder, _about(experiment))

    def note_exploring(world: str, done: int, known: int) -> None:
        if is_interrupted():
            raise _InterruptedError
        on_progress(f"exploring {world}", done, known)

    try:
        surveyed = survey(experiment, folder / "graphs", note_exploring)
    except _InterruptedError:
        return None
    _prepare(folder, experiment, surveyed)
    crawls = list(_crawls(experiment, surveyed, folder))
    total = sum(each.cell.budget for each in crawls)
    finished = run_crawls(
        [each.task for each in crawls],
        jobs=jobs,
        is_interrupted=is_interrupted,
        on_progress=lambda spent: on_progress("crawling", spent, total),
    )
    if not finished:
        return None
    graded = [_compare_graded(each) for each in crawls]
    document = summary(experiment, surveyed.cells, graded)
    table, has_plots = write_outputs(folder, experiment, document, surveyed.cells, graded)
    return Comparison(folder, document, table, has_plots)


class _InterruptedError(Exception):
    """Someone wants the survey to stop; nothing of it is kept."""


def _prepare(folder: Path, experiment: Experiment, surveyed: Survey) -> None:
    """Keep the graphs, and make the folder this experiment's on this data."""
    about = _about(experiment) | {"data": {cell.world: cell.data_hash for cell in surveyed.cells}}
    refuse_foreign(folder, about)
    for name, graph in surveyed.graphs.items():
        if not (folder / "graphs" / name).exists():
            save_graph(graph, folder / "graphs" / name)
    claim_folder(folder, about)


def _about(experiment: Experiment) -> dict[str, Any]:
    return {"honeyguide": code_version()} | experiment.document()


def _crawls(experiment: Experiment, surveyed: Survey, folder: Path) -> Iterator[_Crawl]:
    for number, cell in enumerate(surveyed.cells):
        for contender in experiment.contenders:
            for start in cell.starts:
                settings = experiment.settings(
                    cell.world, cell.topic, contender, seed=start.seed, budget=cell.budget, seed_urls=start.seed_urls
                )
                place = f"{cell_name(number, cell)}/{slug(contender.name)}-seed{start.seed}"
                task = CrawlTask(folder / "runs" / place, settings)
                yield _Crawl(cell, start, contender, task, folder / "steps" / f"{place}.csv")


def cell_name(number: int, cell: Cell) -> str:
    """A name for files and folders: a number, because two long names of worlds may look alike when cut."""
    return f"{number + 1:02}-{slug(cell.world.partition(':')[0])}-{slug(cell.topic.name)}"


def slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9=.]+", "-", name).strip("-.")[:60] or "any"


def _compare_graded(crawl: _Crawl) -> GradedCrawl:
    on_topic = crawl.cell.on_topic

    def is_on_topic(url: Url) -> bool:
        return url.text in on_topic

    crawl.steps_file.parent.mkdir(parents=True, exist_ok=True)
    write_steps(crawl.task.run, is_on_topic, crawl.steps_file)
    with open_run(crawl.task.run) as run:
        graded = grade(run, is_on_topic, crawl.cell.budget, crawl.start.oracle)
    return GradedCrawl(
        crawl.cell,
        crawl.contender,
        crawl.start.seed,
        crawl.task.settings,
        graded,
        crawl.task.seconds_per_1000_steps,
    )
