"""`honeyguide crawl`: spend a budget of fetches on a topic, into a new run folder."""

from __future__ import annotations

import tomllib
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag, LogFile, RunArgument, Verbosity, setting_option
from honeyguide.cli.topic_options import (
    Categories,
    Keywords,
    Like,
    PresetName,
    TopicFile,
    TopicName,
    Unlike,
    topic_flags,
    topic_values,
    with_preset_seeds,
    with_preset_step_size,
)
from honeyguide.errors import SettingsError
from honeyguide.settings import JUDGES, Settings, load_settings, with_overrides

if TYPE_CHECKING:
    from collections.abc import Mapping

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

_WHERE: Final = "Where to look"
_HOW: Final = "How to look"


def crawl(
    run: RunArgument,
    topic: TopicName = None,
    keyword: Keywords = None,
    like: Like = None,
    unlike: Unlike = None,
    category: Categories = None,
    topic_file: TopicFile = None,
    preset: PresetName = None,
    world: Annotated[
        str | None,
        setting_option(
            "crawl.world", "--world", metavar="WORLD", panel=_WHERE,
            help_text="What is crawled: live, the web; synthetic or synthetic:seed=1,pages=20000; "
            "synthetic+http, the same served on loopback; wiki:PATH, a built dump; site:FOLDER@BASE_URL or "
            "site:FILE.warc.gz; replay:RUN.",
        ),
    ] = None,
    seed_url: Annotated[
        list[str] | None,
        setting_option(
            "crawl.seed_urls", "--seed-url", metavar="URL", panel=_WHERE,
            help_text="Where to start; may be given several times. Without it: the entry pages of an offline world, "
            "or a shipped list of well-known places by topic (your own: --set crawl.starting_points=FILE).",
        ),
    ] = None,
    sitemap: Annotated[
        list[str] | None,
        setting_option(
            "crawl.sitemaps", "--sitemap", metavar="URL", panel=_WHERE,
            help_text="Start at what this sitemap lists; repeatable. Those in robots.txt: "
            "--set crawl.sitemaps_from_robots=true.",
        ),
    ] = None,
    feed: Annotated[
        list[str] | None,
        setting_option(
            "crawl.feeds", "--feed", metavar="URL", panel=_WHERE,
            help_text="Start at the entries of this RSS or Atom feed; repeatable.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        setting_option(
            "crawl.profile", "--profile", metavar="NAME", panel=_WHERE,
            help_text="Settings laid under yours. wikipedia: text from the first paragraph on, links to articles only, "
            "a longer pause every ten fetches; han2018, pertejo2021: the learners of these papers, for --preset "
            "or a topic with categories.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        setting_option(
            "scope.allow_hosts", "--allow-host", metavar="HOST", panel=_WHERE,
            help_text="Stay on this host, or on all of *.example.org; may be given several times.",
        ),
    ] = None,
    deny_host: Annotated[
        list[str] | None,
        setting_option(
            "scope.deny_hosts", "--deny-host", metavar="HOST", panel=_WHERE,
            help_text="Never ask this host; may be given several times.",
        ),
    ] = None,
    allow_path: Annotated[
        list[str] | None,
        setting_option(
            "scope.allow_paths", "--allow-path", metavar="REGEX", panel=_WHERE,
            help_text="Follow only links with this in path or query; may be given several times.",
        ),
    ] = None,
    deny_path: Annotated[
        list[str] | None,
        setting_option(
            "scope.deny_paths", "--deny-path", metavar="REGEX", panel=_WHERE,
            help_text="Follow no link with this in path or query; may be given several times.",
        ),
    ] = None,
    stay_on_seed_hosts: Annotated[
        bool,
        typer.Option(
            "--stay-on-seed-hosts", metavar="", show_default=False, rich_help_panel=_WHERE,
            help="Stay on the hosts of the seeds.",
        ),
    ] = False,
    stay_on_domain: Annotated[
        bool,
        typer.Option(
            "--stay-on-domain", metavar="", show_default=False, rich_help_panel=_WHERE,
            help="Stay on the registered domains of the seeds: of www.example.co.uk, on example.co.uk and all below.",
        ),
    ] = False,
    under: Annotated[
        list[str] | None,
        setting_option(
            "scope.allow_prefixes", "--under", metavar="PREFIX", panel=_WHERE,
            help_text="Follow only links under this: /docs/ or https://example.org/docs/; repeatable.",
        ),
    ] = None,
    max_depth: Annotated[
        str | None,
        setting_option(
            "scope.max_depth", "--max-depth", metavar="CLICKS", panel=_WHERE,
            help_text="Follow no link farther from a seed; 0 sets no limit.",
        ),
    ] = None,
    max_pages_per_host: Annotated[
        str | None,
        setting_option(
            "scope.max_pages_per_host", "--max-pages-per-host", metavar="N", panel=_WHERE,
            help_text="Ask no host more often; 0 sets no limit.",
        ),
    ] = None,
    restart_url: Annotated[
        list[str] | None,
        setting_option(
            "restart.urls", "--restart-url", metavar="URL", panel=_WHERE,
            help_text="A seed kept for restarts; repeatable. When they happen: --set restart.every_fetches=1000, or "
            "--set restart.reward_share=0.3.",
        ),
    ] = None,
    guard: Annotated[
        bool | None,
        setting_option(
            "guard.on", "--guard/--no-guard", metavar="", panel=_HOW,
            help_text="Look out for loops, traps and near-duplicates: their links wait behind others. What it found: "
            "honeyguide traps.",
        ),
    ] = None,
    render: Annotated[
        bool | None,
        setting_option(
            "render.enabled", "--render", metavar="", panel=_HOW,
            help_text="Run pages that are empty without their scripts in headless Chromium (extra: browser).",
        ),
    ] = None,
    allow_private: Annotated[
        bool | None,
        setting_option(
            "fetch.allow_private", "--allow-private", metavar="", panel=_WHERE,
            help_text="Also call loopback, private and link-local addresses: for a site on this machine or network.",
        ),
    ] = None,
    contact: Annotated[
        str | None,
        setting_option(
            "fetch.contact", "--contact", metavar="MAIL|URL", panel=_HOW,
            help_text="Where a site's owner can reach you; sent with every request to the live web.",
        ),
    ] = None,
    budget: Annotated[
        str | None, setting_option("budget.fetches", "--budget", metavar="FETCHES", panel=_HOW)
    ] = None,
    strategy: Annotated[
        str | None,
        setting_option(
            "crawl.strategy", "--strategy", metavar="NAME", panel=_HOW,
            help_text="How links are chosen; see above.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        setting_option(
            "judge.kind", "--judge", metavar="NAME", panel=_HOW,
            help_text=f"How relevance is measured: {', '.join(JUDGES)}. Tune it with --set judge.KEY=VALUE.",
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        setting_option(
            "vectors.source", "--vectors", metavar="FILE", panel=_HOW,
            help_text="Word vectors: a GloVe, word2vec or fastText .vec file, plain or compressed.",
        ),
    ] = None,
    archive: Annotated[
        str | None,
        setting_option(
            "store.archive", "--archive", metavar="KIND", panel=_HOW,
            help_text="Where pages are kept: store, in the database; warc, as WARC files in RUN/archive, with headers, "
            "redirects and errors; none.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        setting_option(
            "dqn.device", "--device", metavar="NAME", panel=_HOW,
            help_text="Where dqn trains its network: cpu or cuda.",
        ),
    ] = None,
    concurrency: Annotated[
        str | None, setting_option("crawl.concurrency", "--concurrency", metavar="N", panel=_HOW)
    ] = None,
    seed: Annotated[str | None, setting_option("crawl.seed", "--seed", metavar="N", panel=_HOW)] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, rich_help_panel=_HOW,
            help="A TOML file of settings; flags go over it.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="SECTION.KEY=VALUE", show_default=False, rich_help_panel=_HOW,
            help="Any other setting, as in --set politeness.delay_s=2; may be given several times.",
        ),
    ] = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    from honeyguide import engine  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
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
        "scope.stay_on": _stay_on(seed_hosts=stay_on_seed_hosts, domain=stay_on_domain),
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


