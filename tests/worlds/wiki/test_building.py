"""A dump becomes a world, whatever its version and packing, with every link resolved."""

from __future__ import annotations

import bz2
import gzip
import random
import re
from dataclasses import replace
from multiprocessing import active_children
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import WorldError
from honeyguide.model import Redirected
from honeyguide.processes import WorkerPool
from honeyguide.worlds.wiki import BuildProgress, WikiWorld, build_wiki, building, wiki_stats
from worlds.wiki.dumps import Written, dump_xml, linked_titles, page_at, url, world_of, write_dump

if TYPE_CHECKING:
    from pathlib import Path

ROCKS = [
    Written("Rock", "A '''rock''' is made of [[mineral]]s, as [[Granite|the granite]] is. [[Category:Rocks|*]]"),
    Written("Granite", "[[rock|Rock]] of [[Quartz (mineral)|quartz]], [[gone]], [[Stone]] [[Category:Igneous rocks]]"),
    Written("Mineral", "Part of [[STONE]] and of [[Rock#Kinds|rocks]]; see [[mineral]]. [[Talk:Rock]] [[de:Mineral]]"),
    Written("Quartz (mineral)", "Ends here. [[Category:Minerals]]"),
    Written("Stone", "#REDIRECT [[Boulder]]", redirect="Boulder"),
    Written("Boulder", "#redirect: [[rock#Big ones]]", redirect="Rock"),
    Written("STONE", "#REDIRECT [[Stone]]", redirect="Stone"),
    Written("Loop", "#REDIRECT [[Pool]]", redirect="Pool"),
    Written("Pool", "#REDIRECT [[Loop]]", redirect="Loop"),
    Written("Self", "#REDIRECT [[Self]]", redirect="Self"),
    Written("Dangling", "#REDIRECT [[Nothing]]", redirect="Nothing"),
    Written("Talk:Rock", "I like [[rock]].", namespace=1),
    Written("Bild:Rock.jpg", "A picture.", namespace=6),
    Written("AC/DC & 100% ?", "A band; no [[rock]]? '''[[Loop]]'''"),
]  # fmt: skip


@pytest.mark.parametrize("version", ["0.3", "0.4", "0.5", "0.10", "0.11"])
def test_every_version_of_the_format_gives_the_same_world(tmp_path: Path, version: str) -> None:
    built = build_wiki(write_dump(tmp_path / "dump.xml", ROCKS, version=version), tmp_path / "world")
    assert (built.pages, built.links, built.redirects, built.categories) == (5, 6, 3, 3)
    assert built.dump_pages == {"article": 5, "redirect": 7, "other": 2}
    assert built.dropped["redirects in a circle"] == 3
    assert built.dropped["redirects to nowhere"] == 1
    assert built.dropped["links to the page itself"] == 1
    assert built.dropped["links out of the collection"] == 2


@pytest.mark.parametrize("packing", ["plain", "gzip", "bzip2", "multistream"])
def test_every_packing_gives_the_same_world(tmp_path: Path, packing: str) -> None:
    xml = dump_xml(ROCKS)
    pieces = [xml[start : start + 300] for start in range(0, len(xml), 300)]
    packed = {
        "plain": xml,
        "gzip": gzip.compress(xml) + b"\0" * 512,
        "bzip2": bz2.compress(xml),
        "multistream": b"".join(map(bz2.compress, pieces)),
    }[packing]
    (tmp_path / "dump").write_bytes(packed)
    build_wiki(tmp_path / "dump", tmp_path / "packed")
    build_wiki(write_dump(tmp_path / "dump.xml", ROCKS), tmp_path / "plain")
    with WikiWorld(tmp_path / "packed") as world, WikiWorld(tmp_path / "plain") as plain:
        assert world.fact("fingerprint") == plain.fact("fingerprint")
        assert world.page_count == 5


def test_links_are_resolved_through_redirects_and_stay_in_the_collection(tmp_path: Path) -> None:
    with world_of(tmp_path, ROCKS) as world:
        assert linked_titles(world, "Rock") == ["Mineral", "Granite"]
        assert linked_titles(world, "Granite") == ["Rock", "Quartz_(mineral)"]
        assert linked_titles(world, "Mineral") == ["Rock"]
        assert linked_titles(world, "AC/DC_%26_100%25_%3F") == ["Rock"]


def test_a_link_keeps_its_anchor_and_the_words_around_it(tmp_path: Path) -> None:
    with world_of(tmp_path, ROCKS) as world:
        page = page_at(world, "Rock")
    mineral, granite = page.links
    assert mineral.occurrences[0].anchor == "minerals"
    assert granite.occurrences[0].anchor == "the granite"
    assert page.words[granite.occurrences[0].start - 1] == "as"
    assert page.title == "Rock"


