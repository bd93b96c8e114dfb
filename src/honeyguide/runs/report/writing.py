"""Render the report through Jinja2, which escapes everything that is not markup of the templates, and write it."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from honeyguide.errors import SettingsError
from honeyguide.model.counts import count_of
from honeyguide.runs.exports import atomic_file
from honeyguide.runs.report.drawing import colour_by_host, curve_drawing, lay_out, map_drawing
from honeyguide.runs.report.gathering import MOST_RESULTS, Insights, gather

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.runs import Run
    from honeyguide.runs.report.drawing import Places
    from honeyguide.runs.report.gathering import RunReport, TopicMap

TOP: Final = 50
_FEW_ON_MAP: Final = 15
# Control characters, halves of surrogate pairs, and marks that change the direction of the text after them.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def write_html(make_html: Callable[[], str], run: Run, file: Path | str | None = None) -> Path:
    """Write a report and return its path: `report.html` in the run folder unless `file` is given.

    Of an earlier state it is `report@1.html`. The file is replaced when the new one is complete; where it cannot be
    written, nothing is made.
    """
    path = run.path / f"report{run.name.removeprefix(str(run.path))}.html" if file is None else Path(file)
    with atomic_file(path) as out:
        out.write(make_html())
    return path


def report_html(
    run: Run,
    *,
    top: int = TOP,
    insights: Insights = Insights(),  # noqa: B008 - frozen
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> str:
    """Return the report of an open run as HTML. SettingsError where `top`, the pages shown, is not from 1 to 200."""
    check_top(top)
    return render(gather(run, top, insights, on_progress))


def render(report: RunReport) -> str:
    """Return a report as HTML. Its policy lets one script run, by the digest of ours."""
    script = resources.files("honeyguide.runs.report").joinpath("templates", "report.js").read_text(encoding="utf-8")
    return (
        templates()
        .get_template("report.html")
        .render(
            report=report,
            stats=report.stats,
            version=metadata.version("honeyguide"),
            script=Markup(script),  # noqa: S704 - our own
            script_digest=b64encode(sha256(script.encode()).digest()).decode(),
        )
    )


@cache
def templates() -> Environment:
    """Return the environment of the templates: autoescaping, no undefined names."""
    environment = Environment(
        loader=PackageLoader("honeyguide.runs.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": plain, "printable": printable, "breakable": breakable, "web_address": web_address}
    environment.globals |= {
        "count_of": count_of,
        "curve_drawings": _curve_drawings,
        "map_drawings": _map_drawings,
        "colour_by_host": colour_by_host,
    }
    return environment


def plain(text: str, longest: int = 200) -> str:
    """Return text on one line without control characters; what is too long is cut."""
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def printable(text: str) -> str:
    """Return part of a line without control characters; spaces at its ends stay."""
    return _UNPRINTABLE.sub(" ", text)


def breakable(text: str, longest: int = 200) -> Markup:
    """Return text, escaped, that a browser may break after a dot, slash, dash or underscore."""
    return Markup(re.sub(r"([./_-])", r"\1<wbr>", str(escape(plain(text, longest)))))  # noqa: S704 - escaped before


def web_address(url: str) -> str:
    """Return an http or https address as it may stand in a link; empty for any other."""
    return _UNPRINTABLE.sub("", url) if url.startswith(("http://", "https://")) else ""


def _curve_drawings(curve: Sequence[tuple[int, int]]) -> list[Any]:
    return [curve_drawing(curve, 1020, 320, "wide"), curve_drawing(curve, 360, 250, "narrow")]


def _map_drawings(topic_map: TopicMap, places: Places | None = None) -> list[Any]:
    """Draw the map for wide and for narrow windows, where it is turned to be taller than wide."""
    pages, links = topic_map.pages, topic_map.links
    if places is None:
        places = lay_out([page.host for page in pages], links)
    heights = (640, 460) if len(pages) > _FEW_ON_MAP else (340, 280)
    relevance = [page.relevance for page in pages]
    wide, narrow = ([plain(page.title or page.host, longest) for page in pages] for longest in (34, 22))
    return [
        map_drawing(places, links, relevance, wide, (1020, heights[0]), "wide"),
        map_drawing(places[:, ::-1], links, relevance, narrow, (360, heights[1]), "narrow"),
    ]


def check_top(top: int) -> None:
    """SettingsError for a number of pages that a report cannot show."""
    if not isinstance(top, int) or not 1 <= top <= MOST_RESULTS:
        raise SettingsError([f"top is {top!r}: a report shows 1 to {MOST_RESULTS} pages"])
