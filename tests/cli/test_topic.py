"""Topics by flags, files and presets; suggestions shown, saved and crawled."""

from __future__ import annotations

import io
import json
import tomllib
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.settings import load_settings
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli
    from honeyguide.settings import Settings

SMALL = "--world synthetic:pages=500,hosts=8 --budget 5"
REEFS = "coral reefs and their decline"
PAGES = [
    Written("Coral reef", "A [[reef]] of [[coral]]s with [[fish]]. [[Category:Marine life]] [[Category:Reefs]]"),
    Written("Coral", "Corals build a [[coral reef]]. [[Category:Marine life]] [[Category:Animals]]"),
    Written("Reef", "Rock below the sea; see [[coral reef]]. [[Category:Reefs]]"),
    Written("Fish", "Animals of the [[sea]], also at a [[coral reef]]. [[Category:Animals]] [[Category:Marine life]]"),
    Written("Sea", "Water with [[fish]]. [[Category:Marine life]]"),
    *(Written(f"Town {number}", "Houses by the [[sea]]. [[Category:Towns]]") for number in range(30)),
]
ROCKS = [Written("Geology", "The science of [[rock]]s."), Written("Rock", "See [[geology]].")]


@pytest.fixture
def reef(tmp_path: Path) -> Path:
    (tmp_path / "reef.html").write_text("<title>On reefs</title><p>Corals build reefs.</p>", encoding="utf-8")
    return tmp_path / "reef.html"


def crawl(cli: Cli, arguments: str, status: int = 0) -> Settings:
    """Crawl into `run` and return the settings of that run."""
    cli(f"crawl run {arguments}", status=status)
    return load_settings("run/settings.toml")


def test_examples_and_categories_are_kept_with_the_run(cli: Cli, reef: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"fish and sponges")))
    flags = f"--like @{reef} --like @- --unlike 'coral jewellery' --category Oceans --category Biology"
    topic = crawl(cli, f"{SMALL} {flags}").topic
    assert topic.like == ("Corals build reefs.", "fish and sponges")
    assert (topic.unlike, topic.categories) == (("coral jewellery",), ("Oceans", "Biology"))