def _stay_on(*, seed_hosts: bool, domain: bool) -> str | None:
    if seed_hosts and domain:
        raise SettingsError(["--stay-on-seed-hosts and --stay-on-domain ask for two things; leave one out"])
    return "seed-hosts" if seed_hosts else "seed-domains" if domain else None


def whole_number(text: str | None) -> int | str | None:
    """A flag's number; what is none stays text, so that the settings refuse it along with everything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def settings_of(
    config: Path | None, assignments: list[str], flags: Mapping[str, Any], topic: Mapping[str, Any]
) -> Settings:
    """The config file, then the topic file or preset, `--set`, and the other flags; each over what came before.

    Of flags only None counts as not given.
    """
    base = Settings() if config is None else load_settings(config)
    given = {key: value for key, value in flags.items() if value is not None}
    return with_overrides(base, dict(topic) | dict(map(parse_assignment, assignments)) | given)


def parse_assignment(text: str) -> tuple[str, Any]:
    """Read `section.key=value`. The value is TOML where it can be, else the text as it stands."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingsError([f"--set {text}: write it as section.key=value, as in politeness.delay_s=2"])
    try:
        document = tomllib.loads(f"value = {value}")
    except ValueError:
        document = {}
    return key.strip(), document["value"] if document.keys() == {"value"} else value
