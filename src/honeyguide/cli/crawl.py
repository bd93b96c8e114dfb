"""`honeyguide crawl`: spend a budget of fetches on a topic, into a new run folder."""

from __future__ import annotations

from typing import Final

import typer

from honeyguide.cli.how_options import (
    ArchiveKind,
    Budget,
    Concurrency,
    ConfigFile,
    Contact,
    Device,
    GuardFlag,
    JudgeName,
    OtherSettings,
    RenderFlag,
    Seed,
    StrategyName,
    VectorsFile,
)
from honeyguide.cli.options import (
    Categories,
    JsonFlag,
    Keywords,
    Like,
    LogFile,
    PresetName,
    RunArgument,
    TopicFile,
    TopicName,
    Unlike,
    Verbosity,
    settings_of,
    topic_flags,
    topic_values,
    whole_number,
    with_preset_seeds,
    with_preset_step_size,
)
from honeyguide.cli.where_options import (
    AllowedHosts,
    AllowedPaths,
    AllowPrivate,
    DeniedHosts,
    DeniedPaths,
    Feeds,
    MaxDepth,
    MaxPagesPerHost,
    Prefixes,
    Profile,
    RestartUrls,
    SeedUrls,
    Sitemaps,
    StayOnDomain,
    StayOnSeedHosts,
    World,
    stay_on,
)

STRATEGY_LINES: Final = {
    "online-ridge": "learns from every page which links pay",
    "lfa-sync": "linear SARSA of Han 2018, every waiting link re-scored at every step",
    "lfa-async": "the same, only links like those of the newest page re-scored",
    "lfa-moderated": "as lfa-async, with damped errors",
    "dqn": "deep Q-learning, state and link in, one value out; needs PyTorch",
    "dqn-fixed": "deep Q-learning with an output a page: why that fails",
    "best-first": "nearest words to the topic first; learns nothing",
    "url-heuristic": "the best-looking address first; learns nothing",
    "beam": "as best-first, but only the best so many links wait",
    "breadth-first": "in the order found; needs no topic",
    "depth-first": "the newest page's links first; needs no topic",
    "modified-depth-first": "depth-first, never long on one host; needs no topic",
    "iterative-deepening": "one depth after the other; needs no topic",
    "weighted-breadth-first": "links beside the topic's own words first",
    "random": "any waiting link, by chance; needs no topic",
    "parse-or-skip": "in the order found; skips by a policy solved before",
    "parse-or-skip-q": "in the order found; learns which links to skip",
    "random-skip": "in the order found; skips by chance; needs no topic",
}
_NAME_WIDTH: Final = max(map(len, STRATEGY_LINES))
HELP: Final = (
    "Crawl a topic into a new run folder.\n\n"
    "Spends a budget of fetches on pages about the topic and keeps pages, links and everything learned in RUN. "
    "Ctrl-C finishes the step and saves; [bold]honeyguide resume RUN[/bold] goes on.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide crawl my-run --topic geology --keyword rock \\\n"
    "      --seed-url https://example.org/ --contact me@example.org\n\n"
    "  honeyguide crawl my-run --world synthetic --topic geology \\\n"
    "      --keyword rock --keyword mineral --budget 500\n\n"
    "  honeyguide crawl my-run --world wiki:simple --preset geology --profile han2018\n\n"
    "  honeyguide crawl my-run --topic-file reefs.toml --like @article.html\n\n"
    "[bold]Strategies[/bold]\n\n"
    + "\n".join(f"  [cyan]{name:{_NAME_WIDTH}}[/cyan]  {line}" for name, line in STRATEGY_LINES.items())
)


def crawl(
    run: RunArgument,
    topic: TopicName = None,
    keyword: Keywords = None,
    like: Like = None,
    unlike: Unlike = None,
    category: Categories = None,
    topic_file: TopicFile = None,
    preset: PresetName = None,
    world: World = None,
    seed_url: SeedUrls = None,
    sitemap: Sitemaps = None,
    feed: Feeds = None,
    profile: Profile = None,
    allow_host: AllowedHosts = None,
    deny_host: DeniedHosts = None,
    allow_path: AllowedPaths = None,
    deny_path: DeniedPaths = None,
    stay_on_seed_hosts: StayOnSeedHosts = False,
    stay_on_domain: StayOnDomain = False,
    under: Prefixes = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPagesPerHost = None,
    restart_url: RestartUrls = None,
    guard: GuardFlag = None,
    render: RenderFlag = None,
    allow_private: AllowPrivate = None,
    contact: Contact = None,
    budget: Budget = None,
    strategy: StrategyName = None,
    judge: JudgeName = None,
    vectors: VectorsFile = None,
    archive: ArchiveKind = None,
    device: Device = None,
    concurrency: Concurrency = None,
    seed: Seed = None,
    config: ConfigFile = None,
    set_: OtherSettings = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide import crawler as engine  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.summary import print_summary  # noqa: PLC0415
    from honeyguide.cli.watching import watching  # noqa: PLC0415

    flags = {
        **topic_flags(topic, keyword, like, unlike, category),
        "crawl.world": world,
        "crawl.seed_urls": seed_url,
        "crawl.sitemaps": sitemap,
        "crawl.feeds": feed,
        "crawl.profile": profile,
        "scope.allow_hosts": allow_host,
        "scope.deny_hosts": deny_host,
        "scope.allow_paths": allow_path,
        "scope.deny_paths": deny_path,
        "scope.stay_on": stay_on(seed_hosts=stay_on_seed_hosts, domain=stay_on_domain),
        "scope.allow_prefixes": under,
        "scope.max_depth": whole_number(max_depth),
        "scope.max_pages_per_host": whole_number(max_pages_per_host),
        "restart.urls": restart_url,
        "guard.on": guard,
        "fetch.allow_private": allow_private,
        "render.enabled": render,
        "fetch.contact": contact,
        "crawl.strategy": strategy,
        "crawl.concurrency": whole_number(concurrency),
        "crawl.seed": whole_number(seed),
        "budget.fetches": whole_number(budget),
        "judge.kind": judge,
        "vectors.source": vectors,
        "store.archive": archive,
        "dqn.device": device,
    }
    settings = settings_of(config, set_ or [], flags, topic_values(topic_file, preset))
    settings = with_preset_seeds(with_preset_step_size(settings, preset), preset)
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        finished = engine.crawl(run, settings, **watch.surroundings(settings))
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
    raise typer.Exit(watch.is_interrupted.exit_code)
