"""The program as a process: pipes, terminals, signals, full disks, exit statuses."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from cli.conftest import PROGRAM
from honeyguide.cli.watching import GRACE_S, Interruption
from honeyguide.errors import HoneyguideError
from honeyguide.runs import RunFolder, RunLock, open_run

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import RunProgram, StartProgram

ENDLESS = ("--world", "synthetic:pages=5000", "--topic", "geology", "--keyword", "rock", "--budget", "1000000")
PATIENCE_S = 60.0


ONE_BY_ONE = """
import sys
from honeyguide.cli.main import main
for command in sys.argv[1:]:
    status = main(command.split())
    print(f"{command}: {status}")
"""


def on_a_terminal(*commands: str) -> str:
    """Run commands in one process on a terminal; return what it shows, each command's status after its output."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-c", ONE_BY_ONE, *commands]
    shown = b""
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as running:
        os.close(terminal)
        with suppress(OSError):  # once nobody has the other end
            while piece := os.read(controller, 100_000):
                shown += piece
        os.close(controller)
    assert running.returncode == 0, shown
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_table_no_bytes_and_refusals_too(shared_run: Path, tmp_path: Path) -> None:
    results, export = f"results {shared_run} --top 3", f"export {shared_run} --format warc"
    crawl = f"crawl {tmp_path}/run {' '.join(ENDLESS)} --ask -1"
    shown = on_a_terminal(results, export, crawl)
    table, _, refusals = shown.partition(f"{results}: 0\n")
    for words in ("relevance", "3 of ", "--all shows the rest"):
        assert words in table
    no_bytes, _, refused = refusals.partition(f"{export}: 2\n")
    assert no_bytes == "honeyguide: --format warc is no text for a terminal; name a file to write to\n"
    assert "honeyguide: ask.questions is -1" in refused
    assert refused.endswith(f"{crawl}: 2\n")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["results {} --all", "export {} --format edges -o /dev/stdout"])
