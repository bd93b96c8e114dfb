"""`honeyguide judge`: scores with the evidence, for files, pipes, worlds and the web."""

from __future__ import annotations

import io
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cli.conftest import Cli

ROCKS = "<title>Rocks</title><p>Basalt is a rock; granite is a rock too. <a href='http://x.test/ore'>Ore rock</a></p>"
TEA = "<title>Tea</title><p>Tea is a drink.</p>"
BY_KEYWORD = ("--keyword", "rock", "--judge", "keyword")


@pytest.fixture(autouse=True)
def two_pages(tmp_path: Path) -> None:
    (tmp_path / "rocks.html").write_text(ROCKS, encoding="utf-8")
    (tmp_path / "tea.html").write_text(TEA, encoding="utf-8")


def test_one_page_is_shown_in_full(cli: Cli) -> None:
    out = cli("judge", *BY_KEYWORD, "rocks.html")
    assert out.splitlines()[:2] == ["Rocks", "rocks.html"]
    # 3 of 11 words: 1 - 1/(1 + 300/11).
    assert "relevance  0.965 by keyword" in out
    assert "relevant   yes; threshold 0.500" in out
    assert "words      11 in the main text" in out
    assert "+0.965  rock  3 times" in out


def test_the_limits_that_a_page_is_over_are_shown(cli: Cli) -> None:
    out = cli("judge", *BY_KEYWORD, "--set", "parse.max_words=5", "--set", "parse.max_title_characters=3", "rocks.html")
    assert "words      5 in the main text\n  cut by     title, words; limits of [parse]\n" in out


def test_the_evidence_adds_up_to_the_relevance(cli: Cli) -> None:
    lines = cli("judge", "--topic", "geology", "--judge", "embedding", "rocks.html").splitlines()
    relevance = float(next(line for line in lines if "relevance  " in line).split()[1])
    parts = [float(line.split()[0]) for line in lines if line.startswith(("  +", "  -"))]
    assert len(parts) > 3
    assert sum(parts) == pytest.approx(relevance, abs=0.001 * len(parts))


def test_small_contributions_are_shown_with_three_digits(tmp_path: Path, cli: Cli) -> None:
    # 401 keywords, of which one counts: 1/401.
    (tmp_path / "long.txt").write_text("Rock. " + " ".join(f"xq{number}zz." for number in range(400)), encoding="utf-8")
    out = cli("judge", "--keyword", "rock", "--judge", "rake", "--set", "judge.lower=0.99", "long.txt")
    assert "relevance  0.00249 by rake\n" in out
    assert "threshold 0.00500\n" in out
    assert "+0.00249  rock  once, nearest to rock (1.00)\n" in out
    assert "all other words" not in out


def test_parts_of_a_combined_judge_are_shown_without_counts(cli: Cli) -> None:
    parts = ("--judge", "combined", "--set", 'judge.parts=["keyword:1", "tfidf:1"]')
    lines = cli("judge", "--keyword", "rock", *parts, "rocks.html").splitlines()
    first = lines.index("evidence by combined (adds to the relevance)") + 1
    assert [line.split()[1:] for line in lines[first : first + 3]] == [["keyword"], ["tfidf"], []]
    assert lines[first] == "  +0.482  keyword"  # half of 0.965


def test_contributions_that_add_to_less_than_0_are_explained(cli: Cli) -> None:
    out = cli("judge", "--topic", "geology", "--unlike", "tea is a drink", "--judge", "embedding", "tea.html")
    assert "relevance  0.000 by embedding" in out
    assert "; below 0 is a relevance of 0)" in out


def test_several_pages_are_a_table_in_their_order(cli: Cli) -> None:
    out = cli("judge", *BY_KEYWORD, "tea.html", "rocks.html")
    rows = [line.split() for line in out.splitlines() if line.endswith(".html")]
    assert rows == [["0.000", "no", "0.000", "4", "tea.html"], ["0.965", "yes", "0.965", "11", "rocks.html"]]
    assert "Rocks: rock\n" in out


