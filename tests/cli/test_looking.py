"""Looking at a run: results, stats, diff, report, search, rank."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.cli.output import one_line, print_json, print_json_lists
from honeyguide.runs import RunFolder, SqliteStore, open_run
from honeyguide.settings import Settings, to_toml
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli

# A number of exactly one before a plural; `1 to 1 of 1` and `1.0 pages/s` are none.
WRONG_PLURAL = re.compile(
    r"(?<![\d.,/])1 (?:new |relevant |other )?"
    r"(?:pages|fetches|links|hosts|domains|edges|vertices|times|examples|iterations|hits|components|articles)\b(?!/)"
)


@pytest.fixture
def empty_run(tmp_path: Path) -> Path:
    folder, lock = RunFolder.create(tmp_path / "empty", to_toml(Settings()))
    lock.close()
    SqliteStore(folder.database_file).close()
    return folder.path


def rows_of(shown: str) -> list[list[str]]:
    return [line.split("\t") for line in shown.splitlines() if not line.startswith("#")]


def test_results_through_a_pipe_are_lines_of_plain_columns(cli: Cli, shared_run: Path) -> None:
    shown = cli("results", shared_run, "--top", "5")
    with open_run(shared_run) as run:
        best = list(run.pages(best_first=True))
    assert [row[0] for row in rows_of(shown)] == ["1", "2", "3", "4", "5"]
    assert [row[3] for row in rows_of(shown)] == [page.url.text for page in best[:5]]
    assert "topic: geology" in shown.splitlines()[0]
    assert "60 fetches" in shown.splitlines()[1]
    floor = best[4].relevance
    for flags, wanted in (
        (("--all",), best),
        (("--min-relevance", floor), [page for page in best if page.relevance >= floor]),
        (("--relevant", "--all"), [page for page in best if page.is_relevant]),
    ):
        results = cli.json("results", shared_run, *flags)["results"]
        assert [page["url"] for page in results] == [page.url.text for page in wanted]


def test_a_snippet_has_words_of_the_topic(cli: Cli, shared_run: Path) -> None:
    for page in cli.json("results", shared_run, "--top", "3")["results"]:
        shown = f"{page['title']} {page['snippet']}".lower()
        assert any(word in shown for word in ("geolog", "rock", "mineral", "fossil"))
        assert not page["snippet"].startswith(page["title"])  # which stands above it
    without = cli.json("results", shared_run, "--top", "3", "--no-snippets")["results"]
    assert {page["snippet"] for page in without} == {None}
    assert len(rows_of(cli("results", shared_run, "--top", "1", "--snippets"))[0]) == 6


@pytest.mark.parametrize("entries", [[], [{"a": 1}], [{"a": "é\x07"}, {"b": [1, {"c": "\n"}]}]])
def test_a_list_printed_entry_by_entry_is_the_same_document(
    entries: list[dict[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    print_json({"run": "x", "list": entries, "again": entries})
    at_once = capsys.readouterr().out
    print_json_lists({"run": "x"}, {"list": iter(entries), "again": iter(entries)})
    assert capsys.readouterr().out == at_once


def test_what_a_terminal_would_obey_is_left_out_of_a_title() -> None:
    assert one_line("Rocks\x1b[2J\x07 and\r\n minerals\u202e") == "Rocks [2J and minerals"


def test_the_outlook_of_a_run_is_told_by_stats_by_a_crawl_and_in_json(cli: Cli, tmp_path: Path) -> None:
    said = cli(
        "crawl", tmp_path / "run", "--topic", "geology", "--world", "synthetic:pages=2000,hosts=20",
        "--budget", "110", "--set", "crawl.blind_spots=0.2",
    )  # fmt: skip
    with open_run(tmp_path / "run") as run:
        told, near = run.outlook(), run.outlook([30, 7])
    last = told.next_fetches[-1].relevant
    assert f"outlook       {last.low:,} to {last.high:,} relevant pages in the next 500 fetches" in said
    shown = cli("stats", tmp_path / "run", "--next", "30", "--next", "7")
    assert [each.fetches for each in near.next_fetches] == [30, 7]
    assert near.blind_spots is not None
    for sentence in near.sentences():
        assert sentence in " ".join(shown.split())
    assert max(map(len, shown.partition("Outcomes")[0].splitlines())) <= 80
    counted = cli.json("stats", tmp_path / "run")
    assert counted["outlook"] == json.loads(json.dumps(asdict(told)))
    assert counted["drawn_fetches"] >= near.blind_spots.drawn > 0
    assert f"{counted['drawn_fetches']} fetches of links drawn at random" in shown
    cli("stats", tmp_path / "run", "--next", "0", status=2)
    assert "--next" in cli.err


def test_stats_are_shown_in_lines_and_as_json(cli: Cli, shared_run: Path) -> None:
    shown, counted = cli("stats", shared_run, "--top", "3"), honeyguide.stats(shared_run, top=3)
    for words in (
        "fetches       60 of ",
        f"pages         {counted.pages}, of which relevant {counted.relevant}",
        "Outcomes",
        "Time by stage",
        f"Hosts, 3 of {counted.hosts} asked",
        f"hosts         {counted.hosts} asked, of {counted.domains} domains; {counted.hosts_with_pages} gave pages",
        counted.top_hosts[2].host,
        counted.patterns[0].pattern,
        "Clicks from a seed",
    ):
        assert words in shown
    assert cli.json("stats", shared_run, "--top", "3") == json.loads(json.dumps(asdict(counted)))


def test_a_run_without_pages_is_no_mistake(cli: Cli, empty_run: Path, shared_run: Path) -> None:
    assert "0 pages" in cli("results", empty_run)
    assert cli.json("results", empty_run)["results"] == []
    assert "pages         0, of which relevant 0" in cli("stats", empty_run)
    assert "0 pages in both; settings differ" in cli("diff", empty_run, shared_run)


def test_a_diff_is_shown_in_lines_and_as_json(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    longer = copytree(shared_run, tmp_path / "longer")
    honeyguide.resume(longer, budget="+20").close()
    shown, found = cli("diff", shared_run, longer, "--top", "2"), honeyguide.diff(shared_run, longer)
    assert f"Gained, in B alone: {len(found.gained)} pages" in shown
    assert "Lost, in A alone: 0 pages" in shown
    assert found.gained[1].url in shown
    assert found.gained[2].url not in shown
    assert f"… and {len(found.gained) - 2} more; --top shows them, --json has all" in shown
    assert "settings differ" in shown
    document = cli.json("diff", shared_run, longer)
    assert document == json.loads(json.dumps(asdict(found)))
    assert len(document["gained"]) > 10, "more than are kept in memory to be printed"


def test_a_report_says_where_it_is_and_replaces_only_its_own(cli: Cli, finished_run: Path, tmp_path: Path) -> None:
    own = finished_run / "report.html"
    assert cli("report finished") == cli("report finished") == "finished/report.html\n"
    cli(f"report finished -o {own} --overwrite")
    cli("report finished -o a.html --top 3")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count('<span class="rank">') == 3
    assert cli("report finished -o - --top 3") == page
    cli("report finished -o a.html --overwrite")


@pytest.mark.parametrize(
    "command",
    [
        "results run", "stats run", "search run rock", "rank run", "traps run", "diff run run", "report run -o -",
        "export run --format graphml out.graphml",
        "crawl new --world synthetic:pages=2000 --topic geology --budget 1 -vv",
    ],
)  # fmt: skip
def test_one_of_a_kind_is_singular(tmp_path: Path, cli: Cli, command: str) -> None:
    run_of(tmp_path / "run", {"http://a.test/": html("Rock", "rock rock rock", "/2")}, budget__fetches=1)
    assert not WRONG_PLURAL.findall(cli(command) + cli.err)


def test_hits_of_a_search(cli: Cli, shared_run: Path) -> None:
    document = cli.json("search", shared_run, "rock", "--per-page", "3")
    assert len(document["hits"]) == 3 <= document["total"]
    for hit in document["hits"]:
        assert {"url", "title", "score", "snippet", "highlights"} <= hit.keys()
        assert all(hit["snippet"][start:end].lower().startswith("rock") for start, end in hit["highlights"])
    assert any(hit["highlights"] for hit in document["hits"])
    lines = cli("search", shared_run, "rock OR fossil", "--per-page", "5").splitlines()
    assert lines[1] == "# rank\tscore\trelevance\turl\ttitle\tsnippet"
    assert [line.split("\t")[0] for line in lines[2:]] == ["1", "2", "3", "4", "5"]
    assert all(len(line.split("\t")) == 6 for line in lines[2:])
    first = document["hits"][0]["url"]
    like = [hit["url"] for hit in cli.json("search", shared_run, "--like", first)["hits"]]
    assert like
    assert first not in like
    assert "# did you mean mineral?\n" in cli("search", shared_run, "mineeral")
    assert json.loads(cli("search", shared_run, "--json", "--", "-rock the"))["query"] == "-rock the"


def test_several_runs_are_searched_together(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    copy = copytree(shared_run, tmp_path / "copy")
    alone = cli.json("search", shared_run, "rock", "--per-page", "100")
    both = cli.json("search", shared_run, copy, "rock", "--per-page", "100")
    assert both["pages_searched"] == 2 * alone["pages_searched"]
    assert [hit["url"] for hit in both["hits"]] == [hit["url"] for hit in alone["hits"]]


def test_flags_lay_weights_over_the_settings_of_a_search(cli: Cli, shared_run: Path) -> None:
    weights = ("--text-weight", "0", "--set", "search.rank_weight=0", "--topic-weight", "1")
    hits = cli.json("search", shared_run, "rock OR the", *weights)["hits"]
    assert [hit["score"] for hit in hits] == [hit["relevance"] for hit in hits]
    assert hits[0]["score"] > hits[-1]["score"]


def test_the_line_of_a_search_says_what_is_missing(cli: Cli, shared_run: Path) -> None:
    assert re.match(r"# \d+ pages of [^;]*\n", cli("search", shared_run, "rock"))
    first = cli("search", shared_run, "rock OR the", "--min-quality", "1", "--hide-traps").splitlines()[0]
    assert re.search(r"; (\d+) more left out: \1 by search\.min_quality, --min-quality 0 brings them back$", first)


@pytest.fixture
def graph(tmp_path: Path) -> str:
    (tmp_path / "graph.txt").write_text("5\n/a /b\n/a /c\n/b /c\n/c /a\n/d /c\n/d /d\n/d /c\n", encoding="utf-8")
    return "graph.txt"


def test_ranks_through_a_pipe_on_a_terminal_and_as_json(cli: Cli, graph: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli(f"rank {graph} --by in --top 2 --page /b --overlap").splitlines() == [
        "# 5 vertices, 5 edges; 2 components, the largest of 4; strong 3, the largest of 3; 1 without links out",
        "# left out: 1 duplicate, 1 self-loop",
        "# /b: 1, place 3; 1 link in, 1 out",
        "# overlap of in and out: 0.333",
        "# rank\tin\turl",
        "1\t3\t/c",
        "2\t1\t/a",
    ]
    document = cli.json(f"rank {graph} --by out --top 2 --page /a --overlap")
    assert document["iterations"] == 0
    assert document["page"] == {"url": "/a", "value": 2, "place": 1, "links_in": 1, "links_out": 2}
    assert document["overlaps"] == [{"one": "in", "other": "out", "jaccard": pytest.approx(1 / 3)}]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = cli(f"rank {graph} --epsilon 0.01")
    assert "pagerank after" in shown
    assert shown.index("/c") < shown.index("/d")


def test_ranks_of_a_run_are_those_of_the_library(cli: Cli, shared_run: Path) -> None:
    document = cli.json("rank", shared_run, "--top", "3", "--epsilon", "0.001")
    twin = honeyguide.rank(shared_run, epsilon=0.001)
    assert list(document)[:2] == ["iterations", "pages"]
    assert document["iterations"] == twin.iterations > 1
    assert document["pages"] == [{"url": page.url, "value": page.value} for page in twin.top(3)]
    assert (document["by"], document["has_converged"]) == ("pagerank", True)
    assert (document["graph"]["vertices"], document["graph"]["edges"]) == (twin.graph.vertices, twin.graph.edges)
    assert "page" not in document
    assert cli.json("rank", shared_run, "--personal", "relevant", "--top", "3")["pages"] != document["pages"]


def test_ranks_that_do_not_settle_and_graphs_without_pages(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "round.txt").write_text("3\na b\nb a\nc a\n", encoding="utf-8")
    (tmp_path / "none.txt").write_text("0\n", encoding="utf-8")
    assert cli.json("rank round.txt --damping 1")["has_converged"] is False
    assert "1,000 iterations, not yet at --epsilon" in cli("rank round.txt --damping 1")
    assert cli.json("rank none.txt")["pages"] == []


@pytest.mark.parametrize("command", ["learner", "stats"])
def test_prose_fits_a_terminal_of_80_columns(cli: Cli, shared_run: Path, command: str) -> None:
    assert max(map(len, cli(command, shared_run).splitlines())) <= 80
