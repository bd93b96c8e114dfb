"""The experiments of papers, made again, with our figures beside the published ones.

`reproduce` opens the worlds, has a `Paper` begin on them as a `Study`, makes the crawls it asks for through the one
engine, and writes its `Report`: Markdown, CSV, JSON and plots, each with the code, settings, seed and data it came
from. A paper is a folder of its own here and a line in `PAPERS`; it gives back values, and writes nothing itself.
"""

from honeyguide_lab.reproduce.reproducing import PAPERS, Reproduced, paper_named, reproduce
from honeyguide_lab.reproduce.study import StudyOptions

__all__ = ["PAPERS", "Reproduced", "StudyOptions", "paper_named", "reproduce"]
