"""The report of a run: one HTML file for a person to look at, with everything in it and nothing from a network.

`gathering` reads what the page shows, `map_layout` says where the pages of the map lie, the `*_drawing` modules draw
SVG, `sections` write the parts of the page, `writing` joins them with the style sheet. All that comes from the web goes
through `escaping`. The size of the file does not depend on that of the run: everything listed has a limit.
"""

from honeyguide.runs.report.writing import report_html, write_report

__all__ = [
    "report_html",
    "write_report",
]
