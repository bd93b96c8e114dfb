"""Everything a user may set, in one frozen tree.

TOML or flags come in through `load_settings`, `settings_from` and `with_overrides`, which refuse keys nobody
knows and values of the wrong type. `validate` then reads the whole tree once, just before a crawl is built,
and lists every mistake together. `to_toml` writes the effective settings beside a run.

A new field is declared in the table it belongs to (`crawl_tables`, `fetch_tables`, `judge_tables`, ..., or for one
strategy alone `strategy_tables`) and nowhere else; a new section has a line in `schema`, too. Reading, writing and
checking all walk the declarations.
"""

from honeyguide.settings.checks import validate
from honeyguide.settings.fetch_sections import FetchSettings, PolitenessSettings, RenderSettings
from honeyguide.settings.guard_section import GuardSettings
from honeyguide.settings.judge_sections import JUDGES, JudgeSettings, VectorSettings
from honeyguide.settings.known import SETTINGS_BY_KEY, Setting
from honeyguide.settings.reading import load_settings, read_toml, settings_from, to_toml, with_overrides
from honeyguide.settings.schema import Settings
from honeyguide.settings.sections import (
    WORLDS,
    BudgetSettings,
    CrawlSettings,
    DirectiveSettings,
    FrontierSettings,
    RefreshSettings,
    RestartSettings,
    ScopeSettings,
    SearchSettings,
    StoreSettings,
    TopicSettings,
)
from honeyguide.settings.strategy_sections import (
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
    "read_toml",
    "settings_from",
    "table_of",
    "to_toml",
    "validate",
    "with_overrides",
]
