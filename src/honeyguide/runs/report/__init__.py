"""The report of a run: one HTML file for a person to read, with everything in it and nothing loaded from a network.

`gathering` reads what the page shows, `drawing` computes the geometry of its two drawings, and `writing` renders the
Jinja2 templates in `templates/`, which escape all text from the web. The file's size does not depend on the run's.
"""

from honeyguide.runs.report.writing import report_html, write_report

__all__ = [
    "report_html",
    "write_report",
]
