"""Examples of a topic are read when a run is created, and never again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from crawler.small_crawls import settings_for, story
from honeyguide.crawler import with_examples_read
from honeyguide.errors import SettingsError
from honeyguide.model import Fetched, Refused
from honeyguide.model.outcome import RefusalReason
from honeyguide.settings import Settings, load_settings, settings_from, to_toml
from honeyguide.text import words_of
from honeyguide.topic.examples import LONGEST_EXAMPLE
from lab.environment.practice import scripted_env
from scripted_world import ScriptedWorld, redirect_to, taking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ARTICLE = """<html><head><title>Basalt</title></head><body><nav><a href="/">Home</a> <a href="/all">All rocks</a></nav>
<main><p>Basalt is a dark, <b>fine-grained</b> rock.</p></main><footer>Imprint and privacy</footer></body></html>"""
BASALT = "Basalt is a dark, fine-grained rock."
WORLD = ScriptedWorld(
    {
        "http://rocks.test/basalt": ARTICLE,
        "http://rocks.test/old": redirect_to("http://rocks.test/basalt"),
        "http://rocks.test/loop": redirect_to("http://rocks.test/loop"),
        "http://rocks.test/closed": Refused(RefusalReason.ROBOTS, "robots.txt disallows /closed"),
        "http://rocks.test/picture": Fetched(200, "image/png", b"\x89PNG\r\n\x1a\n"),
        "http://rocks.test/nothing": "<html></html>",
    }
)


def read(like: Sequence[str], unlike: Sequence[str] = (), world: ScriptedWorld = WORLD) -> Settings:
    settings = settings_from({"topic": {"like": list(like), "unlike": list(unlike)}})
    return asyncio.run(with_examples_read(settings, world))


def mistakes_of(*like: str) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        read(like)
    return caught.value.mistakes


def test_a_file_a_page_and_a_text_all_become_text(tmp_path: Path) -> None:
    (tmp_path / "basalt.html").write_text(ARTICLE, encoding="utf-8")
    (tmp_path / "plain").write_text("  Granite is\nlight.\n", encoding="utf-8")

    topic = read([f"@{tmp_path}/basalt.html", f"@{tmp_path}/plain", "http://rocks.test/old", "Gneiss & schist"]).topic

    assert topic.like == (BASALT, "Granite is light.", BASALT, "Gneiss & schist")


def test_one_page_cannot_be_wanted_and_not() -> None:
    with pytest.raises(SettingsError, match=r"topic\.unlike: 'http://rocks\.test/old' is given as topic\.like, too"):
        read([BASALT], ["http://rocks.test/old"])


def test_likes_and_unlikes_are_kept_apart() -> None:
    topic = read(["good rocks"], ["http://rocks.test/basalt"]).topic

    assert (topic.like, topic.unlike) == (("good rocks",), (BASALT,))


def test_a_long_example_is_cut_between_words(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("Rocks, rocks. " * LONGEST_EXAMPLE, encoding="utf-8")

    (text,) = read([f"@{tmp_path}/long.txt"]).topic.like

    assert len(words_of(text)) == LONGEST_EXAMPLE
    assert text.endswith("Rocks, rocks")


@given(st.lists(st.text(min_size=1), max_size=3))
def test_reading_examples_twice_changes_nothing(texts: list[str]) -> None:
    try:
        once = read(texts)
    except SettingsError:
        return  # not a word in one of them, or it looks like a file
    assert asyncio.run(with_examples_read(once, WORLD)) == once


@pytest.mark.parametrize("content", ["@home with rocks", "http://rocks.test/nowhere", "rocks/minerals.txt"])
def test_a_text_read_from_a_file_is_never_taken_for_a_file_or_page_itself(tmp_path: Path, content: str) -> None:
    (tmp_path / "odd.txt").write_text(content, encoding="utf-8")

    once = read([f"@{tmp_path}/odd.txt"])

    assert words_of(once.topic.like[0]) == words_of(content)
    assert asyncio.run(with_examples_read(once, WORLD)) == once


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ("@nowhere.html", "cannot read nowhere.html: No such file or directory"),
        ("@", "cannot read "),
        ("@.", "cannot read .: Is a directory"),
        ("@a\0b", "cannot read a\0b: embedded null byte"),
        ("basalt.html", "basalt.html looks like the name of a file; write @basalt.html to have it read"),
        ("texts/Basalt.TXT", "write @texts/Basalt.TXT to have it read"),
        (" - ", "the example ' - ' has no words in it"),
        ("http://rocks.test/nowhere", "http://rocks.test/nowhere gave no page: 404 Not Found"),
        ("http://rocks.test/closed", "robots.txt disallows /closed"),
        ("http://rocks.test/loop", "over 10 redirects"),
        ("http://rocks.test/picture", "is image/png, not HTML or text"),
        ("http://rocks.test/nothing", "has no words in it"),
        ("http://", "http://"),
    ],
)
def test_an_example_that_cannot_be_read_is_named(example: str, words: str) -> None:
    (mistake,) = mistakes_of(example)
    assert mistake.startswith("topic.like: ")
    assert words in mistake


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.html", b"<html><body> <p></p></body></html>", "has no words in it"),
        ("photo.html", b"\xff\xd8\xff\xe0 JFIF", "is image/jpeg, not HTML or text"),
        ("noise", bytes(range(256)) * 8, "is application/octet-stream, not HTML or text"),
        ("huge.txt", b"rock " * 1_000_001, "is over 5,000,000 bytes"),
    ],
)
def test_a_file_that_holds_no_text_is_named(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    (mistake,) = mistakes_of(f"@{tmp_path / name}")
    assert f"{name} {words}" in mistake


def test_all_bad_examples_are_told_at_once() -> None:
    settings = settings_from({"topic": {"like": ["@a", "@b"], "unlike": ["c.txt"]}})
    with pytest.raises(SettingsError) as caught:
        asyncio.run(with_examples_read(settings, WORLD))
    assert [mistake.partition(":")[0] for mistake in caught.value.mistakes] == ["topic.like"] * 2 + ["topic.unlike"]


def test_a_live_host_is_left_alone_between_two_examples() -> None:
    page = taking(0.0, ARTICLE, host_delay_s=0.15)
    world = ScriptedWorld({f"http://rocks.test/{number}": page for number in range(3)}, is_offline=False)
    settings = settings_from(
        {"topic": {"like": [url.text for url in world.script]}, "politeness": {"delay_s": 0.0, "max_delay_s": 1.0}}
    )

    async def timed() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await with_examples_read(settings, world)
        return loop.time() - started

    assert asyncio.run(timed()) >= 0.3


def test_a_run_goes_on_when_its_examples_are_gone(tmp_path: Path) -> None:
    example = tmp_path / "example.html"
    example.write_text(ARTICLE, encoding="utf-8")
    settings = settings_for(budget=30, topic__like=[f"@{example}"], topic__categories=["Science"])
    with honeyguide.crawl(tmp_path / "whole", settings):
        pass
    steps = iter(range(12))
    with honeyguide.crawl(tmp_path / "halved", settings, is_interrupted=lambda: next(steps, None) is None):
        pass
    example.unlink()

    with honeyguide.resume(tmp_path / "halved") as run:
        kept = run.settings.topic

    assert kept.like == (BASALT,)
    assert kept.categories == ("Science",)
    assert story(tmp_path / "halved") == story(tmp_path / "whole")
    assert "example.html" not in (tmp_path / "halved" / "settings.toml").read_text(encoding="utf-8")


def test_examples_change_what_a_crawl_makes_of_its_pages(tmp_path: Path) -> None:
    plain = settings_for(budget=20)
    with honeyguide.crawl(tmp_path / "plain", plain):
        pass
    with honeyguide.crawl(tmp_path / "like", settings_for(budget=20, topic__like=["telescopes and galaxies at night"])):
        pass
    assert story(tmp_path / "like") != story(tmp_path / "plain")


def test_no_run_folder_is_made_for_examples_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"topic\.like: cannot read .*gone\.txt"):
        honeyguide.crawl(tmp_path / "run", settings_for(topic__like=[f"@{tmp_path}/gone.txt"]))
    assert not (tmp_path / "run").exists()


def test_files_in_a_settings_file_are_seen_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "basalt.html").write_text(ARTICLE, encoding="utf-8")
    config = tmp_path / "here" / "run.toml"
    config.write_text('[topic]\nlike = ["@basalt.html", "plain words"]\n', encoding="utf-8")

    settings = asyncio.run(with_examples_read(load_settings(config), WORLD))

    assert settings.topic.like == (BASALT, "plain words")
    again = tmp_path / "again.toml"
    again.write_text(to_toml(settings), encoding="utf-8")
    assert load_settings(again) == settings


def test_an_environment_reads_its_examples_too() -> None:
    env = scripted_env({"http://rocks.test/basalt": ARTICLE}, topic__like=["http://rocks.test/basalt"])
    assert env.settings.topic.like == (BASALT,)
    env.close()


def test_an_environment_refuses_examples_that_cannot_be_read() -> None:
    with pytest.raises(SettingsError, match=r"topic\.like: .* gave no page: 404"):
        scripted_env({"http://rocks.test/basalt": ARTICLE}, topic__like=["http://rocks.test/granite"])
