"""The report as one file."""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.errors import SettingsError
from honeyguide.runs import opened
from honeyguide.runs.exports import REPORT_NAME, whole_file
from honeyguide.runs.report import sections
from honeyguide.runs.report.escaping import shown
from honeyguide.runs.report.gathering import MOST_RESULTS, gather

if TYPE_CHECKING:
    from honeyguide.runs import Run

TOP: Final = 50
# Nothing is loaded and no script runs, whatever a page of the run may have smuggled in.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_PARTS: Final = (
    ("harvest", "Harvest"),
    ("found", "What was found"),
    ("map", "Map"),
    ("hosts", "Hosts and outcomes"),
    ("traps", "Traps"),
    ("settings", "Settings"),
)


def write_report(run: Run | Path | str, file: Path | str | None = None, *, top: int = TOP) -> Path:
    """Write the report of a run and say where: `report.html` in its folder, unless told otherwise.

    The file is replaced when the new one is whole. `top` is how many pages it shows, from 1 to 200; SettingsError for
    any other number.
    """
    _check_top(top)
    with opened(run) as source:
        path = source.path / REPORT_NAME if file is None else Path(file)
        html = report_html(source, top=top)
        with whole_file(path) as out:
            out.write(html)
    return path


def report_html(run: Run, *, top: int = TOP) -> str:
    """The report of a run that is open, as HTML."""
    _check_top(top)
    gathered = gather(run, top)
    body = [
        sections.harvest(gathered),
        sections.found(gathered),
        sections.topic_map(gathered),
        sections.hosts_and_outcomes(gathered),
        sections.traps(gathered),
        sections.settings(gathered),
    ]
    there = "".join(
        f'<a href="#{anchor}">{name}</a>' for anchor, name in _PARTS if any(f'id="{anchor}"' in each for each in body)
    )
    style = resources.files("honeyguide.runs.report").joinpath("style.css").read_text(encoding="utf-8")
    title = shown(gathered.stats.topic or "A crawl")
    version = metadata.version("honeyguide")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">',
            f"<title>{title} · Honeyguide</title>\n<style>\n{style}</style>\n</head>\n<body>",
            sections.head(gathered),
            f'<nav aria-label="Parts of this report">{there}</nav>\n<main>',
            *body,
            f"</main>\n<footer>Honeyguide {shown(version)}, from the run {shown(gathered.stats.run)}.</footer>",
            "</body>\n</html>\n",
        ]
    )


def _check_top(top: int) -> None:
    if not isinstance(top, int) or not 1 <= top <= MOST_RESULTS:
        raise SettingsError([f"top is {top!r}: a report shows 1 to {MOST_RESULTS} pages"])
