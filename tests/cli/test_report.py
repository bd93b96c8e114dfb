"""`honeyguide report` as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from cli.conftest import Refusal


def test_it_says_where_it_is(finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(finished_run)]) == 0
    assert capsys.readouterr().out == f"{finished_run / 'report.html'}\n"
    assert main(["report", str(finished_run)]) == 0  # replaced
    assert main(["report", str(finished_run), "-o", str(tmp_path / "a.html"), "--top", "3"]) == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("<li><div><h3>") == 3
    capsys.readouterr()
    assert main(["report", str(finished_run), "-o", "-", "--top", "3"]) == 0
    assert capsys.readouterr().out == page


def test_a_file_of_ones_own_is_not_replaced_unasked(finished_run: Path, tmp_path: Path, refusal: Refusal) -> None:
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    assert "mine.html is there already" in refusal("report", str(finished_run), "-o", "mine.html")
    assert main(["report", str(finished_run), "-o", "mine.html", "--overwrite"]) == 0


def test_no_run_and_no_folder_are_refused(finished_run: Path, refusal: Refusal) -> None:
    assert "nowhere is not a run folder" in refusal("report", "nowhere")
    assert "the folder does not exist; make it first" in refusal("report", str(finished_run), "-o", "no/where.html")


def test_a_run_folder_takes_its_report_and_nothing_else(
    finished_run: Path, refusal: Refusal, capfd: pytest.CaptureFixture[str]
) -> None:
    own = finished_run / "report.html"
    assert main(["report", str(finished_run), "-o", str(own)]) == 0
    assert main(["report", str(finished_run), "-o", str(own), "--overwrite"]) == 0
    capfd.readouterr()
    settings = finished_run / "settings.toml"
    told = refusal("report", str(finished_run), "-o", str(settings), "--overwrite")
    assert f"{settings} lies in the run folder {finished_run}" in told


def test_a_place_that_cannot_be_written_is_named_with_a_remedy(
    finished_run: Path, tmp_path: Path, refusal: Refusal
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    told = refusal("report", str(finished_run), "-o", "file/a.html")
    assert told == "honeyguide: file/a.html: Not a directory; name another place with -o\n"


def test_there_is_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example" in shown
    assert "honeyguide report my-run" in shown
