"""Systems that lack what Linux has: calls of POSIX, and the network 127.0.0.0/8."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# What Windows lacks, hidden from the program after the standard library has been loaded.
WITHOUT_POSIX = """
import asyncio, logging.handlers, multiprocessing, os, shutil, signal, sqlite3, subprocess, sys, tempfile
import rich.console, typer
for module in ("fcntl", "resource", "termios", "tty"):
    sys.modules[module] = None
for home, names in ((os, ("O_NOFOLLOW", "O_CLOEXEC", "sysconf", "tcgetpgrp", "getpgrp")),
                    (signal, ("pthread_sigmask", "setitimer"))):
    for name in names:
        delattr(home, name)
from honeyguide.cli.main import main
for command in (
    "crawl run --topic geology --world synthetic --budget 30", "resume run --budget +10", "results run --top 3",
    "search run rock", "export run --format csv pages.csv", "export run --format markdown pages", "report run",
):
    status = main(command.split())
    assert status == 0, command
"""
WITHOUT_LOOPBACK_NETWORK = """
import errno, socket
listen = socket.create_server
def create_server(address, **options):
    if address[0] != "127.0.0.1":
        raise OSError(errno.EADDRNOTAVAIL, "Can't assign requested address")
    return listen(address, **options)
socket.create_server = create_server
from honeyguide.cli.main import main
world = "synthetic+http:pages=2000,hosts=20"
arguments = f"crawl run --topic geology --world {world} --budget 40 --set politeness.delay_s=0"
assert main(arguments.split()) == 0
"""


def run_script(script: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.thorough
def test_runs_are_crawled_and_read_without_calls_of_posix(tmp_path: Path) -> None:
    assert "40 of 40" in run_script(WITHOUT_POSIX, tmp_path)
    assert (tmp_path / "pages.csv").stat().st_size > 1000


@pytest.mark.thorough
def test_a_synthetic_web_is_served_at_one_address_where_there_are_no_others(tmp_path: Path) -> None:
    shown = run_script(WITHOUT_LOOPBACK_NETWORK, tmp_path)
    assert "40 of 40" in shown
    script = "import honeyguide; print(len({page.url.host for page in honeyguide.open_run('run').pages()}))"
    assert int(run_script(script, tmp_path)) > 3
