"""Strategies compared with one another, under the same conditions, against labels that none of them sees.

An `Experiment` is read from flags or TOML (`experiment_from`). `compare_strategies` makes it: `survey` explores each
world into a `WorldGraph`, labels its pages and asks the `oracle` how well a crawl could do; `run_crawls` has every
contender crawl, through the same engine as any other crawl, in processes that know no labels; `grade` and `summary`
turn the runs into figures, and `writing` into tables and plots. The judge that pays the strategies grades nobody.

`Contest` and `compare` are the same in small, for the demo: one topic, crawls in a row, over real HTTP. `reproduce/`
makes the experiments of papers again.
"""

from honeyguide_lab.compare import Comparison, Contest, Graded, compare, compare_strategies
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.labels import LabelRule, Labels
from honeyguide_lab.oracle import Oracle, oracle
from honeyguide_lab.plots import Line, LinePlot, Panel, PanelPlot
from honeyguide_lab.run import Task
from honeyguide_lab.spec import FLOORS, Contender, Experiment, TopicSpec, experiment_from
from honeyguide_lab.statistics import PairedDifference, markdown_table, paired_difference
from honeyguide_lab.survey import survey
from honeyguide_lab.terminal import MARKERS, draw_curves

__all__ = [
    "FLOORS",
    "MARKERS",
    "Comparison",
    "Contender",
    "Contest",
    "CrawlTask",
    "Experiment",
    "Graded",
    "LabelRule",
    "Labels",
    "Line",
    "LinePlot",
    "Oracle",
    "PairedDifference",
    "Panel",
    "PanelPlot",
    "Task",
    "TopicSpec",
    "compare",
    "compare_strategies",
    "draw_curves",
    "experiment_from",
    "markdown_table",
    "oracle",
    "paired_difference",
    "survey",
]
