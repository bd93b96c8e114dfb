"""Pages as data frames and databases, and exports to other file systems."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.errors import ExportError
from honeyguide.runs import open_run
from honeyguide.runs.exports.rows import COLUMNS, PagesWritten

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {
    "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
    "crawl": {"world": "synthetic:pages=2000,hosts=20", "strategy": "best-first"},
    "budget": {"fetches": 50},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "run"
    honeyguide.crawl(path, honeyguide.settings_from(SETTINGS)).close()
    return path


@pytest.fixture(scope="module")
def lines(run: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The pages as JSON Lines have them."""
    file = tmp_path_factory.mktemp("lines") / "pages.jsonl"
    honeyguide.export(run, file, "jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def edges_from(path: Path, urls: set[object]) -> set[tuple[str, str]]:
    with open_run(path) as opened:
        return {(source.text, target.text) for source, target in opened.edges() if source.text in urls}


def test_a_data_frame_says_what_json_lines_say(run: Path, lines: list[dict[str, object]]) -> None:
    pytest.importorskip("pandas", reason="the extra pandas is not installed")
    with open_run(run) as opened:
        frame, relevant = opened.to_pandas(), opened.to_pandas(relevant=True, text=False)
    assert list(frame.columns) == list(COLUMNS)
    for name in ("url", "title", "text", "step", "is_relevant", "found_on"):
        assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == [line[name] for line in lines]
    assert isinstance(frame["url"].iloc[0], str)
    assert str(frame["fetched_at"].dt.tz) == "UTC"
    assert len(relevant) == sum(bool(line["is_relevant"]) for line in lines)
    assert relevant["text"].isna().all()


def test_an_arrow_table_has_the_same_pages(run: Path, lines: list[dict[str, object]]) -> None:
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    with open_run(run) as opened:
        table = opened.to_arrow()
    assert table.column("parents").to_pylist() == [line["parents"] for line in lines]


@pytest.mark.parametrize("relevant", [False, True])
def test_an_sqlite_database_has_pages_and_their_links(
    run: Path, lines: list[dict[str, object]], tmp_path: Path, relevant: bool
) -> None:
    wanted = [line for line in lines if line["is_relevant"] or not relevant]
    file = tmp_path / "pages.sqlite"
    assert honeyguide.export(run, file, "sqlite", relevant=relevant) == PagesWritten(len(wanted))
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT url, text, relevance, is_relevant, parents FROM pages ORDER BY step").fetchall()
        links = set(database.execute("SELECT source, target FROM links"))
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    names = ("url", "text", "relevance", "is_relevant")
    assert [row[:4] for row in rows] == [tuple(line[name] for name in names) for line in wanted]
    assert [json.loads(row[4]) for row in rows] == [line["parents"] for line in wanted]
    assert links == edges_from(run, {line["url"] for line in wanted})
    assert [each.name for each in tmp_path.iterdir()] == ["pages.sqlite"]


def test_a_duckdb_database_has_pages_and_their_links(run: Path, lines: list[dict[str, object]], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    file = tmp_path / "pages.duckdb"
    honeyguide.export(run, file, "duckdb")
    with closing(duckdb.connect(str(file), read_only=True)) as database:
        rows = database.execute("SELECT url, text, is_relevant, parents FROM pages ORDER BY step").fetchall()
        links = set(database.execute("SELECT source, target FROM links").fetchall())
        first = database.execute("SELECT min(fetched_at) FROM pages").fetchone()
    names = ("url", "text", "is_relevant", "parents")
    assert rows == [tuple(line[name] for name in names) for line in lines]
    assert links == edges_from(run, {line["url"] for line in lines})
    assert first[0].isoformat(timespec="microseconds").rstrip("0") in str(lines[0]["fetched_at"])


def test_fields_that_differ_in_capitals_alone_have_columns_of_their_own(tmp_path: Path) -> None:
    settings = honeyguide.settings_from(SETTINGS | {"budget": {"fetches": 5}})
    honeyguide.crawl(tmp_path / "run", settings, on_page=lambda page: page.fields.update(price=1, Price="dear")).close()
    honeyguide.export(tmp_path / "run", tmp_path / "pages.sqlite", "sqlite")
    with closing(sqlite3.connect(tmp_path / "pages.sqlite")) as database:
        assert set(database.execute("SELECT field_price, field_Price_2 FROM pages")) == {(1, "dear")}


def test_a_bulk_request_has_an_action_and_a_document_a_page(
    run: Path, lines: list[dict[str, object]], tmp_path: Path
) -> None:
    file = tmp_path / "pages.ndjson"
    honeyguide.export(run, file, "opensearch")
    text = file.read_text(encoding="utf-8")
    assert text.endswith("\n")  # or servers refuse the last line
    assert "\n\n" not in text
    bulk = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    assert bulk[1::2] == lines
    assert bulk[::2] == [{"index": {"_id": line["url"]}} for line in lines]


def test_an_id_is_never_longer_than_servers_take(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    names = [f"{'é' * 100}{letter}" for letter in "ab"]
    links = "".join(f"<a href='{name}.html'>{name}</a>" for name in names)
    (site / "index.html").write_text(f"<html><body>{links}</body></html>", encoding="utf-8")
    for name in names:
        (site / f"{name}.html").write_text("<html><body>rock</body></html>", encoding="utf-8")
    crawl = {"world": f"site:{site}@http://rocks.test/", "strategy": "breadth-first"}
    settings = honeyguide.settings_from({"topic": {"keywords": ["rock"]}, "judge": {"kind": "keyword"}, "crawl": crawl})
    honeyguide.crawl(tmp_path / "run", settings).close()
    honeyguide.export(tmp_path / "run", tmp_path / "bulk", "opensearch")
    bulk = [json.loads(line) for line in (tmp_path / "bulk").read_text(encoding="utf-8").splitlines()]
    ids = [line["index"]["_id"] for line in bulk[::2]]
    assert len(set(ids)) == 3
    assert max(len(each.encode()) for each in ids) <= 512 < max(len(line["url"]) for line in bulk[1::2])


class TestAddresses:
    def test_an_export_is_sent_to_another_file_system(self, run: Path, tmp_path: Path) -> None:
        fsspec = pytest.importorskip("fsspec")

        honeyguide.export(run, tmp_path / "here.csv", "csv")
        for address in ("memory://bucket/deep/there.csv", f"file://{tmp_path}/new/there.csv"):
            honeyguide.export(run, address, "csv")
            with fsspec.open(address, "rb") as sent:
                assert sent.read() == (tmp_path / "here.csv").read_bytes()

    def test_a_folder_is_sent_whole(self, run: Path, tmp_path: Path) -> None:
        fsspec = pytest.importorskip("fsspec")

        honeyguide.export(run, tmp_path / "here", "markdown")
        honeyguide.export(run, "memory://bucket/markdown", "markdown")
        memory = fsspec.filesystem("memory")
        sent = {name.removeprefix("/bucket/markdown/"): memory.cat(name) for name in memory.find("/bucket/markdown")}
        here = {
            str(file.relative_to(tmp_path / "here")): file.read_bytes() for file in (tmp_path / "here").rglob("*.md")
        }
        assert sent == here

    def test_a_bucket_that_refuses_gives_one_line(self, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        memory = pytest.importorskip("fsspec.implementations.memory")

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError("An error occurred (AccessDenied)\nwhen calling PutObject")

        monkeypatch.setattr(memory.MemoryFileSystem, "put", refuse)
        with pytest.raises(ExportError) as refused:
            honeyguide.export(run, "memory://closed/pages.jsonl", "jsonl")
        assert str(refused.value) == (
            "memory://closed/pages.jsonl cannot be used: PermissionError: An error occurred (AccessDenied) when "
            "calling PutObject; check the address, and that your credentials allow it"
        )

    def test_what_was_sent_of_a_folder_is_removed_where_the_rest_is_refused(
        self, run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory = pytest.importorskip("fsspec.implementations.memory").MemoryFileSystem
        put_file, sent = memory.put_file, []

        def refuse_the_third(system: object, *arguments: object, **options: object) -> None:
            sent.append(arguments)
            if len(sent) > 3:
                raise PermissionError("the bucket is full")
            put_file(system, *arguments, **options)

        monkeypatch.setattr(memory, "put_file", refuse_the_third)
        with pytest.raises(ExportError, match="the bucket is full"):
            honeyguide.export(run, "memory://full/markdown", "markdown")
        assert not memory().exists("/full/markdown")

    def test_nothing_is_sent_where_the_export_fails(self, run: Path) -> None:
        fsspec = pytest.importorskip("fsspec")

        with pytest.raises(ExportError, match="has no answer"):
            honeyguide.export(run, "memory://bucket/answers.csv", "answers")
        assert not fsspec.filesystem("memory").exists("/bucket/answers.csv")

    def test_an_unknown_protocol_is_named(self, run: Path) -> None:
        pytest.importorskip("fsspec")
        with pytest.raises(ExportError, match="nosuch://a/b: Protocol not known: nosuch"):
            honeyguide.export(run, "nosuch://a/b", "jsonl")
