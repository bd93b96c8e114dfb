"""An experiment from beginning to end: survey, crawl, grade, write down."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from honeyguide.runs import open_run
from honeyguide.runs.exports import export
from honeyguide_lab.crawl_task import CrawlTask, claim_folder, code_version, refuse_foreign
from honeyguide_lab.grading import grade, write_steps
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.report_files import write_outputs
from honeyguide_lab.summary import GradedCrawl, summary
from honeyguide_lab.survey import SurveyInterrupted, save_graphs, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from honeyguide.model import Url
    from honeyguide_lab.spec import Contender, Experiment
    from honeyguide_lab.survey import Cell, Start, Survey


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of an experiment; the folder has all of it, and the crawls."""

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
    answers_file: Path


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
    try:
        surveyed = survey(experiment, folder / "graphs", is_interrupted=is_interrupted, on_progress=on_progress)
    except SurveyInterrupted:
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
    graded = [_graded(each) for each in crawls]
    document = summary(experiment, surveyed.cells, graded)
    table, has_plots = write_outputs(folder, experiment, document, surveyed.cells, graded)
    return Comparison(folder, document, table, has_plots)


def _prepare(folder: Path, experiment: Experiment, surveyed: Survey) -> None:
    """Make the folder this experiment's on this data, and keep the graphs."""
    about = _about(experiment) | {"data": {cell.world: cell.data_hash for cell in surveyed.cells}}
    refuse_foreign(folder, about)
    claim_folder(folder, about)
    save_graphs(surveyed.graphs, folder / "graphs")


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
                told = cell.on_topic if contender.mark else None
                task = CrawlTask(folder / "runs" / place, settings, told, contender.has_perfect_judge)
                tables = folder / "steps" / f"{place}.csv", folder / "answers" / f"{place}.csv"
                yield _Crawl(cell, start, contender, task, *tables)


def cell_name(number: int, cell: Cell) -> str:
    """A name for files and folders: a number, because two long names of worlds may look alike when cut."""
    return f"{number + 1:02}-{slug(cell.world.partition(':')[0])}-{slug(cell.topic.name)}"


def slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9=.]+", "-", name).strip("-.")[:60] or "any"


def _graded(crawl: _Crawl) -> GradedCrawl:
    on_topic = crawl.cell.on_topic

    def is_on_topic(url: Url) -> bool:
        return url.text in on_topic

    crawl.steps_file.parent.mkdir(parents=True, exist_ok=True)
    write_steps(crawl.task.run, is_on_topic, crawl.steps_file)
    with open_run(crawl.task.run) as run:
        graded = grade(run, is_on_topic, crawl.cell.budget, crawl.start.oracle)
        if any(run.answers()):
            crawl.answers_file.parent.mkdir(parents=True, exist_ok=True)
            export(run, crawl.answers_file, "answers")
    return GradedCrawl(
        crawl.cell,
        crawl.contender,
        crawl.start.seed,
        crawl.task.settings,
        graded,
        crawl.task.seconds_per_1000_steps,
    )
