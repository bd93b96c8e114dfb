"""Strategies compared with one another, under the same conditions, against labels that none of them sees.

An `Experiment` is read from flags or TOML (`experiment_from`). `compare_strategies` makes it: `survey` explores each
world into a `WorldGraph`, labels its pages and asks the `oracle` how well a crawl could do; `run_crawls` has every
contender crawl, through the same engine as any other crawl, in processes that know no labels; `grade` and `summary`
turn the runs into figures, and `report_files` into tables and plots. The judge that pays the strategies grades nobody.

`leaderboard` ranks all strategies on several webs, `reproduce` makes the experiments of papers again, `traps` are
scenarios for the synthetic web, `environment` is the crawl for Gymnasium, and `demo` the comparison that
`honeyguide demo` shows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide_lab.compare import Comparison, compare_strategies
    from honeyguide_lab.labels import LabelRule
    from honeyguide_lab.oracle import Oracle
    from honeyguide_lab.spec import Contender, Experiment, TopicSpec, experiment_from
    from honeyguide_lab.statistics import PairedDifference, paired_difference

__all__ = [
    "Comparison",
    "Contender",
    "Experiment",
    "LabelRule",
    "Oracle",
    "PairedDifference",
    "TopicSpec",
    "compare_strategies",
    "experiment_from",
    "paired_difference",
]
_HOMES = {
    "compare": ("Comparison", "compare_strategies"),
    "labels": ("LabelRule",),
    "oracle": ("Oracle",),
    "spec": ("Contender", "Experiment", "TopicSpec", "experiment_from"),
    "statistics": ("PairedDifference", "paired_difference"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load what is asked for: most programs need one part of the laboratory."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
