"""The report of a run: one HTML file for a person to read, with everything in it and nothing loaded from a network.

`gathering` reads what the page shows, `drawing` computes the geometry of its two drawings, and `writing` renders the
Jinja2 templates in `templates/`, which escape all text from the web. `crawler.reporting` adds what judge and strategy
can tell. The file's size does not depend on the run's.
"""

from honeyguide.runs.report.gathering import Insights
from honeyguide.runs.report.writing import check_top, report_html, write_html

__all__ = [
    "Insights",
    "check_top",
    "report_html",
    "write_html",
]