def test_a_reader_that_stops_reading_is_no_mistake(shared_run: Path, command: str) -> None:
    piped = f"'{sys.executable}' -m honeyguide.cli.main {command.format(shared_run)} | head -1"
    done = subprocess.run(piped, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_the_module_is_the_program_and_a_run_in_use_is_refused(shared_run: Path) -> None:
    command = [sys.executable, "-m", "honeyguide", "resume", str(shared_run), "--budget", "+10"]
    with RunLock(RunFolder(shared_run)):
        second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (second.returncode, second.stdout, second.stderr.count("\n")) == (2, "", 1)
    assert second.stderr.startswith("honeyguide: another process is crawling into")


def test_a_full_disk_ends_in_one_line_and_keeps_what_was_stored(tmp_path: Path) -> None:
    program = " ".join(PROGRAM)
    script = f"""mount -t tmpfs -o size=700k tmpfs {tmp_path} && cd {tmp_path} || exit 77
        {program} crawl run --world synthetic --topic geology --budget 500 \\
            --set budget.free_disk_megabytes=0; echo status $?
        {program} results run --top 1
        dd if=/dev/zero of=fill bs=1k count=10000 2> /dev/null
        {program} search run rock > /dev/null; echo search $?"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False)
    if "status" not in done.stdout:
        pytest.skip("this system lets no user mount a small disk")
    assert "status 2" in done.stdout
    assert "not finished" in done.stdout
    assert "no room to write" in done.stderr
    assert "search 0" in done.stdout
    assert "no space is left on the disk; its pages are searched in memory" in done.stderr
    assert done.stderr.count("\n") == 2


def wait_for_steps(path: Path, steps: int) -> None:
    """Wait until the crawl has stored so many steps."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        with suppress(HoneyguideError, sqlite3.Error), open_run(path) as run:  # it may be half made as yet
            if run.progress.steps >= steps:
                return
        time.sleep(0.05)
    pytest.fail(f"{path} had no {steps} steps after {PATIENCE_S:g} s")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_crawl_between_steps_and_says_how_to_go_on(
    start_program: StartProgram, run_program: RunProgram, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    with start_program("crawl", "run", *ENDLESS, "--json") as crawling:
        wait_for_steps(tmp_path / "run", 20)
        crawling.send_signal(number)
        out, err = crawling.communicate(timeout=PATIENCE_S)
    assert (crawling.returncode, err) == (status, "stopped; go on with: honeyguide resume run\n")
    document = json.loads(out)
    assert document["stop_reason"] == "interrupted"
    if number is signal.SIGINT:
        budget = document["fetches"] + 30
        resumed = json.loads(run_program("resume", "run", "--budget", str(budget), "--json").stdout)
        assert (resumed["fetches"], resumed["stop_reason"]) == (budget, "budget of fetches spent")


def test_a_signal_ends_the_wait_for_a_slow_answer(start_program: StartProgram, tmp_path: Path) -> None:
    slow = ("--world", "synthetic+http:pages=500,hosts=4", "--topic", "geology", "--set", "politeness.delay_s=30")
    at_once = ("--set", "politeness.obey_robots=false")  # else the first page has to wait for that pause
    with start_program("crawl", "run", *slow, *at_once) as crawling:
        wait_for_steps(tmp_path / "run", 1)
        crawling.send_signal(signal.SIGINT)
        started = time.monotonic()
        crawling.communicate(timeout=PATIENCE_S)
    assert crawling.returncode == 130
    assert time.monotonic() - started < 25


def test_the_second_signal_does_not_wait() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as is_interrupted:
        assert (is_interrupted(), is_interrupted.exit_code) == (False, 0)
        signal.raise_signal(signal.SIGINT)
        assert (is_interrupted(), is_interrupted.exit_code) == (True, 130)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before


def test_sigterm_ends_a_crawl_that_hangs_in_a_library(tmp_path: Path, start_program: StartProgram) -> None:
    """The engine of regular expressions holds on to the interpreter: no handler and no other thread gets a turn."""
    (tmp_path / "stuck.py").write_text(
        "import re\n"
        "class Stuck:\n"
        "    asked = 0\n"
        "    def predict_proba(self, texts):\n"
        "        self.asked += 1\n"
        "        if self.asked > 3:\n"
        "            open('is-stuck', 'w').close()\n"
        "            re.match('(a+)+$', 'a' * 50 + 'b')\n"
        "        return [[0.5, 0.5] for _ in texts]\n"
        "stuck = Stuck()\n",
        encoding="utf-8",
    )
    own = ("--judge", "classifier", "--set", "judge.classifier=stuck:stuck", "--strategy", "breadth-first")
    crawl = start_program("crawl", "run", *ENDLESS, *own, "--set", "crawl.workers=0")
    deadline = time.monotonic() + PATIENCE_S
    while not (tmp_path / "is-stuck").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (tmp_path / "is-stuck").exists()
    asked_at = time.monotonic()
    crawl.send_signal(signal.SIGTERM)
    _, err = crawl.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - asked_at < GRACE_S + 1
    assert crawl.returncode == -signal.SIGKILL
    assert "ended after 4 s in one step; every finished step is saved" in err
    with open_run(tmp_path / "run") as run:
        assert run.progress.fetches >= 1


def test_nobody_is_left_behind_that_would_end_another(tmp_path: Path) -> None:
    with Interruption() as interruption:
        watcher = interruption._watcher
        assert watcher is not None
        assert watcher.poll() is None
    assert watcher.poll() is not None
    assert signal.set_wakeup_fd(-1) == -1


HOSTILE = "&#27;]0;owned&#7; \x9b31m &#27;[2J\u202e&#127; \x85"
LOOKS = [
    "results {run}", "search {run} rock", "export {run} --format csv", "judge page.html --keyword rock",
    "results {run} --all", "results {run} --json", "search {run} rock --json", "export {run} --format jsonl",
    "export {run} --format edges", "stats {run}", "stats {run} --json", "rank {run}", "traps {run}", "diff {run} {run}",
    "judge page.html --keyword rock --json", "topic suggest --like @page.html",
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose pages have what a terminal obeys in titles, texts and anchors."""
    folder = tmp_path_factory.mktemp("hostile")
    site = folder / "site"
    site.mkdir()
    for number in range(3):
        links = "".join(f"<a href='{other}.html'>rock {HOSTILE}</a>" for other in range(3))
        body = f"<title>rock {HOSTILE}</title><h1>{HOSTILE}</h1><p>rock {HOSTILE} mineral {number}</p>{links}"
        (site / f"{number}.html").write_text(body, encoding="utf-8")
    (folder / "page.html").write_text(body, encoding="utf-8")
    seeds = ("--seed-url", "http://a.test/0.html", "--seed-url", "http://a.test/1.html")
    world = ("--world", f"site:{site}@http://a.test/")
    subprocess.run(
        [*PROGRAM, "crawl", folder / "run", *world, *seeds, "--topic", "rock"], check=True, capture_output=True
    )
    with open_run(folder / "run") as run:
        assert all("\x1b]0;owned\x07" in page.title for page in run.pages())
    return folder


def test_a_terminal_is_shown_nothing_that_it_would_obey(hostile_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile_run)
    commands = [look.format(run="run") for look in LOOKS]
    shown = on_a_terminal(*commands)
    for command in commands:
        assert f"{command}: 0\n" in shown
    for sign in ("\x1b]", "\x07", "\x9b", "\x1b[2J", "\u202e", "\x7f", "\x00", "\x85"):
        assert sign not in shown
