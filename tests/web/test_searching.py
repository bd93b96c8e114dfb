"""Searching a run in the browser and over `/api`, also while it is crawled."""

from __future__ import annotations

import re
from html import unescape
from shutil import rmtree
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.runs import open_run
from honeyguide.web import searching
from search.small_runs import html, run_of
from web.conftest import Serve, settings_of

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e\x07"
ESCAPED = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def test_hits_have_snippet_probability_and_ways_to_the_page(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    found = client.get("/api/runs/geology/search", params={"q": "rock"}).json()
    assert found["total"] == honeyguide.search_runs(run, "rock").total > 3
    first = found["hits"][0]
    (start, end), *_ = first["highlights"]
    assert first["snippet"][start:end].lower().startswith("rock")
    page = client.get("/runs/geology/search", params={"q": "rock"})
    assert page.status_code == 200
    assert f"{first['relevance']:.0%}" in page.text
    assert "<mark>" in page.text
    links = [unescape(link) for link in re.findall(r'href="([^"]+)"', page.text)]
    assert first["url"] in links
    way = "/runs/geology/page?url="
    assert next(client.get(link) for link in links if link.startswith(way)).status_code == 200
    assert any(link.startswith(way) and link.endswith("#copy") for link in links)


def test_links_of_the_page_narrow_and_turn_over(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    page = client.get("/runs/geology/search", params={"q": "rock", "per_page": 2}).text
    next_page = unescape(re.findall(r'rel="next" href="([^"]+)"', page)[0])
    second = client.get(f"/runs/geology/search{next_page}").text
    assert "hits 3 to 4" in second
    assert 'rel="prev"' in second
    facet, pages = re.findall(r'<li><a href="(\?[^"]*host=[^"]+)"><span>.*?</span>\s*<b>(\d+)</b>', page)[0]
    narrowed = client.get(f"/runs/geology/search{unescape(facet)}&show_all=true").text
    assert f"{pages} page" in narrowed
    assert "Narrowed to" in narrowed


def test_the_form_works_without_a_script_and_keeps_what_was_given(serve: Serve, run: Path) -> None:
    page = serve(run.parent).get("/runs/geology/search", params={"q": 'rock "', "relevant": "true"})
    assert '<form class="search" method="get"' in page.text
    assert 'name="relevant" value="true" checked' in page.text


@pytest.mark.parametrize("query", ["(rock", '"rock', "rock OR", "title:"])
def test_a_query_that_cannot_be_read_is_answered_as_on_the_command_line(serve: Serve, run: Path, query: str) -> None:
    with pytest.raises(honeyguide.HoneyguideError) as refused:
        honeyguide.search_runs(run, query)
    client = serve(run.parent)
    answer = client.get("/api/runs/geology/search", params={"q": query})
    assert (answer.status_code, answer.json()) == (400, {"detail": str(refused.value)})
    page = client.get("/runs/geology/search", params={"q": query})
    assert page.status_code == 400
    assert 'id="problem"' in page.text
    assert 'aria-invalid="true"' in page.text


@pytest.mark.parametrize(
    ("params", "status", "named"),
    [
        ({"q": "rock", "page": "x"}, 422, "page is 'x'"),
        ({"q": "rock", "page": "0"}, 400, "page 0"),
        ({"q": "rock", "since": "yesterday"}, 400, "since is 'yesterday'"),
        ({"q": "rock", "host": "a/b"}, 400, "is not a host"),
        ({"like": "http://nowhere.test/"}, 400, "no page http://nowhere.test/"),
        ({"q": ""}, 400, "query"),
    ],
)
def test_bad_parameters_get_one_clear_line(
    serve: Serve, run: Path, params: dict[str, str], status: int, named: str
) -> None:
    answer = serve(run.parent).get("/api/runs/geology/search", params=params)
    assert answer.status_code == status
    assert named in answer.json()["detail"]


def test_a_page_is_found_as_soon_as_it_is_stored(serve: Serve, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "growing"
    run.parent.mkdir()
    client = serve(run.parent)
    seen: list[tuple[int, int]] = []

    def look() -> bool:
        if (run / "crawl.sqlite").exists():
            with open_run(run) as opened:
                stored = opened.progress.pages
            if stored and stored % 20 == 0 and stored not in dict(seen):
                found = client.get("/api/runs/growing/search", params={"q": "the"}).json()
                seen.append((stored, found["pages_searched"]))
        return False

    honeyguide.crawl(run, settings_of(100), is_interrupted=look).close()
    assert len(seen) > 1
    assert all(stored == searched for stored, searched in seen)


def test_whoever_asks_before_the_index_is_there_is_told_to_come_back(
    serve: Serve, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(run.parent)
    monkeypatch.setattr(searching, "PATIENCE_S", 0.0)
    page = client.get("/runs/geology/search?q=rock")
    assert (page.status_code, "being indexed" in page.text) == (503, True)
    assert '<meta http-equiv="refresh"' in page.text
    told = client.get("/api/runs/geology/search?q=rock")
    assert (told.status_code, "being indexed" in told.json()["detail"]) == (503, True)
    monkeypatch.setattr(searching, "PATIENCE_S", 20.0)
    assert client.get("/api/runs/geology/search?q=rock").json()["total"] > 3


def test_several_runs_are_searched_together(serve: Serve, run: Path, tmp_path: Path) -> None:
    run_of(run.parent / "small", {"http://only.test/": html("Small", "rock zebra")})
    client = serve(run.parent)
    for path in ("/api/search", "/search"):
        assert [hit["run"] for hit in client.get(path, params={"q": "zebra"}).json()["hits"]] == ["small"]
    both = client.get("/api/search", params={"q": "rock", "per_page": 100}).json()
    assert {hit["run"] for hit in both["hits"]} == {"geology", "small"}
    one = client.get("/api/search", params={"q": "rock", "run": "small"}).json()
    assert {hit["run"] for hit in one["hits"]} == {"small"}
    assert client.get("/api/search", params={"q": "rock", "run": "none"}).status_code == 404
    del tmp_path


def test_a_run_that_vanishes_or_is_replaced_is_noticed(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "runs" / "small"
    run_of(path, {"http://one.test/": html("Old", "rock")})
    client = serve(tmp_path / "runs")
    assert client.get("/api/runs/small/search?q=rock").json()["hits"][0]["title"] == "Old"
    rmtree(path)
    gone = client.get("/api/runs/small/search?q=rock")
    assert (gone.status_code, "no run 'small'" in gone.json()["detail"]) == (404, True)
    run_of(path, {"http://one.test/": html("New", "rock")})
    assert client.get("/api/runs/small/search?q=rock").json()["hits"][0]["title"] == "New"


def test_hostile_text_is_never_markup(serve: Serve, tmp_path: Path) -> None:
    url = "http://bad.test/%22%3E%3Cscript%3E?q=javascript:alert(1)'\"<b>"
    hostile = f"<title>{ESCAPED}</title><body><main><p>rock {ESCAPED} rock</p></main></body>"
    run_of(tmp_path / "runs" / "bad", {url: hostile})
    client = serve(tmp_path / "runs")
    for query in ("rock", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "alert"):
        page = client.get("/runs/bad/search", params={"q": query, "host": "bad.test"}).text
        assert page.count("<script") == 1  # ours
        assert "<img" not in page
        assert "\u202e" not in page
        assert "\x07" not in page
        assert not re.search(r"href=\"javascript:", page, re.IGNORECASE)
    assert len(client.get("/api/runs/bad/search", params={"q": "rock"}).json()["hits"]) == 1
