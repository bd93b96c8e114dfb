"""Scope flags, and what a crawl that ran out of links says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main
from honeyguide.runs import open_run
from scripted_world import page_with

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal

WORLD = "synthetic:pages=2000,hosts=20"
GEOLOGY = ("--world", WORLD, "--topic", "geology", "--budget", "20")


@pytest.fixture
def one_host(tmp_path: Path) -> str:
    """Thirty pages on one host, each with links to the next three."""
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(30):
        links = page_with(*(f"{number + step}.html" for step in (1, 2, 3)))
        (folder / f"{number}.html").write_text(links, encoding="utf-8")
    return f"site:{folder}@http://one.test/"


def test_scope_flags_become_settings_of_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--allow-host", "*.test", "--deny-host", "a.test", "--deny-host", "b.test", "--allow-path", "^/")
    status = main(["crawl", str(tmp_path / "run"), *GEOLOGY, *flags, "--deny-path", r"\?", "--max-depth", "4"])
    assert status == 0
    capsys.readouterr()
    with open_run(tmp_path / "run") as run:
        scope = run.settings.scope
    assert (scope.allow_hosts, scope.deny_hosts) == (("*.test",), ("a.test", "b.test"))
    assert (scope.allow_paths, scope.deny_paths, scope.max_depth) == (("^/",), (r"\?",), 4)


def test_links_over_the_limit_of_their_host_are_counted(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--world", one_host, "--strategy", "breadth-first", "--max-pages-per-host", "3", "--stay-on-domain")
    assert main(["crawl", str(tmp_path / "run"), *flags, "--under", "/"]) == 0
    shown = capsys.readouterr().out
    # Pages 0, 1 and 2 come; 3 waits since page 0 showed it, 4 since page 1 did.
    assert "  host limit    2 links not followed" in shown
    with open_run(tmp_path / "run") as run:
        assert (run.progress.fetches, run.settings.scope.domains) == (3, ("one.test",))


def test_links_out_of_scope_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["crawl", str(tmp_path / "run"), *GEOLOGY, "--max-depth", "1"])
    shown = capsys.readouterr().out
    assert "times a link was out of scope" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seed-url", "http://a.test/", "--deny-host", "a.test"), "http://a.test/ is out of scope: scope.deny_hosts"),
        (("--allow-host", "nowhere.test"), "no entry page is in scope: "),
        (("--allow-host", "http://a.test/"), "scope.allow_hosts: not a host: 'http://a.test/'"),
        (("--deny-path", "("), "scope.deny_paths: '(' is not a regular expression"),
        (("--stay-on-domain", "--stay-on-seed-hosts"), "and --stay-on-domain contradict each other"),
        (("--set", 'scope.domains=["*.a.test"]'), "scope.domains: not a domain: '*.a.test'"),
        (("--set", 'scope.deny_urls=["["]'), "scope.deny_urls: '[' is not a regular expression"),
        (("--sitemap", "sitemap.xml"), "crawl.sitemaps: not a URL: 'sitemap.xml'"),
        (("--feed", "http://nowhere.test/feed"), "sitemap or feed: http://nowhere.test/feed gave no page"),
        (("--archive", "zip"), "store.archive is 'zip': choose one of store, warc, none"),
        (("--under", "docs/"), "scope.allow_prefixes: 'docs/' begins no URL; write /docs/"),
        (("--max-pages-per-host", "-1"), "scope.max_pages_per_host is -1: it must be at least 0"),
        (("--max-depth", "deep"), "scope.max_depth is 'deep': it must be a whole number"),
        (("--max-depth", "-1"), "scope.max_depth is -1: it must be at least 0"),
        (("--strategy", "deapth-first"), "did you mean depth-first?"),
        (("--strategy", "beam", "--set", "beam.width=0"), "beam.width is 0: it must be at least 1"),
        (("--strategy", "url-heuristic", "--topic", ""), "topic is empty"),
    ],
)  # fmt: skip
def test_a_scope_or_strategy_that_cannot_be_is_refused(
    refusal: Refusal, arguments: tuple[str, ...], words: str
) -> None:
    assert words in refusal("crawl", "run", *GEOLOGY, *arguments)


def test_modified_depth_first_runs_out_of_links_on_one_host_and_says_so(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--world", one_host, "--set", "politeness.delay_s=0", "--strategy")
    assert main(["crawl", str(tmp_path / "run"), *flags, "modified-depth-first"]) == 0
    shown = capsys.readouterr().out
    # Pages 0, 1 and 2 give links up to 5; of 3, 4 and 5 no link is followed.
    assert "Stopped: nothing left to crawl.\nIt ran out of links: the links of 3 pages were not followed." in shown
    assert "  not followed  3 pages whose links were not followed" in shown
    ran_out = {}
    for strategy in ("depth-first", "modified-depth-first"):
        main(["crawl", str(tmp_path / strategy), *flags, strategy, "--json"])
        document = json.loads(capsys.readouterr().out)
        ran_out[strategy] = document["ran_out_of_links"]
        assert document["largest_frontier"] >= 3
    assert ran_out == {"depth-first": False, "modified-depth-first": True}


def test_a_rule_that_left_out_nothing_is_not_blamed(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Within one click both orders fetch the same four pages: what page 3 shows is too deep in any case."""
    pages = {}
    for strategy in ("depth-first", "modified-depth-first"):
        main(["crawl", str(tmp_path / strategy), "--world", one_host, "--strategy", strategy, "--max-depth", "1"])
        assert "ran out" not in capsys.readouterr().out
        with open_run(tmp_path / strategy) as run:
            pages[strategy] = [page.url for page in run.pages()]
    assert pages["depth-first"] == pages["modified-depth-first"]


