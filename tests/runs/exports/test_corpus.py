"""A corpus for language models: one row a page, no near-duplicates, with tokens, licences and hashes."""

from __future__ import annotations

import gc
import io
import json
import sys
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from honeyguide.errors import ExportError, SettingsError
from honeyguide.model import Fetched
from honeyguide.runs.exports.corpus import CORPUS_COLUMNS, NESTED, write_corpus
from honeyguide.runs.exports.rows import ExportOptions
from runs.exports.scripted_runs import crawled, html, odd_run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scripted_world import Script

PROSE = " ".join(f"Basalt number {number} is a dark volcanic rock that cools from lava." for number in range(30))
ARTICLE = f"""<html lang="en"><head><title>Basalt</title><meta name="author" content="Ada">
<script type="application/ld+json">{{"@type": "Article", "datePublished": "2026-03-01", "headline": "\\ud800"}}</script>
<meta property="og:site_name" content="Rocks"></head><body><main><h1>Basalt</h1><p>{PROSE}</p>
<ul><li><a href="/copy">copy</a></li><li><a href="/other">other</a></li><li><a href="/empty">empty</a></li></ul>
<p><a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a></p></main></body></html>"""
SITE: Script = {
    "http://s.test/": ARTICLE,
    "http://s.test/copy": ARTICLE.replace("number 7", "number seven").replace("Ada", "Eve"),
    "http://s.test/other": html("Other", text="Granite is something else entirely, and light."),
    "http://s.test/empty": Fetched(200, "image/png", b"\x89PNG\r\n\x1a\n"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("corpus") / "run", SITE)


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_corpus_has_each_text_once(run: Path, tmp_path: Path) -> None:
    written = honeyguide.export(run, tmp_path / "corpus.jsonl", "corpus")
    rows = rows_of(tmp_path / "corpus.jsonl")
    assert [row["url"] for row in rows] == ["http://s.test/", "http://s.test/other"]
    assert all(tuple(row) == CORPUS_COLUMNS for row in rows)
    tokens = sum(row["tokens"] for row in rows)
    assert str(written) == f"2 pages, {tokens:,} tokens, 1 near-duplicate, 1 without text left out"


def test_near_duplicates_that_are_kept_share_a_cluster(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "corpus.jsonl", "corpus", keep_duplicates=True)
    rows = rows_of(tmp_path / "corpus.jsonl")
    assert [(row["step"], row["cluster"]) for row in rows] == [(1, 1), (2, 1), (3, 3)]


def test_a_row_says_what_the_page_is_and_where_from(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "corpus.jsonl", "corpus")
    row = rows_of(tmp_path / "corpus.jsonl")[0]
    assert row["text"].startswith("# Basalt\n\nBasalt number 0 is a dark volcanic rock")
    assert "- [copy](http://s.test/copy)\n- [other](http://s.test/other)" in row["text"]
    assert row["text_sha256"] == sha256(row["text"].encode()).hexdigest()
    assert row["words"] < row["tokens"] < 3 * row["words"]
    assert row["licences"] == ["https://creativecommons.org/licenses/by/4.0/"]
    assert (row["language"], row["author"], row["published"]) == ("en", "Ada", "2026-03-01")
    assert (row["site_name"], row["fetched_at"], row["robots"]) == ("Rocks", "1970-01-01T00:00:00.100000Z", "")
    assert (row["reserved"], row["tdm_policy"]) == (None, None)
    assert json.loads(row["provenance"])["url"] == row["url"]
    assert row["json_ld"] == [{"@type": "Article", "datePublished": "2026-03-01", "headline": "?"}]


def test_parquet_has_the_same_rows(run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    honeyguide.export(run, tmp_path / "corpus.jsonl", "corpus")
    honeyguide.export(run, tmp_path / "corpus.parquet", "corpus")
    table = parquet.read_table(tmp_path / "corpus.parquet")
    assert tuple(table.column_names) == CORPUS_COLUMNS
    for row, expected in zip(table.to_pylist(), rows_of(tmp_path / "corpus.jsonl"), strict=True):
        row |= {name: json.loads(row[name]) for name in NESTED}
        row["fetched_at"] = row["fetched_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        assert row == expected


def test_pandas_and_duckdb_open_it(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    honeyguide.export(run, tmp_path / "corpus.jsonl", "corpus")
    honeyguide.export(run, tmp_path / "corpus.parquet", "corpus")
    frame = pandas.read_parquet(tmp_path / "corpus.parquet")
    lines = pandas.read_json(tmp_path / "corpus.jsonl", lines=True)
    assert list(frame["tokens"]) == list(lines["tokens"])
    for file in ("corpus.parquet", "corpus.jsonl"):
        query = f"SELECT sum(tokens), count(*) FROM '{tmp_path / file}' WHERE language = 'en' OR language IS NULL"
        assert duckdb.sql(query).fetchall() == [(frame["tokens"].sum(), 2)]


def test_what_strangers_wrote_is_written_as_text(tmp_path: Path) -> None:
    honeyguide.export(odd_run(tmp_path / "run"), tmp_path / "corpus.jsonl", "corpus")
    assert len(rows_of(tmp_path / "corpus.jsonl")) == 3


def test_a_run_without_text_is_refused_in_a_line(run: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="corpus cannot"):
        honeyguide.export(run, tmp_path / "x.jsonl", "corpus", text=False)
    with pytest.raises(SettingsError, match="csv has all pages anyway"):
        honeyguide.export(run, tmp_path / "x.csv", "csv", keep_duplicates=True)
    bare = crawled(tmp_path / "bare", SITE, store__archive="none")
    with pytest.raises(ExportError, match=r"kept no pages.*--archive none"):
        honeyguide.export(bare, tmp_path / "x.jsonl", "corpus")
    empty = crawled(tmp_path / "empty", {"http://s.test/": Fetched(200, "text/html", b"")})
    with pytest.raises(ExportError, match="has no page with text; take another format"):
        honeyguide.export(empty, tmp_path / "x.jsonl", "corpus")
    assert not list(tmp_path.glob("x.*"))


class _FullDisk(io.StringIO):
    def writelines(self, lines: Iterable[Any]) -> None:
        next(iter(lines))
        raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_leaves_nothing_open(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", late.append)
    with pytest.raises(OSError, match="No space"), honeyguide.open_run(run) as opened:
        write_corpus(opened, _FullDisk(), ExportOptions(), lambda *_: None)
    gc.collect()
    assert [each.exc_value for each in late] == []
