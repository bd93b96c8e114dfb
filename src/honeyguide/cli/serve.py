"""`honeyguide serve`: runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.web.serving import DEFAULT_PORT
from honeyguide.web.serving import serve as serve_dashboard


def serve(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN]...", show_default=False,
            help="Run folders, or folders with runs below them. \\[default: the current folder]",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen. Any other than this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
    token: Annotated[
        str,
        typer.Option(
            metavar="TEXT", show_default=False,
            help="The token that every request must carry. \\[default: made and printed where --host needs one]",
        ),
    ] = "",
    read_only: Annotated[
        bool, typer.Option("--read-only", metavar="", help="Show everything, change nothing.")
    ] = False,
    allow_crawls: Annotated[
        bool,
        typer.Option(
            "--allow-crawls", metavar="", help="Let assistants that use /mcp (extra mcp) start crawls, too."
        ),
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", metavar="", help="Print the address, open no browser.")
    ] = False,
) -> None:  # fmt: skip
    r"""Watch runs in a browser while they are crawled, and steer them.

    Ends with Ctrl-C; crawls go on without it. Needs the extra web: pip install 'honeyguide\[web]'.

    [bold]Examples[/bold]

      honeyguide serve my-run

      honeyguide serve --host 0.0.0.0 --read-only
    """
    serve_dashboard(
        runs or [Path()],
        host=host,
        port=port,
        token=token,
        read_only=read_only,
        allow_crawls=allow_crawls,
        browser=not no_browser,
        say=lambda address: print(f"The dashboard is at {address}\nStop it with Ctrl-C.", flush=True),
    )
