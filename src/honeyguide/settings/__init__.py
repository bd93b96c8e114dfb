"""Everything a user may set, in one frozen tree.

TOML or flags come in through `load_settings`, `settings_from` and `with_overrides`, which refuse keys nobody
knows and values of the wrong type. `validate` then reads the whole tree once, just before a crawl is built,
and lists every mistake together. `to_toml` writes the effective settings beside a run.

A new setting is declared in the section it belongs to (`sections`, and files named after a part of the crawl), or, for
one strategy or judge alone, in the dataclass beside its class. Reading, writing and checking all walk the declarations.
"""

from honeyguide.registry import JUDGES, STRATEGIES, WORLDS
from honeyguide.settings.checks import validate
from honeyguide.settings.declaring import MethodSettings, Setting, nearest, setting, shown
from honeyguide.settings.fetch_sections import MOST_BODY_BYTES, FetchSettings, PolitenessSettings, RenderSettings
from honeyguide.settings.guard_section import GuardSettings
from honeyguide.settings.judge_sections import AskSettings, JudgeSettings, VectorSettings
from honeyguide.settings.reading import (
    load_run_settings,
    load_settings,
    load_settings_to_resume,
    read_toml,
    settings_from,
    to_toml,
    with_overrides,
)
from honeyguide.settings.schema import (
    SETTINGS_BY_KEY,
    Settings,
    everyday_settings,
    files_named,
    judges_named,
    table_of,
)
from honeyguide.settings.sections import (
    DOCUMENT_TYPES,
    DOCX,
    EPUB,
    ODT,
    PDF,
    SHIPPED_START,
    USUAL_STRATEGIES,
    BudgetSettings,
    ClusterSettings,
    CrawlSettings,
    DirectiveSettings,
    FrontierSettings,
    ParseSettings,
    RefreshSettings,
    RestartSettings,
    ScopeSettings,
    SearchSettings,
    StoreSettings,
    TopicSettings,
    yield_rule,
)

__all__ = [
    "DOCUMENT_TYPES", "DOCX", "EPUB", "JUDGES", "MOST_BODY_BYTES", "ODT", "PDF", "SETTINGS_BY_KEY",
    "SHIPPED_START", "STRATEGIES", "USUAL_STRATEGIES", "WORLDS",
    "AskSettings", "BudgetSettings", "ClusterSettings", "CrawlSettings",
    "DirectiveSettings", "FetchSettings", "FrontierSettings", "GuardSettings", "JudgeSettings", "MethodSettings",
    "ParseSettings", "PolitenessSettings", "RefreshSettings", "RenderSettings", "RestartSettings", "ScopeSettings",
    "SearchSettings", "Setting", "Settings", "StoreSettings", "TopicSettings", "VectorSettings", "everyday_settings",
    "files_named", "judges_named",
    "load_run_settings", "load_settings", "load_settings_to_resume", "nearest", "read_toml", "setting",
    "settings_from", "shown", "table_of", "to_toml", "validate", "with_overrides", "yield_rule",
]  # fmt: skip
