"""Answers from a file: read in order, with who gave them, and refused with the line that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.ask.answer_files import read_answer_file
from honeyguide.errors import AnswerError
from honeyguide.model import Url
from honeyguide.runs.inbox import PageAnswer

if TYPE_CHECKING:
    from pathlib import Path

A, B = Url.parse("https://a.test/"), Url.parse("https://b.test/")


def read(folder: Path, text: str) -> list[PageAnswer]:
    file = folder / "answers.csv"
    file.write_text(text, encoding="utf-8")
    return read_answer_file(file)


def test_two_columns_are_enough_and_others_do_not_matter(tmp_path: Path) -> None:
    text = "title,url,answer\nA page,https://a.test/,yes\nAnother,https://b.test/, No \n"
    assert read(tmp_path, text) == [
        PageAnswer(A, "yes", "file", "answers.csv"),
        PageAnswer(B, "no", "file", "answers.csv"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffURL;Answer\nhttps://a.test/?x=1,2;Yes\n",
        "Url\t ANSWER \r\nhttps://a.test/?x=1,2\tyes\r\n",
        '"url","answer"\n"https://a.test/?x=1,2",yes\n',
    ],
)
def test_what_a_spreadsheet_writes_is_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == [PageAnswer(Url.parse("https://a.test/?x=1,2"), "yes", "file", "answers.csv")]


def test_who_answered_stays_known(tmp_path: Path) -> None:
    text = "url,answer,by,name\nhttps://a.test/,yes,Model,small\nhttps://b.test/,skip,Ada,\n"
    assert read(tmp_path, text) == [PageAnswer(A, "yes", "model", "small"), PageAnswer(B, "skip", "file", "Ada")]


def test_of_two_answers_about_a_page_the_newer_comes_last(tmp_path: Path) -> None:
    newer, older = "https://a.test/,no,2026-02-01T00:00:00Z", "https://a.test/,yes,2026-01-01T00:00:00Z"
    assert [each.answer for each in read(tmp_path, f"url,answer,moment\n{newer}\n{older}\n")] == ["yes", "no"]
    without_one = f"url,answer,moment\n{newer}\n{older}\nhttps://b.test/,skip,\n"
    assert [each.answer for each in read(tmp_path, without_one)] == ["no", "yes", "skip"]


def test_an_answer_that_was_undone_is_left_out(tmp_path: Path) -> None:
    text = "url,answer,undone\nhttps://a.test/,yes,true\nhttps://b.test/,yes,false\n"
    assert [each.url for each in read(tmp_path, text)] == [B]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no column url and no column answer"),
        ("address,label\nhttps://a.test/,1\n", "no column url and no column answer"),
        ("url,label\nhttps://a.test/,1\n", "no column answer"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(AnswerError, match=complaint) as refused:
        read(tmp_path, text)
    assert "answers.csv" in str(refused.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("https://b.test/,maybe", "'maybe' is no answer"),
        ("https://b.test/", "'' is no answer"),
        ("mailto:me,yes", "mailto"),
    ],
)
def test_a_line_that_is_no_answer_is_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str, complaint: str
) -> None:
    found = read(tmp_path, f"url,answer\nhttps://a.test/,yes\n{line}\nhttps://c.test/,no\n")
    assert [each.answer for each in found] == ["yes", "no"]
    (record,) = caplog.records
    assert "answers.csv, line 3: " in record.getMessage()
    assert complaint in record.getMessage()


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnswerError, match="cannot read"):
        read_answer_file(tmp_path / "missing.csv")
    (tmp_path / "odd.csv").write_bytes(b"url,answer\n\xff\xfe\x00")
    with pytest.raises(AnswerError, match="no CSV file"):
        read_answer_file(tmp_path / "odd.csv")
