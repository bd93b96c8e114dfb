"""Crawls from the command line: settings, summaries, going on, extending, refreshing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from deep_strategies import DEEP
from honeyguide.cli.options import parse_assignment
from honeyguide.extras import install_hint
from honeyguide.runs import open_run
from honeyguide.settings import load_settings
from scripted_world import page_with

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal

WORLD = "--world synthetic:pages=2000,hosts=20"
GEOLOGY = f"{WORLD} --topic geology --keyword rock"


@pytest.fixture
def one_host(tmp_path: Path) -> str:
    """Thirty pages on one host, each with links to the next three."""
    (tmp_path / "site").mkdir()
    for number in range(30):
        links = page_with(*(f"{number + step}.html" for step in (1, 2, 3)))
        (tmp_path / "site" / f"{number}.html").write_text(links, encoding="utf-8")
    return "--world site:site@http://one.test/ --set politeness.delay_s=0"


def settings_of(run: Path) -> Any:
    with open_run(run) as opened:
        return opened.settings


def test_a_crawl_ends_with_a_summary_and_what_to_type_next(cli: Cli) -> None:
    shown = cli(f"crawl 'my run' {GEOLOGY} --budget 40")
    assert cli.err == ""
    for words in ("Stopped: budget of fetches spent.", "40 of 40", "honeyguide results 'my run'"):
        assert words in shown
    assert "honeyguide resume 'my run' --budget +1000" in shown


def test_waits_for_hosts_are_a_plain_number_as_links_that_were_skipped_count_too(cli: Cli, tmp_path: Path) -> None:
    shown = cli("crawl run --world synthetic --topic geology --budget 30 --strategy parse-or-skip --seed 1")
    with open_run(tmp_path / "run") as run:
        times, fetches = run.progress.waited_for_hosts, run.progress.fetches
    assert times > fetches
    assert f"{times} times another link was taken, the best link's host being busy" in " ".join(shown.split())


def test_json_is_all_there_is_on_stdout_and_the_log_goes_elsewhere(cli: Cli, tmp_path: Path) -> None:
    assert cli(f"crawl run {GEOLOGY} --budget 20 --json -v --log-file crawl.log").startswith("{")
    assert "starting: topic 'geology'" in cli.err
    assert "stopped: budget of fetches spent" in (tmp_path / "crawl.log").read_text(encoding="utf-8")


def test_flags_go_over_the_config_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(
        '[topic]\nname = "chess"\nkeywords = ["pawn"]\n[budget]\nfetches = 7\n', encoding="utf-8"
    )
    cli(f"crawl run --config run.toml {WORLD} --topic geology --set politeness.delay_s=0.5 --strategy breadth-first")
    settings = settings_of(tmp_path / "run")
    assert (settings.topic.name, settings.topic.keywords) == ("geology", ("pawn",))
    assert (settings.budget.fetches, settings.politeness.delay_s) == (7, 0.5)
    assert settings.crawl.strategy == "breadth-first"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("judge.kind=keyword", "judge.kind", "keyword"),
        ('topic.name="2024"', "topic.name", "2024"),
        ("fetch.timeout_s = 3.5", "fetch.timeout_s", 3.5),
        ("politeness.obey_robots=false", "politeness.obey_robots", False),
        ('crawl.seed_urls=["http://a.test/?b=c"]', "crawl.seed_urls", ["http://a.test/?b=c"]),
        ("topic.name=1\nother = 2", "topic.name", "1\nother = 2"),
        ("world.missing=404", "world.missing", "404"),
    ],
)
def test_an_assignment_is_toml_where_it_can_be_and_text_elsewhere(text: str, key: str, value: object) -> None:
    assert parse_assignment(text) == (key, value)


def test_a_finished_run_has_nothing_to_do_and_can_be_extended(cli: Cli, finished_run: Path) -> None:
    assert cli("resume finished") == "nothing to do: budget of fetches spent; extend it with --budget +1000\n"
    for budget, total in (("+5", 65), ("70", 70)):
        document = cli.json(f"resume finished --budget {budget}")
        assert document["fetches"] == document["budget"] == total
    settings = finished_run / "settings.toml"
    raised = settings.read_text(encoding="utf-8").replace("fetches = 70", "fetches = 74")
    settings.write_text(raised, encoding="utf-8")
    assert "74 of 74" in cli("resume finished")


def test_a_crawl_without_a_page_says_why(cli: Cli) -> None:
    seed = "--seed-url http://127.0.0.1:9/ --contact someone@example.org --strategy breadth-first"
    shown = cli(f"crawl run --keyword rock --judge keyword {seed}", status=1)
    assert "no page       1 address" in shown
    assert "http://127.0.0.1:9/ refused, address: 127.0.0.1 is a loopback" in shown
    again = "honeyguide crawl run-2 --config run/settings.toml --allow-private 127.0.0.1"
    assert shown.endswith(f"127.0.0.1:9 is not on the public internet.\n  {again}\n")
    document = cli.json("results run")
    assert document["without_page"] == {"address": 1}
    assert (document["advice"]["situation"], document["advice"]["command"]) == ("no page came", again)
    assert again in cli("resume run", status=1)


def test_no_line_of_a_summary_is_wider_than_80_columns(cli: Cli) -> None:
    shown = cli(f"crawl a-run-with-a-rather-long-name-for-a-folder {GEOLOGY} --budget 150")
    assert max(map(len, shown.splitlines())) <= 80


def test_scope_flags_become_settings_and_links_out_of_scope_are_counted(cli: Cli, tmp_path: Path) -> None:
    flags = "--allow-host *.test --deny-host a.test --deny-host b.test --allow-path ^/ --deny-path '[?]' --max-depth 1"
    assert "times a link was out of scope" in cli(f"crawl run {GEOLOGY} --budget 20 {flags}")
    scope = settings_of(tmp_path / "run").scope
    assert (scope.allow_hosts, scope.deny_hosts) == (("*.test",), ("a.test", "b.test"))
    assert (scope.allow_paths, scope.deny_paths, scope.max_depth) == (("^/",), ("[?]",), 1)


def test_links_over_the_limit_of_their_host_are_counted(one_host: str, cli: Cli, tmp_path: Path) -> None:
    shown = cli(f"crawl run {one_host} --strategy breadth-first --max-pages-per-host 3 --stay-on-domain --under /")
    # Pages 0, 1 and 2 come; 3 waits since page 0 showed it, 4 since page 1 did.
    assert "  host limit    2 links not followed" in shown
    assert settings_of(tmp_path / "run").scope.domains == ("one.test",)


def test_modified_depth_first_runs_out_of_links_on_one_host_and_says_so(one_host: str, cli: Cli) -> None:
    shown = cli(f"crawl run {one_host} --strategy modified-depth-first")
    # Pages 0, 1 and 2 give links up to 5; of 3, 4 and 5 no link is followed.
    assert "Stopped: nothing left to crawl.\nIt ran out of links: the links of 3 pages were not followed." in shown
    assert "  not followed  3 pages whose links were not followed" in shown
    assert cli.json("results run")["ran_out_of_links"] is True
    # Within one click nothing was left out: what page 3 shows is too deep in any case.
    pages = []
    for strategy in ("depth-first", "modified-depth-first"):
        assert "ran out" not in cli(f"crawl {strategy} {one_host} --max-depth 1 --strategy {strategy}")
        pages.append([page["url"] for page in cli.json(f"results {strategy} --all")["results"]])
    assert pages[0] == pages[1]


def test_a_crawl_that_skips_everything_says_so(one_host: str, cli: Cli) -> None:
    shown = cli(f"crawl run {one_host} --strategy parse-or-skip --topic geology")
    assert "It ran out of links: the strategy skipped 3 links." in shown
    document = cli.json("results run")
    assert (document["skipped_every_link"], document["ran_out_of_links"]) == (True, False)


def test_a_beam_that_ends_early_says_how_often_there_was_no_room(one_host: str, cli: Cli, tmp_path: Path) -> None:
    shown = cli(f"crawl run {one_host} --strategy beam --topic geology --set beam.width=1")
    with open_run(tmp_path / "run") as run:
        assert run.progress.largest_waiting == 1
        assert f"It ran out of links: {run.progress.pruned} times there was no room for a link to wait." in shown


def test_a_profile_under_which_no_page_has_a_link_is_mentioned(one_host: str, cli: Cli, tmp_path: Path) -> None:
    hint = "No page has a link that counts under --profile wikipedia"
    assert hint in cli(f"crawl with {one_host} --strategy breadth-first --profile wikipedia")
    assert hint not in cli(f"crawl without {one_host} --strategy breadth-first")
    (tmp_path / "site" / "wiki").mkdir()
    (tmp_path / "site" / "wiki" / "A").write_text("<a href='/wiki/C'>c</a><p><a href='/wiki/B'>b</a></p>")
    (tmp_path / "site" / "wiki" / "B").write_text("<html><p>end</p></html>")
    seed = "--seed-url http://one.test/wiki/A --strategy weighted-breadth-first --judge keyword"
    assert hint not in cli(f"crawl run {one_host} {seed} --profile wikipedia")
    assert cli("export run --format edges") == "2\n/wiki/A /wiki/B\n"
    assert "pause_every = 10\n" in (tmp_path / "run" / "settings.toml").read_text(encoding="utf-8")


@pytest.fixture
def old(tmp_path: Path, cli: Cli) -> Path:
    """A run over three pages, of which one changes and one goes."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<title>Rocks</title><a href=a.html>a</a> <a href=b.html>b</a> rock")
    (site / "a.html").write_text("<title>A</title>a rock")
    (site / "b.html").write_text("<title>B</title>a mineral")
    where = "--world site:site@http://s.test/ --seed-url http://s.test/index.html --strategy breadth-first"
    cli(f"crawl old --keyword rock --judge keyword {where}")
    (site / "a.html").write_text("<title>A, again</title>soup")
    (site / "b.html").unlink()
    return tmp_path / "old"


