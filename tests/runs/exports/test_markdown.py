"""Pages as Markdown: a folder of files, or one file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.errors import ExportError
from runs.exports.scripted_runs import crawled, html, odd_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_run(tmp_path_factory.mktemp("odd") / "run")


def test_a_file_a_page_under_its_host_and_an_index(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "pages", "markdown")
    files = sorted(str(path.relative_to(tmp_path / "pages")) for path in (tmp_path / "pages").rglob("*.md"))
    assert files == [
        "index.md",
        "s.test/000001-rocks.md",
        "s.test/000002-hyperlink-x-b-it-s-star-link-javascript-alert-1.md",
        "t.test/000004-page.md",
    ]
    index = (tmp_path / "pages" / "index.md").read_text(encoding="utf-8").splitlines()
    assert index[0] == "# geology"
    assert index[2].startswith("- [Rocks](s.test/000001-rocks.md) 0.")
    assert index[2].endswith(", relevant")


def test_front_matter_says_where_it_is_from(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "pages", "markdown")
    text = (tmp_path / "pages" / "t.test" / "000004-page.md").read_text(encoding="utf-8")
    _, matter, body = text.split("---\n", 2)
    facts = {line.partition(": ")[0]: json.loads(line.partition(": ")[2]) for line in matter.splitlines()}
    assert facts["url"] == "http://t.test/new"
    assert facts["fetched_at"] == "1970-01-01T00:00:00.400000Z"
    assert facts["is_relevant"] is True
    assert facts["found_on"] == "http://s.test/"
    honeyguide.export(run, tmp_path / "pages.jsonl", "jsonl")
    lines = (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    page = next(page for page in map(json.loads, lines) if page["url"] == facts["url"])
    del page["text"], page["parents"]
    assert {name: facts[name] for name in page} == page
    assert facts.keys() - page.keys() == {
        "language", "author", "published", "modified", "site_name", "description", "licences"
    }  # fmt: skip
    assert facts["relevance"] != round(facts["relevance"], 6)
    assert (facts["status"], facts["parent_count"], facts["robots"]) == (200, 1, "")
    assert body.startswith("\n# http://t.test/new\n\nMineral rock rock mineral. ")


def test_nothing_that_a_stranger_wrote_is_obeyed(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "pages", "markdown")
    honeyguide.export(run, tmp_path / "one.md", "markdown", one_file=True)
    page = next((tmp_path / "pages" / "s.test").glob("000002-*")).read_text(encoding="utf-8").split("---\n", 2)[2]
    for text in (page, (tmp_path / "one.md").read_text(encoding="utf-8")):
        assert r"\*star\* \[link\](javascript:alert(1))" in text
        assert r"\<b>" in text
        assert not re.search(r"(?<!\\)<b>", text)
        assert r"\+1 of a kind" in text


def test_one_file_has_all_pages(run: Path, tmp_path: Path) -> None:
    written = honeyguide.export(run, tmp_path / "one.md", "markdown", one_file=True)
    text = (tmp_path / "one.md").read_text(encoding="utf-8")
    assert text.count("\n---\n") == text.count("\n# ") == 3
    assert "\n---\n\n<http://s.test/>\\\n1970-01-01 · relevance " in text
    assert " · depth 0\n\n# Rocks\n\nRock and mineral." in text
    assert str(written) == "3 pages"


def test_a_folder_that_is_there_is_left_alone_unless_it_is_empty(run: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="not empty; name a new folder"):
        honeyguide.export(run, tmp_path / "full", "markdown")
    with pytest.raises(FileExistsError):
        honeyguide.export(run, tmp_path / "full" / "mine.txt", "markdown")
    (tmp_path / "empty").mkdir()
    honeyguide.export(run, tmp_path / "empty", "markdown")
    assert (tmp_path / "empty" / "index.md").exists()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["empty", "full"]
    assert [entry.name for entry in (tmp_path / "full").iterdir()] == ["mine.txt"]


def test_a_failure_leaves_no_folder(run: Path, tmp_path: Path) -> None:
    def stop(_done: int, _pages: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        honeyguide.export(run, tmp_path / "pages", "markdown", on_progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_no_title_names_a_place_outside_the_folder(tmp_path: Path) -> None:
    titles = ["../../x", "a/b\\c", "..", "CON", "\u202e", "x" * 300]
    script = {"http://s.test/": html("all", *[f"/{number}" for number in range(len(titles))])}
    script |= {f"http://s.test/{number}": html(title) for number, title in enumerate(titles)}
    honeyguide.export(crawled(tmp_path / "run", script), tmp_path / "pages", "markdown")
    files = [path for path in (tmp_path / "pages").rglob("*") if path.is_file()]
    assert len(files) == len(titles) + 2
    assert {path.parent.name for path in files} == {"pages", "s.test"}
    assert max(len(path.name) for path in files) < 80


STRUCTURED = """<html lang="en-GB"><head><title>Basalt - The Rocks</title><meta name="author" content="Ada"></head>
<body><nav><a href="/">Home</a></nav><main><h1>Basalt</h1><p>A <a href="/odd">dark</a> rock.</p>
<ul><li>dense<li>hard</ul></main></body></html>"""


def test_the_structure_of_pages_is_kept(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", {"http://s.test/": STRUCTURED})
    honeyguide.export(run, tmp_path / "pages", "markdown")
    text = (tmp_path / "pages" / "s.test" / "000001-basalt-the-rocks.md").read_text(encoding="utf-8")
    _, matter, body = text.split("---\n", 2)
    assert body == "\n# Basalt\n\nA [dark](http://s.test/odd) rock.\n\n- dense\n- hard\n"
    assert 'language: "en-gb"\nauthor: "Ada"\n' in matter


def test_a_run_that_kept_no_pages_is_refused_unless_text_is_left_out(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", {"http://s.test/": STRUCTURED}, store__archive="none")
    with pytest.raises(ExportError, match=r"kept no pages.*--no-text"):
        honeyguide.export(run, tmp_path / "pages", "markdown")
    assert not (tmp_path / "pages").exists()
    honeyguide.export(run, tmp_path / "pages", "markdown", text=False)
    assert "# Basalt" in (tmp_path / "pages" / "s.test" / "000001-basalt-the-rocks.md").read_text(encoding="utf-8")