def test_a_redirect_leads_to_where_its_chain_ends(tmp_path: Path) -> None:
    with world_of(tmp_path, ROCKS) as world:
        for title in ("Stone", "Boulder", "STONE", "rock", "Rock_"):
            assert world.answer(url(title)).outcome == Redirected(301, url("Rock"))


def test_a_planted_category_is_a_label_and_nowhere_on_a_page(tmp_path: Path) -> None:
    pages = [
        Written("Rock", "Hard. [[Category:Xyzzyplanted|k]] {{x|[[Kategorie:Xyzzyplanted two]]}} [[Granite]]"),
        Written("Granite", "Also [[:Category:Xyzzyplanted|in Xyzzyplanted]]. [[rock]]"),
    ]
    with world_of(tmp_path, pages) as world:
        assert world.categories_of(url("Rock")) == ("Xyzzyplanted", "Xyzzyplanted two")
        assert world.categories_of(url("Granite")) == ()
        for title in ("Rock", "Granite"):
            page = page_at(world, title)
            seen = " ".join([page.text, page.title, *page.words, *(link.target.text for link in page.links)])
            assert "xyzzy" not in seen.lower()
            assert "categor" not in seen.lower()
            assert b"yzzyplanted" not in world.answer(url(title)).outcome.body  # type: ignore[union-attr]


def test_a_sample_depends_on_title_and_seed_alone(tmp_path: Path) -> None:
    pages = [Written(f"Page {number}", f"[[Page {number + 1}]]") for number in range(400)]
    dump, backwards = write_dump(tmp_path / "a.xml", pages), write_dump(tmp_path / "b.xml", pages[::-1])

    def titles(source: Path, seed: int, name: str) -> set[str]:
        build_wiki(source, tmp_path / name, sample=0.25, seed=seed)
        with WikiWorld(tmp_path / name) as world:
            return {world.title_of(number) for number in range(world.page_count)}

    first = titles(dump, 1, "first")
    assert 60 < len(first) < 140
    assert titles(backwards, 1, "again") == first
    assert titles(dump, 2, "other") != first


def test_equal_dumps_give_equal_worlds(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml", ROCKS)
    build_wiki(dump, tmp_path / "one")
    build_wiki(dump, tmp_path / "two")
    assert (tmp_path / "one" / "wiki.sqlite").read_bytes() == (tmp_path / "two" / "wiki.sqlite").read_bytes()


def test_a_wiki_that_tells_capitals_apart_keeps_them_apart(tmp_path: Path) -> None:
    pages = [Written("rock", "[[Rock]]"), Written("Rock", "[[rock]] [[ROCK]]")]
    with world_of(tmp_path, pages, case="case-sensitive") as world:
        assert linked_titles(world, "rock") == ["Rock"]
        assert linked_titles(world, "Rock") == ["rock"]


def test_progress_tells_of_bytes_and_pages(tmp_path: Path) -> None:
    told: list[BuildProgress] = []
    dump = write_dump(tmp_path / "dump.xml", ROCKS)
    build_wiki(dump, tmp_path / "world", progress=told.append)
    read = [progress for progress in told if progress.stage == "read"]
    assert read[-1].done == read[-1].total == dump.stat().st_size
    assert read[-1].pages == 5
    assert {progress.stage for progress in told} == {"read", "write"}


@pytest.mark.parametrize("cut", [0.6, *(pytest.param(cut, marks=pytest.mark.thorough) for cut in (0.3, 0.95))])
@pytest.mark.parametrize("packing", ["plain", "gzip", "bzip2"])
def test_a_dump_that_is_cut_off_is_refused_unless_asked(tmp_path: Path, packing: str, cut: float) -> None:
    pages = [Written(f"Page {number}", f"[[Page {number // 2}]] " + "words " * (number % 50)) for number in range(1500)]
    xml = dump_xml(pages)
    packed = {"plain": xml, "gzip": gzip.compress(xml), "bzip2": bz2.compress(xml, 1)}[packing]
    dump = tmp_path / "dump"
    dump.write_bytes(packed[: int(len(packed) * cut)])

    with pytest.raises(WorldError, match=r"ends too soon: read [\d,]+ of [\d,]+ bytes, [\d,]+ whole pages"):
        build_wiki(dump, tmp_path / "world")
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]

    built = build_wiki(dump, tmp_path / "world", keep_partial=True)
    assert 100 < built.pages < 1500
    assert "ends too soon" in built.trouble


def test_a_damaged_dump_says_how_far_it_got(tmp_path: Path) -> None:
    xml = bytearray(dump_xml([Written(f"Page {number}", "text") for number in range(50)]))
    middle = xml.index(b"<page><title>Page 30")
    xml[middle : middle + 6] = b"<pa<e>"
    (tmp_path / "dump").write_bytes(xml)
    with pytest.raises(WorldError, match=r"is damaged .* 30 whole pages"):
        build_wiki(tmp_path / "dump", tmp_path / "world")