def test_a_refresh_says_what_became_of_the_pages(old: Path, cli: Cli) -> None:
    shown = cli("refresh", old, "--new-run", "new")
    assert "known pages   1 same, 1 changed, 1 gone" in shown
    assert "changed  http://s.test/a.html  A, again" in shown
    assert "gone     http://s.test/b.html" in shown
    assert "ran out" not in shown
    document = cli.json("refresh old --new-run other --set refresh.relevance_weight=1")
    assert document["revisits"] == {"same": 1, "changed": 1, "moved": 0, "gone": 1, "failed": 0, "waiting": 0}
    page = document["pages"][0]
    assert (page["url"], page["finding"], page["changes"]) == ("http://s.test/a.html", "changed", 1)
    assert page["relevance"] < page["relevance_before"]


@pytest.mark.parametrize("strategy", sorted(DEEP))
def test_without_pytorch_a_crawl_by_dqn_is_refused(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    line = refusal(f"crawl run {GEOLOGY} --strategy {strategy}")
    assert f"crawl.strategy is '{strategy}': it needs PyTorch; {install_hint('deep')}" in line


def test_deep_strategies_crawl_and_go_on(cli: Cli, refusal: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    assert cli.json(f"crawl run {GEOLOGY} --budget 30 --strategy dqn --set dqn.warm_up=10")["fetches"] == 30
    assert cli.json("resume run --budget +10")["fetches"] == 40
    fixed = "--strategy dqn-fixed --set dqn.outputs=20 --set dqn.warm_up=10"
    document = cli.json(f"crawl fixed {GEOLOGY} --budget 60 {fixed}")
    assert document["fetches"] <= 20 < 20 + document["skipped_links"]
    assert document["skipped_every_link"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    line = refusal(f"crawl cuda {GEOLOGY} --strategy dqn --device cuda")
    assert "dqn.device is 'cuda': PyTorch finds no CUDA device here; use --device cpu" in line


@pytest.mark.parametrize(
    ("size", "megabytes"), [("500MB", 500.0), ("2GB", 2000.0), ("1.5GiB", 1610.612736), ("1t", 1e6)]
)
def test_sizes_are_given_with_units(cli: Cli, size: str, megabytes: float) -> None:
    cli(f"crawl run --world synthetic --keyword rock --budget 1 --max-disk {size} --max-memory {size}")
    budget = load_settings("run/settings.toml").budget
    assert (budget.disk_megabytes, budget.memory_megabytes) == (megabytes, megabytes)


def test_a_run_that_goes_on_or_is_refreshed_takes_the_same_limits(cli: Cli) -> None:
    cli("crawl run --world synthetic --keyword rock --budget 2")
    cli("resume run --budget +1 --max-disk 3GB --max-memory 4GB")
    cli("refresh run --new-run new --max-disk 5GB")
    budgets = [load_settings(f"{run}/settings.toml").budget for run in ("run", "new")]
    assert [(each.disk_megabytes, each.memory_megabytes) for each in budgets] == [(3000.0, 4000.0), (5000.0, 4000.0)]
