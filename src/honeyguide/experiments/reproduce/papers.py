"""The papers by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from honeyguide.errors import SettingsError
from honeyguide.experiments.reproduce.han2018 import HAN2018
from honeyguide.experiments.reproduce.lim2016 import LIM2016
from honeyguide.experiments.reproduce.pertejo2021 import PERTEJO2021
from honeyguide.experiments.reproduce.wikicrawler import WIKICRAWLER

if TYPE_CHECKING:
    from honeyguide.experiments.reproduce.study import Paper

PAPERS: Final = (HAN2018, LIM2016, PERTEJO2021, WIKICRAWLER)


def paper_named(name: str) -> Paper:
    """SettingsError for a paper that we do not have."""
    by_name = {paper.name: paper for paper in PAPERS}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name.lower(), by_name, n=1)
    remedy = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(by_name)}"
    raise SettingsError([f"no paper {name!r}: {remedy}"])
