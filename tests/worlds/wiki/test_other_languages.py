"""A dump of any language: what is a category, a file or another kind of page is read from the dump's own head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.model import Fetched, Redirected, Url
from honeyguide.parse import parse
from honeyguide.settings import settings_from
from honeyguide.worlds.wiki import WikiWorld, build_wiki
from worlds.wiki.dumps import Written, dump_xml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wiki:
    """A small wiki: a rock, what it is, another word for that, and what it is made of, in this order."""

    namespaces: dict[int, str]
    main_page: str
    titles: tuple[str, str, str, str]
    text: str  # of the first; the others link to it
    redirect: str
    categories: tuple[str, ...]
    never_on_page: tuple[str, ...]


WIKIS = {
    "de": Wiki(
        {2: "Benutzer", 6: "Datei", 10: "Vorlage", 14: "Kategorie", 100: "Portal"},
        "Wikipedia:Hauptseite",
        ("Granit", "Gestein", "Stein", "Quarz"),
        "Granit ist ein [[gestein]]. [[Datei:G.jpg|mini|hochkant|Ein Bild mit [[Quarz]]]] {{Vorlage:Info|x}} "
        "[[Portal:Erde]] [[:Kategorie:Plutonit]] [[kategorie:Gestein]] [[Kategorie:Plutonit| ]]",
        "#WEITERLEITUNG [[Gestein]]",
        ("Gestein", "Plutonit"),
        ("hochkant", "Plutonit", "Info"),
    ),
    "ru": Wiki(
        {2: "Участник", 6: "Файл", 10: "Шаблон", 14: "Категория"},
        "Заглавная страница",
        ("Гранит", "Горная порода", "Камень", "Кварц"),
        "Гранит — [[горная порода]]. [[Файл:G.jpg|мини|Снимок: [[кварц]]]] [[категория:Магматические породы|Г]]",
        "#перенаправление [[Горная порода]]",
        ("Магматические породы",),
        ("мини", "Магматические", "G.jpg"),
    ),
    "ja": Wiki(
        {2: "利用者", 6: "ファイル", 10: "Template", 14: "カテゴリ"},
        "メインページ",
        ("花崗岩", "岩石", "石", "石英"),
        "花崗岩は[[岩石]]である。[[ファイル:G.jpg|サムネイル|写真 [[石英]]]] [[カテゴリ:深成岩]] [[Category:火成岩]]",
        "#転送 [[岩石]]",
        ("深成岩", "火成岩"),
        ("サムネイル", "深成岩", "火成岩"),
    ),
}


def dump_of(language: str, folder: Path) -> tuple[Path, str]:
    wiki, home = WIKIS[language], f"https://{language}.wiki.test/wiki/"
    rock, kind, other_word, part = wiki.titles
    pages = [
        Written(rock, wiki.text),
        Written(kind, f"[[{rock}]] [[{other_word}|…]] [[{part}]]"),
        Written(other_word, wiki.redirect),
        Written(part, f"[[{rock}]]"),
        Written(f"{wiki.namespaces[14]}:{kind}", f"[[{part}]]", namespace=14),
    ]
    xml = dump_xml(pages, version="0.11", base=f"{home}{wiki.main_page}", namespaces=wiki.namespaces)
    (folder / "dump.xml").write_bytes(xml)
    return folder / "dump.xml", home


@pytest.mark.parametrize("language", WIKIS)
def test_a_dump_of_another_language_becomes_a_world(tmp_path: Path, language: str) -> None:
    wiki, (dump, home) = WIKIS[language], dump_of(language, tmp_path)
    rock, kind, other_word, part = (Url.parse(home + title.replace(" ", "_")) for title in wiki.titles)
    built = build_wiki(dump, tmp_path / "world")
    assert (built.pages, built.redirects, built.dump_pages["other"]) == (3, 1, 1)
    with WikiWorld(tmp_path / "world") as world:
        assert world.categories_of(rock) == wiki.categories
        outcome = world.answer(rock).outcome
        assert isinstance(outcome, Fetched)
        page = parse(rock, outcome)
        assert [link.target for link in page.links] == [kind, part]
        assert not [word for word in wiki.never_on_page if word in page.text]
        assert world.answer(other_word).outcome == Redirected(301, kind)
        about_category = Url.parse(f"{home}{wiki.namespaces[14]}:{wiki.titles[1]}")
        assert not isinstance(world.answer(about_category).outcome, Fetched)


@pytest.mark.parametrize("language", WIKIS)
def test_a_world_of_another_language_is_crawled_to_its_end(tmp_path: Path, language: str) -> None:
    wiki, (dump, home) = WIKIS[language], dump_of(language, tmp_path)
    build_wiki(dump, tmp_path / "world")
    settings = settings_from(
        {
            "topic": {"name": wiki.titles[0]},
            "crawl": {
                "world": f"wiki:{tmp_path / 'world'}",
                "seed_urls": [home + wiki.titles[0]],
                "strategy": "breadth-first",  # words of every language have vectors in a table of their own
            },
            "judge": {"kind": "keyword"},
            "budget": {"fetches": 20},
        }
    )
    with honeyguide.crawl(tmp_path / "run", settings) as run:
        assert sorted(page.title for page in run.pages()) == sorted(wiki.titles[:2] + wiki.titles[3:])
