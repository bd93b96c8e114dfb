"""The `honeyguide` program: its table of commands, loaded when they are called, and its exit statuses."""

from __future__ import annotations

import inspect
import io
import os
import re
import signal
import sys
import threading
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from honeyguide.errors import HoneyguideError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

BAD_INPUT: Final = 2
COMPLETE: Final = "_HONEYGUIDE_COMPLETE"
"""The environment variable by which a shell asks what may follow."""
BROKEN_PIPE: Final = 141  # as shells report a program that SIGPIPE has ended

_SHORT_FLAG: Final = re.compile(r"No such option: -(?!-)")
_DASHED_QUERY: Final = "a query that begins with - stands behind --, as in: honeyguide search my-run -- '-rock basalt'"
# The parser's error class lives in a module that differs between versions of typer.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class Entry(NamedTuple):
    """A command: where its function or its Typer app is, and its line in the program's help."""

    place: str
    line: str
    panel: str


_CRAWL, _LOOK, _PREPARE = "Crawl", "Look at a run", "Prepare and measure"
COMMANDS: Final = {
    "demo": Entry(
        "honeyguide_lab.demo:demo", "See strategies compared on a synthetic web; half a minute, offline.", _CRAWL
    ),
    "crawl": Entry("honeyguide.cli.crawl:crawl", "Crawl a topic into a new run folder.", _CRAWL),
    "resume": Entry("honeyguide.cli.resume:resume", "Go on with a run that was stopped, or extend it.", _CRAWL),
    "refresh": Entry("honeyguide.cli.refresh:refresh", "Look at the pages of a run again, in place.", _CRAWL),
    "schedule": Entry("honeyguide.cli.refresh:schedule", "Print a cron line that refreshes a run.", _CRAWL),
    "ask": Entry("honeyguide.cli.answers:ask", "Answer the most useful questions about a run.", _CRAWL),
    "answer": Entry("honeyguide.cli.answers:answer", "Say whether a page of a run belongs to its topic.", _CRAWL),
    "serve": Entry("honeyguide.cli.serve:serve", "Watch crawls in a browser, and steer them.", _CRAWL),
    "repair": Entry("honeyguide.cli.repair:repair", "Save what a damaged run still holds.", _CRAWL),
    "results": Entry("honeyguide.cli.results:results", "Show the most relevant pages of a run.", _LOOK),
    "search": Entry("honeyguide.cli.search:search", "Search the pages of a run.", _LOOK),
    "explain": Entry("honeyguide.cli.explain:explain", "Say why a page was fetched and judged so.", _LOOK),
    "rank": Entry("honeyguide.cli.rank:rank", "Rank pages by the links between them.", _LOOK),
    "report": Entry("honeyguide.cli.export:report", "Write a page about a run, to open in a browser.", _LOOK),
    "export": Entry("honeyguide.cli.export:export", "Write a run for other programs.", _LOOK),
    "audit": Entry("honeyguide.cli.audit:audit", "Say what was asked of whom, under which rules.", _LOOK),
    "stats": Entry("honeyguide.cli.stats:stats", "Add up a run: harvest, hosts, outcomes, time.", _LOOK),
    "diff": Entry("honeyguide.cli.stats:diff", "Compare two runs.", _LOOK),
    "traps": Entry("honeyguide.cli.traps:traps", "Show the loops, traps and duplicates of a run.", _LOOK),
    "learner": Entry("honeyguide.cli.learner:learner", "Say what a run has learned to pay; save it.", _LOOK),
    "init": Entry("honeyguide.cli.setup:init", "Write a commented file of settings.", _PREPARE),
    "completions": Entry("honeyguide.cli.setup:completions", "Print completions for a shell.", _PREPARE),
    "doctor": Entry("honeyguide.cli.doctor:doctor", "Check the installation: extras, names, disk.", _PREPARE),
    "judge": Entry("honeyguide.cli.judge:judge", "Judge pages for a topic, with the evidence.", _PREPARE),
    "topic": Entry("honeyguide.cli.topic:app", "Find the words for a topic.", _PREPARE),
    "vectors": Entry("honeyguide.cli.vectors:app", "Look at word vectors; train some.", _PREPARE),
    "wiki": Entry("honeyguide.cli.wiki:app", "Turn a Wikipedia dump into a world to crawl.", _PREPARE),
    "lab": Entry("honeyguide_lab.cli:app", "Measure strategies on offline worlds.", _PREPARE),
}


