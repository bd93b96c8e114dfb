"""Links may come from the tables of the wiki instead of its wikitext."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import WorldError
from honeyguide.worlds.wiki import WikiWorld, build_wiki
from worlds.wiki.dumps import Written, linked_titles, page_at, write_dump

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    Written("Rock", "[[Granite|the granite]] and [[Mineral]]"),  # page 1, as the helper numbers them
    Written("Granite", "no link in the text"),
    Written("Mineral", "[[Rock]]"),
    Written("Bob's \\ \"rock\" (1,0,'x')", "odd title"),
    Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
]
OLDER = """-- MySQL dump
CREATE TABLE `pagelinks` (
  `pl_from` int(8) unsigned NOT NULL default '0',
  `pl_namespace` int(11) NOT NULL default '0',
  `pl_title` varbinary(255) NOT NULL default '',
  `pl_from_namespace` int(11) NOT NULL default '0',
  UNIQUE KEY `pl_from` (`pl_from`,`pl_namespace`,`pl_title`)
) ENGINE=InnoDB;
/*!40000 ALTER TABLE `pagelinks` DISABLE KEYS */;
INSERT INTO `pagelinks` VALUES (1,0,'Granite',0),(1,0,'Bob\\'s_\\\\_\\"rock\\"_(1,0,\\'x\\')',0),(1,1,'Mineral',0);
INSERT INTO `pagelinks` VALUES (2,0,'Stone',0),(2,0,'Granite',0),(2,0,'Gone',0),(77,0,'Rock',0);
"""
NEWER = """CREATE TABLE `pagelinks` (
  `pl_from` int(8) unsigned NOT NULL DEFAULT 0,
  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,
  `pl_target_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`pl_from`,`pl_target_id`)
);
INSERT INTO `pagelinks` VALUES
(1,0,12),(1,0,14),
(2,0,15),(2,0,99);
"""
TARGETS = """CREATE TABLE `linktarget` (
  `lt_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `lt_namespace` int(11) NOT NULL,
  `lt_title` varbinary(255) NOT NULL,
  PRIMARY KEY (`lt_id`)
);
INSERT INTO `linktarget` VALUES (12,0,'Granite'),(13,14,'Granite');
INSERT INTO `linktarget` VALUES (14,0,'Bob\\'s_\\\\_\\"rock\\"_(1,0,\\'x\\')'),(15,0,'Stone');
"""
ODD = "Bob%27s_%5C_%22rock%22_(1,0,%27x%27)"


def built(folder: Path, pagelinks: str, linktarget: str | None = None) -> WikiWorld:
    dump = write_dump(folder / "dump.xml", PAGES)
    links, targets = folder / "pagelinks.sql.gz", folder / "linktarget.sql"
    links.write_bytes(gzip.compress(pagelinks.encode()))
    targets.write_text(linktarget or "", encoding="utf-8")
    build_wiki(dump, folder / "world", pagelinks=links, linktarget=targets if linktarget else None)
    return WikiWorld(folder / "world")


@pytest.mark.parametrize(("links", "targets"), [(OLDER, None), (NEWER, TARGETS)], ids=["older", "newer"])
def test_both_schemas_give_the_same_links(tmp_path: Path, links: str, targets: str | None) -> None:
    with built(tmp_path, links, targets) as world:
        assert linked_titles(world, "Rock") == ["Granite", ODD]
        assert linked_titles(world, "Granite") == ["Rock"]
        assert linked_titles(world, "Mineral") == []


def test_links_that_the_text_has_too_keep_their_anchor_and_place(tmp_path: Path) -> None:
    with built(tmp_path, OLDER) as world:
        page = page_at(world, "Rock")
    granite, odd = page.links
    assert granite.occurrences[0].anchor == "the granite"
    assert odd.occurrences[0].anchor == PAGES[3].title
    assert page.text.startswith("Rock the granite and Mineral")


@pytest.mark.parametrize(
    ("links", "words"),
    [
        (NEWER, "--linktarget"),
        ("SELECT 1;", "no rows of the table pagelinks"),
        (NEWER.replace("pl_target_id", "pl_x"), "has no columns pl_from"),
    ],
)
def test_a_table_that_does_not_do_is_refused(tmp_path: Path, links: str, words: str) -> None:
    with pytest.raises(WorldError, match=words):
        built(tmp_path, links)
    assert not (tmp_path / "world").exists()


def test_a_table_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml", PAGES)
    (tmp_path / "links.gz").write_bytes(gzip.compress(OLDER.encode())[:-30])
    with pytest.raises(WorldError, match="ends too soon"):
        build_wiki(dump, tmp_path / "world", pagelinks=tmp_path / "links.gz")
