"""Damage is told by the files of an index, not by what was raised: a bad query or a bug is no damage."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import honeyguide
from honeyguide.errors import QueryError, RunDamaged
from honeyguide.search import Searcher
from honeyguide.search import searcher as searcher_module
from honeyguide.search.index_files import IndexDamaged, check_files, load_arrays, save_arrays
from honeyguide.search.indexing import IndexedPage
from honeyguide.search.page_index import FOLDER, PAGES, PageIndex
from pages import page_of
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from collections.abc import Callable

ENDINGS = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term", "meta.json")
QUERIES = ("rock", '"the rock"', "title:page", "rock OR sand")


def delete(file: Path) -> None:
    file.unlink()


def put(file: Path, content: bytes) -> None:
    """In place of a file, which this process may still have mapped: a mapping without a file behind it is fatal."""
    draft = file.with_name("draft")
    draft.write_bytes(content)
    draft.replace(file)


def cut_in_half(file: Path) -> None:
    put(file, file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    put(file, b"")


def garble(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"\xff" * (file.stat().st_size // 2))


def flip_one_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0x80
    put(file, bytes(content))


def searched(tmp_path: Path) -> Path:
    """A run with an index of 30 pages."""
    pages = {f"http://a.test/{n}": html(f"Page {n}", f"The rock of {n} words. " * 4) for n in range(30)}
    run = run_of(tmp_path / "run", pages)
    honeyguide.search_runs(run, "rock")
    return run


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return searched(tmp_path_factory.mktemp("indexed"))


def file_of(run: Path, ending: str) -> Path:
    return next(each for each in sorted((run / FOLDER / PAGES).iterdir()) if each.name.endswith(ending))


def answers(run: Path) -> list[object]:
    with Searcher(run) as searcher:
        return [[(hit.url, hit.score) for hit in searcher.search(query, show_all=True).hits] for query in QUERIES]


DAMAGES = (delete, cut_in_half, empty, garble, flip_one_bit)
FILES = (*ENDINGS, ".managed.json", "about.json")
# Every kind of damage and every file once; all of them together with -m thorough.
SAMPLE = [(ending, DAMAGES[number % len(DAMAGES)]) for number, ending in enumerate(FILES)]
PRODUCT = [pytest.param(*pair, marks=pytest.mark.thorough) for pair in product(FILES, DAMAGES) if pair not in SAMPLE]


@pytest.mark.parametrize(("ending", "damage"), [*SAMPLE, *PRODUCT])
def test_a_damaged_index_is_found_and_made_again_when_it_is_opened(
    indexed: Path, tmp_path: Path, ending: str, damage: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    run = Path(shutil.copytree(indexed, tmp_path / "run"))
    before = answers(run)
    damage(run / FOLDER / ending if ending == "about.json" else file_of(run, ending))
    if ending in ENDINGS:
        with pytest.raises(IndexDamaged, match=ending.lstrip(".")):
            check_files(run / FOLDER / PAGES)
    assert answers(run) == before
    check_files(run / FOLDER / PAGES)
    assert capfd.readouterr().err == ""  # no panic on the way


@pytest.mark.parametrize(
    "listed", ["{}", "[]", "3", '{"segments": 1}', '{"segments": [{}]}', '{"segments": [{"segment_id": "../x"}]}']
)
def test_a_list_of_files_that_lists_none_is_damage(tmp_path: Path, listed: str) -> None:
    (tmp_path / "meta.json").write_text(listed)
    with pytest.raises(IndexDamaged, match=r"meta\.json is damaged"):
        check_files(tmp_path)


def test_files_that_another_process_has_put_together_meanwhile_are_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = searched(tmp_path)
    meta = file_of(run, "meta.json")
    now = meta.read_bytes()
    before = json.loads(now)
    before["segments"][0]["segment_id"] = "00000000-0000-0000-0000-000000000001"
    read = iter([json.dumps(before).encode()])
    real = type(meta).read_bytes
    monkeypatch.setattr(type(meta), "read_bytes", lambda file: next(read, real(file)))
    check_files(meta.parent)


@pytest.mark.parametrize(
    ("ending", "query"), [(".idx", "rock"), (".store", "rock"), (".term", "rock"), (".idx", '"the rock"')]
)
def test_an_index_damaged_while_it_is_open_gives_a_one_line_error(tmp_path: Path, ending: str, query: str) -> None:
    run = searched(tmp_path)
    with Searcher(run) as searcher:
        garble(file_of(run, ending))
        with pytest.raises(RunDamaged) as caught:
            searcher.search(query)
    assert str(caught.value).startswith("the index is damaged (")
    assert str(caught.value).endswith(f"delete {run / FOLDER}; the next search makes it anew")
    assert "\n" not in str(caught.value)
    assert honeyguide.search_runs(run, query, show_all=True).total == 30


def test_of_several_runs_the_damaged_one_is_named(tmp_path: Path) -> None:
    runs = [searched(tmp_path / name) for name in ("one", "two")]
    with Searcher(runs) as searcher:
        garble(file_of(runs[0], ".store"))  # its pages are shown, being first of equals
        with pytest.raises(RunDamaged) as caught:
            searcher.search("rock", show_all=True)
    assert str(runs[0] / FOLDER) in str(caught.value)
    assert str(runs[1] / FOLDER) not in str(caught.value)


@pytest.mark.parametrize("error", [ValueError("of ours"), TypeError("of ours"), KeyError("of ours")])
def test_a_bug_in_a_search_is_not_reported_as_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    run = searched(tmp_path)

    def broken(*_: object) -> None:
        raise error

    with Searcher(run) as searcher:
        monkeypatch.setattr(searcher_module, "make_hits", broken)
        with pytest.raises(type(error), match="of ours"):
            searcher.search("rock")


def test_a_query_that_cannot_be_read_is_no_damage_even_of_a_damaged_index(tmp_path: Path) -> None:
    run = searched(tmp_path)
    with Searcher(run) as searcher:
        garble(file_of(run, ".store"))
        with pytest.raises(QueryError):
            searcher.search('"rock')


def test_a_bug_while_pages_are_read_is_not_reported_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path / "run", {"http://a.test/": html("Page", "rock")})

    def broken(*_: object) -> IndexedPage:
        raise ValueError("of ours")

    monkeypatch.setattr(IndexedPage, "read", broken)
    with pytest.raises(ValueError, match="of ours"):
        honeyguide.search_runs(run, "rock")


def test_a_page_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    first, second = (PageIndex.to_write(tmp_path / "index", "english") for _ in range(2))
    page = IndexedPage.of(
        page_of("rock"),
        step=1,
        fetched_at=0.0,
        relevance=0.0,
        is_relevant=False,
    )
    first.add(page)
    with pytest.raises(OSError, match="lock"):  # tantivy lets one write at a time, too
        second.add(page)
    first.close()


@pytest.mark.parametrize("name", ["ranks.npz", "meanings.npz"])
def test_damaged_ranks_and_vectors_are_made_again(tmp_path: Path, name: str) -> None:
    run = searched(tmp_path)
    with Searcher(run) as searcher:
        before = searcher.search("rock", semantic=True).hits
    file = run / FOLDER / name
    whole = file.read_bytes()
    compression = whole.index(b"PK\x01\x02") + 10  # in the list of contents at the end of the archive
    garbled = bytearray(whole)
    garbled[compression] = 99
    for content in (b"", b"nonsense", whole[: len(whole) // 2], bytes(garbled)):
        file.write_bytes(content)
        assert honeyguide.search_runs(run, "rock", semantic=True).hits == before
        assert file.read_bytes() == whole


@given(place=st.integers(0, 10_000), value=st.integers(0, 255))
@settings(max_examples=50)
def test_arrays_that_were_damaged_are_as_they_were_or_not_there(place: int, value: int) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kept.npz"
        save_arrays(file, steps=np.arange(40), vectors=np.ones((40, 3), dtype=np.float16))
        content = bytearray(file.read_bytes())
        content[place % len(content)] = value
        file.write_bytes(content)
        found = load_arrays(file)
        assert found is None or np.array_equal(found.get("steps", np.arange(40)), np.arange(40))
