"""The `honeyguide` program: its commands, and how everything that goes wrong ends in one line and an exit status."""

from __future__ import annotations

import io
import os
import re
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from honeyguide.cli import (
    crawl,
    diff,
    export,
    judge,
    learner,
    rank,
    refresh,
    report,
    results,
    resume,
    search,
    stats,
    topic,
    traps,
    vectors,
    wiki,
)
from honeyguide.cli.summary import one_line
from honeyguide.errors import HoneyguideError
from honeyguide_lab import cli as lab
from honeyguide_lab import demo

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT: Final = 2
BROKEN_PIPE: Final = 141  # as shells report a program that SIGPIPE has ended

_SHORT_FLAG: Final = re.compile(r"No such option: -(?!-)")
# What the parser raises at a mistyped command lives in a module that differs between versions of typer.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)

app = typer.Typer(
    name="honeyguide",
    help="A focused web crawler that learns which links are worth following.",
    epilog="Start with: honeyguide demo",
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", help=demo.HELP, short_help="See strategies compared on a synthetic web; a minute, offline.")(
    demo.demo
)
app.command("crawl", help=crawl.HELP, short_help="Crawl a topic into a new run folder.")(crawl.crawl)
app.command("resume", help=resume.HELP, short_help="Go on with a run that was stopped, or extend it.")(resume.resume)
app.command("refresh", help=refresh.HELP, short_help="Look at the pages of a run again.")(refresh.refresh)
app.command("results", help=results.HELP, short_help="Show the most relevant pages of a run.")(results.results)
app.command("report", help=report.HELP, short_help="Write a page about a run, to look at in a browser.")(report.report)
app.command("stats", help=stats.HELP, short_help="Add up a run: harvest, hosts, outcomes, time.")(stats.stats)
app.command("diff", help=diff.HELP, short_help="Hold two runs against each other.")(diff.diff)
app.command("learner", help=learner.HELP, short_help="Show what linear SARSA has learned in a run.")(learner.learner)
app.command("search", help=search.HELP, short_help="Search the pages of a run.")(search.search)
app.command("rank", help=rank.HELP, short_help="Rank pages by the links between them.")(rank.rank)
app.command("traps", help=traps.HELP, short_help="Show what a run judged a loop, a trap or a duplicate.")(traps.traps)
app.command("export", help=export.HELP, short_help="Write a run for other programs.")(export.export)
app.command("judge", help=judge.HELP, short_help="Judge pages for a topic, with the evidence.")(judge.judge)
app.add_typer(topic.app, name="topic", help=topic.HELP, short_help="Find the words for what you look for.")
app.add_typer(lab.app, name="lab")
app.add_typer(vectors.app, name="vectors", help=vectors.HELP, short_help="Look at word vectors; train some.")
app.add_typer(wiki.app, name="wiki", help=wiki.HELP, short_help="Make a world of a Wikipedia dump; look at one.")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"honeyguide {metadata.version('honeyguide')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_command(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    del version
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and give back its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a title in Japanese must not end a program in a Latin-1 terminal
    try:
        status = app(arguments, prog_name="honeyguide", standalone_mode=False)
        sys.stdout.flush()
    except HoneyguideError as error:
        return _refuse(str(error))
    except _UsageError as error:
        return _refuse(_usage(error))
    except BrokenPipeError:
        # Nobody reads on; what is still in the buffer must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        return _refuse(f"{error.filename or 'output'}: {error.strerror or error}")
    return int(status or 0)


def _usage(error: typer.BadParameter) -> str:
    """What is wrong with a flag, and the value that is: some versions of typer leave it out."""
    message, mistakes = error.format_message(), getattr(error.__cause__, "errors", None)
    if not callable(mistakes):
        is_of_search = error.ctx is not None and error.ctx.info_name == "search"
        return f"{message}; {search.AFTER_DASHES}" if is_of_search and _SHORT_FLAG.search(message) else message
    return message.replace("Input should be", f"{mistakes()[0]['input']!r} must be", 1)


def _refuse(message: str) -> int:
    print(f"honeyguide: {one_line(message)}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
