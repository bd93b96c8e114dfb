"""`honeyguide crawl`: spend a budget of fetches on a topic, into a new run folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from honeyguide.cli.options import (
    TOPIC_FLAGS,
    ClusterOption,
    Flag,
    JsonFlag,
    LogFile,
    PresetName,
    RunArgument,
    TopicFile,
    Verbosity,
    limit_flags,
    settings_of,
    stop_flags,
    takes_flags,
    topic_values,
)
from honeyguide.errors import SettingsError
from honeyguide.registry import JUDGES, STRATEGIES
from honeyguide.settings import Settings, with_overrides
from honeyguide.settings.profiles import VALUES_BY_PROFILE
from honeyguide.topic import preset as preset_topic

_WHERE: Final = "Where to look"
_HOW: Final = "How to look"
_ASK: Final = "What you tell it on the way"

STRATEGY_LINES: Final = {
    "online-ridge": "learns from every page which links pay",
    "linucb": "learns which links pay, and tries kinds it knows little of",
    "link-classifier": "learns from every page which words of links are good",
    "host-bandit": "learns which hosts pay, and takes their best links",
    "tag-path-bandit": "learns in which places of a layout the links pay",
    "tree-frontier": "learns kinds of links that pay alike, as a tree",
    "prioritised-sweeping": "learns a small model of the web and its values",
    "lfa-sync": "linear SARSA, every waiting link re-scored each step",
    "lfa-async": "the same, only links like those of the newest page re-scored",
    "lfa-moderated": "as lfa-async, with damped errors",
    "dqn": "deep Q-learning on state and link; needs PyTorch",
    "dqn-fixed": "deep Q-learning with an output a page: why that fails",
    "best-first": "nearest words to the topic first; learns nothing",
    "url-heuristic": "the best-looking address first; learns nothing",
    "beam": "as best-first, but only the best so many links wait",
    "best-n-first": "links of the best pages first, in batches",
    "shark-search": "links of good pages and with good words; learns nothing",
    "tunnelling": "links of good pages, past so many poor ones and no more",
    "page-rank": "the link with the greatest PageRank so far first; needs no topic",
    "in-links": "the link that most pages show first; needs no topic",
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
_EVERYDAY: Final = ("online-ridge", "best-first", "breadth-first", "lfa-sync", "dqn", "random")
_WIDTH: Final = max(map(len, _EVERYDAY))
HELP: Final = (
    "Crawl a topic into a new run folder.\n\n"
    "Spends a budget of fetches on pages about the topic and keeps pages, links and everything learned in RUN. "
    "Ctrl-C finishes the step and saves; [bold]honeyguide resume RUN[/bold] goes on. Without --seed-url it starts at "
    "the entry pages of an offline world, or at a shipped list of well-known places by topic.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide crawl my-run --topic geology --keyword rock \\\n"
    "      --seed-url https://example.org/ --contact me@example.org\n\n"
    "  honeyguide crawl my-run --world synthetic --topic geology \\\n"
    "      --keyword rock --keyword mineral --budget 500\n\n"
    "[bold]Strategies[/bold]\n\n"
    + "\n".join(f"  [cyan]{name:{_WIDTH}}[/cyan]  {STRATEGY_LINES[name]}" for name in _EVERYDAY)
    + f"\n  and {', '.join(name for name in STRATEGIES if name not in _EVERYDAY)}"
)


def _rare(name: str, key: str, metavar: str, panel: str, help_text: str = "") -> Flag:
    return Flag(name, key, metavar, panel, help_text, is_everyday=False)


FLAGS: Final = (
    *TOPIC_FLAGS,
    Flag(
        "--world", "crawl.world", "WORLD", _WHERE,
        "live, wiki:PATH, site:FOLDER@BASE_URL, site:FILE.warc.gz, replay:RUN, synthetic[:seed=1,pages=20000] or "
        "synthetic+http.".replace("[", "\\["),
    ),
    Flag("--seed-url", "crawl.seed_urls", "URL", _WHERE, "Where to start; repeatable."),
    _rare("--sitemap", "crawl.sitemaps", "URL", _WHERE, "Start at the pages of this sitemap; repeatable."),
    _rare("--feed", "crawl.feeds", "URL", _WHERE, "Start at the entries of this RSS or Atom feed; repeatable."),
    Flag("--allow-host", "scope.allow_hosts", "HOST", _WHERE, "Stay on this host or *.example.org; repeatable."),
    Flag("--deny-host", "scope.deny_hosts", "HOST", _WHERE, "Never ask this host; repeatable."),
    Flag("--under", "scope.allow_prefixes", "PREFIX", _WHERE, "Stay under /docs/ or https://example.org/docs/."),
    _rare("--allow-path", "scope.allow_paths", "REGEX", _WHERE, "Follow only links with this in path or query."),
    _rare("--deny-path", "scope.deny_paths", "REGEX", _WHERE, "Follow no link with this in path or query."),
    Flag("--max-depth", "scope.max_depth", "CLICKS", _WHERE, "Go no farther from a seed; 0: no limit."),
    _rare("--max-pages-per-host", "scope.max_pages_per_host", "N", _WHERE, "Ask no host more often; 0: no limit."),
    _rare(
        "--restart-url", "restart.urls", "URL", _WHERE,
        "A seed kept for restarts; repeatable. They happen by restart.every_fetches or restart.reward_share.",
    ),
    _rare(
        "--allow-private", "fetch.allow_private", "NETWORK|HOST", _WHERE,
        "Also ask these, though their addresses are not public, as in 127.0.0.0/8; repeatable.",
    ),
    Flag("--budget", "budget.fetches", "FETCHES", _HOW),
    *stop_flags(_HOW),
    *limit_flags(_HOW, are_everyday=False),
    Flag("--strategy", "crawl.strategy", "NAME", _HOW, "How links are chosen; see above."),
    Flag("--learn-from", "crawl.learn_from", "RUN|FILE", _HOW, "Begin with what a run learned; or: shipped."),
    Flag("--judge", "judge.kind", "NAME", _HOW, f"How relevance is measured: {', '.join(JUDGES)}."),
    Flag(
        "--profile", "crawl.profile", "NAME", _HOW,
        "Settings under yours: wikipedia, loop-detection, or a paper's: han2018, pertejo2021, pertejo2021-dqn.",
    ),
    _rare(
        "--guard/--no-guard", "guard.on", "", _HOW,
        "Lower the priority of loops, traps and near-duplicates; honeyguide traps shows them.",
    ),
    _rare("--documents", "parse.documents", "", _HOW, "Read PDF (extra documents), .docx, .odt and .epub as pages."),
    _rare("--logins", "fetch.logins", "FILE", _HOW, "Send headers and credentials of this TOML file to their hosts."),
    _rare("--cookies", "fetch.cookie_file", "FILE", _HOW, "Send and keep cookies, in Netscape's format."),
    _rare("--proxy", "fetch.proxies", "URL", _HOW, "Ask through this proxy, as in http://proxy:3128; repeatable."),
    _rare("--render", "render.enabled", "", _HOW, "Run scripts of empty pages in headless Chromium."),
    _rare(
        "--respect", "directives.respect", "usual|strict", _HOW,
        "strict keeps nothing that its publisher reserved (noai, TDM); usual records it.",
    ),
    Flag("--contact", "fetch.contact", "MAIL|URL", _HOW, "Where a site's owner can reach you."),
    _rare("--vectors", "vectors.source", "FILE", _HOW, "Word vectors: a GloVe, word2vec or fastText .vec file."),
    _rare(
        "--encoder", "vectors.encoder", "NAME|FOLDER", _HOW,
        "Read pages and links with a sentence encoder too: minilm (extra encoder), or a folder with a model.",
    ),
    _rare("--language", "judge.language", "NAME", _HOW, "The language of the pages, in English: german, french."),
    _rare("--archive", "store.archive", "KIND", _HOW, "Where pages are kept: store, warc (in RUN/archive), none."),
    Flag(
        "--device", "dqn.device", "NAME", _HOW, "Where dqn trains its network: cpu or cuda.", is_everyday=False,
        text_default="cpu",
    ),
    _rare(
        "--hurry", "crawl.hurry", "0..1", _HOW,
        "How much time counts while a good host rests: at 0 it is always waited for, at 1 never.",
    ),
    _rare(
        "--blind-spots", "crawl.blind_spots", "0..1", _HOW,
        "Share of fetches for links drawn by chance, to tell how many relevant pages are left; 0.05 costs little.",
    ),
    _rare(
        "--missing", "world.missing", "unknown|404", _WHERE,
        "What a link gives that the files behind site: do not hold; unknown costs nothing.",
    ),
    _rare(
        "--field", "parse.fields", "NAME=KIND:EXPR", _HOW,
        "Keep a value of every page, as in price:number=css:.price; repeatable.",
    ),
    _rare(
        "--on-page", "crawl.on_page", "FILE.py:FUNCTION", _HOW,
        "Show every page to a Python function, which may add fields, veto links or label it.",
    ),
    _rare("--concurrency", "crawl.concurrency", "N", _HOW),
    Flag("--seed", "crawl.seed", "N", _HOW, "Seed of every random choice."),
    Flag("--ask", "ask.questions", "N", _ASK, "Ask you about N pages while it goes on; one key answers yes or no."),
    Flag("--answers", "ask.answers", "RUN|FILE.csv", _ASK, "Take over answers given earlier."),
    _rare("--ask-model", "ask.model", "NAME", _ASK, "Let this language model answer, on the server of --ask-url."),
    _rare("--ask-url", "ask.url", "URL", _ASK, "An OpenAI-compatible server; its key is in HONEYGUIDE_ASK_KEY."),
)  # fmt: skip


@takes_flags(FLAGS)
def crawl(
    run: RunArgument,
    given: Mapping[str, Any],
    topic_file: TopicFile = None,
    preset: PresetName = None,
    stay_on_seed_hosts: Annotated[
        bool,
        typer.Option("--stay-on-seed-hosts", metavar="", rich_help_panel=_WHERE, help="Stay on the seeds' hosts."),
    ] = False,
    stay_on_domain: Annotated[
        bool,
        typer.Option("--stay-on-domain", metavar="", rich_help_panel=_WHERE, help="Stay on the seeds' domains."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, rich_help_panel=_HOW, help="A TOML file of settings; flags override it."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", show_default=False, rich_help_panel=_HOW,
            help="Any other setting, as in --set politeness.delay_s=2; repeatable.",
        ),
    ] = None,
    cluster: ClusterOption = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    from honeyguide import crawler  # noqa: PLC0415 - the engine takes a while to load, and --help needs none
    from honeyguide.cli.asking import asking_beside, refuse_without_terminal  # noqa: PLC0415
    from honeyguide.cli.summary import exit_status, print_summary  # noqa: PLC0415
    from honeyguide.cli.watching import watching  # noqa: PLC0415

    if stay_on_seed_hosts and stay_on_domain:
        raise SettingsError(["--stay-on-seed-hosts and --stay-on-domain contradict each other; leave one out"])
    flags = dict(given)
    if stay_on_seed_hosts or stay_on_domain:
        flags["scope.stay_on"] = "seed-hosts" if stay_on_seed_hosts else "seed-domains"
    settings = settings_of(config, set_, flags, topic_values(topic_file, preset))
    if preset is not None:
        settings = _with_preset(settings, preset)
    refuse_without_terminal(settings, run)
    with watching(verbose, log_file) as watch, asking_beside(run, settings, watch.live):
        started = watch.clock.now()
        if cluster is not None:
            from honeyguide.cluster.crawling import crawl_on_cluster  # noqa: PLC0415 - few crawls have one

            finished = crawl_on_cluster(run, settings, cluster, **watch.cluster_options())
        else:
            finished = crawler.crawl(run, settings, **watch.crawl_options(settings))
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
        status = exit_status(finished, watch.is_interrupted)
    raise typer.Exit(status)


def _with_preset(settings: Settings, name: str) -> Settings:
    """Add the seeds and Han's step size of a preset where the user, or a paper's profile, gives no others."""
    preset, step_size = preset_topic(name), "lfa.step_size"
    if step_size not in settings.set_keys and step_size not in VALUES_BY_PROFILE.get(settings.crawl.profile, {}):
        settings = with_overrides(settings, {step_size: preset.step_size})
    if settings.crawl.seed_urls:
        return settings
    from honeyguide import crawler  # noqa: PLC0415

    seed_urls = crawler.preset_seed_urls(preset, settings.crawl.world)
    return with_overrides(settings, {"crawl.seed_urls": list(seed_urls)})
