"""A run with shards is searched as one index over all its pages."""

from __future__ import annotations

import zlib
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import tantivy
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import honeyguide
from honeyguide.model import Url
from honeyguide.runs import open_run
from honeyguide.runs.shards import shard_folder
from honeyguide.search import Searcher
from honeyguide.search.index_files import IndexDamaged
from honeyguide.search.indexing import IndexedPage
from honeyguide.search.page_index import FOLDER, PAGES, STEP_BITS, IndexLock, PageIndex
from honeyguide.settings import settings_from
from pages import page_of
from split_runs import split
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.search import SearchResults

SHARDS = 4
COMMON = "the OR of OR and"  # is on every page
WORDS = ("basalt", "lava", "granite", "opera", "tenor", "reef", "coral", "moss")


def texts() -> st.SearchStrategy[list[str]]:
    text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
    return st.lists(text, min_size=1, max_size=12)


def fill(folder: Path, pages: list[tuple[int, str]]) -> None:
    with closing(PageIndex.to_write(folder, "english")) as index:
        index.add_all(
            (
                IndexedPage.of(
                    page_of(text, Url.parse(f"http://t.test/{number}")),
                    step=number,
                    fetched_at=0.0,
                    relevance=0.0,
                    is_relevant=False,
                )
                for number, text in pages
            ),
            5,
        )


def scores(index: PageIndex, query: str) -> dict[str, float]:
    searcher = index.searcher()
    terms = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "text", word)) for word in query.split()]
    found = searcher.search(tantivy.Query.boolean_query(terms), 100).hits
    return {str(searcher.doc(address).get_first("url")): score for score, address in found}


@examples(max_examples=12)
@given(texts(), st.lists(st.integers(0, 4), min_size=12, max_size=12), st.lists(st.sampled_from(WORDS), min_size=1))
def test_any_partition_of_pages_has_the_scores_of_one_index(
    tmp_path_factory: pytest.TempPathFactory, shown: list[str], shard_of: list[int], query: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("indexes")
    fill(folder / "one", list(enumerate(shown)))
    shards = sorted(set(shard_of[: len(shown)]))
    for shard in shards:
        fill(folder / str(shard), [page for page in enumerate(shown) if shard_of[page[0]] == shard])
    one = PageIndex.to_read(folder / "one", "english")
    assert one is not None
    with closing(PageIndex.together([folder / str(shard) for shard in shards], "english")) as together:
        assert scores(together, " ".join(query)) == pytest.approx(scores(one, " ".join(query)), rel=1e-5)


def by_name(host: str) -> int:
    return zlib.crc32(host.encode()) % SHARDS


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("one") / "run"
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "judge": {"kind": "keyword", "threshold": 0.05},
            "crawl": {"world": "synthetic:seed=3,pages=400,hosts=16,duplicate_share=0.2,mean_words=60", "seed": 3},
            "budget": {"fetches": 80},
            "parse": {"fields": ["heading=css:h1"]},
            "search": {"live": "off"},
        }
    )
    honeyguide.crawl(run, settings, vectors=hashed_vectors()).close()
    return run


