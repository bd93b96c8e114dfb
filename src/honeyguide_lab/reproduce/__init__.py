"""The experiments of papers, made again, with our figures beside the published ones.

`reproduce` opens the worlds, has a `Paper` begin on them as a `Study`, makes the crawls it asks for through the one
engine, and writes its `Report`: Markdown, CSV, JSON and plots, each with the code, settings, seed and data it came
from. A paper is a folder of its own here and a line in `papers`; it gives back values, and writes nothing itself.
"""

from honeyguide_lab.reproduce.reproducing import PAPERS, Reproduced, paper_named, reproduce, write_report
from honeyguide_lab.reproduce.study import (
    BUNDLED,
    Paper,
    Report,
    Reproduction,
    Section,
    StudiedWorld,
    Study,
    StudyOptions,
    Table,
    vector_sources,
)
from honeyguide_lab.reproduce.world_topics import WorldTopics, world_topics

__all__ = [
    "BUNDLED",
    "PAPERS",
    "Paper",
    "Report",
    "Reproduced",
    "Reproduction",
    "Section",
    "StudiedWorld",
    "Study",
    "StudyOptions",
    "Table",
    "WorldTopics",
    "paper_named",
    "reproduce",
    "vector_sources",
    "world_topics",
    "write_report",
]
