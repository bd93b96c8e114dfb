"""All settings in one tree: a section per table, each declared in the module of its kind.

A section is a dataclass whose fields carry their default, their meaning in one line, and the values they may take.
Sections hold no behaviour beyond what their own fields decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from honeyguide.settings.fetch_sections import FetchSettings, PolitenessSettings, RenderSettings
from honeyguide.settings.guard_section import GuardSettings
from honeyguide.settings.judge_sections import JudgeSettings, VectorSettings
from honeyguide.settings.sections import (
    BudgetSettings,
    CrawlSettings,
    DirectiveSettings,
    FrontierSettings,
    RankSettings,
    RefreshSettings,
    RestartSettings,
    ScopeSettings,
    SearchSettings,
    StoreSettings,
    TopicSettings,
)
from honeyguide.settings.strategy_sections import (
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
)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run. The defaults are polite, and complete but for the topic."""

    topic: TopicSettings = field(default_factory=TopicSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    render: RenderSettings = field(default_factory=RenderSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    directives: DirectiveSettings = field(default_factory=DirectiveSettings)
    vectors: VectorSettings = field(default_factory=VectorSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    ranks: RankSettings = field(default_factory=RankSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    restart: RestartSettings = field(default_factory=RestartSettings)
    # A method's table carries the strategy's own name.
    best_first: BestFirstSettings = field(default_factory=BestFirstSettings)
    beam: BeamSettings = field(default_factory=BeamSettings)
    url_heuristic: UrlHeuristicSettings = field(default_factory=UrlHeuristicSettings)
    modified_depth_first: ModifiedDepthFirstSettings = field(default_factory=ModifiedDepthFirstSettings)
    ridge: RidgeSettings = field(default_factory=RidgeSettings, metadata={"table": "online_ridge"})
    weighted_breadth_first: WeightedBreadthFirstSettings = field(default_factory=WeightedBreadthFirstSettings)
    parse_or_skip: ParseOrSkipSettings = field(default_factory=ParseOrSkipSettings)
    parse_or_skip_q: ParseOrSkipQSettings = field(default_factory=ParseOrSkipQSettings)
    random_skip: RandomSkipSettings = field(default_factory=RandomSkipSettings)
    lfa: LfaSettings = field(default_factory=LfaSettings)
    dqn: DqnSettings = field(default_factory=DqnSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    # Not a setting: keys that somebody has set, if only to the default. A profile leaves them alone.
    set_keys: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