@pytest.fixture(scope="module")
def whole(one: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return split(one, tmp_path_factory.mktemp("many") / "whole", SHARDS, by_name)


@pytest.fixture(scope="module")
def searchers(one: Path, whole: Path) -> Iterator[tuple[Searcher, Searcher]]:
    with Searcher(one) as alone, Searcher(whole) as together:
        yield alone, together


def told(found: SearchResults) -> object:
    """Hits, in order but for equal ones; of pages that say the same, any may be shown."""
    hits = [(-hit.score, -hit.relevance, hit.parts, hit.url) for hit in found.hits]
    return found.total, sorted(hits), found.hidden, found.facets, found.suggestion, found.pages_searched


@pytest.mark.parametrize("show_all", [True, False])
@pytest.mark.parametrize(
    "query",
    ["rock", "mineral rock", '"the rock"', "rock -mineral", "title:rock", "rokc", "+volcano crust", COMMON],
)
def test_a_query_finds_the_same_pages_in_the_same_order(
    searchers: tuple[Searcher, Searcher], query: str, *, show_all: bool
) -> None:
    alone, together = searchers
    expected = alone.search(query, per_page=100, facets=True, show_all=show_all)
    found = together.search(query, per_page=100, facets=True, show_all=show_all)
    assert told(found) == told(expected)
    assert [hit.score for hit in found.hits] == [hit.score for hit in expected.hits]


def test_conditions_on_pages_hold_over_all_shards(searchers: tuple[Searcher, Searcher]) -> None:
    alone, together = searchers
    first = alone.search(COMMON).hits[0]
    host = Url(first.url).host
    for question in (
        {"hosts": host},
        {"relevant_only": True},
        {"since": first.fetched_at},
        {"where": ["heading~e"]},
    ):
        expected = alone.search(COMMON, per_page=100, **question)
        assert expected.total
        assert told(together.search(COMMON, per_page=100, **question)) == told(expected)
    assert told(together.search(like=first.url, per_page=50)) == told(alone.search(like=first.url, per_page=50))


def test_hits_name_the_run_and_its_own_steps(whole: Path, searchers: tuple[Searcher, Searcher]) -> None:
    hits = searchers[1].search("rock", per_page=50).hits
    with open_run(whole) as run:
        steps = {page.url.text: page.step for page in run.pages()}
        assert {hit.run for hit in hits} == {whole}
        assert {hit.url: hit.step for hit in hits}.items() <= steps.items()


def test_no_second_index_is_made(whole: Path, searchers: tuple[Searcher, Searcher]) -> None:
    searchers[1].search("rock")
    assert not (whole / FOLDER / PAGES).exists()
    assert (shard_folder(whole, 1) / FOLDER / PAGES).exists()


def test_a_search_by_meaning_is_the_same_too(
    one: Path, whole: Path, searchers: tuple[Searcher, Searcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Searcher, "_vectors_of", lambda *_: hashed_vectors())
    alone, together = searchers
    expected = alone.search("rock volcano", semantic=True, per_page=100)
    assert told(together.search("rock volcano", semantic=True, per_page=100)) == told(expected)


def test_a_shard_can_be_searched_by_itself(whole: Path, searchers: tuple[Searcher, Searcher]) -> None:
    number = max(by_name(Url(hit.url).host) for hit in searchers[0].search(COMMON, per_page=100).hits)
    assert number
    with Searcher(shard_folder(whole, number)) as shard:
        hits = shard.search(COMMON, per_page=50).hits
    assert hits
    assert {by_name(Url(hit.url).host) for hit in hits} == {number}
    assert all(0 < hit.step < 1 << STEP_BITS for hit in hits)


def test_pages_that_a_busy_shard_has_not_indexed_are_found_in_memory(one: Path, tmp_path: Path) -> None:
    whole = split(one, tmp_path / "whole", SHARDS, by_name)
    with IndexLock(shard_folder(whole, 2)), Searcher(whole) as together, Searcher(one) as alone:
        found = together.search("rock", per_page=100, show_all=True)
        expected = alone.search("rock", per_page=100, show_all=True)
        assert {hit.url for hit in found.hits} == {hit.url for hit in expected.hits}


def test_a_damaged_index_of_a_shard_is_made_anew(one: Path, tmp_path: Path) -> None:
    whole = split(one, tmp_path / "whole", SHARDS, by_name)
    with Searcher(whole) as together:
        expected = told(together.search("rock", per_page=100))
    for file in (shard_folder(whole, 1) / FOLDER / PAGES).glob("*.term"):
        file.write_bytes(b"nothing")
    with Searcher(whole) as together:
        assert told(together.search("rock", per_page=100)) == expected


def test_a_run_looked_at_again_is_searched_by_an_index_of_its_own(one: Path, tmp_path: Path) -> None:
    whole = split(one, tmp_path / "whole", SHARDS, by_name)
    honeyguide.refresh(whole, vectors=hashed_vectors()).close()
    with Searcher(whole) as together, Searcher(one) as alone:
        found, expected = together.search("rock", per_page=100), alone.search("rock", per_page=100)
        assert {hit.url for hit in found.hits} == {hit.url for hit in expected.hits}
    assert (whole / FOLDER / PAGES).exists()


def test_indexes_without_their_files_are_not_opened_together(tmp_path: Path) -> None:
    (tmp_path / "a" / PAGES).mkdir(parents=True)
    (tmp_path / "a" / PAGES / "meta.json").write_text("{")
    with pytest.raises(IndexDamaged, match="damaged"):
        PageIndex.together([tmp_path / "a"], "english")
