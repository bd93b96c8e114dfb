"""`honeyguide wiki`: a world is made, looked at and crawled; bad input gets one line and leaves nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.cli.main import main
from worlds.wiki.dumps import HOME, Written, dump_xml, write_dump

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal

PAGES = [
    Written("Geology", "The science of [[rock]]s and [[mineral]]s. [[Category:Geology]]"),
    Written("Rock", "A [[mineral]] or many; see [[geology]] and [[music]]. [[Category:Geology]]"),
    Written("Mineral", "Part of a [[rock]]. [[Category:Geology]]"),
    Written("Music", "Also called [[rock]]. [[Category:Music]]"),
    Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return write_dump(tmp_path / "dump.xml", PAGES)


@pytest.fixture
def world(tmp_path: Path, dump: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["wiki", "build", str(dump), str(tmp_path / "world")]) == 0
    capsys.readouterr()
    return tmp_path / "world"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document: dict[str, Any] = json.loads(out)
    return document


def test_a_build_says_what_came_of_it(tmp_path: Path, dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiki", "build", str(dump), str(tmp_path / "new")]) == 0
    shown = capsys.readouterr().out
    assert "4 articles, 1 redirect, 0 other pages" in shown
    assert "honeyguide wiki stats" in shown


def test_a_build_says_it_in_json(tmp_path: Path, dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "wiki", "build", str(dump), str(tmp_path / "new"))
    assert (document["pages"], document["links"], document["redirects"]) == (4, 7, 1)


def test_stats_are_shown_and_drawn(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiki", "stats", str(world)]) == 0
    shown = capsys.readouterr().out
    assert "links per page       1.75" in shown
    assert "largest categories" in shown
    assert "└───" in shown


def test_stats_have_the_promised_keys(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "wiki", "stats", str(world))
    promised = ("pages", "links", "redirects", "links_per_page", "links_per_page_with_links", "categories", "dropped")
    assert set(promised) < document.keys()
    assert document["degree"].keys() == {"in", "out"}


def test_topics_come_with_seed_urls(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "wiki", "topics", str(world), "--at-least", "3")
    (topic,) = document["topics"]
    assert topic["name"] == "Geology"
    assert topic["seed_url"] == f"{HOME}Geology"
    assert main(["wiki", "topics", str(world)]) == 0
    assert "try --at-least 20" in capsys.readouterr().out


def test_a_wiki_can_be_crawled(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--topic", "geology", "--keyword", "rock", "--judge", "keyword", "--strategy", "breadth-first")
    run = ("crawl", str(tmp_path / "run"), "--world", f"wiki:{world}", *flags, "--seed-url", f"{HOME}Stone")
    document = told(capsys, *run)
    assert document["pages"] == 4
    assert document["fetches"] == 5  # the seed is a redirect


def test_a_partial_dump_is_kept_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.xml").write_bytes(dump_xml(PAGES)[:-400])
    assert main(["wiki", "build", str(tmp_path / "cut.xml"), str(tmp_path / "new"), "--keep-partial"]) == 0
    assert "ends too soon" in capsys.readouterr().err


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiki"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in ("build", "stats", "topics"))


@pytest.mark.parametrize("command", ["build", "stats", "topics"])
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiki", command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"honeyguide wiki {command} " in shown
    assert "--json" in shown


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"hello", "not a MediaWiki dump"),
        (b"<html><body>hello</body></html>", "not a MediaWiki dump"),
        (b"BZh9 not really", "not a MediaWiki dump"),
        (b"<mediawiki></mediawiki>", "the world would be empty: no article among 0 pages"),
        (dump_xml(PAGES)[:-400], "ends too soon"),
        (dump_xml(PAGES[4:]), "the world would be empty"),
    ],
)
def test_what_is_no_good_dump_is_refused(refusal: Refusal, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "dump").write_bytes(content)
    assert words in refusal("wiki", "build", "dump", "world")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--sample", "0"), "--sample 0: it must be above 0"),
        (("--sample", "1.5"), "at most 1"),
        (("--sample", "0.0001"), "no article in this sample"),
        (("--linktarget", "x"), "--pagelinks"),
        (("--pagelinks", "nowhere.sql"), "cannot read nowhere.sql"),
        (("--pagelinks", "dump.xml"), "no rows of the table pagelinks"),
    ],
)
def test_a_build_that_cannot_be_is_refused(refusal: Refusal, dump: Path, flags: tuple[str, ...], words: str) -> None:
    assert words in refusal("wiki", "build", str(dump), "world", *flags)


def test_a_missing_dump_is_refused(refusal: Refusal) -> None:
    assert "cannot read nowhere.xml" in refusal("wiki", "build", "nowhere.xml", "world")


def test_a_folder_in_use_is_left_alone(refusal: Refusal, dump: Path, tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "exists and is not empty" in refusal("wiki", "build", str(dump), "world")


def test_a_folder_that_cannot_be_made_is_refused(refusal: Refusal, dump: Path) -> None:
    assert "cannot make the folder" in refusal("wiki", "build", str(dump), "nowhere/world")


@pytest.mark.parametrize("command", ["stats", "topics"])
def test_what_is_no_world_is_refused(refusal: Refusal, command: str) -> None:
    assert "is not a wiki world" in refusal("wiki", command, "nowhere")


@pytest.mark.parametrize(("world", "words"), [("wiki:nowhere", "is not a wiki world"), ("wiki", "names no folder")])
def test_a_crawl_of_no_world_is_refused(refusal: Refusal, world: str, words: str) -> None:
    assert words in refusal("crawl", "run", "--world", world, "--topic", "geology")
