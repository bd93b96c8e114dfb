"""Answers as CSV: all of them, with who gave them, and read back as they were."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.ask.answer_files import read_answer_file
from honeyguide.errors import ExportError
from honeyguide.model import LinkId, Url
from honeyguide.runs import SqliteStore, StepRecord, open_run
from honeyguide.runs.inbox import PageAnswer
from honeyguide.runs.records import AnswerRecord
from runs.exports.scripted_runs import crawled

if TYPE_CHECKING:
    from pathlib import Path

A, B = Url.parse("http://s.test/"), Url.parse("http://s.test/unknown")
GIVEN = (
    AnswerRecord(1, 0.5, 2, A, LinkId(0), "yes", "person", "=Ada", "00001794823200250000-0123456789ab.json"),
    AnswerRecord(2, 1.5, 3, B, None, "skip", "model", "small", f"{10**200}-far.json"),
    AnswerRecord(3, 2.5, 3, A, LinkId(0), "no", "person", "=Ada"),
)


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """A run with three answers, the first of them undone."""
    run = crawled(tmp_path / "run")
    store = SqliteStore(run / "crawl.sqlite")
    progress = store.progress()
    assert progress is not None
    store.record(StepRecord(progress, answers=GIVEN))
    store.record(StepRecord(progress, undone=(1,)))
    store.close()
    return run


def test_a_run_tells_its_answers_in_order_also_those_undone(answered: Path) -> None:
    with open_run(answered) as run:
        first, *rest = run.answers()
        assert first == replace(GIVEN[0], undone_at=run.progress.steps)
    assert rest == list(GIVEN[1:])


def test_the_file_has_every_answer_and_no_formula(answered: Path, tmp_path: Path) -> None:
    written = honeyguide.export(answered, tmp_path / "answers.csv", "answers")
    assert str(written) == "3 answers"
    with (tmp_path / "answers.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert rows[0] == {
        "url": "http://s.test/", "answer": "yes", "by": "person", "name": "'=Ada", "undone": "true",
        "moment": "1970-01-01T00:00:00.500000Z", "step": "2",
        "given_at": "2026-11-16T10:00:00.250000Z",
    }  # fmt: skip
    assert [row["undone"] for row in rows] == ["true", "false", "false"]
    assert [row["given_at"] for row in rows[1:]] == ["", ""], "nobody knows"


def test_what_stands_is_read_back(answered: Path, tmp_path: Path) -> None:
    honeyguide.export(answered, tmp_path / "answers.csv", "answers")
    assert read_answer_file(tmp_path / "answers.csv") == [
        PageAnswer(B, "skip", "model", "small"),
        PageAnswer(A, "no", "person", "'=Ada"),
    ]


def test_a_run_without_answers_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="has no answers; give some: honeyguide ask"):
        honeyguide.export(crawled(tmp_path / "run"), tmp_path / "answers.csv", "answers")
    assert not (tmp_path / "answers.csv").exists()
