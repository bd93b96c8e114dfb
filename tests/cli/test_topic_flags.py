"""What a crawl looks for, told by flags, a topic file or a preset; and the topics that are shipped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main
from honeyguide.settings import load_settings
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal
    from honeyguide.settings import Settings

SMALL = ("--world", "synthetic:pages=500,hosts=8", "--budget", "5")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def crawled(tmp_path: Path, *arguments: str) -> Settings:
    """The settings of a run that these arguments made."""
    assert main(["crawl", "run", *arguments]) == 0
    return load_settings(tmp_path / "run" / "settings.toml")


def test_examples_and_categories_are_kept_with_the_run(tmp_path: Path) -> None:
    (tmp_path / "reef.html").write_text("<p>Corals build reefs.</p>", encoding="utf-8")

    topic = crawled(
        tmp_path, *SMALL, "--like", "@reef.html", "--like", "fish and sponges", "--unlike", "coral jewellery",
        "--category", "Oceans", "--category", "Biology",
    ).topic  # fmt: skip

    assert topic.like == ("Corals build reefs.", "fish and sponges")
    assert topic.unlike == ("coral jewellery",)
    assert topic.categories == ("Oceans", "Biology")


def test_an_example_may_come_through_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        @staticmethod
        def read(_: int) -> bytes:
            return b"Corals build reefs."

    monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": Pipe()}))
    assert crawled(tmp_path, *SMALL, "--like", "@-").topic.like == ("Corals build reefs.",)


def test_a_topic_file_is_used_and_flags_go_over_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "reef.txt").write_text("Corals build reefs.", encoding="utf-8")
    (tmp_path / "sub" / "reefs.toml").write_text(
        '[topic]\nname = "reefs"\nkeywords = ["coral", "fish"]\nlike = ["@reef.txt"]\n', encoding="utf-8"
    )

    topic = crawled(tmp_path, *SMALL, "--topic-file", "sub/reefs.toml", "--keyword", "sponge").topic

    assert (topic.name, topic.keywords, topic.like) == ("reefs", ("sponge",), ("Corals build reefs.",))


def test_a_topic_file_goes_over_the_config_file_and_set_over_both(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('[topic]\nname = "a"\nkeywords = ["a"]\ncategories = ["A"]\n', encoding="utf-8")
    (tmp_path / "reefs.toml").write_text('[topic]\nname = "b"\nkeywords = ["b"]\n', encoding="utf-8")

    topic = crawled(
        tmp_path, *SMALL, "--config", "run.toml", "--topic-file", "reefs.toml", "--set", 'topic.keywords=["c"]'
    ).topic

    assert (topic.name, topic.keywords, topic.categories) == ("b", ("c",), ("A",))


def test_a_preset_starts_at_its_page_of_the_wiki_world(tmp_path: Path) -> None:
    pages = [
        Written("Music", "About [[rock]], [[geology]] and [[Rock|more rock]]."),
        Written("Geology", "The science of [[rock]]s."),
        Written("Rock", "See [[music]] and [[geology]]."),
    ]
    world_of(tmp_path, pages).shut()

    settings = crawled(tmp_path, "--world", "wiki:world", "--budget", "3", "--preset", "geology")

    assert settings.topic.name == "Geology"
    assert settings.topic.categories == ("Earth", "Science")
    assert settings.crawl.seed_urls == (f"{HOME}Geology",)


def test_seeds_of_ones_own_go_over_those_of_a_preset(tmp_path: Path) -> None:
    world_of(tmp_path, [Written("Geology", "See [[rock]]."), Written("Rock", "See [[geology]].")]).shut()
    seed = f"{HOME}Rock"
    settings = crawled(tmp_path, "--world", "wiki:world", "--budget", "3", "--preset", "cancer", "--seed-url", seed)
    assert settings.crawl.seed_urls == (seed,)


def test_a_world_with_its_own_entry_keeps_it_under_a_preset(tmp_path: Path) -> None:
    assert crawled(tmp_path, *SMALL, "--preset", "Geology").crawl.seed_urls == ()


def test_a_preset_that_the_wiki_has_no_page_for_is_refused(refusal: Refusal, tmp_path: Path) -> None:
    world_of(tmp_path, [Written("Geology", "See [[rock]]."), Written("Rock", "See [[geology]].")]).shut()
    line = refusal("crawl", "run", "--world", "wiki:world", "--preset", "olympics")
    assert "has no article Olympic Games or Olympics for the preset olympics; give --seed-url" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--like", "@gone.html"), "topic.like: cannot read gone.html: No such file"),
        (("--unlike", "@gone.html"), "topic.unlike: cannot read gone.html: No such file"),
        (("--like", "gone.html"), "write @gone.html"),
        (("--like", "@picture.png"), "picture.png is image/png, not HTML or text"),
        (("--like", "@empty.txt"), "empty.txt is empty"),
        (("--topic-file", "gone.toml"), "cannot read gone.toml"),
        (("--topic-file", "empty.txt"), "empty.txt: no table [topic] in it"),
        (("--preset", "geolgy"), "did you mean geology?"),
        (("--preset", "geology", "--topic-file", "x.toml"), "give one of them"),
    ],
)
def test_a_topic_that_cannot_be_is_refused(
    refusal: Refusal, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "empty.txt").touch()
    assert words in refusal("crawl", "run", "--topic", "reefs", *SMALL, *arguments)


def test_the_shipped_topics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topic", "list"]) == 0
    assert "cancer    Disease, Medicine, Oncology, Health\n" in capsys.readouterr().out
    assert main(["topic", "list", "--json"]) == 0
    topics = json.loads(capsys.readouterr().out)["topics"]
    assert [topic["preset"] for topic in topics] == ["fiction", "olympics", "cancer", "cameras", "geology", "poetry"]
    assert topics[0]["step_size"] == 0.0005


def test_a_shipped_topic_is_shown_as_a_topic_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topic", "show", "Cancer"]) == 0
    (tmp_path / "cancer.toml").write_text(capsys.readouterr().out, encoding="utf-8")

    topic = crawled(tmp_path, *SMALL, "--topic-file", "cancer.toml", "--seed-url", "http://nowhere.test/").topic

    assert (topic.name, topic.categories) == ("Cancer", ("Disease", "Medicine", "Oncology", "Health"))


def test_a_topic_that_is_not_shipped_cannot_be_shown(refusal: Refusal) -> None:
    assert "did you mean poetry?" in refusal("topic", "show", "petry")
