"""Messages to a crawl: whole, in order, taken once, and never able to end it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import AnswerError, StoreError
from honeyguide.model import Url
from honeyguide.runs import BudgetExtension, PageAnswer, StopRequest
from honeyguide.runs.inbox import (
    FOLDER,
    LARGEST_BYTES,
    MOST_AT_ONCE,
    MOST_BYTES_AT_ONCE,
    MOST_FETCHES,
    put,
    take,
    with_waiting_budget,
    withdraw,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Url.parse("https://example.org/reef")
MESSAGES = (
    PageAnswer(PAGE, "yes", name="Ada"),
    StopRequest(),
    PageAnswer(PAGE, "undo", by="model", name="a-model"),
    BudgetExtension(2_000, is_more=True),
)


def waiting(run: Path) -> list[object]:
    with take(run) as letters:
        return [letter.message for letter in letters]


def test_messages_come_out_as_they_went_in_oldest_first(tmp_path: Path) -> None:
    for message in MESSAGES:
        put(tmp_path, message)
    assert waiting(tmp_path) == list(MESSAGES)


@given(st.lists(st.tuples(st.sampled_from(["yes", "no", "skip", "undo"]), st.text(max_size=30)), max_size=4))
def test_any_name_survives_the_way(tmp_path_factory: pytest.TempPathFactory, given_answers: list[tuple]) -> None:  # type: ignore[type-arg]
    run = tmp_path_factory.mktemp("run")
    answers = [PageAnswer(PAGE, answer, "file", name) for answer, name in given_answers]
    for answer in answers:
        put(run, answer)
    assert waiting(run) == answers


def test_a_message_is_taken_once(tmp_path: Path) -> None:
    put(tmp_path, StopRequest())
    assert waiting(tmp_path) == [StopRequest()]
    assert waiting(tmp_path) == []


def test_a_taker_that_fails_finds_the_same_messages_again(tmp_path: Path) -> None:
    put(tmp_path, StopRequest())
    names: list[str] = []

    def fail() -> None:
        with take(tmp_path) as letters:
            names.extend(letter.name for letter in letters)
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            fail()
    assert len(names) == 2
    assert names[0] == names[1]


def test_a_run_without_an_inbox_has_no_messages(tmp_path: Path) -> None:
    assert waiting(tmp_path) == []


def test_a_message_half_written_is_not_seen(tmp_path: Path) -> None:
    put(tmp_path, StopRequest())
    (tmp_path / FOLDER / "0-half.draft").write_text('{"kind": "st')
    assert waiting(tmp_path) == [StopRequest()]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        "3",
        '{"kind": "explode"}',
        '{"kind": "extend"}',
        '{"kind": "extend", "fetches": "many"}',
        '{"kind": "extend", "fetches": 1e400}',
        '{"kind": "extend", "fetches": 20.5}',
        '{"kind": "extend", "fetches": true}',
        '{"kind": "extend", "fetches": 0}',
        "[" * 50_000,
        '{"kind": "answer", "url": 7, "answer": "yes", "by": "person", "name": ""}',
        '{"kind": "answer", "url": "https://example.org/", "answer": "yes", "by": "person", "name": "\\ud800"}',
        '{"kind": "answer", "url": "mailto:me", "answer": "yes", "by": "person", "name": ""}',
        '{"kind": "answer", "url": "https://example.org/", "answer": "maybe", "by": "person", "name": ""}',
        json.dumps({"kind": "stop", "filler": "x" * LARGEST_BYTES}),
        "\udcff",
    ],
)
def test_what_is_no_message_is_logged_and_deleted(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    put(tmp_path, StopRequest())
    (tmp_path / FOLDER / "0-odd.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert waiting(tmp_path) == [StopRequest()]
    assert "0-odd.json" in caplog.text
    assert list((tmp_path / FOLDER).iterdir()) == []


class TestFloods:
    def test_many_files_are_taken_in_parts_with_one_warning_each(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        inbox = tmp_path / FOLDER
        inbox.mkdir()
        for number in range(MOST_AT_ONCE + 5):
            (inbox / f"0-{number:05}.json").touch()
        put(tmp_path, StopRequest())
        assert waiting(tmp_path) == []
        assert (len(caplog.records), len(list(inbox.iterdir()))) == (1, 6)
        assert f"and {MOST_AT_ONCE - 1:,} more" in caplog.text
        assert waiting(tmp_path) == [StopRequest()]

    def test_files_with_other_names_hide_no_message_and_are_deleted_when_they_are_old(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("honeyguide.runs.inbox.MOST_SEEN", 3)
        inbox = tmp_path / FOLDER
        inbox.mkdir()
        (inbox / "0.draft").touch()
        (inbox / "folder").mkdir()
        for number in range(20):
            (inbox / f"x{number}.draft").touch()
            os.utime(inbox / f"x{number}.draft", (0, 0))
        put(tmp_path, StopRequest())
        taken = [each for _ in range(7) for each in waiting(tmp_path)]
        assert taken == [StopRequest()]
        assert sorted(file.name for file in inbox.iterdir()) == ["0.draft", "folder"]

    def test_a_flood_drains_in_parts_and_loses_nothing(self, tmp_path: Path) -> None:
        answers = [PageAnswer(PAGE, "yes", name=str(number)) for number in range(30)]
        for answer in answers:
            put(tmp_path, answer)
            (tmp_path / FOLDER / f"{answer.name}-junk.json").touch()
        taken: list[object] = []
        for _ in range(6):
            with take(tmp_path, most=10) as letters:
                taken += [letter.message for letter in letters]
        assert sorted(map(str, taken)) == sorted(map(str, answers))
        assert list((tmp_path / FOLDER).iterdir()) == []

    def test_a_file_that_is_too_large_is_not_read(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        inbox = tmp_path / FOLDER
        inbox.mkdir()
        with (inbox / "0-large.json").open("wb") as opened:
            opened.truncate(60_000_000)
        monkeypatch.setattr("pathlib.Path.open", None)
        assert waiting(tmp_path) == []
        assert "60,000,000 bytes, over 100,000" in caplog.text
        assert list(inbox.iterdir()) == []

    def test_large_messages_are_taken_in_parts(self, tmp_path: Path) -> None:
        inbox = tmp_path / FOLDER
        inbox.mkdir()
        count = 2 * MOST_BYTES_AT_ONCE // LARGEST_BYTES
        for number in range(count):
            (inbox / f"{number:05}.json").write_text('{"kind": "stop"}'.ljust(LARGEST_BYTES), encoding="utf-8")
        assert [len(waiting(tmp_path)) for _ in range(3)] == [count // 2, count // 2, 0]


def test_a_file_whose_name_is_no_text_is_deleted(tmp_path: Path) -> None:
    put(tmp_path, StopRequest())
    (letter,) = (tmp_path / FOLDER).iterdir()
    letter.rename(tmp_path / FOLDER / "0-\udcff.json")
    assert waiting(tmp_path) == []
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_messages_of_another_kind_stay(tmp_path: Path) -> None:
    for message in MESSAGES:
        put(tmp_path, message)
    with take(tmp_path, PageAnswer) as letters:
        assert [letter.message for letter in letters] == [MESSAGES[0], MESSAGES[2]]
    assert waiting(tmp_path) == [MESSAGES[1], MESSAGES[3]]


def test_budgets_that_wait_add_up(tmp_path: Path) -> None:
    assert with_waiting_budget(tmp_path, 100) == 100
    for message in (BudgetExtension(50), BudgetExtension(10, is_more=True), BudgetExtension(10, is_more=True)):
        put(tmp_path, message)
    assert with_waiting_budget(tmp_path, 100) == 120
    withdraw(tmp_path, put(tmp_path, BudgetExtension(500)))
    assert with_waiting_budget(tmp_path, 20) == 70
    put(tmp_path, BudgetExtension(MOST_FETCHES, is_more=True))
    assert with_waiting_budget(tmp_path, 20) == MOST_FETCHES


def test_an_answer_must_be_one() -> None:
    with pytest.raises(AnswerError, match="'maybe' is no answer"):
        PageAnswer(PAGE, "maybe")  # type: ignore[arg-type]
    with pytest.raises(AnswerError, match="'nobody' cannot answer"):
        PageAnswer(PAGE, "yes", by="nobody")  # type: ignore[arg-type]


def test_an_inbox_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file in its place")
    with pytest.raises(StoreError, match="inbox"):
        put(tmp_path, StopRequest())
