"""Plots: both files, the same each time, with everything on them that a reader needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from honeyguide_lab.plots import (
    Line,
    LinePlot,
    Panel,
    PanelPlot,
    can_draw,
    save_answer_curves,
    save_bars_by_topic,
    save_harvest_curves,
    save_line_plot,
    save_panel_plot,
    save_relevance_histogram,
    styles_for,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")

NAMES = ["random", "best-first", "online-ridge"]
STYLES = styles_for(NAMES, {"random"})


def draw_harvest(stem: Path) -> str:
    save_harvest_curves(
        stem,
        title="geology",
        curves={name: [[0, number, 2 * number], [0, 0, number]] for number, name in enumerate(NAMES)},
        oracle=[0, 1, 4],
        bound=[0, 1, 4],
        styles=STYLES,
        note="seeds 0 to 1",
    )
    return stem.with_name(f"{stem.name}.svg").read_text()


def test_a_plot_is_png_and_svg_and_names_every_line(tmp_path: Path) -> None:
    drawn = draw_harvest(tmp_path / "harvest")
    assert (tmp_path / "harvest.png").read_bytes().startswith(b"\x89PNG")
    for text in ("geology", "random (floor) 0", "best-first 1.5", "online-ridge 3", "oracle 4", "seeds 0 to 1"):
        assert text in drawn


def test_the_same_figures_give_the_same_file(tmp_path: Path) -> None:
    assert draw_harvest(tmp_path / "a" / "harvest") == draw_harvest(tmp_path / "b" / "harvest")


def test_a_strategy_that_found_nothing_and_one_that_beats_the_oracle_can_be_drawn(tmp_path: Path) -> None:
    relevance = {"random": [], "best-first": [0.1, 0.9]}
    save_relevance_histogram(tmp_path / "r", title="t", relevance=relevance, runs=1, styles=STYLES, note="n")
    shares = {"geology": {"random": [0.0], "best-first": [1.2]}, "opera": {"random": [0.1], "best-first": [0.5]}}
    save_bars_by_topic(tmp_path / "b", title="t", shares=shares, styles=STYLES, note="n")
    assert "opera" in (tmp_path / "b.svg").read_text()
    assert (tmp_path / "r.png").exists()


def test_floors_are_grey_and_no_two_strategies_look_alike() -> None:
    assert STYLES["random"]["color"] not in (STYLES["best-first"]["color"], STYLES["online-ridge"]["color"])
    many = styles_for([str(number) for number in range(12)], set())
    assert len({(style["color"], style["linestyle"]) for style in list(many.values())[:6]}) == 6


def draw_lines(stem: Path, *lines: Line, is_log: bool = True, x_marks: tuple[float, ...] = ()) -> str:
    plot = LinePlot("growth", "Growth", "on a web", "steps", "links", lines, is_log, x_marks)
    save_line_plot(stem, plot, "seed 3")
    assert stem.with_name(f"{stem.name}.png").read_bytes().startswith(b"\x89PNG")
    return stem.with_name(f"{stem.name}.svg").read_text()


OURS = Line("queue", ((1, 68), (5, 268), (500, 18968)))
STARVED = Line("stack", ((1, 68), (100, 78), (200, 0)), end="starved after 178")
PUBLISHED = Line("published", ((5, 1205), (500, 68615)), is_published=True)


def test_lines_are_named_and_axes_say_what_they_count(tmp_path: Path) -> None:
    drawn = draw_lines(tmp_path / "lines", OURS, STARVED, PUBLISHED, x_marks=(1, 5, 50, 500, 5000))
    for text in ("Growth", "on a web", "steps", "links", "queue", "stack", "published", "starved after 178", "seed 3"):
        assert f">{text}<" in drawn
    for mark in ("1", "5", "50", "500", "10,000"):
        assert f">{mark}<" in drawn
    assert ">5,000<" not in drawn, "a mark beyond the lines would stretch the axis"


def test_the_same_lines_give_the_same_file(tmp_path: Path) -> None:
    assert draw_lines(tmp_path / "a" / "l", OURS) == draw_lines(tmp_path / "b" / "l", OURS)


@pytest.mark.parametrize("is_log", [True, False])
def test_lines_without_points_or_all_at_zero_can_be_drawn(tmp_path: Path, is_log: bool) -> None:
    flat = Line("flat", ((1, 0), (2, 0)), end="starved")
    assert ">flat<" in draw_lines(tmp_path / "l", flat, Line("empty", ()), is_log=is_log)


def test_more_lines_than_colours_can_be_drawn(tmp_path: Path) -> None:
    lines = [Line(f"number {number}", ((1, number + 1), (9, number + 2))) for number in range(9)]
    assert ">number 8<" in draw_lines(tmp_path / "l", *lines)


class TestPanels:
    @staticmethod
    def drawn(stem: Path, *, is_bars: bool, panels: int = 4) -> str:
        lines = (
            Line("learner", ((1, 2.0), (2, 4.0), (3, 3.0)), spread=(0.5, 0.0, 1.0)),
            Line("baseline", ((1, 1.0), (2, 1.0), (3, 1.0))),
        )
        subjects = tuple(Panel(f"subject {number}", lines) for number in range(panels))
        plot = PanelPlot("panels", "Figure 3", "self-graded", "task", "pages", subjects, is_bars=is_bars)
        save_panel_plot(stem, plot, "seed 0")
        return stem.with_name(f"{stem.name}.svg").read_text()

    @pytest.mark.parametrize("is_bars", [False, True])
    def test_every_subject_has_a_panel_and_every_line_one_entry_in_the_legend(
        self, tmp_path: Path, *, is_bars: bool
    ) -> None:
        drawn = self.drawn(tmp_path / "panels", is_bars=is_bars)
        assert [drawn.count(f">subject {number}<") for number in range(4)] == [1, 1, 1, 1]
        assert (drawn.count(">learner<"), drawn.count(">baseline<")) == (1, 1)
        for text in ("Figure 3", "self-graded", "task", "pages", "seed 0"):
            assert text in drawn
        assert (tmp_path / "panels.png").read_bytes().startswith(b"\x89PNG")

    def test_the_same_panels_give_the_same_file(self, tmp_path: Path) -> None:
        first = self.drawn(tmp_path / "a" / "panels", is_bars=False, panels=1)
        assert first == self.drawn(tmp_path / "b" / "panels", is_bars=False, panels=1)

    def test_a_band_is_drawn_where_the_spread_is_known(self, tmp_path: Path) -> None:
        drawn = self.drawn(tmp_path / "panels", is_bars=False)
        assert drawn.count("FillBetweenPolyCollection") or drawn.count("PolyCollection")

    def test_nine_lines_are_told_apart(self, tmp_path: Path) -> None:
        lines = tuple(Line(f"number {number}", ((1, number), (2, number + 1))) for number in range(9))
        save_panel_plot(tmp_path / "n", PanelPlot("n", "N", "n", "x", "y", (Panel("one", lines),)), "")
        looks = set(re.findall(r'style="fill: none; ([^"]*stroke-width: 1.5[^"]*)"', (tmp_path / "n.svg").read_text()))
        assert len({tuple(sorted(each.split("; "))) for each in looks}) == 9


def test_answers_are_drawn_with_their_intervals_and_a_perfect_judge_beside_them(tmp_path: Path) -> None:
    def share(answers: int, mean: float, *, perfect: bool = False) -> dict[str, object]:
        return {"answers": answers, "perfect_judge": perfect, "mean": mean, "interval": [mean - 0.1, mean + 0.1]}

    shares = {"online-ridge": [share(0, 0.4), share(10, 0.6), share(2, 0.5), share(0, 0.9, perfect=True)]}
    save_answer_curves(tmp_path / "answers", shares, "2 runs")
    drawn = (tmp_path / "answers.svg").read_text()
    for text in ("online-ridge", "online-ridge, perfect judge", "questions that the labels answered", "2 runs"):
        assert text in drawn
