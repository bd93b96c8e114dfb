"""`honeyguide serve`, as a command."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest

from honeyguide.cli.main import main
from honeyguide.errors import ServeError
from honeyguide.web import serving

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = (sys.executable, "-m", "honeyguide", "serve", "--no-browser")


def started(*arguments: object) -> tuple[subprocess.Popen[str], str]:
    """Start the program and return it with the address that it prints."""
    program = subprocess.Popen([*PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    found = re.search(r"http://\S+", program.stdout.readline())
    assert found is not None
    return program, found[0]


def ended(program: subprocess.Popen[str]) -> int:
    program.send_signal(signal.SIGINT)
    with program:
        return program.wait(60)


def test_it_prints_its_address_and_ends_quietly_with_ctrl_c_while_somebody_watches(
    run: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program, address = started(run, "--port", 0)
    assert address.startswith("http://127.0.0.1:")
    assert httpx.get(f"{address}api/runs", timeout=60).json()[0]["name"] == "geology"
    assert httpx.head(address, timeout=60).status_code == 200
    with httpx.stream("GET", f"{address}api/runs/geology/events", timeout=60) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: changed"
        program.send_signal(signal.SIGINT)
        list(lines)  # the server ends the stream
    assert ended(program) in {0, 130, -signal.SIGINT}
    assert "Traceback" not in capfd.readouterr().err


def test_another_address_gets_a_token_that_is_printed(run: Path) -> None:
    program, address = started(run, "--port", 0, "--host", "0.0.0.0")
    port, token = re.search(r":(\d+)/\?token=(\S{20,})", address).groups()  # type: ignore[union-attr]
    here = f"http://127.0.0.1:{port}/api/runs"
    assert httpx.get(here, timeout=60).status_code == 401
    assert httpx.get(here, timeout=60, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    ended(program)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return the one line that the command says before it ends with status 2."""
    assert main(["serve", "--no-browser", *map(str, arguments)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_port_that_is_taken_is_reported_with_the_remedy(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving.listening("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        line = refused(capsys, run, "--port", port)
    assert (
        line
        == f"honeyguide: port {port} of 127.0.0.1 is taken; give another with --port, or --port 0 for any that is free"
    )


def test_a_folder_that_is_none_and_an_address_of_another_machine_are_reported(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is no folder; name run folders" in refused(capsys, tmp_path / "nothing")
    assert "give an address of this machine with --host" in refused(capsys, run, "--host", "192.0.2.1")


def test_without_the_extra_one_line_says_how_to_get_it(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "honeyguide.web.app", None)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ServeError, match=r"needs .*pip install .*\[web\]'"):
        serving.serve([run], port=0, browser=False)
