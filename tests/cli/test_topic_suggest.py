"""`honeyguide topic suggest`: shown, saved, edited, crawled."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.settings import load_settings
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal, RunProgram

REEFS = "coral reefs and their decline"
PAGES = [
    Written("Coral reef", "A [[reef]] of [[coral]]s with [[fish]]. [[Category:Marine life]] [[Category:Reefs]]"),
    Written("Coral", "Corals build a [[coral reef]]. [[Category:Marine life]] [[Category:Animals]]"),
    Written("Reef", "Rock below the sea; see [[coral reef]]. [[Category:Reefs]]"),
    Written("Fish", "Animals of the [[sea]], also at a [[coral reef]]. [[Category:Animals]] [[Category:Marine life]]"),
    Written("Sea", "Water with [[fish]]. [[Category:Marine life]]"),
    *(Written(f"Town {number}", "Houses by the [[sea]]. [[Category:Towns]]") for number in range(30)),
]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["topic", "suggest", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document: dict[str, Any] = json.loads(out)
    return document


def test_suggestions_are_shown_with_score_and_origin(run_program: RunProgram) -> None:
    done = run_program("topic", "suggest", REEFS)
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "keywords"
    assert lines[1].split(maxsplit=1)[1].startswith("coral reefs")
    assert lines[1].endswith("your words")
    assert any("Biology" in line and "wider than Marine biology" in line for line in lines)
    assert "-o FILE saves it" in lines[-1]


def test_a_sentence_needs_no_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, *REEFS.split()) == told(capsys, REEFS)


def test_a_saved_topic_reads_back_and_can_be_crawled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, REEFS, "-o", "reefs.toml", "--count", "4", "--categories", "2")
    saved = tomllib.loads((tmp_path / "reefs.toml").read_text(encoding="utf-8"))["topic"]
    assert document["file"] == "reefs.toml"
    assert saved == {
        "name": REEFS,
        "keywords": [keyword["text"] for keyword in document["keywords"]],
        "categories": [category["text"] for category in document["categories"]],
    }
    assert (len(saved["keywords"]), len(saved["categories"])) == (4, 2)
    world = ("--world", "synthetic:pages=500,hosts=8", "--budget", "5")
    assert main(["crawl", "run", "--topic-file", "reefs.toml", *world]) == 0
    topic = load_settings(tmp_path / "run" / "settings.toml").topic
    assert (topic.name, list(topic.keywords), list(topic.categories)) == tuple(saved.values())


def test_examples_are_saved_as_seen_from_the_topic_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reef.html").write_text(
        "<title>On reefs</title><p>Coral reefs are built by corals.</p>", encoding="utf-8"
    )
    (tmp_path / "sub").mkdir()
    document = told(
        capsys, "--like", "@reef.html", "--like", "fish and sponges", "--unlike", "golf", "-o", "sub/t.toml"
    )
    assert document["name"] == "On reefs"
    saved = tomllib.loads((tmp_path / "sub" / "t.toml").read_text(encoding="utf-8"))["topic"]
    assert saved["like"] == ["@../reef.html", "fish and sponges"]
    assert saved["unlike"] == ["golf"]
    assert load_settings("sub/t.toml").topic.like[0] == "@sub/../reef.html"


def test_a_page_alone_is_an_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reef.txt").write_text("Coral reefs are built by corals.", encoding="utf-8")
    document = told(capsys, "@reef.txt")
    assert document["like"] == ["@reef.txt"]
    assert document["keywords"][0]["text"] == "coral"
    assert document["keywords"][0]["origin"] == "your example"


def test_a_wiki_world_adds_its_articles_and_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world_of(tmp_path, PAGES).shut()
    document = told(capsys, "coral reefs", "--world", "wiki:world", "--categories", "8")
    categories = {category["text"]: category["origin"] for category in document["categories"]}
    # 4 of the 35 articles have it, all 4 among those that were found.
    assert "articles found" in categories["Marine life"]
    assert "Towns" not in categories
    assert "in the article Coral reef" in {keyword["origin"] for keyword in document["keywords"]} | {
        keyword["origin"] for keyword in told(capsys, "reef", "--world", "wiki:world", "--count", "40")["keywords"]
    }


def test_a_page_of_the_wiki_world_is_an_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world_of(tmp_path, PAGES).shut()
    document = told(capsys, f"{HOME}Coral_reef", "--world", "wiki:world")
    assert document["name"] == "Coral reef"
    assert "coral" in {keyword["text"].removesuffix("s") for keyword in document["keywords"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "there is no topic to find words for"),
        (("--like", "@gone.html"), "cannot read gone.html"),
        (("paper.html",), "write @paper.html"),
        ((REEFS, "--like", "https://en.wiki.test/wiki/Coral", "--world", "synthetic"), "gave no page"),
        ((REEFS, "--world", "wiki:nowhere"), "nowhere is not a wiki world"),
        ((REEFS, "--world", "wiki"), "names no folder"),
        ((REEFS, "--world", "wikky:x"), "did you mean wiki?"),
        ((REEFS, "--count", "0"), "--count"),
        ((REEFS, "-o", "there.toml"), "there.toml is there already"),
        ((REEFS, "-o", "no/such/folder.toml"), "cannot write no/such/folder.toml"),
        ((REEFS, "--vectors", "gone.txt"), "gone.txt"),
        ((REEFS, "--set", "vectors.sauce=gone.txt"), "did you mean source?"),
    ],
)
def test_suggestions_that_cannot_be_made_are_refused(
    refusal: Refusal, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "there.toml").write_text("mine", encoding="utf-8")
    assert words in refusal("topic", "suggest", *arguments)


def test_a_topic_that_nothing_fits_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topic", "suggest", "the"]) == 0
    shown = capsys.readouterr().out
    assert "keywords: none that fits" in shown
    assert "categories: none that fits" in shown


def test_python_has_the_same_suggestions(capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, REEFS)
    found = honeyguide.suggest_topic(REEFS)
    assert [keyword.text for keyword in found.keywords] == [keyword["text"] for keyword in document["keywords"]]
    assert tomllib.loads(found.to_toml())["topic"]["name"] == REEFS
