"""All settings in one tree, and every setting by its dotted key (`fetch.timeout_s`).

The sections that every crawl has are fields of `Settings`. Those of strategies and judges are declared beside their
classes and collected from the registries when they are first needed, because that imports the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

from honeyguide.registry import JUDGES, STRATEGIES
from honeyguide.settings.declaring import Setting, nearest, settings_declared, shown
from honeyguide.settings.fetch_sections import FetchSettings, PolitenessSettings, RenderSettings
from honeyguide.settings.guard_section import GuardSettings
from honeyguide.settings.judge_sections import AskSettings, JudgeSettings, VectorSettings
from honeyguide.settings.sections import (
    BudgetSettings,
    ClusterSettings,
    CrawlSettings,
    DirectiveSettings,
    FrontierSettings,
    ParseSettings,
    RankSettings,
    RefreshSettings,
    RestartSettings,
    ScopeSettings,
    SearchSettings,
    StoreSettings,
    TopicSettings,
    WorldSettings,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run. The defaults are polite, and complete but for the topic."""

    topic: TopicSettings = field(default_factory=TopicSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    world: WorldSettings = field(default_factory=WorldSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    render: RenderSettings = field(default_factory=RenderSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    directives: DirectiveSettings = field(default_factory=DirectiveSettings)
    vectors: VectorSettings = field(default_factory=VectorSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    ranks: RankSettings = field(default_factory=RankSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    restart: RestartSettings = field(default_factory=RestartSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    # Of strategies and judges, those that are not all defaults, in the order of their names.
    methods: tuple[Any, ...] = ()
    # Not a setting: keys that somebody has set, if only to the default. A profile leaves them alone.
    set_keys: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def chosen_vectors(self) -> VectorSettings:
        """The settings of the vectors, with the table named that serves the language where `bundled` leaves it open."""
        if self.vectors.source != "bundled":
            return self.vectors
        return replace(self.vectors, source="english" if self.judge.language == "english" else "wordllama")

    def of(self, method: type[T]) -> T:
        """Return the settings of a strategy or judge, given their dataclass."""
        return next((section for section in self.methods if type(section) is method), None) or method()

    def with_method(self, section: object) -> Settings:
        """Return these settings with other ones of a strategy or judge."""
        others = [each for each in self.methods if type(each) is not type(section)]
        kept = others if section == type(section)() else [*others, section]
        return replace(self, methods=tuple(sorted(kept, key=lambda each: type(each).__name__)))


class SettingsByKey(Mapping[str, Setting]):
    """Every setting by its dotted key. Those of strategies and judges are collected when one is asked for."""

    def __getitem__(self, key: str) -> Setting:
        return _common()[key] if key in _common() else _every()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_every())

    def __len__(self) -> int:
        return len(_every())


@cache
def _common() -> dict[str, Setting]:
    declarations = get_type_hints(Settings)
    found: dict[str, Setting] = {}
    for part in fields(Settings):
        if is_dataclass(declarations[part.name]):
            found |= settings_declared(part.name, part.name, declarations[part.name])
    return found


@cache
def _common_tables() -> frozenset[str]:
    return frozenset(setting.table for setting in _common().values())


@cache
def _every() -> dict[str, Setting]:
    found = dict(_common())
    for method in (*JUDGES.settings_types(), *STRATEGIES.settings_types()):
        for key, setting in settings_declared(str(method.table), method, method).items():
            found.setdefault(key, setting)
    in_order = list(dict.fromkeys(setting.table for setting in found.values()))
    return dict(sorted(found.items(), key=lambda item: in_order.index(item[1].table)))


SETTINGS_BY_KEY: Final[Mapping[str, Setting]] = SettingsByKey()


def tables() -> tuple[str, ...]:
    """Return the names of all TOML tables."""
    return tuple(dict.fromkeys(setting.table for setting in SETTINGS_BY_KEY.values()))


def is_table(name: str) -> bool:
    """Whether there is such a TOML table. Loads no strategy or judge where it is one that every crawl has."""
    return name in _common_tables() or name in tables()


def table_of(strategy: str) -> str:
    """Return the table of a strategy's own settings; empty where it has none."""
    method = STRATEGIES[strategy].settings_type
    return "" if method is None else str(method.table)


def judges_named(settings: Settings) -> list[str]:
    """Return the judge that the settings choose, and the parts of a combined one, whether there are such or not."""
    kind = settings.judge.kind
    parts = settings.of(JUDGES["combined"].settings_type).parts if kind == "combined" else ()
    return [kind, *(part.partition(":")[0] for part in parts)]


def settings_to_write(settings: Settings) -> list[Setting]:
    """Return the settings that a run keeps: all of ours, and of other packages those of the methods chosen.

    A run can then be read and resumed without the packages that it never used.
    """
    judges = JUDGES.settings_types(JUDGES.own_and(judges_named(settings)))
    strategies = STRATEGIES.settings_types(STRATEGIES.own_and([settings.crawl.strategy]))
    methods = {*judges, *strategies}
    return [each for each in SETTINGS_BY_KEY.values() if isinstance(each.section, str) or each.section in methods]


def everyday_settings() -> list[Setting]:
    """Return the settings that people need first."""
    return [setting for setting in SETTINGS_BY_KEY.values() if setting.everyday]


def merged(base: Settings, values: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """Lay `values` over `base`; also return the mistakes among them: unknown keys, values of the wrong type.

    A mistaken value leaves the one in `base` standing, so that everything else can still be checked.
    """
    mistakes: list[str] = []
    changes: dict[str | type, dict[str, Any]] = {}
    for key, value in values.items():
        setting = SETTINGS_BY_KEY.get(key)
        if setting is None:
            mistakes.append(_unknown(key, value))
        elif not setting.kind.fits(value):
            mistakes.append(f"{key} is {shown(value)}: it must be {setting.kind.words}")
        else:
            changes.setdefault(setting.section, {})[setting.name] = setting.kind.convert(value)
    common = {name: replace(getattr(base, name), **change) for name, change in changes.items() if isinstance(name, str)}
    settings = replace(base, **common)
    for method, change in changes.items():
        if not isinstance(method, str):
            settings = settings.with_method(replace(base.of(method), **change))
    return settings, mistakes


_REPLACED: Final = {
    "lfa.start_weights": "begin with learned weights by --learn-from RUN|FILE, in a file crawl.learn_from",
}


def _unknown(key: str, value: object) -> str:
    if is_table(key):
        return f"{key} is a table of settings: write [{key}] and its settings below it"
    if isinstance(value, Mapping):
        return f"unknown table [{key}]; {nearest(key, tables()) or _known_tables()}"
    if key in _REPLACED:
        return f"unknown setting {key}; {_REPLACED[key]}"
    return f"unknown setting {key}; {_nearest_setting(key) or _known_tables()}"


def _nearest_setting(key: str) -> str:
    """Guess what was meant: this name in another table, one alike in this table, or one alike anywhere."""
    table, _, name = key.rpartition(".")
    elsewhere = [known for known in SETTINGS_BY_KEY if known.endswith(f".{name}")]
    if elsewhere:
        return f"did you mean {elsewhere[0]}?"
    beside = [setting.name for setting in SETTINGS_BY_KEY.values() if setting.table == table]
    if beside:
        return nearest(name, beside) or f"[{table}] has {', '.join(beside)}"
    return nearest(key, SETTINGS_BY_KEY)


def _known_tables() -> str:
    return f"the tables are {', '.join(tables())}"


def with_paths_seen_from(folder: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parsed TOML document whose files were named as seen from `folder`."""
    seen = dict(document)
    for table, content in document.items():
        for name, value in content.items() if isinstance(content, Mapping) else ():
            setting = SETTINGS_BY_KEY.get(f"{table}.{name}")
            if setting and setting.names_file:
                seen[table] = {**seen[table], name: _with_files(setting, value, lambda path: folder / path)}
    return seen


def with_absolute_paths(settings: Settings) -> Settings:
    """Return the settings with every file named from the root of the file system."""
    named = {setting.key: setting for setting, _ in files_named(settings, SETTINGS_BY_KEY.values())}
    absolute = {key: _with_files(each, each.value_in(settings), Path.absolute) for key, each in named.items()}
    return merged(settings, absolute)[0]


def files_named(settings: Settings, among: Iterable[Setting]) -> Iterator[tuple[Setting, Path]]:
    """Yield those of some settings whose value names a file, or is a list that does, with the path of each."""
    for setting in among:
        if setting.names_file is None:
            continue
        value = setting.value_in(settings)
        for each in (value,) if isinstance(value, str) else value:
            if setting.names_file(each):
                yield setting, _from_home(each)


def _with_files(setting: Setting, value: object, moved: Callable[[Path], Path]) -> object:
    """Return a value in which every name of a file is that of the path moved; others and mistakes stay as they are."""
    if isinstance(value, list | tuple):
        return [_with_files(setting, each, moved) for each in value]
    is_file = isinstance(value, str) and setting.names_file is not None and setting.names_file(value)
    return str(moved(_from_home(str(value)))) if is_file else value


def _from_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # nobody of this name has a home, so it is a file's
        return Path(path)
