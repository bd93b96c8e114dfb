"""Where strategies, judges, worlds and export formats are found by name.

Ours stand in the tables below as `module:attribute`, so that names can be listed without importing anything. Other
packages add theirs through entry points, in the group that each registry names:

    [project.entry-points."honeyguide.strategies"]
    my-order = "my_package.my_order:MyOrder"
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from honeyguide.errors import SettingsError

log = logging.getLogger(__name__)


class Registry(Mapping[str, Any]):
    """Things of one kind by name. Looking one up imports its module; listing the names imports none.

    A name of ours cannot be taken by another package: a warning says whose thing is left out.
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, str]) -> None:
        self.kind = kind
        self.group = group
        self._own = own

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        ours = {name: EntryPoint(name, target, self.group) for name, target in self._own.items()}
        others = {entry.name: entry for entry in _installed(self.group)}
        for name in ours.keys() & others.keys():
            log.warning(
                "the %s %r of the package %s is left out: honeyguide has one of that name; rename it there",
                self.kind, name, _package(others[name]),
            )  # fmt: skip
        return ours | {name: entry for name, entry in others.items() if name not in ours}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - each kind has its own type
        entry = self._entries[name]
        try:
            found: Any = import_module(entry.module)
            for attribute in entry.attr.split("."):
                found = getattr(found, attribute)
        except Exception as error:
            if name in self._own:
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            named = f"the {self.kind} {name!r} of the package {_package(entry)}"
            raise SettingsError([f"{named} cannot be loaded ({reason}): mend or uninstall it"]) from error
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._entries

    def is_own(self, name: str) -> bool:
        """Return whether this is one of ours, not of another package."""
        return name in self._own

    def own_and(self, chosen: Iterable[str]) -> list[str]:
        """Return our own names, and those of the chosen ones that other packages have added."""
        return [*self._own, *(name for name in dict.fromkeys(chosen) if name in self and name not in self._own)]

    def settings_types(self, names: Iterable[str] | None = None) -> list[Any]:
        """Return the settings dataclasses of all, or of those named, each once.

        One that cannot be loaded is left out with a warning.
        """
        found: dict[Any, None] = {}
        for name in self if names is None else names:
            try:
                settings_type = getattr(self[name], "settings_type", None)
            except SettingsError as error:
                log.warning("%s", error)
                continue
            if settings_type is not None:
                found[settings_type] = None
        return list(found)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


