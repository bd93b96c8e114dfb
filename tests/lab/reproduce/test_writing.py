"""The one writer of reports: what people read and what programs read say the same."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide_lab.plots import Line, LinePlot, can_draw
from honeyguide_lab.reproduce.reproducing import markdown, shown, write_report
from honeyguide_lab.reproduce.study import Figure, Report, Section, Table

if TYPE_CHECKING:
    from pathlib import Path

ABOUT: dict[str, Any] = {
    "honeyguide": "0.0+abc",
    "paper": "lim2016",
    "seed": 3,
    "quick": False,
    "worlds": [
        {"world": "synthetic", "data_hash": "1111111111112222", "crawls": []},
        {"world": "wiki:w", "data_hash": "3333333333334444", "crawls": []},
    ],
}
SIZES = Table(
    "sizes",
    "Sizes",
    ("strategy", "size", "published", "seconds"),
    (("breadth | first", 1234, 68615, 0.25), ("beam", 7, None, 4459.348122)),
    note="A note.",
)
PLOT = LinePlot("growth", "Growth", "on wiki:w", "steps", "links", (Line("ours", ((1, 2), (5, 0), (10, 30))),))
REPORT = Report(
    "A paper",
    "By someone.",
    (Section("First", ("Some words.",), (SIZES,), (Figure(PLOT, ("wiki:w",)),)), Section("Second")),
    left_out=("This.",),
    documents={"similar": [["http://a.test/", {"Überraschung": {"free": 0.7}}]]},
    texts={"graphs/one.txt": "2\na b\n"},
)


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)


@pytest.mark.usefixtures("_undrawn")
def test_tables_are_written_with_every_digit(tmp_path: Path) -> None:
    write_report(tmp_path, REPORT, ABOUT)
    with (tmp_path / "tables" / "sizes.csv").open(encoding="utf-8", newline="") as lines:
        assert list(csv.reader(lines)) == [
            ["strategy", "size", "published", "seconds"],
            ["breadth | first", "1234", "68615", "0.25"],
            ["beam", "7", "", "4459.348122"],
        ]


@pytest.mark.usefixtures("_undrawn")
def test_json_has_what_the_report_says_and_what_it_depends_on(tmp_path: Path) -> None:
    document, _, has_plots = write_report(tmp_path, REPORT, ABOUT)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == document
    assert not has_plots
    assert {name: document[name] for name in ABOUT} == ABOUT
    assert document["left_out"] == ["This."]
    (table,) = document["sections"][0]["tables"]
    assert table["rows"] == [["breadth | first", 1234, 68615, 0.25], ["beam", 7, None, 4459.348122]]
    assert document["files"] == ["similar.json", "graphs/one.txt"]


@pytest.mark.usefixtures("_undrawn")
def test_files_of_the_paper_are_written_as_they_are(tmp_path: Path) -> None:
    write_report(tmp_path, REPORT, ABOUT)
    assert json.loads((tmp_path / "similar.json").read_text(encoding="utf-8")) == REPORT.documents["similar"]
    assert "Überraschung" in (tmp_path / "similar.json").read_text(encoding="utf-8")
    assert (tmp_path / "graphs" / "one.txt").read_text() == "2\na b\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "graphs",
        "report.json",
        "report.md",
        "similar.json",
        "tables",
    ]


def test_markdown_has_title_provenance_sections_and_dashes_for_what_was_not_published() -> None:
    text = markdown(REPORT, ABOUT, with_plots=True)
    assert text.startswith("# A paper\n\nBy someone.\n\nMade by Honeyguide 0.0+abc, seed 3, on `synthetic` (data 1111")
    assert "- This." in text
    assert "## First\n\nSome words.\n\n### Sizes\n\n| strategy" in text
    assert "| breadth \\| first | 1,234 |    68,615 |   0.250 |" in text
    assert "| beam             |     7 |         – | 4,459.3 |" in text
    assert "A note." in text
    assert "![Growth, on wiki:w](figures/growth.png)" in text
    assert text.endswith("## Second\n")


def test_without_plots_no_picture_is_promised() -> None:
    assert "![" not in markdown(REPORT, ABOUT, with_plots=False)


def test_a_quick_report_says_that_it_is_one() -> None:
    assert "not to be quoted" in markdown(REPORT, ABOUT | {"quick": True}, with_plots=False)
    assert "not to be quoted" not in markdown(REPORT, ABOUT, with_plots=False)


def test_a_long_table_is_cut_in_the_report_and_an_empty_one_says_so() -> None:
    long = Table("long", "Long", ("n",), tuple((number,) for number in range(30)), most_shown=3)
    empty = Table("empty", "Empty", ("n",), ())
    text = markdown(Report("R", "S", (Section("One", (), (long, empty)),)), ABOUT, with_plots=False)
    assert "| 2   |\n\nThe first 3 of 30 rows; all are in `tables/long.csv`." in text
    assert "### Empty\n\nNothing was found." in text


@pytest.mark.usefixtures("_undrawn")
def test_a_figure_that_is_no_number_is_never_written(tmp_path: Path) -> None:
    broken = Table("t", "T", ("n",), ((float("nan"),),))
    with pytest.raises(ValueError, match="JSON"):
        write_report(tmp_path, Report("R", "S", (Section("One", (), (broken,)),)), ABOUT)
    assert not (tmp_path / "report.json").exists()
    assert not (tmp_path / "report.md").exists()


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
def test_plots_are_drawn_with_what_they_depend_on_under_them(tmp_path: Path) -> None:
    _, text, has_plots = write_report(tmp_path, REPORT, ABOUT)
    assert has_plots
    assert "![Growth, on wiki:w](figures/growth.png)" in text
    drawn = (tmp_path / "figures" / "growth.svg").read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "growth.png").stat().st_size > 5000
    assert "lim2016 · seed 3 · data 333333333333 · Honeyguide 0.0+abc" in drawn
    assert "111111111111" not in drawn  # of a world that is not in the plot


@pytest.mark.usefixtures("_undrawn")
def test_written_twice_it_is_the_same(tmp_path: Path) -> None:
    def contents() -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file()}

    write_report(tmp_path, REPORT, ABOUT)
    first = contents()
    write_report(tmp_path, REPORT, ABOUT)
    assert contents() == first


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "–"), (0, "0"), (68615, "68,615"), (0.0, "0.000"), (0.7661, "0.766"), (99.9996, "100.000"),
     (-3.5, "-3.500"), (1881.018762, "1,881.0"), ("plain", "plain"), ("", "")],
)  # fmt: skip
def test_how_a_cell_is_shown(cell: str | float | None, text: str) -> None:
    assert shown(cell) == text


@given(st.one_of(st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()))
def test_any_cell_can_be_shown(cell: str | float | None) -> None:
    assert isinstance(shown(cell), str)
