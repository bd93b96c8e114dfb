"""A paper reproduced from beginning to end: worlds opened, crawls made, the report written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from honeyguide.engine import word_vectors
from honeyguide.errors import SettingsError
from honeyguide.experiments.offline_world import opened_world
from honeyguide.experiments.own_folder import claim_folder, refuse_foreign
from honeyguide.experiments.provenance import code_version, data_files
from honeyguide.experiments.reproduce.data_hash import data_hash
from honeyguide.experiments.reproduce.papers import paper_named
from honeyguide.experiments.reproduce.study import KnowsItsWorlds, StudiedWorld, Study, StudyOptions
from honeyguide.experiments.reproduce.writing import write_report
from honeyguide.experiments.run import run_crawls
from honeyguide.settings import SETTINGS_BY_KEY, VectorSettings, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.experiments.reproduce.study import Paper, Reproduction
    from honeyguide.experiments.run import Task
    from honeyguide.settings import Settings

KINDS: Final = ("synthetic", "wiki")


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What came of it; the folder has all of it, and the crawls."""

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
    if isinstance(reproduction, KnowsItsWorlds):
        reproduction.keep_worlds()
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
    """What the figures of a world depend on: the data that its crawls saw, and their settings."""
    here: list[Task] = [task for task in reproduction.tasks if task.settings.crawl.world == world.name]
    return {
        "world": world.name,
        "data_hash": (
            reproduction.data_hash_of(world)
            if isinstance(reproduction, KnowsItsWorlds)
            else data_hash(task.run for task in here)
        ),
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
