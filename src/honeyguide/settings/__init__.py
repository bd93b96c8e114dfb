"""Everything a user may set, in one frozen tree.

TOML or flags come in through `load_settings`, `settings_from` and `with_overrides`, which refuse keys nobody
knows and values of the wrong type. `validate` then reads the whole tree once, just before a crawl is built,
and lists every mistake together. `to_toml` writes the effective settings beside a run. A new section or field
is declared in `schema.py`, or for one strategy alone in `strategy_tables.py`, and nowhere else: reading, writing
and checking all walk the declarations.
"""

from honeyguide.settings.checks import validate
from honeyguide.settings.guard_table import GuardSettings
from honeyguide.settings.known import SETTINGS_BY_KEY, Setting
from honeyguide.settings.reading import load_settings, read_toml, settings_from, with_overrides
from honeyguide.settings.schema import (
    JUDGES,
    WORLDS,
    BudgetSettings,
    CrawlSettings,
    DirectiveSettings,
    FetchSettings,
    FrontierSettings,
    JudgeSettings,
    PolitenessSettings,
    RefreshSettings,
    RenderSettings,
    RestartSettings,
    ScopeSettings,
    SearchSettings,
    Settings,
    StoreSettings,
    TopicSettings,
    VectorSettings,
)
from honeyguide.settings.strategy_tables import (
    HEURISTICS,
    STRATEGIES,
    STRATEGIES_NEEDING_A_TOPIC,
    USUAL_STRATEGIES,
    BeamSettings,
    BestFirstSettings,
    DqnSettings,
    LfaSettings,
    ModifiedDepthFirstSettings,
    ParseOrSkipQSettings,
    ParseOrSkipSettings,
    RandomSkipSettings,
    RidgeSettings,
    UrlHeuristicSettings,
    WeightedBreadthFirstSettings,
    table_of,
)
from honeyguide.settings.topic_file import load_topic, topic_file
from honeyguide.settings.writing import to_toml

__all__ = [
    "HEURISTICS",
    "JUDGES",
    "SETTINGS_BY_KEY",
    "STRATEGIES",
    "STRATEGIES_NEEDING_A_TOPIC",
    "USUAL_STRATEGIES",
    "WORLDS",
    "BeamSettings",
    "BestFirstSettings",
    "BudgetSettings",
    "CrawlSettings",
    "DirectiveSettings",
    "DqnSettings",
    "FetchSettings",
    "FrontierSettings",
    "GuardSettings",
    "JudgeSettings",
    "LfaSettings",
    "ModifiedDepthFirstSettings",
    "ParseOrSkipQSettings",
    "ParseOrSkipSettings",
    "PolitenessSettings",
    "RandomSkipSettings",
    "RefreshSettings",
    "RenderSettings",
    "RestartSettings",
    "RidgeSettings",
    "ScopeSettings",
    "SearchSettings",
    "Setting",
    "Settings",
    "StoreSettings",
    "TopicSettings",
    "UrlHeuristicSettings",
    "VectorSettings",
    "WeightedBreadthFirstSettings",
    "load_settings",
    "load_topic",
    "read_toml",
    "settings_from",
    "table_of",
    "to_toml",
    "topic_file",
    "validate",
    "with_overrides",
]
