"""Makes the crawls of a leaderboard, round by round, and keeps what each found in a file of its own.

No strategy looks at the budget, so one crawl is graded at every budget of its round. A crawl's file also has the code
that made it; its run folder goes. Killed and started again, a crawl under way goes on, and what is kept stays as it is.
"""

from __future__ import annotations

import json
import shutil
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import xxhash

from honeyguide.errors import SettingsError, WorldError
from honeyguide.runs import open_run
from honeyguide_lab.compare import cell_name, slug
from honeyguide_lab.crawl_task import CrawlTask, claim_folder, code_version, refuse_foreign
from honeyguide_lab.grading import UNKNOWN, graded
from honeyguide_lab.leaderboard.standings import Round, Row, Standings, best_of, write_standings
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.survey import SurveyInterrupted, save_graphs, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from honeyguide.crawler.world_graph import WorldGraph
    from honeyguide.model import Url
    from honeyguide.settings import Settings
    from honeyguide_lab.leaderboard.spec import Budget, Leaderboard
    from honeyguide_lab.spec import Contender, Experiment
    from honeyguide_lab.survey import Cell, Marks

_ABOUT: Final = {"kind": "leaderboard"}
_FIGURES: Final = ("honeyguide", "found_at", "processor_ms_per_fetch")  # of a crawl, to make its rows


