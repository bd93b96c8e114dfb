"""Pages written as rows: JSON Lines, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from honeyguide.errors import ExportError
from honeyguide.extras import install_hint
from honeyguide.model import Failed, FailureReason
from honeyguide.runs import open_run
from honeyguide.runs.exports import parquet, write
from honeyguide.runs.exports.csv_table import safe_text
from runs.exports.scripted_runs import ODD_TITLE, WIKI, crawled, html, odd_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs the extra parquet")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_run(tmp_path_factory.mktemp("odd") / "run")


def json_lines(run: Path, folder: Path, *, relevant: bool = False, text: bool = True) -> list[dict[str, Any]]:
    honeyguide.export(run, folder / "pages.jsonl", "jsonl", relevant=relevant, text=text)
    return [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").split("\n") if line]


def csv_rows(run: Path, folder: Path) -> list[dict[str, str]]:
    honeyguide.export(run, folder / "pages.csv", "csv")
    return list(csv.DictReader(io.StringIO((folder / "pages.csv").read_bytes().decode(), newline="")))


class TestJsonLines:
    def test_a_page_has_all_its_columns(self, run: Path, tmp_path: Path) -> None:
        seed, odd, new = json_lines(run, tmp_path)
        with open_run(run) as opened:
            (step,) = (step for step in opened.steps() if step.url.text == "http://t.test/new")
            (page,) = (page for page in opened.pages() if page.url.text == "http://t.test/new")
        assert (seed["url"], odd["url"], new["url"]) == ("http://s.test/", "http://s.test/odd", "http://t.test/new")
        assert new == {
            "url": "http://t.test/new",
            "host": "t.test",
            "fetched_at": "1970-01-01T00:00:00.400000Z",  # the fourth answer, a tenth of a second each
            "step": step.step,
            "status": 200,
            "media_type": "text/html",
            "body_bytes": len(html("", "http://s.test/", "http://s.test/odd", text="Mineral rock rock mineral. " * 10)),
            "title": "",
            "text": ("Mineral rock rock mineral. " * 10 + "link link"),
            "words": 42,
            "score": step.score,
            "relevance": page.relevance,
            "is_relevant": True,
            "crawl_relevance": page.relevance,
            "was_relevant": True,
            "reward": step.reward,
            "depth": 1,
            "found_on": "http://s.test/",
            "parents": ["http://s.test/"],
            "parent_count": 1,
            "canonical": None,
            "digest": new["digest"],
            "simhash": new["simhash"],
            "robots": "",
            "robots_tag": None,
            "reserved": None,
            "tdm_policy": None,
            "cut_by": None,
            "provenance": new["provenance"],
        }
        assert json.loads(new["provenance"])["rules"] == {"respect": "usual", "robots": ""}
        assert len(bytes.fromhex(new["digest"])) == 8
        assert len(bytes.fromhex(new["simhash"])) == 8
        assert (seed["found_on"], seed["parents"]) == (None, ["http://s.test/odd", "http://t.test/new"])
        assert len({page["digest"] for page in (seed, odd, new)}) == 3

    def test_odd_characters_come_back_as_they_were(self, run: Path, tmp_path: Path) -> None:
        odd = json_lines(run, tmp_path)[1]
        with open_run(run) as opened:
            assert odd["title"] == [page.title for page in opened.pages()][1]
        assert "\U0001f41d" in odd["title"]
        assert odd["title"].startswith("=HYPERLINK")
        assert "said nobody & no one" in odd["text"]

    def test_what_asked_not_to_be_indexed_is_left_out(self, run: Path, tmp_path: Path) -> None:
        assert "Hidden" not in {page["title"] for page in json_lines(run, tmp_path)}

    def test_only_relevant_pages_if_asked(self, run: Path, tmp_path: Path) -> None:
        assert [page["url"] for page in json_lines(run, tmp_path, relevant=True)] == [
            "http://s.test/",
            "http://t.test/new",
        ]

    def test_without_text_there_is_none(self, run: Path, tmp_path: Path) -> None:
        assert {page["text"] for page in json_lines(run, tmp_path, text=False)} == {None}

    def test_half_a_surrogate_pair_is_said_in_json(self, tmp_path: Path) -> None:
        class Out(io.StringIO):
            def write(self, text: str) -> int:
                text.encode()  # as a file would
                return super().write(text)

        out = Out()
        with open_run(odd_run(tmp_path / "run")) as opened, pytest.MonkeyPatch.context() as patch:
            patch.setattr("honeyguide.runs.snippets.main_text", lambda _: "half \ud83d")
            write(opened, out, "jsonl")
        assert json.loads(out.getvalue().splitlines()[0])["text"] == "half \ud83d"


class TestCsv:
    def test_it_says_the_same_as_json_lines(self, run: Path, tmp_path: Path) -> None:
        rows, lines = csv_rows(run, tmp_path), json_lines(run, tmp_path)
        assert list(rows[0]) == list(lines[0])
        for row, line in zip(rows, lines, strict=True):
            for name in ("url", "host", "fetched_at", "digest", "media_type"):
                assert row[name] == line[name]
            for name in ("step", "status", "depth", "words", "parent_count", "relevance", "score"):
                assert float(row[name]) == line[name]
            assert row["is_relevant"] == json.dumps(line["is_relevant"])
            assert row["parents"].split() == line["parents"]
            assert row["found_on"] == (line["found_on"] or "")

    def test_no_title_and_no_text_is_a_formula(self, run: Path, tmp_path: Path) -> None:
        odd = csv_rows(run, tmp_path)[1]
        assert odd["title"].startswith("'=HYPERLINK")
        assert odd["text"].startswith("'+1 of a kind")

    def test_lines_end_as_the_standard_says(self, run: Path, tmp_path: Path) -> None:
        csv_rows(run, tmp_path)
        assert (tmp_path / "pages.csv").read_bytes().count(b"\r\n") == 4
        assert b"\r\r\n" not in (tmp_path / "pages.csv").read_bytes()

    @given(st.text())
    def test_no_text_begins_as_a_formula_does(self, text: str) -> None:
        safe = safe_text(text)
        assert not safe.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert safe.removeprefix("'") == text.replace("\0", "").removeprefix("'") or "?" in safe
        safe.encode()


@needs_pyarrow
class TestParquet:
    @pytest.fixture
    def rows(self, run: Path, tmp_path: Path) -> list[dict[str, Any]]:
        honeyguide.export(run, tmp_path / "pages.parquet", "parquet")
        return self.read(tmp_path / "pages.parquet")

    def read(self, path: Path) -> list[dict[str, Any]]:
        from pyarrow.parquet import read_table  # noqa: PLC0415 - an extra

        table: list[dict[str, Any]] = read_table(path).to_pylist()
        return table

    def test_it_says_the_same_as_json_lines_with_types(
        self, rows: list[dict[str, Any]], run: Path, tmp_path: Path
    ) -> None:
        lines = json_lines(run, tmp_path)
        for line in lines:
            line["fetched_at"] = datetime.strptime(line["fetched_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        assert rows == lines

    def test_memory_is_bounded_by_row_groups(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415

        monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 2)
        run = odd_run(tmp_path / "run")
        honeyguide.export(run, tmp_path / "pages.parquet", "parquet")
        with ParquetFile(tmp_path / "pages.parquet") as file:
            assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [2, 1]
        monkeypatch.setattr(parquet, "CHARACTERS_AT_ONCE", 10)
        honeyguide.export(run, tmp_path / "pages.parquet", "parquet")
        with ParquetFile(tmp_path / "pages.parquet") as file:
            assert file.num_row_groups == 3


def test_without_pyarrow_the_remedy_is_reported(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ExportError, match=re.escape(install_hint("parquet"))):
        honeyguide.export(run, tmp_path / "pages.parquet", "parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_stored_no_bodies_has_no_text(tmp_path: Path) -> None:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology"},
            "crawl": {"world": "synthetic:pages=200,hosts=5", "strategy": "breadth-first", "workers": 0},
            "judge": {"kind": "keyword"},
            "budget": {"fetches": 20},
            "store": {"archive": "none"},
        }
    )
    honeyguide.crawl(tmp_path / "run", settings).close()
    written = honeyguide.export(tmp_path / "run", tmp_path / "pages.jsonl", "jsonl")
    first = json.loads((tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (first["text"], bool(first["title"])) == (None, True)
    assert "of them without text: it was not stored" in str(written)


def test_parents_are_named_up_to_a_hundred_and_counted_to_the_last(tmp_path: Path) -> None:
    leaves = [f"http://s.test/{number}" for number in range(120)]
    script = {"http://s.test/": html("all", *leaves), **{leaf: html("one", "/", "/1") for leaf in leaves}}
    seed, *_ = json_lines(crawled(tmp_path / "run", script, budget__fetches=500), tmp_path)
    assert seed["parents"] == leaves[:100]
    assert seed["parent_count"] == 120


@pytest.mark.parametrize("file_format", ["jsonl", "csv", "parquet", "warc", "graphml", "gexf", "markdown"])
class TestNothingToWrite:
    def empty(self, path: Path) -> Path:
        from crawler.driving import HandWired, script_settings  # noqa: PLC0415
        from scripted_world import ScriptedWorld  # noqa: PLC0415

        HandWired(path, ScriptedWorld(WIKI), script_settings()).close()
        return path

    @pytest.fixture(autouse=True)
    def _extra(self, file_format: str) -> Iterator[None]:
        if file_format == "parquet":
            pytest.importorskip("pyarrow")
        yield  # noqa: PT022 - skipping comes first

    def test_a_run_without_a_page_is_refused_and_leaves_nothing(self, tmp_path: Path, file_format: str) -> None:
        run = self.empty(tmp_path / "run")
        with pytest.raises(ExportError, match="has no page to write; go on with it: honeyguide resume"):
            honeyguide.export(run, tmp_path / "out", file_format)
        assert [entry.name for entry in tmp_path.iterdir()] == ["run"]

    def test_a_run_that_ended_without_a_page_is_not_to_go_on(self, tmp_path: Path, file_format: str) -> None:
        run = crawled(tmp_path / "run", {"http://rocks.test/": Failed(FailureReason.DNS, "unknown")})
        with pytest.raises(ExportError, match=r"has no page to write\. .* Try: honeyguide doctor rocks.test$"):
            honeyguide.export(run, tmp_path / "out", file_format)

    def test_a_run_without_a_relevant_page_is_reported_apart(self, tmp_path: Path, file_format: str) -> None:
        run = crawled(tmp_path / "run", WIKI, judge__kind="keyword")
        with pytest.raises(ExportError, match="has no relevant page; write all 2 instead"):
            honeyguide.export(run, tmp_path / "out", file_format, relevant=True)
        assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_the_odd_title_is_one() -> None:
    assert ODD_TITLE.startswith("=")