def test_a_topic_file_goes_over_the_config_file_and_flags_over_both(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('[topic]\nname = "a"\nkeywords = ["a"]\ncategories = ["A"]\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "reef.txt").write_text("Corals build reefs.")
    (tmp_path / "sub" / "reefs.toml").write_text('[topic]\nname = "b"\nkeywords = ["b"]\nlike = ["@reef.txt"]\n')
    topic = crawl(cli, f"{SMALL} --config run.toml --topic-file sub/reefs.toml --keyword c").topic
    assert (topic.name, topic.keywords, topic.categories) == ("b", ("c",), ("A",))
    assert topic.like == ("Corals build reefs.",), "seen from the folder of the topic file"


@pytest.mark.parametrize(
    ("flags", "seeds"),
    [
        ("--world wiki:world --preset geology", (f"{HOME}Geology",)),
        (f"--world wiki:world --preset cancer --seed-url {HOME}Rock", (f"{HOME}Rock",)),
        (f"{SMALL} --preset Geology", ()),
    ],
    ids=["its article", "the user's own", "the world's entry"],
)
def test_a_preset_brings_seeds_where_the_user_gives_none(
    cli: Cli, tmp_path: Path, flags: str, seeds: tuple[str, ...]
) -> None:
    world_of(tmp_path, ROCKS).shut()
    settings = crawl(cli, f"{flags} --budget 2")
    assert settings.crawl.seed_urls == seeds
    if "cancer" not in flags:
        assert (settings.topic.name, settings.topic.categories) == ("Geology", ("Earth", "Science"))


def test_shipped_topics_are_listed_and_shown_as_topic_files(cli: Cli, tmp_path: Path) -> None:
    assert "cancer    Disease, Medicine, Oncology, Health\n" in cli("topic list")
    topics = cli.json("topic list")["topics"]
    assert [topic["preset"] for topic in topics] == ["fiction", "olympics", "cancer", "cameras", "geology", "poetry"]
    assert topics[0]["step_size"] == 0.0005
    (tmp_path / "cancer.toml").write_text(cli("topic show Cancer"), encoding="utf-8")
    topic = crawl(cli, f"{SMALL} --topic-file cancer.toml --seed-url http://nowhere.test/", status=1).topic
    assert (topic.name, topic.categories) == ("Cancer", ("Disease", "Medicine", "Oncology", "Health"))


def test_suggestions_are_shown_with_score_and_origin(cli: Cli) -> None:
    lines = cli(f"topic suggest {REEFS}").splitlines()
    assert lines[0] == "keywords"
    assert lines[1].split(maxsplit=1)[1].startswith("coral reefs")
    assert lines[1].endswith("your words")
    assert any("Biology" in line and "wider than Marine biology" in line for line in lines)
    assert "-o FILE saves it" in lines[-1]
    nothing = cli("topic suggest the")
    assert "keywords: none that fits" in nothing
    assert "categories: none that fits" in nothing


def test_words_that_no_table_knows_are_said_to_be_unknown_unless_their_language_is_named(cli: Cli) -> None:
    assert "name their language with --language" in " ".join(cli("topic suggest asdfgh qwertz").split())
    german = cli("topic suggest Vulkane und Erdbeben --language german")
    assert "no word table" not in german.lower()
    assert "vulkane" in german


def test_a_saved_topic_has_its_keywords_once_they_are_uncommented_and_can_be_crawled(cli: Cli, tmp_path: Path) -> None:
    document = cli.json(f"topic suggest {REEFS} -o reefs.toml --count 4 --categories 2")
    file = tmp_path / "reefs.toml"
    keywords, categories = ([each["text"] for each in document[kind]] for kind in ("keywords", "categories"))
    assert (len(keywords), len(categories)) == (4, 2)
    text = file.read_text(encoding="utf-8")
    assert tomllib.loads(text)["topic"] == {"name": REEFS, "keywords": [], "categories": categories}
    file.write_text(text.replace('  # "', '  "'), encoding="utf-8")
    topic = crawl(cli, f"{SMALL} --topic-file reefs.toml").topic
    assert (topic.name, list(topic.keywords), list(topic.categories)) == (REEFS, keywords, categories)
    twin = honeyguide.suggest_topic(REEFS, keywords=4)
    assert [keyword.text for keyword in twin.keywords] == keywords


def test_examples_are_saved_as_seen_from_the_topic_file(cli: Cli, reef: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    document = cli.json(f"topic suggest --like @{reef.name} --like 'fish' --unlike golf -o sub/t.toml")
    assert document["name"] == "On reefs"
    saved = tomllib.loads((tmp_path / "sub" / "t.toml").read_text(encoding="utf-8"))["topic"]
    assert (saved["like"], saved["unlike"]) == (["@../reef.html", "fish"], ["golf"])
    assert load_settings("sub/t.toml").topic.like[0] == "@sub/../reef.html"
    alone = cli.json("topic suggest @reef.html")
    assert alone["like"] == ["@reef.html"]
    assert alone["keywords"][0]["origin"] == "your example"


def test_a_wiki_world_adds_its_articles_and_categories(cli: Cli, tmp_path: Path) -> None:
    world_of(tmp_path, PAGES).shut()
    document = cli.json("topic suggest 'coral reefs' --world wiki:world --categories 8 --count 40")
    categories = {category["text"]: category["origin"] for category in document["categories"]}
    # 4 of the 35 articles have it, all 4 among those that were found.
    assert "articles found" in categories["Marine life"]
    assert "Towns" not in categories
    document = cli.json(f"topic suggest {HOME}Coral_reef --world wiki:world")
    assert document["name"] == "Coral reef"
    assert "coral" in {keyword["text"].removesuffix("s") for keyword in document["keywords"]}


def test_stop_words_of_another_language_are_not_offered(cli: Cli) -> None:
    offered = json.loads(cli("topic", "suggest", "Vulkane und Erdbeben", "--json"))["keywords"]
    assert [keyword["text"] for keyword in offered][:2] == ["vulkane", "erdbeben"]
    assert not any("und" in keyword["text"].split() for keyword in offered)


def test_without_examples_it_says_that_they_help_more(cli: Cli) -> None:
    assert "help more: --like" in cli("topic", "suggest", "geology")
    assert "help more: --like" not in cli("topic", "suggest", "geology", "--like", "rocks and minerals")
