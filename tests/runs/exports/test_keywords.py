"""Keywords that satisfy a search phrase: kept by a crawl that looks for them, and written as CSV."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.errors import ExportError
from honeyguide.model import Fetched, KeywordMatch, Url
from honeyguide.runs import open_run
from runs.exports.scripted_runs import crawled, html

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SCRIPT: Script = {
    "http://s.test/": html("Seed", "/other", "/hidden", text="A rock is the soup. The mineral of the =rock, and rock."),
    "http://s.test/other": html("Other", text="The soup."),
    "http://s.test/hidden": Fetched(200, "text/html", html("Hidden", text="The rock.").encode(), robots_tag="noindex"),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Pages with both words, with neither, and with one on a page that is not to be indexed."""
    return crawled(tmp_path / "run", SCRIPT, judge__kind="rake", judge__lower=0.99)


def test_a_crawl_keeps_every_keyword_with_the_phrase_that_it_satisfies(run: Path) -> None:
    seed = Url.parse("http://s.test/")
    with open_run(run) as opened:
        kept = list(opened.keyword_matches())
        (page,) = (page for page in opened.crawled_pages().all() if page.url == seed)
    assert sorted((match.search, match.keyword) for match in kept) == [("mineral", "mineral"), ("rock", "rock")]
    assert all(isinstance(match, KeywordMatch) and match.url == seed for match in kept)
    assert [match.score for match in kept] == pytest.approx([1.0, 1.0])
    assert page.relevance == pytest.approx(2 / 4), "of four keywords, soup and link among them, two count"


def test_the_file_has_a_keyword_a_row_in_lims_order(run: Path, tmp_path: Path) -> None:
    written = honeyguide.export(run, tmp_path / "keywords.csv", "keywords")
    assert str(written) == "2 keywords"
    with (tmp_path / "keywords.csv").open(newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == ["score", "search", "keyword", "url"]
    assert {row[2] for row in rows} == {"rock", "mineral"}
    assert {row[3] for row in rows} == {"http://s.test/"}


def test_pages_that_are_not_relevant_can_be_left_out(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", SCRIPT, judge__kind="rake", judge__lower=0.99, judge__threshold=0.9)
    assert str(honeyguide.export(run, tmp_path / "all.csv", "keywords")) == "2 keywords"
    assert str(honeyguide.export(run, tmp_path / "some.csv", "keywords", relevant=True)) == "0 keywords"


def test_a_run_of_another_judge_has_none_and_says_so(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", SCRIPT, judge__kind="keyword")
    with pytest.raises(ExportError, match=r"has no keywords: its judge is keyword; crawl with --set judge.kind=rake"):
        honeyguide.export(run, tmp_path / "keywords.csv", "keywords")
    assert not (tmp_path / "keywords.csv").exists()
