"""`honeyguide explain`: why a page was fetched and judged so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import honeyguide

if TYPE_CHECKING:
    from cli.conftest import Cli

SMALL = "--topic geology --keyword rock --world synthetic:pages=500,hosts=8 --budget 25"


def test_a_page_is_explained_in_words_and_as_json(cli: Cli) -> None:
    cli(f"crawl run {SMALL}")
    with honeyguide.open_run("run") as run:
        page = next(run.pages(best_first=True))
    lines = cli(f"explain run {page.url}")
    for part in (
        page.title,
        "why it was fetched",
        "expected   ",
        "came       reward",
        "why it was judged so",
        "evidence by",
    ):
        assert part in lines
    document = cli.json(f"explain run {page.url}")
    assert document["history"]["url"] == page.url.text
    assert document["history"]["page"]["relevance"] == page.relevance
    assert document["link"]["strategy"] == "online-ridge"


def test_what_cannot_be_explained_is_refused_in_one_line(cli: Cli) -> None:
    cli(f"crawl run {SMALL}")
    for url, message in (("http://nowhere.test/", "has never met http://nowhere.test/"), ("nowhere", "not a URL")):
        cli(f"explain run {url}", status=2)
        assert message in cli.err
        assert cli.err.count("\n") == 1