@cache
def _installed(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


STRATEGIES: Final = Registry(
    "strategy",
    "honeyguide.strategies",
    {
        "breadth-first": "honeyguide.learn.orders:BreadthFirst",
        "depth-first": "honeyguide.learn.orders:DepthFirst",
        "iterative-deepening": "honeyguide.learn.orders:IterativeDeepening",
        "modified-depth-first": "honeyguide.learn.orders:ModifiedDepthFirst",
        "weighted-breadth-first": "honeyguide.learn.weighted_breadth_first:WeightedBreadthFirst",
        "random": "honeyguide.learn.orders:RandomOrder",
        "best-first": "honeyguide.learn.best_first:BestFirst",
        "url-heuristic": "honeyguide.learn.url_heuristic:BestUrlFirst",
        "beam": "honeyguide.learn.best_first:Beam",
        "best-n-first": "honeyguide.learn.best_n_first:BestNFirst",
        "shark-search": "honeyguide.learn.shark_search:SharkSearch",
        "tunnelling": "honeyguide.learn.tunnelling:Tunnelling",
        "page-rank": "honeyguide.learn.page_rank:PageRankOrder",
        "in-links": "honeyguide.learn.in_links:InLinks",
        "online-ridge": "honeyguide.learn.online_ridge:OnlineRidge",
        "linucb": "honeyguide.learn.linucb:LinUcb",
        "link-classifier": "honeyguide.learn.link_classifier:LinkClassifier",
        "host-bandit": "honeyguide.learn.host_bandit:HostBandit",
        "tag-path-bandit": "honeyguide.learn.tag_path_bandit:TagPathBandit",
        "tree-frontier": "honeyguide.learn.tree_frontier:TreeFrontier",
        "prioritised-sweeping": "honeyguide.learn.prioritised_sweeping:PrioritisedSweeping",
        "lfa-sync": "honeyguide.learn.linear_sarsa:LinearSarsa",
        "lfa-async": "honeyguide.learn.linear_sarsa:LinearSarsa",
        "lfa-moderated": "honeyguide.learn.linear_sarsa:LinearSarsa",
        "dqn": "honeyguide.learn.deep_q.deep_q:DeepQ",
        "dqn-fixed": "honeyguide.learn.deep_q.fixed:PageDeepQ",
        "parse-or-skip": "honeyguide.learn.parse_or_skip:ParseOrSkip",
        "parse-or-skip-q": "honeyguide.learn.parse_or_skip_q:ParseOrSkipQ",
        "random-skip": "honeyguide.learn.orders:RandomSkip",
    },
)
"""Classes that follow `honeyguide.learn.Strategy`."""

JUDGES: Final = Registry(
    "judge",
    "honeyguide.judges",
    {
        "learned": "honeyguide.judge.learned:LearnedJudge",
        "keyword": "honeyguide.judge.keywords:KeywordJudge",
        "tfidf": "honeyguide.judge.tfidf:TfidfJudge",
        "embedding": "honeyguide.judge.embeddings:EmbeddingJudge",
        "embedding-tfidf": "honeyguide.judge.embeddings:EmbeddingTfidfJudge",
        "rake": "honeyguide.judge.rake:RakeJudge",
        "classifier": "honeyguide.judge.classifier:ClassifierJudge",
        "neural": "honeyguide.judge.examples:NeuralJudge",
        "combined": "honeyguide.judge.combined:CombinedJudge",
    },
)
"""Classes that follow `honeyguide.judge.Judge`."""

WORLDS: Final = Registry(
    "world",
    "honeyguide.worlds",
    {
        "live": "honeyguide.crawler.live:open_live",
        "synthetic": "honeyguide.worlds.synthetic.world:SyntheticWorld.open",
        "synthetic+http": "honeyguide.crawler.live:serve_synthetic",
        "wiki": "honeyguide.worlds.wiki.world:WikiWorld.open",
        "site": "honeyguide.worlds.frozen.opening:open_frozen",
        "replay": "honeyguide.crawler.build:open_replay",
    },
)
"""Functions that open a world: `(spec, settings)` in, where `spec` stands behind the colon of `name:spec`; a
`honeyguide.worlds.World` out, or an async context manager that gives one. The two that ask real hosts are also given
what is known of them."""

EXPORTS: Final = Registry(
    "export format",
    "honeyguide.exports",
    {
        "edges": "honeyguide.runs.exports.edges:EDGES",
        "jsonl": "honeyguide.runs.exports.json_lines:JSON_LINES",
        "csv": "honeyguide.runs.exports.csv_table:CSV",
        "parquet": "honeyguide.runs.exports.parquet:PARQUET",
        "sqlite": "honeyguide.runs.exports.tables:SQLITE",
        "duckdb": "honeyguide.runs.exports.tables:DUCKDB",
        "opensearch": "honeyguide.runs.exports.json_lines:OPENSEARCH",
        "warc": "honeyguide.runs.exports.warc:WARC",
        "graphml": "honeyguide.runs.exports.graph_xml:GRAPHML",
        "gexf": "honeyguide.runs.exports.graph_xml:GEXF",
        "markdown": "honeyguide.runs.exports.markdown:MARKDOWN",
        "corpus": "honeyguide.runs.exports.corpus:CORPUS",
        "answers": "honeyguide.runs.exports.answers:ANSWERS",
        "keywords": "honeyguide.runs.exports.keywords:KEYWORDS",
    },
)
"""Values of `honeyguide.runs.exports.ExportFormat`."""
