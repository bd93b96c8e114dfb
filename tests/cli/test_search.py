"""`honeyguide search` as a user runs it."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal, RunProgram


def test_hits_are_one_json_document(finished_run: Path, run_program: RunProgram) -> None:
    done = run_program("search", str(finished_run), "rock", "--json", "--per-page", "3")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert len(document["hits"]) == 3
    assert document["total"] >= 3
    for hit in document["hits"]:
        assert {"url", "title", "score", "snippet", "highlights"} <= hit.keys()
        shown = [hit["snippet"][start:end].lower() for start, end in hit["highlights"]]
        assert all(word.startswith("rock") for word in shown)
    assert any(hit["highlights"] for hit in document["hits"])


def test_through_a_pipe_a_hit_is_a_line(finished_run: Path, run_program: RunProgram) -> None:
    done = run_program("search", str(finished_run), "rock OR fossil", "--per-page", "5")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("# ")
    assert lines[1] == "# rank\tscore\trelevance\turl\ttitle\tsnippet"
    assert [line.split("\t")[0] for line in lines[2:]] == ["1", "2", "3", "4", "5"]
    assert all(len(line.split("\t")) == 6 for line in lines[2:])


def test_a_misspelled_word_is_put_right(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(finished_run), "mineeral"]) == 0
    assert "# did you mean mineral?\n" in capsys.readouterr().out


def test_several_runs_are_searched_together(
    finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(finished_run, tmp_path / "copy")

    def found(*runs: Path) -> dict[str, object]:
        assert main(["search", *map(str, runs), "rock", "--json", "--per-page", "100"]) == 0
        return json.loads(capsys.readouterr().out)

    alone, both = found(finished_run), found(finished_run, copy)
    assert both["pages_searched"] == 2 * alone["pages_searched"]  # type: ignore[operator]
    assert [hit["url"] for hit in both["hits"]] == [hit["url"] for hit in alone["hits"]]  # type: ignore[attr-defined]


def test_flags_lay_weights_over_the_settings(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = ["--text-weight", "0", "--set", "search.rank_weight=0", "--topic-weight", "1"]
    assert main(["search", str(finished_run), "rock OR the", "--json", *weights]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert [hit["score"] for hit in hits] == [hit["relevance"] for hit in hits]
    assert hits[0]["score"] > hits[-1]["score"]


def test_pages_like_one(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(finished_run), "rock", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["hits"][0]["url"]
    assert main(["search", str(finished_run), "--like", first, "--json"]) == 0
    like = json.loads(capsys.readouterr().out)
    assert like["hits"]
    assert first not in [hit["url"] for hit in like["hits"]]


def test_a_total_that_is_not_exact_is_told(
    finished_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["search", str(finished_run), "rock"]) == 0
    assert re.match(r"# \d+ pages of", capsys.readouterr().out)
    monkeypatch.setattr("honeyguide.search.choosing.LAST_LOOK", 1)
    assert main(["search", str(finished_run), "rock"]) == 0
    assert re.match(r"# at most \d+ pages of", capsys.readouterr().out)


def test_what_is_left_out_is_told_with_the_flag_that_brings_it_back(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(finished_run), "rock"]) == 0
    assert "left out" not in capsys.readouterr().out
    assert main(["search", str(finished_run), "rock", "--min-quality", "1", "--hide-traps"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert re.search(r"; (\d+) more left out: \1 by search\.min_quality, --min-quality 0 brings them back$", first)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["rock AND"], "the query 'rock AND' cannot be read: nothing follows AND"),
        (["colour:red"], "there is no field colour: use title, text, host"),
        ([""], "the query is empty: give a word to look for"),
        (['"open'], 'a " is not closed'),
        ([], "alone is not enough: give a run and a query"),
        (["rock", "--page", "9" * 20], "page 99999999999999999999 of 10 hits: pages count from 1 to 1,000,000,000"),
        (["rock", "--host", "http://x.test/"], "'http://x.test/' is not a host: give its name alone"),
        (["rock", "--since", "2026-05-02", "--until", "2026-05-01"], "since 2026-05-02 is after until 2026-05-01"),
        (["rock", "--set", "search.rank_weight=-1"], "search.rank_weight is -1.0: it must be at least 0"),
        (["rock", "--text-weight", "1e300"], "search.text_weight is 1e+300: it must be at least 0 and at most 1000"),
        (["rock", "--set", "search.language=german"], "search.language is no setting of a search: choose one of"),
        (["rock", "--set", "crawl.strategy=random"], "crawl.strategy is no setting of a search: choose one of"),
        (["-rock"], "No such option: -r; a query that begins with - stands behind --, as in: honeyguide search"),
        (["rock", "--blocked-words", "none.txt"], "search.blocked_words: cannot read none.txt: No such file"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    finished_run: Path, refusal: Refusal, arguments: list[str], line: str
) -> None:
    assert line in refusal("search", str(finished_run), *arguments)


def test_a_query_that_begins_with_a_sign_stands_behind_two(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(finished_run), "--json", "--", "-rock the"]) == 0
    assert json.loads(capsys.readouterr().out)["query"] == "-rock the"


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n", "!!!\n...\n"])
def test_a_list_of_words_without_a_word_is_refused(
    finished_run: Path, refusal: Refusal, tmp_path: Path, text: str
) -> None:
    words = tmp_path / "words.txt"
    words.write_text(text)
    told = refusal("search", str(finished_run), "rock", "--blocked-words", str(words))
    assert f"search.blocked_words: {words} has no word, so nothing would be left out; write one a line" in told


def test_what_is_no_run_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert "is not a run folder" in refusal("search", str(tmp_path), "rock")
    assert "is not a run folder" in refusal("search", "nowhere", "rock")
