"""Strategies compared with one another, under the same conditions, against labels that none of them sees.

An `Experiment` is read from flags or TOML (`experiment_from`). `compare_strategies` makes it: `survey` explores each
world into a `WorldGraph`, labels its pages and asks the `oracle` how well a crawl could do; `run_crawls` has every
contender crawl, through the same engine as any other crawl, in processes that know no labels; `grade` and `summary`
turn the runs into figures, and `writing` into tables and plots. The judge that pays the strategies grades nobody.

`Contest` and `compare` are the same in small, for the demo: one topic, crawls in a row, over real HTTP. `reproduce/`
makes the experiments of papers again.
"""

from honeyguide.experiments.compare import Comparison, compare_strategies
from honeyguide.experiments.comparison import Contest, Graded, compare
from honeyguide.experiments.labels import LabelRule, Labels
from honeyguide.experiments.oracle import Oracle, oracle
from honeyguide.experiments.spec import FLOORS, Contender, Experiment, TopicSpec
from honeyguide.experiments.spec_reading import experiment_from
from honeyguide.experiments.survey import survey
from honeyguide.experiments.world_graph import WorldGraph, explore

__all__ = [
    "FLOORS",
    "Comparison",
    "Contender",
    "Contest",
    "Experiment",
    "Graded",
    "LabelRule",
    "Labels",
    "Oracle",
    "TopicSpec",
    "WorldGraph",
    "compare",
    "compare_strategies",
    "experiment_from",
    "explore",
    "oracle",
    "survey",
]