def test_a_crawl_that_skips_everything_says_so(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--world", one_host, "--strategy", "parse-or-skip", "--topic", "geology")
    main(["crawl", str(tmp_path / "run"), *flags])
    assert "It ran out of links: the strategy skipped 3 links." in capsys.readouterr().out
    main(["crawl", str(tmp_path / "other"), *flags, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["skipped_every_link"], document["ran_out_of_links"]) == (True, False)


def test_a_beam_that_ends_early_says_how_often_there_was_no_room(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--world", one_host, "--strategy", "beam", "--topic", "geology", "--set", "beam.width=1")
    main(["crawl", str(tmp_path / "run"), *flags])
    shown = capsys.readouterr().out
    with open_run(tmp_path / "run") as run:
        assert run.progress.largest_waiting == 1
        assert f"It ran out of links: {run.progress.pruned} times there was no room for a link to wait." in shown


def test_a_profile_under_which_no_page_has_a_link_is_told_of(
    one_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--world", one_host, "--strategy", "breadth-first", "--set", "politeness.delay_s=0")
    hint = "No page has a link that counts under --profile wikipedia"
    assert main(["crawl", str(tmp_path / "with"), *flags, "--profile", "wikipedia"]) == 0
    assert f"Stopped: nothing left to crawl.\n{hint}" in capsys.readouterr().out
    assert main(["crawl", str(tmp_path / "without"), *flags]) == 0
    assert hint not in capsys.readouterr().out


def test_a_profile_under_which_pages_have_links_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "site" / "wiki"
    folder.mkdir(parents=True)
    (folder / "A").write_text("<html><p><a href='/wiki/B'>b</a></p></html>", encoding="utf-8")
    (folder / "B").write_text("<html><p>end</p></html>", encoding="utf-8")
    flags = ("--world", f"site:{folder.parent}@http://w.test/", "--seed-url", "http://w.test/wiki/A")
    assert main(["crawl", str(tmp_path / "run"), *flags, "--profile", "wikipedia", "--strategy", "breadth-first"]) == 0
    shown = capsys.readouterr().out
    assert "nothing left to crawl" in shown
    assert "No page has a link" not in shown
