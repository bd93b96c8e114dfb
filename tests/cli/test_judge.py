"""`honeyguide judge`: scores with the evidence, for files, pipes, worlds and the web."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from cli.conftest import PROGRAM
from honeyguide.cli.main import main
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cli.conftest import Refusal

ROCKS = "<title>Rocks</title><p>Basalt is a rock; granite is a rock too. <a href='http://x.test/ore'>Ore rock</a></p>"
TEA = "<title>Tea</title><p>Tea is a drink.</p>"
BY_KEYWORD = ("--keyword", "rock", "--judge", "keyword")


@pytest.fixture(autouse=True)
def two_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rocks.html").write_text(ROCKS, encoding="utf-8")
    (tmp_path / "tea.html").write_text(TEA, encoding="utf-8")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["judge", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_one_page_is_told_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, *BY_KEYWORD, "rocks.html")
    assert out.splitlines()[:2] == ["Rocks", "rocks.html"]
    # 3 of 11 words: 1 - 1/(1 + 300/11).
    assert "relevance  0.965 by keyword" in out
    assert "relevant   yes; threshold 0.500" in out
    assert "words      11 in the main text" in out
    assert "+0.965  rock  3 times" in out


def test_the_evidence_adds_up_to_the_relevance(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "--topic", "geology", "rocks.html").splitlines()
    relevance = float(next(line for line in lines if "relevance  " in line).split()[1])
    parts = [float(line.split()[0]) for line in lines if line.startswith(("  +", "  -"))]
    assert len(parts) > 3
    assert sum(parts) == pytest.approx(relevance, abs=0.001 * len(parts))


def test_small_contributions_are_told_to_three_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 401 keywords, of which one counts: 1/401.
    (tmp_path / "long.txt").write_text("Rock. " + " ".join(f"xq{number}zz." for number in range(400)), encoding="utf-8")
    out = shown(capsys, "--keyword", "rock", "--judge", "rake", "--set", "judge.lower=0.99", "long.txt")
    assert "relevance  0.00249 by rake\n" in out
    assert "threshold 0.00500\n" in out
    assert "+0.00249  rock  once, nearest to rock (1.00)\n" in out
    assert "all other words" not in out


def test_parts_of_a_combined_judge_are_told_without_counts(capsys: pytest.CaptureFixture[str]) -> None:
    parts = ("--judge", "combined", "--set", 'judge.parts=["keyword:1", "tfidf:1"]')
    lines = shown(capsys, "--keyword", "rock", *parts, "rocks.html").splitlines()
    first = lines.index("evidence by combined (adds to the relevance)") + 1
    assert [line.split()[1:] for line in lines[first : first + 3]] == [["keyword"], ["tfidf"], []]
    assert lines[first] == "  +0.482  keyword"  # half of 0.965


def test_contributions_that_add_to_less_than_0_are_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "--topic", "geology", "--unlike", "tea is a drink", "tea.html")
    assert "relevance  0.000 by embedding" in out
    assert "; below 0 is a relevance of 0)" in out


def test_several_pages_are_a_table_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, *BY_KEYWORD, "tea.html", "rocks.html")
    rows = [line.split() for line in out.splitlines() if line.endswith(".html")]
    assert rows == [["0.000", "no", "0.000", "4", "tea.html"], ["0.965", "yes", "0.965", "11", "rocks.html"]]
    assert "Rocks: rock\n" in out


def test_a_page_comes_through_a_pipe(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "judge", *BY_KEYWORD, "-", "--json"], input=ROCKS, cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    (page,) = json.loads(done.stdout)["pages"]
    assert (page["name"], page["title"], page["is_relevant"]) == ("-", "Rocks", True)


@pytest.mark.parametrize("twice", [("--like", "@-", "-"), ("-", "-"), ("--like", "@-", "--unlike", "@-", "tea.html")])
def test_standard_input_is_not_read_twice(tmp_path: Path, twice: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*PROGRAM, "judge", *BY_KEYWORD, *twice], input=ROCKS, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "standard input can be read only once, and is named twice; put one of the two in a file\n" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    document: dict[str, Any] = json.loads(shown(capsys, *BY_KEYWORD, "rocks.html", "--json", "--links", "3"))
    (page,) = document["pages"]
    assert document["unreadable"] == []
    assert page["evidence"]["rows"] == [
        {"term": "rock", "compared_with": "rock", "similarity": 1.0, "contribution": page["relevance"], "count": 3}
    ]
    assert [(link["url"], link["anchor"]) for link in page["links"]] == [("http://x.test/ore", "Ore rock")]
    assert {"name", "url", "title", "words", "relevance", "is_relevant", "reward"} <= page.keys()


def test_json_has_lims_tuples_where_the_judge_is_his(capsys: pytest.CaptureFixture[str]) -> None:
    searches = ("--keyword", "rock", "--keyword", "rocks", "--set", "judge.lower=0.9")
    (page,) = json.loads(shown(capsys, *searches, "--judge", "rake", "rocks.html", "--json"))["pages"]
    assert [(match["search"], match["keyword"], match["url"]) for match in page["matches"]][:1] == [
        ("rock", "rock", page["url"])
    ]
    assert page["matches"][0]["score"] == pytest.approx(1.0)
    assert list(page["matches"][0]) == ["score", "search", "keyword", "url"]
    (page,) = json.loads(shown(capsys, *BY_KEYWORD, "rocks.html", "--json"))["pages"]
    assert "matches" not in page


def test_bad_pages_are_told_one_by_one_and_the_others_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.txt").touch()
    assert main(["judge", *BY_KEYWORD, "gone.html", "rocks.html", "empty.txt", "ftp:/x"]) == 2
    out, err = capsys.readouterr()
    assert "rocks.html" in out
    assert err.splitlines() == [
        "honeyguide: cannot read gone.html: No such file or directory; check the path",
        "honeyguide: empty.txt is empty; give another page",
        "honeyguide: cannot read ftp:/x: No such file or directory; check the path",
    ]


def test_links_are_shown_by_score(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "--topic", "ore", "--links", "5", "rocks.html")
    assert out.splitlines()[-1].endswith("Ore rock  http://x.test/ore")


def test_pages_of_a_wiki_world_are_judged_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world_of(tmp_path, [Written("Basalt", "A [[rock]]."), Written("Rock", "A rock, see [[basalt]].")]).shut()
    out = shown(capsys, *BY_KEYWORD, "--world", "wiki:world", f"{HOME}basalt")
    assert out.splitlines()[:2] == ["Basalt", f"{HOME}basalt"]


def test_a_run_s_own_settings_judge(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "--config", str(finished_run / "settings.toml"), "rocks.html")
    assert "by embedding" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rocks.html",), "topic is empty: give --topic, --keyword or --like"),
        (("--topic", "geology"), "Missing argument 'PAGE'"),
        (("--topic", "geology", "--judge", "keywrod", "rocks.html"), "did you mean keyword?"),
        (("--topic", "geology", "--set", "judge.threshold=2", "rocks.html"), "judge.threshold is 2"),
        (("--topic", "geology", "--world", "wiki:nowhere", "http://x.test/"), "nowhere is not a wiki world"),
        (("--topic", "geology", "--like", "@gone", "rocks.html"), "topic.like: cannot read gone"),
        (("--topic", "geology", "gone.html"), "cannot read gone.html: No such file"),
        (("--topic", "geology", "http://[::1"), "not a URL"),
    ],
)
def test_what_cannot_be_judged_is_refused(refusal: Refusal, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal("judge", *arguments)


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


def test_pages_of_the_web_are_asked_for_politely(capsys: pytest.CaptureFixture[str]) -> None:
    with served() as site:
        quickly = ("--set", "politeness.delay_s=0.05", "--set", "fetch.allow_private=true")
        assert main(["judge", *BY_KEYWORD, *quickly, f"{site}/old", f"{site}/tea", f"{site}/gone"]) == 2
    out, err = capsys.readouterr()
    assert f"{site}/old" in out
    assert "Rocks: rock" in out
    assert "robots.txt disallows /tea" in err
    assert "404" in err
    assert Site.asked == ["/robots.txt", "/old", "/rocks", "/gone"]
    assert all(agent.startswith("Honeyguide/") for agent in Site.agents)


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("judge",), ("topic", "suggest"), ("topic", "list"), ("topic", "show")):
        assert main([*command, "--help"]) == 0
        out = capsys.readouterr().out
        assert "Example" in out
        assert f"honeyguide {' '.join(command)}" in out
        assert "--json" in out
