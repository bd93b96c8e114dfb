"""`honeyguide refresh` on a folder of pages that changes between two passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Rocks</title><a href=a.html>a</a> <a href=b.html>b</a> rock")
    (folder / "a.html").write_text("<title>A</title>a rock")
    (folder / "b.html").write_text("<title>B</title>a mineral")
    return folder


@pytest.fixture
def old(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    crawl = ["crawl", str(tmp_path / "old"), "--topic", "geology", "--keyword", "rock", "--judge", "keyword"]
    where = ["--world", f"site:{site}@http://s.test/", "--seed-url", "http://s.test/index.html"]
    assert main([*crawl, *where, "--strategy", "breadth-first"]) == 0
    capsys.readouterr()
    return tmp_path / "old"


def test_what_became_of_the_pages_is_told(
    site: Path, old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "a.html").write_text("<title>A, again</title>a rock that changed")
    (site / "b.html").unlink()
    assert main(["refresh", str(old), str(tmp_path / "new")]) == 0
    told = capsys.readouterr().out
    assert "known pages   1 same, 1 changed, 1 gone" in told
    assert "changed  http://s.test/a.html  A, again" in told
    assert "gone     http://s.test/b.html" in told
    assert "ran out" not in told


def test_json_lists_every_page_that_is_not_what_it_was(
    site: Path, old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "a.html").write_text("<title>A</title>soup")
    assert main(["refresh", str(old), str(tmp_path / "new"), "--json", "--set", "refresh.relevance_weight=1"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["revisits"] == {"same": 2, "changed": 1, "moved": 0, "gone": 0, "failed": 0, "waiting": 0}
    (page,) = document["pages"]
    assert (page["url"], page["finding"], page["changes"]) == ("http://s.test/a.html", "changed", 1)
    assert page["relevance"] < page["relevance_before"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere", "new"], "nowhere"),
        (["old", "old"], "old"),
        (["old", "new", "--budget", "none"], "budget.fetches"),
        (["old", "new", "--set", "refresh.change_days=0"], "refresh.change_days"),
    ],
)
def test_bad_input_ends_in_one_line(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    del old
    named = [str(tmp_path / name) if name in ("old", "new", "nowhere") else name for name in arguments]
    assert main(["refresh", *named]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not (tmp_path / "new").exists()