class LazyGroup(TyperGroup):
    """A group that shows its commands from the table and imports one only when it is called."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - typer's own
        super().__init__(**attributes)
        self.commands = {
            name: TyperCommand(name, help=entry.line, rich_help_panel=entry.panel, rich_markup_mode="rich")
            for name, entry in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(cast("str", name)), rest


def load_command(name: str) -> Any:  # noqa: ANN401 - typer's command, whose module moves between versions
    """Import a command and return it, ready to be called."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    home = import_module(module)
    found = getattr(home, attribute)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(rich_markup_mode="rich", add_completion=False)
        found.command(name, help=getattr(home, "HELP", None))(function)  # else the docstring
    command = get_command(found)
    for each in (command, *getattr(command, "commands", {}).values()):
        if COMPLETE in os.environ:
            for parameter in each.params:
                parameter.hidden = False
        each.help = _without_line_breaks(each.help or "")
    return command


def _without_line_breaks(docstring: str) -> str:
    """Join the lines of each paragraph, for the terminal to wrap; indented ones are examples and stay."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(each if each.startswith(" ") else each.replace("\n", " ") for each in paragraphs)


app = typer.Typer(
    name="honeyguide",
    cls=LazyGroup,
    help="A focused web crawler that learns which links are worth following.",
    epilog="Start with: honeyguide demo",
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata  # noqa: PLC0415 - only where it is asked for

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
    """Run the program and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a title in Japanese must not end a program in a Latin-1 terminal
    if COMPLETE in os.environ:
        from typer._completion_classes import completion_init  # noqa: PLC0415 - a shell asks what may follow

        completion_init()
    if _lacks_network(sys.argv[1:] if arguments is None else arguments):
        return _refuse("--allow-private needs a network or a host behind it, as in --allow-private 127.0.0.0/8")
    try:
        with _ended_by_sigterm():
            status = app(arguments, prog_name="honeyguide", standalone_mode=False)
        sys.stdout.flush()
    except HoneyguideError as error:
        return _refuse(*(error.mistakes if isinstance(error, SettingsError) else [str(error)]))
    except _UsageError as error:
        message = _usage_message(error)
        return _refuse(message) if message else 0  # a group without a command has shown its help
    except BrokenPipeError:
        # Nobody reads on; what is still in the buffer must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        return _refuse(f"{error.filename or 'output'}: {error.strerror or error}")
    return int(status or 0)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end a command as an exception does, so that no draft of a file stays; a crawl has its own way."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, frame: FrameType | None) -> None:
    del frame
    signal.signal(number, signal.SIG_DFL)  # a second one need not wait for anybody
    raise SystemExit(128 + number)


def _lacks_network(arguments: Sequence[str]) -> bool:
    """Return whether --allow-private stands before another flag, which the parser would take for its value."""
    following = [*arguments[1:], "-"]
    return any(
        each == "--allow-private" and after.startswith("-") for each, after in zip(arguments, following, strict=False)
    )


def _usage_message(error: typer.BadParameter) -> str:
    """Say what is wrong with a flag, with the value: some versions of typer leave it out."""
    message, mistakes = error.format_message(), getattr(error.__cause__, "errors", None)
    if callable(mistakes):
        return message.replace("Input should be", f"{mistakes()[0]['input']!r} must be", 1)
    if not message or message.endswith("?") or error.ctx is None:
        return message
    is_query = error.ctx.info_name == "search" and _SHORT_FLAG.search(message)
    remedy = _DASHED_QUERY if is_query else f"see {error.ctx.command_path} --help"
    return f"{message.rstrip('.')}; {remedy}"


def _refuse(*messages: str) -> int:
    """Say what is wrong, a mistake a line; on a terminal longer ones are folded between words."""
    from honeyguide.cli.output import folded, one_line  # noqa: PLC0415 - rich takes a while to load

    for message in messages:
        line = f"honeyguide: {one_line(message)}"
        print(folded(line, indent=2) if sys.stderr.isatty() else line, file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