def test_a_failure_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml", ROCKS)

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_wiki(dump, tmp_path / "world", progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["dump.xml"]


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dump").write_text('<!DOCTYPE mediawiki [<!ENTITY a "aaaa">]><mediawiki>&a;</mediawiki>')
    with pytest.raises(WorldError, match="not a MediaWiki dump"):
        build_wiki(tmp_path / "dump", tmp_path / "world")


@pytest.fixture(scope="module")
def long_dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A multistream dump of some megabytes whose streams end anywhere, as those of pbzip2 do."""
    chance = random.Random(5)
    pages = [
        Written(
            f"Page {number}",
            f"[[Page {chance.randrange(900)}|to]] [[Page {chance.randrange(900)}]] [[Category:C{number % 7}]] "
            + " ".join(f"{chance.getrandbits(32):x}" for _ in range(chance.randrange(600))),
        )
        for number in range(900)
    ]
    xml = dump_xml(pages)
    path = tmp_path_factory.mktemp("long") / "dump.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(xml[start : start + 99_991]) for start in range(0, len(xml), 99_991)))
    return path


@pytest.mark.parametrize(
    ("jobs", "memory_mb", "processes"),
    [(8, 700, 4), (2, 700, 2), (8, 479, 1), (8, 480, 2), (8, 261, 1), (8, None, 8)],
)
def test_no_more_processes_are_started_than_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, memory_mb: int | None, processes: int
) -> None:
    started: list[int] = []

    class Counted(WorkerPool):
        def __init__(self, jobs: int) -> None:
            started.append(jobs)
            super().__init__(1)

    monkeypatch.setattr(building, "WorkerPool", Counted)
    dump = write_dump(tmp_path / "dump.xml", ROCKS)
    build_wiki(dump, tmp_path / "world", jobs=jobs, memory_mb=memory_mb)
    assert started == [processes]


def test_a_build_that_cannot_fit_into_memory_is_refused(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml", ROCKS)
    with pytest.raises(WorldError, match=r"^--memory 200: a build of .* takes 260 MB at least$"):
        build_wiki(dump, tmp_path / "world", memory_mb=200)
    assert not (tmp_path / "world").exists()


@pytest.mark.parametrize("jobs", [2, pytest.param(3, marks=pytest.mark.thorough)])
def test_the_world_is_the_same_with_any_number_of_processes(tmp_path: Path, long_dump: Path, jobs: int) -> None:
    alone = build_wiki(long_dump, tmp_path / "alone", jobs=1)
    built = build_wiki(long_dump, tmp_path / "built", jobs=jobs)
    assert replace(built, path=alone.path) == alone
    assert [file.name for file in built.path.iterdir()] == ["wiki.sqlite"]
    assert (built.path / "wiki.sqlite").read_bytes() == (alone.path / "wiki.sqlite").read_bytes()


@pytest.mark.parametrize("harm", ["damaged", pytest.param("cut off", marks=pytest.mark.thorough)])
def test_a_broken_dump_reads_the_same_in_processes(tmp_path: Path, long_dump: Path, harm: str) -> None:
    packed = bytearray(long_dump.read_bytes())
    middle = len(packed) * 2 // 3
    if harm == "cut off":
        del packed[middle:]
    else:
        packed[middle : middle + 50] = bytes(50)
    (tmp_path / "dump").write_bytes(packed)
    told = []
    for jobs in (1, 2):
        with pytest.raises(WorldError, match="ends too soon" if harm == "cut off" else "is damaged") as refusal:
            build_wiki(tmp_path / "dump", tmp_path / "world", jobs=jobs)
        told.append(re.sub(r"byte [\d,]+|[\d,]+ of", "", str(refusal.value)))  # how far was read ahead differs
    assert told[0] == told[1]
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]
    worlds = [build_wiki(tmp_path / "dump", tmp_path / f"{jobs}", keep_partial=True, jobs=jobs) for jobs in (1, 2)]
    assert 300 < worlds[0].pages == worlds[1].pages < 900
    first, second = (wiki_stats(world.path).fingerprint for world in worlds)
    assert first == second


def test_a_process_that_is_killed_ends_the_build_in_one_line(tmp_path: Path, long_dump: Path) -> None:
    def kill(_: BuildProgress) -> None:
        for process in active_children():
            process.kill()

    with pytest.raises(WorldError, match=r"^a process of the build was ended .* --jobs 1$"):
        build_wiki(long_dump, tmp_path / "world", jobs=2, progress=kill)
    assert list(tmp_path.iterdir()) == []
