"""The paper's three figures, drawn from our crawls in its own form: six topics side by side, one line a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide_lab.plots import Line, Panel, PanelPlot
from honeyguide_lab.reproduce.han2018.gains import found_by_task
from honeyguide_lab.reproduce.han2018.plan import INTERVALS, pages_by_interval
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name, vectors_slug
from honeyguide_lab.reproduce.trials import POINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.study import Cell, StudiedWorld
    from honeyguide_lab.reproduce.trials import Trials

SELF_GRADED: Final = "self-graded"
INDEPENDENT: Final = "independent labels"

_FIRST: Final = (
    "Relevant pages after so many steps, the mean of all tasks and trials; bands are one standard deviation of the "
    "trials' means. A page is relevant that has the topic's word, which is also what the crawlers are paid for: these "
    "figures are **self-graded**. Below them the same crawls by independent labels, where a topic has enough."
)
_FIRST_PUBLISHED: Final = (
    "Published: for all six topics the learners are above no learning, abruptly for Cancer, Fiction, Geology and "
    "Poetry, and along a similar curve for Olympics and Cameras."
)
_SECOND: Final = (
    "Pages with the topic's word a task, by the tenth in which the cosine of page and topic lies (**self-graded**). "
    "Published: learners and no learning differ most from the third to the sixth interval, the learners hardly among "
    "themselves."
)
_THIRD: Final = (
    "Relevant pages of each task; the weights go on from task to task, everything else begins anew. Lines are means of "
    "the trials, bands one standard deviation. No learning is the same crawl each time. Published: curves that rise in "
    "the first tasks and then stay 1.2 to 1.6 times above no learning, 2.5 times for Cancer; synchronous is best for "
    "Fiction, Olympics and Cancer, moderated for Cameras, Geology and Poetry."
)


def figure_1(world: StudiedWorld, found: Sequence[Trials]) -> Section:
    """Accumulated relevant pages per step."""
    tables = [
        Table(
            f"figure-1-{world.slug}-{vectors_slug(source)}",
            f"Relevant pages by steps, {vectors_name(source)}",
            ("topic", "grade", "method", "a quarter of the steps", "half", "all", "spread of trials"),
            tuple(row for each in here for row in _rows_1(each)),
            most_shown=200,
        )
        for source, here in _by_vectors(found)
    ]
    curves = [
        Table(
            f"figure-1-curves-{world.slug}-{vectors_slug(source)}",
            f"The curves of figure 1, {vectors_name(source)}",
            ("topic", "grade", "method", "step", "relevant pages"),
            tuple(row for each in here for row in _curve_rows(each)),
            most_shown=0,
        )
        for source, here in _by_vectors(found)
    ]
    figures = [
        Figure(_plot_1(world, source, here, is_independent=is_independent), (world.name,))
        for source, here in _by_vectors(found)
        for is_independent in (False, True)
        if not is_independent or any(each.independent is not None for each in here)
    ]
    return Section(
        f"Figure 1: accumulated relevant pages per step, {world.name}",
        (_FIRST, _FIRST_PUBLISHED),
        (*tables, *curves),
        tuple(figures),
    )


def figure_2(world: StudiedWorld, found: Sequence[Trials]) -> Section:
    """Relevant pages per relevance interval."""
    intervals = [f"{number / INTERVALS:.1f}-{(number + 1) / INTERVALS:.1f}" for number in range(INTERVALS)]
    tables = [
        Table(
            f"figure-2-{world.slug}-{vectors_slug(source)}",
            f"Relevant pages by interval of the cosine, {vectors_name(source)}",
            ("topic", "method", *intervals),
            tuple(
                (each.topic.topic.name, each.method.name, *map(_short, pages_by_interval(each.tasks))) for each in here
            ),
            most_shown=200,
        )
        for source, here in _by_vectors(found)
    ]
    figures = [
        Figure(
            PanelPlot(
                f"figure-2-{world.slug}-{vectors_slug(source)}",
                "Figure 2: relevant pages per relevance interval",
                _subtitle(world, source, SELF_GRADED),
                "cosine with the topic",
                "relevant pages a task",
                tuple(
                    Panel(name, tuple(_interval_line(each) for each in group if each.method.is_papers))
                    for name, group in _by_topic(here)
                ),
                is_bars=True,
            ),
            (world.name,),
        )
        for source, here in _by_vectors(found)
    ]
    return Section(
        f"Figure 2: relevant pages per relevance interval, {world.name}", (_SECOND,), tuple(tables), tuple(figures)
    )


def figure_3(world: StudiedWorld, found: Sequence[Trials]) -> Section:
    """Relevant pages as tasks repeat."""
    learners = [each for each in found if each.method.learns]
    tables = [
        Table(
            f"figure-3-{world.slug}-{vectors_slug(source)}",
            f"Relevant pages of each task, {vectors_name(source)}",
            ("topic", "method", "task", "self-graded", "spread of trials", "independent", "spread"),
            tuple(row for each in here for row in _rows_3(each)),
            most_shown=0,
        )
        for source, here in _by_vectors(learners)
    ]
    figures = [
        Figure(
            PanelPlot(
                f"figure-3-{world.slug}-{vectors_slug(source)}",
                "Figure 3: relevant pages as tasks repeat",
                _subtitle(world, source, SELF_GRADED),
                "crawling task",
                "relevant pages a task",
                tuple(
                    Panel(name, tuple(_task_lines([each for each in group if each.method.is_papers])))
                    for name, group in _by_topic(here)
                ),
            ),
            (world.name,),
        )
        for source, here in _by_vectors(found)
    ]
    return Section(f"Figure 3: relevant pages as tasks repeat, {world.name}", (_THIRD,), tuple(tables), tuple(figures))


def _by_vectors(found: Sequence[Trials]) -> list[tuple[str, list[Trials]]]:
    sources = dict.fromkeys(each.vectors for each in found)
    return [(source, [each for each in found if each.vectors == source]) for source in sources]


def _by_topic(found: Sequence[Trials]) -> list[tuple[str, list[Trials]]]:
    names = dict.fromkeys(each.topic.topic.name for each in found)
    return [(name, [each for each in found if each.topic.topic.name == name]) for name in names]


def _subtitle(world: StudiedWorld, source: str, grade: str) -> str:
    return f"{grade}, {vectors_name(source)}, on {world.name}"


def _rows_1(each: Trials) -> Iterable[tuple[Cell, ...]]:
    for grade, is_independent in _grades(each):
        curve = _mean_curve(each, is_independent=is_independent)
        last = len(curve) - 1
        at = [round(float(curve[place]), 1) for place in (last // 4, last // 2, last)]
        yield (
            each.topic.topic.name,
            grade,
            each.method.name,
            *at,
            _short(_trial_spread(each, is_independent=is_independent)[-1]),
        )


def _curve_rows(each: Trials) -> Iterable[tuple[Cell, ...]]:
    for grade, is_independent in _grades(each):
        curve = _mean_curve(each, is_independent=is_independent)
        for place in _places(len(curve)):
            yield each.topic.topic.name, grade, each.method.name, place, round(float(curve[place]), 3)


def _grades(each: Trials) -> list[tuple[str, bool]]:
    return [(SELF_GRADED, False)] + ([(INDEPENDENT, True)] if each.independent is not None else [])


def _plot_1(world: StudiedWorld, source: str, found: Sequence[Trials], *, is_independent: bool) -> PanelPlot:
    grade = INDEPENDENT if is_independent else SELF_GRADED
    panels = [
        Panel(name, tuple(_curve_line(each, is_independent=is_independent) for each in group))
        for name, group in _by_topic(found)
        if not is_independent or group[0].independent is not None
    ]
    return PanelPlot(
        f"figure-1-{world.slug}-{vectors_slug(source)}-{grade.replace(' ', '-')}",
        "Figure 1: accumulated relevant pages per step",
        _subtitle(world, source, grade),
        "step",
        "relevant pages" if not is_independent else "labelled pages",
        tuple(panels),
    )


def _curve_line(each: Trials, *, is_independent: bool) -> Line:
    curve, spread = _mean_curve(each, is_independent=is_independent), _trial_spread(each, is_independent=is_independent)
    places = _places(len(curve))
    return Line(
        each.method.name,
        tuple((place, float(curve[place])) for place in places),
        spread=tuple(float(spread[place]) for place in places),
    )


def _mean_curve(each: Trials, *, is_independent: bool) -> NDArray[np.float64]:
    """Over all tasks and trials."""
    mean: NDArray[np.float64] = each.curves(is_independent=is_independent).mean(axis=(0, 1))
    return mean


def _trial_spread(each: Trials, *, is_independent: bool) -> NDArray[np.float64]:
    """One standard deviation of the trials' mean curves; 0 for a single one."""
    means = each.curves(is_independent=is_independent).mean(axis=1)
    return means.std(axis=0, ddof=1) if len(means) > 1 else np.zeros(means.shape[1])


