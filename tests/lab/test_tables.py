"""Tables that are Markdown and still legible as they stand."""

from __future__ import annotations

from honeyguide_lab.statistics import markdown_table


def test_columns_are_aligned_and_figures_stand_to_the_right() -> None:
    assert markdown_table(("name", "n"), [("a", "1"), ("long name", "1,000")]).splitlines() == [
        "| name      |     n |",
        "|:----------|------:|",
        "| a         |     1 |",
        "| long name | 1,000 |",
    ]


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert markdown_table(("a",), [("x|y",)]).splitlines()[-1] == "| x\\|y |"


def test_columns_of_text_stand_to_the_left() -> None:
    assert markdown_table(("n", "name"), [("1", "a"), ("1,000", "long name")], texts={1}).splitlines() == [
        "|     n | name      |",
        "|------:|:----------|",
        "|     1 | a         |",
        "| 1,000 | long name |",
    ]
