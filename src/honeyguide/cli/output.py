"""Numbers, times, names, tables and bars as a person reads them, and JSON for programs."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

    from rich.table import Table

WIDTH: Final = 80
_NOT_ASCII: Final = re.compile(r"[^ -~\n]")


def printable(text: str) -> str:
    """Replace what a terminal would obey rather than show: titles come from strangers."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def one_line(text: str) -> str:
    """Return printable text with its white space folded."""
    return " ".join(printable(text).split())


def folded(line: str, indent: int = 16) -> str:
    """Fold a line between words to 80 columns, the lines that follow indented; a long word, as a URL, stays whole."""
    return textwrap.fill(
        line, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False,
        drop_whitespace=True, replace_whitespace=False,
    )  # fmt: skip


class TerminalText(io.TextIOBase):
    """A text stream in front of a terminal, which is shown what it would otherwise obey."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(
            "".join(each if each in "\n\t" else printable(each) for each in text.replace("\r\n", "\n"))
        )
        return len(text)


def percent(share: float) -> str:
    return f"{share:.1%}"


def duration(seconds: float) -> str:
    """Return seconds in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def countdown(seconds: float) -> str:
    """Return time left, as a clock shows it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"


def command(verb: str, path: Path, *flags: str) -> str:
    """Return a command to type next; a folder with spaces in its name is quoted."""
    return " ".join(["honeyguide", verb, shlex.quote(str(path)), *flags])


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one document that `--json` promises."""
    print(_json_text(document))


def print_json_lists(document: Mapping[str, Any], lists: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    """Print a document as `print_json` does, with lists at its end whose entries are in memory one at a time."""
    print(_json_text(document).removesuffix("\n}"), end="")
    for name, entries in lists.items():
        print(",\n  ", json.dumps(name), ": [", sep="", end="", flush=True)
        separator, end = "\n    ", "]"
        for entry in entries:
            print(separator, _json_text(entry).replace("\n", "\n    "), sep="", end="")
            separator, end = ",\n    ", "\n  ]"
        print(end, end="")
    print("\n}")


def _json_text(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _NOT_ASCII.sub(lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)


def plain_table(*narrow: str, wide: str) -> Table:
    """Return an empty table of right-aligned columns and a last one that folds, never cuts."""
    from rich import box  # noqa: PLC0415 - takes a while to load, and --json needs none
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for title in narrow:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column(wide, overflow="fold")
    return table


@contextmanager
def progress_bar(title: str = "") -> Iterator[Callable[..., None]]:
    """Yield `show(done, total, title, detail)`, which draws a bar per title on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda *_, **__: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeRemainingColumn(),
    )
    # What is printed shows above the bar where both are on a terminal; what goes into a file or pipe must get there.
    on_screen = sys.stdout.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=on_screen) as bars:
        task_by_title: dict[str, Any] = {}

        def show(done: int, total: int | None, title: str = title, detail: str = "") -> None:
            if title not in task_by_title:
                task_by_title[title] = bars.add_task(title, detail="")
            bars.update(task_by_title[title], completed=done, total=total or None, detail=detail)

        yield show
