"""What a run was worth, in figures and drawings, read from the store afterwards.

`metrics` are plain functions: fetches that are on topic or not go in, a harvest curve and its figures come out.
`paired` says whether two strategies really differ. `terminal` draws curves as lines of text, `tables` writes Markdown,
`figures` plots with matplotlib where it is installed. None of them judges anything: the caller says what is on topic.
`run_page` makes the report of one run, a page to look at in a browser.
"""

from honeyguide.report.line_plot import Line, LinePlot, Panel, PanelPlot
from honeyguide.report.metrics import (
    area_under_curve,
    downsampled,
    graded,
    harvest_at,
    harvest_curve,
    harvest_rate,
    share_found,
    steps_to_first,
)
from honeyguide.report.paired import PairedDifference, paired_difference
from honeyguide.report.tables import markdown_table
from honeyguide.report.terminal import MARKERS, draw_curves

__all__ = [
    "MARKERS",
    "Line",
    "LinePlot",
    "PairedDifference",
    "Panel",
    "PanelPlot",
    "area_under_curve",
    "downsampled",
    "draw_curves",
    "graded",
    "harvest_at",
    "harvest_curve",
    "harvest_rate",
    "markdown_table",
    "paired_difference",
    "share_found",
    "steps_to_first",
]
