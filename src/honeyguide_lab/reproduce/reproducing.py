"""Reproduces a paper, found by its name, from beginning to end: opens worlds, makes the crawls, writes the report.

The report is Markdown for people, CSV and JSON for programs, and plots as PNG and SVG. For every world it has a hash of
all answers that the crawls behind its figures were given.

OUT/
  report.md          all of it to read, with the plots in it
  report.json        all of it for programs, and what every figure depends on
  tables/NAME.csv    every row of every table, numbers as they are
  figures/NAME.png   and .svg, where matplotlib is installed
  NAME.json          files in the shape of the paper's own
  runs/              every crawl as a run folder
"""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

import xxhash

from honeyguide.crawler import word_vectors
from honeyguide.crawler.world_graph import opened_world
from honeyguide.errors import SettingsError
from honeyguide.model import Fetched
from honeyguide.runs import open_run
from honeyguide.runs.exports import atomic_file
from honeyguide.settings import SETTINGS_BY_KEY, VectorSettings, validate
from honeyguide_lab.crawl_task import claim_folder, code_version, data_files, refuse_foreign
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.plots import PanelPlot, can_draw, save_line_plot, save_panel_plot
from honeyguide_lab.reproduce.han2018 import HAN2018
from honeyguide_lab.reproduce.lim2016 import LIM2016
from honeyguide_lab.reproduce.pertejo2021 import PERTEJO2021
from honeyguide_lab.reproduce.study import StudiedWorld, Study, StudyOptions
from honeyguide_lab.reproduce.wikicrawler import WIKICRAWLER
from honeyguide_lab.statistics import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.model import Answer
    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.study import Cell, Figure, Paper, Report, Reproduction, Section, Table


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


PAPERS: Final = (HAN2018, LIM2016, PERTEJO2021, WIKICRAWLER)


def paper_named(name: str) -> Paper:
    """SettingsError for a paper that we do not have."""
    by_name = {paper.name: paper for paper in PAPERS}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name.lower(), by_name, n=1)
    remedy = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(by_name)}"
    raise SettingsError([f"no paper {name!r}: {remedy}"])


def write_report(folder: Path, report: Report, about: dict[str, Any]) -> tuple[dict[str, Any], str, bool]:
    """Write everything; gives back the document, the Markdown, and whether there are plots.

    `about` is what the figures depend on: code, seed, and for each world its crawls, their settings and the data hash.
    """
    has_plots = can_draw()
    document = about | _document(report)
    text = markdown(report, about, with_plots=has_plots)
    for table in report.tables:
        _write(folder / "tables" / f"{table.name}.csv", _csv(table))
    for name, content in report.documents.items():
        _write(folder / f"{name}.json", _json(content))
    for path, content in report.texts.items():
        _write(folder / path, content)
    if has_plots:
        for figure in report.figures:
            _draw(folder / "figures" / figure.plot.name, figure, _note(figure, about))
    _write(folder / "report.json", _json(document))
    _write(folder / "report.md", text)
    return document, text, has_plots


def _draw(stem: Path, figure: Figure, note: str) -> None:
    if isinstance(figure.plot, PanelPlot):
        save_panel_plot(stem, figure.plot, note)
    else:
        save_line_plot(stem, figure.plot, note)


def markdown(report: Report, about: dict[str, Any], *, with_plots: bool) -> str:
    """The report to read."""
    parts = [f"# {report.title}", report.source, _provenance(about)]
    if report.left_out:
        parts.append("**Left out here**\n\n" + "\n".join(f"- {each}" for each in report.left_out))
    for section in report.sections:
        parts += _section(section, with_plots=with_plots)
    return "\n\n".join(parts) + "\n"


def shown(cell: Cell) -> str:
    """A cell for people: thousands apart, three digits of what is small, a dash where there is nothing."""
    match cell:
        case None:
            return "–"
        case float():
            return f"{cell:,.1f}" if abs(cell) >= 100 else f"{cell:.3f}"
        case int():
            return f"{cell:,}"
        case str():
            return cell


def _section(section: Section, *, with_plots: bool) -> Iterator[str]:
    yield f"## {section.title}"
    yield from section.text
    for table in section.tables:
        yield from _table(table)
    if with_plots:
        for plot in (figure.plot for figure in section.figures):
            yield f"![{plot.title}, {plot.subtitle}](figures/{plot.name}.png)"


def _table(table: Table) -> Iterator[str]:
    yield f"### {table.title}"
    if table.rows and table.most_shown:
        rows = [[shown(cell) for cell in row] for row in table.rows[: table.most_shown]]
        yield markdown_table(table.columns, rows, texts=_text_columns(table))
    elif not table.rows:
        yield "Nothing was found."
    if table.rows and not table.most_shown:
        yield f"All {len(table.rows):,} rows are in `tables/{table.name}.csv`."
    elif len(table.rows) > table.most_shown:
        yield f"The first {table.most_shown:,} of {len(table.rows):,} rows; all are in `tables/{table.name}.csv`."
    if table.note:
        yield table.note


def _text_columns(table: Table) -> set[int]:
    """Columns that hold words, to be aligned as such."""
    return {
        column
        for column in range(len(table.columns))
        if column == 0 or any(isinstance(row[column], str) for row in table.rows)
    }


def _provenance(about: dict[str, Any]) -> str:
    worlds = "; ".join(f"`{each['world']}` (data {each['data_hash'][:12]})" for each in about["worlds"])
    size = " Quick: smaller in everything, and not to be quoted." if about["quick"] else ""
    return (
        f"Made by Honeyguide {about['honeyguide']}, seed {about['seed']}, on {worlds}. The settings of every crawl are "
        f"in `report.json` and in its run folder.{size}"
    )