def test_a_page_comes_through_a_pipe_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ROCKS.encode())))
    (page,) = cli.json("judge", *BY_KEYWORD, "-")["pages"]
    assert (page["name"], page["title"], page["is_relevant"]) == ("-", "Rocks", True)
    for twice in (("--like", "@-", "-"), ("-", "-"), ("--like", "@-", "--unlike", "@-", "tea.html")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ROCKS.encode())))
        cli("judge", *BY_KEYWORD, *twice, status=2)
        assert "standard input can be read only once, and is named twice; put one of the two in a file\n" in cli.err
        assert cli.err.count("\n") == 1


def test_json_has_everything(cli: Cli) -> None:
    document: dict[str, Any] = cli.json("judge", *BY_KEYWORD, "rocks.html", "--links", "3")
    (page,) = document["pages"]
    assert document["unreadable"] == []
    assert page["evidence"]["rows"] == [
        {"term": "rock", "compared_with": "rock", "similarity": 1.0, "contribution": page["relevance"], "count": 3}
    ]
    assert [(link["url"], link["anchor"]) for link in page["links"]] == [("http://x.test/ore", "Ore rock")]
    assert {"name", "url", "title", "words", "relevance", "is_relevant", "reward"} <= page.keys()


def test_json_has_lims_tuples_where_the_judge_is_his(cli: Cli) -> None:
    searches = ("--keyword", "rock", "--keyword", "rocks", "--set", "judge.lower=0.9")
    (page,) = cli.json("judge", *searches, "--judge", "rake", "rocks.html")["pages"]
    assert [(match["search"], match["keyword"], match["url"]) for match in page["matches"]][:1] == [
        ("rock", "rock", page["url"])
    ]
    assert page["matches"][0]["score"] == pytest.approx(1.0)
    assert list(page["matches"][0]) == ["score", "search", "keyword", "url"]
    (page,) = cli.json("judge", *BY_KEYWORD, "rocks.html")["pages"]
    assert "matches" not in page


def test_bad_pages_are_named_one_by_one_and_the_others_are_judged(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "empty.txt").touch()
    assert "rocks.html" in cli("judge", *BY_KEYWORD, "gone.html", "rocks.html", "empty.txt", "ftp:/x", status=2)
    assert cli.err.splitlines() == [
        "honeyguide: cannot read gone.html: No such file or directory; check the path",
        "honeyguide: empty.txt is empty; give another page",
        "honeyguide: cannot read ftp:/x: No such file or directory; check the path",
    ]


def test_links_are_shown_by_score(cli: Cli) -> None:
    out = cli("judge", "--topic", "ore", "--links", "5", "rocks.html")
    assert out.splitlines()[-1].endswith("Ore rock  http://x.test/ore")


def test_pages_of_a_wiki_world_are_judged_there(tmp_path: Path, cli: Cli) -> None:
    world_of(tmp_path, [Written("Basalt", "A [[rock]]."), Written("Rock", "A rock, see [[basalt]].")]).shut()
    out = cli("judge", *BY_KEYWORD, "--world", "wiki:world", f"{HOME}basalt")
    assert out.splitlines()[:2] == ["Basalt", f"{HOME}basalt"]


def test_a_run_s_own_settings_judge(shared_run: Path, cli: Cli) -> None:
    out = cli("judge", "--config", shared_run / "settings.toml", "rocks.html")
    assert "by learned" in out


class Site(BaseHTTPRequestHandler):
    """Rocks and tea, of which robots.txt closes the tea."""

    asked: list[str]
    agents: set[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.agents.add(self.headers["User-Agent"])
        pages = {"/robots.txt": "User-agent: *\nDisallow: /tea", "/rocks": ROCKS, "/tea": TEA}
        if self.path == "/old":
            self.send_response(301)
            self.send_header("Location", "/rocks")
            self.end_headers()
            return
        body = pages.get(self.path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    Site.asked, Site.agents = [], set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_pages_of_the_web_are_asked_for_politely(cli: Cli) -> None:
    with served() as site:
        quickly = ("--set", "politeness.delay_s=0.05", "--set", "fetch.allow_private=['127.0.0.0/8']")
        out = cli("judge", *BY_KEYWORD, *quickly, f"{site}/old", f"{site}/tea", f"{site}/gone", status=2)
    err = cli.err
    assert f"{site}/old" in out
    assert "Rocks: rock" in out
    assert "robots.txt disallows /tea" in err
    assert "404" in err
    assert Site.asked == ["/robots.txt", "/old", "/rocks", "/gone"]
    assert all(agent.startswith("Honeyguide/") for agent in Site.agents)
