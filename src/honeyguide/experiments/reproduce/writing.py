"""The one writer of reports: Markdown for people, CSV and JSON for programs, plots as PNG and SVG.

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
from io import StringIO
from typing import TYPE_CHECKING, Any

from honeyguide.exports import whole_file
from honeyguide.report import PanelPlot, markdown_table
from honeyguide.report.figures import can_draw, save_line_plot, save_panel_plot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.experiments.reproduce.report import Cell, Figure, Report, Section, Table


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
    with whole_file(file) as out:
        out.write(text)