def _note(figure: Figure, about: dict[str, Any]) -> str:
    """The line under a plot."""
    data = ", ".join(each["data_hash"][:12] for each in about["worlds"] if each["world"] in figure.worlds)
    return (
        f"{about['paper']}{', quick' if about['quick'] else ''} · seed {about['seed']} · data {data} · "
        f"Honeyguide {about['honeyguide']} · settings in report.json"
    )


def _document(report: Report) -> dict[str, Any]:
    return {
        "title": report.title,
        "source": report.source,
        "left_out": list(report.left_out),
        "sections": [
            {
                "title": section.title,
                "text": list(section.text),
                "tables": [
                    {"name": each.name, "title": each.title, "columns": list(each.columns)}
                    | {"rows": [list(row) for row in each.rows], "note": each.note}
                    for each in section.tables
                ],
                "figures": [figure.plot.name for figure in section.figures],
            }
            for section in report.sections
        ],
        "files": [*(f"{name}.json" for name in report.documents), *report.texts],
    }


def _csv(table: Table) -> str:
    lines = StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow(table.columns)
    rows.writerows(table.rows)
    return lines.getvalue()


def _json(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(file) as out:
        out.write(text)


KINDS: Final = ("synthetic", "wiki")


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The result of a reproduction; the folder has all of it, and the crawls."""

    folder: Path
    document: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)  # Markdown
    has_plots: bool


def reproduce(
    paper: str,
    folder: Path,
    *,
    worlds: Sequence[str] = (),
    seed: int = 0,
    is_quick: bool = False,
    options: StudyOptions | None = None,
    jobs: int | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Reproduced | None:
    """Make the experiments of a paper again and write its tables and plots, with ours beside the published figures.

    `worlds` are wikis and synthetic webs; without one of the latter the paper's own is taken too, unless it does with
    any one. Called again with the same arguments and folder it goes on where it stopped; None when it was interrupted.
    Every mistake is raised before the folder is made. `on_progress` hears what is being done, how far it is, of how
    much.
    """
    chosen = paper_named(paper)
    options = options or StudyOptions()
    _refuse_unheeded(chosen, options)
    study = Study(folder, _studied(chosen, worlds, is_quick=is_quick), seed, is_quick, options, on_progress)
    about = {
        "honeyguide": code_version(),
        "paper": chosen.name,
        "seed": seed,
        "quick": is_quick,
        "options": {name: asdict(options)[name] for name in options.given},
        "worlds": {world.name: data_files(world.name) for world in study.worlds},
    }
    refuse_foreign(folder, about)
    if options.vectors:
        word_vectors(VectorSettings(source=options.vectors))  # converted once, before processes ask for them
    reproduction = chosen.begin(study)
    tasks = reproduction.tasks
    for task in tasks:
        validate(task.settings)
    claim_folder(folder, about)
    for world in reproduction.explored:
        world.keep_graph(study)
    total = sum(task.budget for task in tasks)
    finished = run_crawls(
        tasks,
        jobs=jobs,
        is_interrupted=is_interrupted,
        on_progress=lambda spent: on_progress("crawling", spent, total),
    )
    if not finished:
        return None
    on_progress("writing the report", total, total)
    provenance = about | {"worlds": [_world(study, world, reproduction) for world in study.worlds]}
    return Reproduced(folder, *write_report(folder, reproduction.report(), provenance))


def _studied(paper: Paper, given: Sequence[str], *, is_quick: bool) -> tuple[StudiedWorld, ...]:
    """The worlds, each of which can be opened, with the paper's own synthetic web where nobody has named one."""
    mistakes = [
        f"world {name}: reproduce takes wiki:PATH and synthetic[:SPEC]"
        for name in given
        if name.partition(":")[0] not in KINDS
    ]
    mistakes += [
        f"world {name} is given twice; leave one out" for name in dict.fromkeys(given) if given.count(name) > 1
    ]
    if mistakes:
        raise SettingsError(mistakes)
    has_synthetic = any(name.partition(":")[0] == "synthetic" for name in given)
    needs_own = not has_synthetic and (paper.has_own_world_always or not given)
    own = (paper.quick_world if is_quick else paper.own_world,) if needs_own else ()
    for name in given:
        with opened_world(name):
            pass
    return tuple(StudiedWorld(number, name) for number, name in enumerate((*own, *given), 1))


def _refuse_unheeded(paper: Paper, options: StudyOptions) -> None:
    """SettingsError for what would change nothing."""
    mistakes = [f"{paper.name} takes no --{name}: leave it out" for name in options.given if name not in paper.options]
    counts = {"steps": options.steps, "tasks": options.tasks, "trials": options.trials}
    mistakes += [
        f"--{name} is {count}: give 1 or more" for name, count in counts.items() if count is not None and count < 1
    ]
    if mistakes:
        raise SettingsError(mistakes)


def _world(study: Study, world: StudiedWorld, reproduction: Reproduction) -> dict[str, Any]:
    """Return the facts that a world's figures depend on: the data that its crawls saw, and their settings."""
    here = [task for task in reproduction.tasks if task.settings.crawl.world == world.name]
    explored = [each.graph.data_hash for each in reproduction.explored if each.world == world]
    return {
        "world": world.name,
        "data_hash": explored[0] if explored else data_hash(task.run for task in here),
        "crawls": [
            {"run": str(task.run.relative_to(study.folder)), "settings": _chosen_settings(task.settings)}
            for task in here
        ],
    }


def _chosen_settings(settings: Settings) -> dict[str, Any]:
    """The settings that are not the defaults."""
    values = {key: setting.value_in(settings) for key, setting in SETTINGS_BY_KEY.items()}
    chosen = {key: value for key, value in values.items() if value != SETTINGS_BY_KEY[key].default}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in chosen.items()}