def _interval_line(each: Trials) -> Line:
    middles = (np.arange(INTERVALS) + 0.5) / INTERVALS
    return Line(each.method.name, tuple(zip(middles.tolist(), pages_by_interval(each.tasks).tolist(), strict=True)))


def _task_lines(group: Sequence[Trials]) -> Iterable[Line]:
    tasks = max(each.self_graded.shape[1] for each in group)
    for each in group:
        found = found_by_task(each)
        if not each.method.learns:
            found = np.repeat(found[:, :1], tasks, axis=1)
        spread = found.std(axis=0, ddof=1) if len(found) > 1 else np.zeros(tasks)
        means = found.mean(axis=0).tolist()
        yield Line(each.method.name, tuple(enumerate(means, 1)), spread=tuple(spread.tolist()))


def _rows_3(each: Trials) -> Iterable[tuple[Cell, ...]]:
    own = found_by_task(each)
    labelled = found_by_task(each, is_independent=True) if each.independent is not None else None
    for task in range(own.shape[1]):
        yield (
            each.topic.topic.name,
            each.method.name,
            task + 1,
            *_mean_and_spread(own[:, task]),
            *((None, None) if labelled is None else _mean_and_spread(labelled[:, task])),
        )


def _mean_and_spread(values: NDArray[np.float64]) -> tuple[float, float]:
    return _short(values.mean()), _short(values.std(ddof=1) if len(values) > 1 else 0.0)


def _places(length: int) -> list[int]:
    """Steps at which a curve is told, the first and the last among them."""
    return list(dict.fromkeys(np.linspace(0, length - 1, min(POINTS, length)).round().astype(int).tolist()))


def _short(value: float) -> float:
    return round(float(value), 2)
