"""The experiments of papers, made again, with our figures beside the published ones.

`reproduce` opens the worlds, has a `Paper` begin on them as a `Study`, makes the crawls it asks for through the one
engine, and writes its `Report`: Markdown, CSV, JSON and plots, each with the code, settings, seed and data it came
from. A paper is a folder of its own here and a line in `papers`; it gives back values, and writes nothing itself.
"""

from honeyguide.experiments.reproduce.measured_crawl import MeasuredCrawl, Milestone
from honeyguide.experiments.reproduce.papers import PAPERS, paper_named
from honeyguide.experiments.reproduce.report import Report, Section, Table
from honeyguide.experiments.reproduce.reproducing import Reproduced, reproduce
from honeyguide.experiments.reproduce.study import Paper, Reproduction, StudiedWorld, Study, StudyOptions
from honeyguide.experiments.reproduce.writing import write_report

__all__ = [
    "PAPERS",
    "MeasuredCrawl",
    "Milestone",
    "Paper",
    "Report",
    "Reproduced",
    "Reproduction",
    "Section",
    "StudiedWorld",
    "Study",
    "StudyOptions",
    "Table",
    "paper_named",
    "reproduce",
    "write_report",
]
