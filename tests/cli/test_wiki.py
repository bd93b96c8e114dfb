"""`honeyguide wiki`: a world is built, looked at and crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from worlds.wiki.dumps import HOME, Written, dump_xml, write_dump

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli

PAGES = [
    Written("Geology", "The science of [[rock]]s and [[mineral]]s. [[Category:Geology]]"),
    Written("Rock", "A [[mineral]] or many; see [[geology]] and [[music]]. [[Category:Geology]]"),
    Written("Mineral", "Part of a [[rock]]. [[Category:Geology]]"),
    Written("Music", "Also called [[rock]]. [[Category:Music]]"),
    Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
]


@pytest.fixture
def shown(tmp_path: Path, cli: Cli) -> str:
    """What the build of `world` said."""
    write_dump(tmp_path / "dump.xml", PAGES)
    return cli("wiki build dump.xml world")


def test_a_build_says_what_it_made(cli: Cli, shown: str) -> None:
    assert "4 articles, 1 redirect, 0 other pages" in shown
    assert "honeyguide wiki stats" in shown
    document = cli.json("wiki build dump.xml new")
    assert (document["pages"], document["links"], document["redirects"]) == (4, 7, 1)


@pytest.mark.usefixtures("shown")
def test_stats_are_counted_and_drawn(cli: Cli) -> None:
    drawn = cli("wiki stats world")
    for words in ("links per page       1.75", "largest categories", "└───"):
        assert words in drawn
    document = cli.json("wiki stats world")
    promised = {"pages", "links", "redirects", "links_per_page", "links_per_page_with_links", "categories", "dropped"}
    assert promised < document.keys()
    assert document["degree"].keys() == {"in", "out"}


@pytest.mark.usefixtures("shown")
def test_topics_come_with_seed_urls(cli: Cli) -> None:
    (topic,) = cli.json("wiki topics world --at-least 3")["topics"]
    assert (topic["name"], topic["seed_url"]) == ("Geology", f"{HOME}Geology")
    assert "try --at-least 20" in cli("wiki topics world")


@pytest.mark.usefixtures("shown")
def test_a_wiki_can_be_crawled(cli: Cli) -> None:
    flags = "--topic geology --keyword rock --judge keyword --strategy breadth-first"
    document = cli.json(f"crawl run --world wiki:world {flags} --seed-url {HOME}Stone")
    assert (document["pages"], document["fetches"]) == (4, 5)  # the seed is a redirect


def test_a_partial_dump_is_kept_if_asked(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "cut.xml").write_bytes(dump_xml(PAGES)[:-400])
    cli("wiki build cut.xml new --keep-partial")
    assert "ends too soon" in cli.err


def test_without_a_command_there_is_help(cli: Cli) -> None:
    assert all(command in cli("wiki") for command in ("build", "stats", "topics"))