def make_leaderboard(
    board: Leaderboard,
    folder: Path,
    *,
    jobs: int | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Standings | None:
    """Make both rounds, and write `leaderboard.md`, `.json` and `.csv` into a folder.

    Called again with the folder it makes what is missing. Interrupted, it writes the standings as far as they are
    known; None when no crawl had begun. Every mistake is raised before the folder is made.
    """
    refuse_foreign(folder, _ABOUT)
    try:
        places = _survey(board, folder, is_interrupted, on_progress)
    except SurveyInterrupted:
        return None

    def play(title: str, contenders: Sequence[Contender], where: Sequence[_Place], budgets: Sequence[Budget]) -> Round:
        crawls = list(_crawls(contenders, where, budgets, folder))
        total = sum(crawl.budget for crawl in crawls)
        run_crawls(
            crawls,
            jobs=jobs,
            is_interrupted=is_interrupted,
            on_progress=lambda spent: on_progress(f"crawling, {title}", spent, total),
        )
        rows = tuple(row for crawl in crawls for row in crawl.rows(budgets))
        names = tuple(each.name for each in contenders)
        return Round(title, names, tuple(budgets), tuple(place.cells for place in where), len(crawls), rows)

    in_first = [place for place in places if place.topic < board.topics_each]
    rounds = [play("all strategies", board.contenders, in_first, board.budgets)]
    if rounds[0].is_complete and board.best:
        contenders = board.second_round(best_of(rounds[0].rows, board.best))
        rounds.append(play(f"the best {board.best}", contenders, places, board.best_budgets))
    is_complete = len(rounds) == (2 if board.best else 1) and all(each.is_complete for each in rounds)
    if is_complete:
        shutil.rmtree(folder / "runs", ignore_errors=True)  # left by crawls that were killed
    return write_standings(folder, rounds, is_complete=is_complete)


@dataclass(frozen=True, slots=True)
class _Place:
    """A topic in a world: where it stands in the leaderboard, and what can be done there with each budget."""

    webs: str
    experiment: Experiment
    number: int  # of the cell, in its comparison
    topic: int  # its place among the topics of the comparison
    cells: Mapping[Budget, Cell]


def _survey(
    board: Leaderboard,
    folder: Path,
    is_interrupted: Callable[[], bool],
    on_progress: Callable[[str, int, int], None],
) -> list[_Place]:
    """Look at every world once for all budgets, then make the folder. SettingsError with all mistakes together."""
    places: list[_Place] = []
    graphs: dict[str, WorldGraph] = {}
    marks: Marks = {}
    mistakes: list[str] = []
    budgets = dict.fromkeys((*board.budgets, *(board.best_budgets if board.best else ())))
    for webs, every in board.webs:
        experiment = every if board.best else replace(every, topics=every.topics[: board.topics_each])
        by_budget: dict[Budget, Sequence[Cell]] = {}
        try:
            for budget in budgets:
                surveyed = survey(
                    replace(experiment, budget=budget),
                    folder / "graphs",
                    known=graphs,
                    marks=marks,
                    is_interrupted=is_interrupted,
                    on_progress=on_progress,
                )
                graphs |= surveyed.graphs
                by_budget[budget] = surveyed.cells
        except (SettingsError, WorldError) as error:
            told = error.mistakes if isinstance(error, SettingsError) else [str(error)]
            mistakes += [f"compare {webs}: {mistake}" for mistake in told]
            continue
        for number, cells in enumerate(zip(*by_budget.values(), strict=True)):
            if cells[0].self_graded:
                mistakes.append(
                    f"compare {webs}: topic {cells[0].topic.name} is graded by a word that the crawler is told; "
                    "choose other labels"
                )
            topic = number % len(experiment.topics)
            places.append(_Place(webs, experiment, number, topic, dict(zip(by_budget, cells, strict=True))))
    if mistakes:
        raise SettingsError(mistakes)
    claim_folder(folder, _ABOUT)
    save_graphs(graphs, folder / "graphs")
    return places


@dataclass(frozen=True, slots=True)
class BoardCrawl:
    """A crawl of which one file is kept."""

    file: Path
    task: CrawlTask
    asked: Mapping[str, Any]  # everything that the result depends on, but for the code
    webs: str
    repeat: int
    cells: Mapping[Budget, Cell]  # grades it, once it has ended

    @property
    def run(self) -> Path:
        return self.task.run

    @property
    def settings(self) -> Settings:
        return self.task.settings

    @property
    def budget(self) -> int:
        return self.task.budget

    @property
    def result(self) -> dict[str, Any] | None:
        """What the crawl found; None where it is not made yet, was asked for something else, or its file is damaged."""
        try:
            kept = json.loads(self.file.read_text(encoding="utf-8"))
            return {name: kept["result"][name] for name in _FIGURES} if kept["asked"] == self.asked else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_done(self) -> bool:
        return self.result is not None

    @property
    def spent(self) -> int:
        return self.budget if self.is_done else self.task.spent

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        """Crawl until it ends or is interrupted; then keep the result, in whole or not at all."""
        self.task.make(is_interrupted, on_steps)
        if self.task.is_done:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            draft = self.file.with_suffix(".draft")
            kept = {"asked": self.asked, "result": self._graded()}
            draft.write_text(json.dumps(kept, ensure_ascii=False) + "\n", encoding="utf-8")
            draft.replace(self.file)
            shutil.rmtree(self.task.folder)

    def _graded(self) -> dict[str, Any]:
        on_topic = next(iter(self.cells.values())).on_topic

        def is_on_topic(url: Url) -> bool:
            return url.text in on_topic

        with open_run(self.run) as run:
            charged = [step for step in run.steps() if step.outcome != UNKNOWN]
            stop_reason = run.progress.stop_reason
        return {
            "honeyguide": code_version(),
            "fetches": len(charged),
            "found_at": [fetch for fetch, hit in enumerate(graded(charged, is_on_topic), start=1) if hit],
            "processor_ms_per_fetch": round(1000 * self.task.processor_s_per_step, 3),
            "stop_reason": stop_reason,
        }

    def rows(self, budgets: Sequence[Budget]) -> Iterator[Row]:
        """Yield the figures of the crawl at each budget; none where it is not made yet."""
        result = self.result
        if result is None:
            return
        for budget in budgets:
            cell = self.cells[budget]
            yield Row(
                webs=self.webs,
                world=cell.world,
                topic=cell.topic.name,
                seed=cell.starts[self.repeat].seed,
                strategy=self.asked["strategy"],
                budget=budget,
                fetches=cell.budget,
                relevant=bisect_right(result["found_at"], cell.budget),
                oracle=cell.starts[self.repeat].oracle.curve[-1],
                processor_ms_per_fetch=result["processor_ms_per_fetch"],
                honeyguide=result["honeyguide"],
            )


def _crawls(
    contenders: Sequence[Contender], places: Sequence[_Place], budgets: Sequence[Budget], folder: Path
) -> Iterator[BoardCrawl]:
    """Yield all crawls of a round; each repeat goes over all webs, so that one cut short has seen some of each."""
    repeats = max(place.experiment.repeats for place in places)
    for repeat in range(repeats):
        for place in sorted(places, key=lambda place: place.topic):
            if repeat < place.experiment.repeats:
                for contender in contenders:
                    yield _crawl(contender, place, repeat, budgets, folder)


def _crawl(contender: Contender, place: _Place, repeat: int, budgets: Sequence[Budget], folder: Path) -> BoardCrawl:
    cells = {budget: place.cells[budget] for budget in budgets}
    cell = max(cells.values(), key=lambda cell: cell.budget)
    start = cell.starts[repeat]
    asked = {
        "world": cell.world,
        "data": cell.data_hash,
        "labels": f"{cell.labels} ({len(cell.on_topic)} pages)",
        "topic": cell.topic.name,
        "keywords": list(cell.topic.keywords),
        "seed": start.seed,
        "seed_urls": [url.text for url in start.seed_urls],
        "budget": cell.budget,
        "settings": [list(each) for each in place.experiment.overrides],
        "strategy": contender.name,
    }
    settings = place.experiment.settings(
        cell.world, cell.topic, contender, seed=start.seed, budget=cell.budget, seed_urls=start.seed_urls
    )
    name = f"{slug(contender.name)}-{cell.budget}-seed{start.seed}.json"
    key = xxhash.xxh3_64(json.dumps([code_version(), asked]).encode()).hexdigest()
    task = CrawlTask(folder / "runs" / key, settings, cell.on_topic if contender.mark else None)
    file = folder / "crawls" / slug(place.webs) / cell_name(place.number, cell) / name
    return BoardCrawl(file, task, asked, place.webs, repeat, cells)
