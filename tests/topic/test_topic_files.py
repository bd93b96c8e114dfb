"""A topic file is written, edited and read back."""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import SettingsError
from honeyguide.settings import load_settings, settings_from, with_overrides
from honeyguide.topic import load_topic, topic_file

texts = st.text(st.characters(codec="utf-8"))
plain_texts = texts.filter(lambda text: not text.startswith("@"))
topics = st.fixed_dictionaries(
    {"name": texts},
    optional={name: st.lists(plain_texts, max_size=3) for name in ("keywords", "like", "unlike", "categories")},
)


def written(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "topic.toml"
    path.write_text(content, encoding="utf-8")
    return path


@given(topics, st.lists(texts, max_size=2), texts)
def test_what_is_written_reads_back_whatever_the_letters_and_remarks(
    topic: dict[str, str | list[str]], seed_urls: list[str], remark: str
) -> None:
    items = [item for value in topic.values() if isinstance(value, list) for item in value]
    content = topic_file(topic, seed_urls, dict.fromkeys(items, remark))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "topic.toml"
        path.write_bytes(content.encode())
        values = load_topic(path)
    assert values.pop("crawl.seed_urls", []) == seed_urls
    assert values == {f"topic.{name}": value for name, value in topic.items()}


def test_a_topic_file_is_a_settings_file_too(tmp_path: Path) -> None:
    path = written(tmp_path, topic_file({"name": "reefs", "keywords": ("coral",)}, ("http://reef.test/",)))

    settings = load_settings(path)

    assert settings == with_overrides(settings_from({}), load_topic(path))
    assert settings.topic.keywords == ("coral",)
    assert settings.crawl.seed_urls == ("http://reef.test/",)


def test_remarks_stand_beside_what_they_are_about() -> None:
    content = topic_file({"name": "reefs", "keywords": ("coral", "fish")}, notes={"fish": "0.31, a\nneighbour"})

    assert content == '[topic]\nname = "reefs"\nkeywords = [\n  "coral",\n  "fish",   # 0.31, a neighbour\n]\n'
    assert tomllib.loads(content)["topic"]["keywords"] == ["coral", "fish"]


def test_files_of_examples_are_seen_from_the_folder_of_the_topic_file(tmp_path: Path) -> None:
    path = written(tmp_path, '[topic]\nlike = ["@reef.html", "@/far/away.txt", "a text", "@-"]\nunlike = ["@../x"]\n')

    values = load_topic(path)

    assert values["topic.like"] == [f"@{tmp_path}/reef.html", "@/far/away.txt", "a text", "@-"]
    assert values["topic.unlike"] == [f"@{tmp_path}/../x"]


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        ("", "no table [topic] in it"),
        ('topic = "reefs"', "no table [topic] in it"),
        ('[topic]\nname = "x"\n[budget]\nfetches = 3', "budget has no place in a topic file: put it into a file for"),
        ('[topic]\nname = "x"\n[crawl]\nseed = 3', "crawl.seed has no place in a topic file: put it into a file for"),
        ('[topic]\nname = "x"\n[crwal]\nseed = 3', "crwal has no place in a topic file: there may be [topic] and"),
        ('[topic]\nkeyword = ["x"]', "unknown setting topic.keyword; did you mean keywords?"),
        ('[topic]\nlike = "x"', "topic.like is 'x': it must be a list of texts"),
        ("[topic]\nlike = [1]", "topic.like is [1]: it must be a list of texts"),
        ("[topic]\nname = ", "is not valid TOML"),
    ],
)
def test_a_file_that_is_no_topic_is_refused(tmp_path: Path, content: str, mistake: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_topic(written(tmp_path, content))
    (told,) = caught.value.mistakes
    assert "topic.toml" in told
    assert mistake in told


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read .*gone\.toml"):
        load_topic(tmp_path / "gone.toml")
