"""Bad input gets one line that names the value and the remedy, status 2, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from honeyguide.runs import RunFolder, RunLock

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal, RunProgram

GEOLOGY = ("--world", "synthetic", "--topic", "geology", "--budget", "20")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seed-url", "ftp://rock.test/"), "ftp://rock.test/"),
        (("--seed-url", "not a url"), "not a url"),
        (("--budget", "0"), "budget.fetches is 0: it must be at least 1"),
        (("--budget", "-1"), "budget.fetches is -1: it must be at least 1"),
        (("--budget", "many"), "budget.fetches is 'many': it must be a whole number"),
        (("--topic", " "), "topic is empty: give --topic, --keyword or --like"),
        (("--strategy", "best-frist"), "did you mean best-first?"),
        (("--judge", "embeding"), "did you mean embedding?"),
        (("--world", "synthetik"), "did you mean synthetic?"),
        (("--world", "synthetic:pagse=3000"), "did you mean 'pages'?"),
        (("--world", "synthetic:pages=3"), "pages=3 is out of range"),
        (("--set", "politeness.dealy_s=1"), "did you mean delay_s?"),
        (("--set", "politeness.delay_s=slow"), "politeness.delay_s is 'slow': it must be a finite number"),
        (("--set", "politeness.delay_s"), "write it as section.key=value"),
        (("--config", "nowhere.toml"), "cannot read nowhere.toml"),
        (("--log-file", "nowhere/log.txt"), "No such file or directory"),
        (("--bugdet", "10"), "No such option: --bugdet"),
    ],
)
def test_a_crawl_that_cannot_be_is_refused(refusal: Refusal, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal("crawl", "run", *GEOLOGY, *arguments)


def test_all_mistakes_stand_on_the_one_line(refusal: Refusal) -> None:
    line = refusal(
        "crawl", "run", "--strategy", "wander", "--budget", "0", "--topic", "x", "--seed-url", "mailto:a@b.c"
    )
    assert "crawl.strategy is 'wander'" in line
    assert "budget.fetches is 0" in line
    assert "mailto:a@b.c" in line


def test_unreadable_toml_is_named_with_its_line(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("[budget]\nfetches = = 3\n", encoding="utf-8")
    line = refusal("crawl", "run", "--config", "run.toml")
    assert "run.toml is not valid TOML" in line
    assert "line 2" in line


def test_an_unknown_key_in_toml_is_refused_with_the_nearest(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("[budget]\nfetchs = 3\n", encoding="utf-8")
    assert "did you mean fetches?" in refusal("crawl", "run", "--config", "run.toml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'RUN'"),
        (("nowhere",), "nowhere is not a run folder"),
    ],
)
@pytest.mark.parametrize("command", ["resume", "results"])
def test_a_command_on_no_run_is_refused(refusal: Refusal, command: str, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal(command, *arguments)


def test_an_unknown_command_is_refused(refusal: Refusal) -> None:
    assert "No such command 'carwl'" in refusal("carwl")


@pytest.mark.parametrize("budget", ["0", "-5", "+0", "more", "10"])
def test_a_budget_that_extends_nothing_is_refused(refusal: Refusal, finished_run: Path, budget: str) -> None:
    assert "budget" in refusal("resume", str(finished_run), f"--budget={budget}")


def test_results_of_no_pages_at_all_are_refused(refusal: Refusal, finished_run: Path) -> None:
    assert "--top" in refusal("results", str(finished_run), "--top", "0")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--topic", "alchemy"), "no topic 'alchemy'"),
        (("--budget", "0"), "budget.fetches is 0"),
        (("--strategy", "randon"), "did you mean random?"),
        (("--seed", "-1"), "seed"),
    ],
)
def test_a_demo_that_cannot_be_is_refused(refusal: Refusal, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal("demo", *arguments)


def test_a_demo_keeps_nothing_in_a_folder_that_is_in_use(refusal: Refusal, finished_run: Path) -> None:
    assert "exists and is not empty" in refusal("demo", "--keep", str(finished_run))


def test_a_folder_with_something_in_it_is_left_alone(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "exists and is not empty" in refusal("crawl", "run", *GEOLOGY)
    assert (tmp_path / "run" / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_a_file_in_the_place_of_the_folder_is_left_alone(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("years of work", encoding="utf-8")
    assert "is a file" in refusal("crawl", "run", *GEOLOGY)


def test_a_folder_that_cannot_be_made_is_refused(refusal: Refusal) -> None:
    # A file system that nobody may write to, not even root.
    assert "cannot make the run folder /proc/run" in refusal("crawl", "/proc/run", *GEOLOGY)


def test_a_second_process_is_kept_out_of_a_run(run_program: RunProgram, finished_run: Path) -> None:
    with RunLock(RunFolder(finished_run)):
        second = run_program("resume", str(finished_run), "--budget", "+10")
    assert second.returncode == 2
    assert second.stdout == ""
    assert second.stderr.startswith("honeyguide: another process is crawling into")
    assert second.stderr.count("\n") == 1


def test_a_full_disk_ends_in_one_line_and_keeps_what_was_stored(tmp_path: Path) -> None:
    program = f"{sys.executable} -m honeyguide.cli.main"
    script = f"""mount -t tmpfs -o size=700k tmpfs {tmp_path} && cd {tmp_path} || exit 77
        {program} crawl run --world synthetic --topic geology --budget 500; echo status $?
        {program} results run --top 1"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False)
    if "status" not in done.stdout:
        pytest.skip("this system lets no user mount a small disk")
    assert "status 2" in done.stdout
    assert "not finished" in done.stdout
    assert "no room to write" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_refusal_is_quick(refusal: Refusal) -> None:
    started = time.monotonic()
    refusal("crawl", "run", "--topic", "geology", "--budget", "0")
    assert time.monotonic() - started < 1.0
