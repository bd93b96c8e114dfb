"""`honeyguide crawl`: spend a budget of fetches on a topic, into a new run folder."""

from __future__ import annotations

import tomllib
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag, LogFile, RunArgument, Verbosity, setting_option
from honeyguide.errors import SettingsError
from honeyguide.settings import JUDGES, Settings, load_settings, with_overrides

STRATEGY_LINES: Final = {
    "online-ridge": "learns from every page which links pay",
    "best-first": "nearest words to the topic first; learns nothing",
    "breadth-first": "in the order found; needs no topic",
    "random": "any waiting link, by chance; needs no topic",
}
HELP: Final = (
    "Crawl a topic into a new run folder.\n\n"
    "Spends a budget of fetches on pages about the topic and keeps pages, links and everything learned in RUN. "
    "Ctrl-C finishes the step and saves; [bold]honeyguide resume RUN[/bold] goes on.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide crawl my-run --world synthetic --topic geology \\\n"
    "      --keyword rock --keyword mineral --budget 500\n\n"
    "[bold]Strategies[/bold]\n\n"
    + "\n".join(f"  [cyan]{name:13}[/cyan]  {line}" for name, line in STRATEGY_LINES.items())
)

_WHAT: Final = "What to look for"
_WHERE: Final = "Where to look"
_HOW: Final = "How to look"


def crawl(
    run: RunArgument,
    topic: Annotated[
        str | None, setting_option("topic.name", "--topic", metavar="TEXT", panel=_WHAT)
    ] = None,
    keyword: Annotated[
        list[str] | None,
        setting_option(
            "topic.keywords", "--keyword", metavar="WORD", panel=_WHAT,
            help_text="A word that belongs to the topic; may be given several times.",
        ),
    ] = None,
    world: Annotated[
        str | None,
        setting_option(
            "crawl.world", "--world", metavar="WORLD", panel=_WHERE,
            help_text="What is crawled: live (not there yet); synthetic or synthetic:seed=1,pages=20000; "
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
        "topic.name": topic,
        "topic.keywords": keyword,
        "crawl.world": world,
        "crawl.seed_urls": seed_url,
        "crawl.strategy": strategy,
        "crawl.concurrency": whole_number(concurrency),
        "crawl.seed": whole_number(seed),
        "budget.fetches": whole_number(budget),
        "judge.kind": judge,
    }
    settings = settings_of(config, set_ or [], flags)
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        finished = engine.crawl(run, settings, listeners=watch.listeners(settings), is_interrupted=watch.is_interrupted)
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
    raise typer.Exit(watch.is_interrupted.exit_code)


def whole_number(text: str | None) -> int | str | None:
    """A flag's number; what is none stays text, so that the settings refuse it along with everything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def settings_of(config: Path | None, assignments: list[str], flags: dict[str, Any]) -> Settings:
    """The config file, `--set` over it, the other flags over both; only None counts as not given."""
    base = Settings() if config is None else load_settings(config)
    given = {key: value for key, value in flags.items() if value is not None}
    return with_overrides(base, dict(map(parse_assignment, assignments)) | given)


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
