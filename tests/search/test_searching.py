"""A run is searched: which pages are found, in which order, and what is shown of them."""

from __future__ import annotations

import random
import re
import sqlite3
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import honeyguide
from honeyguide.errors import QueryError, RunDamaged, SettingsError, StoreError, VectorsError
from honeyguide.guard import Fingerprint
from honeyguide.model import Failed, FailureReason
from honeyguide.runs import PageTexts
from honeyguide.search import Searcher
from honeyguide.search.shard import PageVectors
from honeyguide.text import WordVectors, open_vectors, unit, words_of
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.search import SearchHit, SearchResults

ROCKS = "Basalt is a dark rock. It cools from lava, and its columns are famous."
PAGES = {
    "http://a.test/basalt": html("Basalt", ROCKS, "/granite", "http://b.test/lava"),
    "http://a.test/granite": html(
        "Granite", "Granite is a light rock, unlike basalt. It is hard.", "http://b.test/lava"
    ),
    "http://b.test/lava": html("Lava", "Lava flows. When lava cools, a rock is left behind.", "http://a.test/basalt"),
    "http://www.b.test/cooking": html("Cooking", "Boil the water & add <b>salt</b>; columns of steam rise."),
    "http://c.test/copy": html("A copy", ROCKS),
    "http://c.test/empty": html("Nothing to see", ""),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of(tmp_path_factory.mktemp("index") / "run", PAGES)


@pytest.fixture
def searcher(run: Path) -> Iterator[Searcher]:
    with Searcher(run) as opened:
        yield opened


def names(results: SearchResults) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in results.hits]


class TestWhatIsFound:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("lava", {"basalt", "lava"}),
            ("cooling", {"basalt", "lava"}),
            ("title:lava", {"lava"}),
            ("text:granite", {"granite"}),
            ("text:cooking", set()),
            ("rock -basalt", {"lava"}),
            ('"light rock"', {"granite"}),
            ("granite OR salt", {"granite", "cooking"}),
            ("host:b.test", {"lava", "cooking"}),
            ("host:www.b.test columns", {"cooking"}),
            ("host:B.TEST", {"lava", "cooking"}),
            ("host:test columns", {"basalt", "cooking"}),
            ("zebra", set()),
            ("granite OR NOT rock", {"granite", "cooking", "empty"}),
            ("lava OR NOT rock OR granite", {"basalt", "lava", "granite", "cooking", "empty"}),
            ("(granite OR NOT rock) columns", {"cooking"}),
            ("columns (NOT rock OR famous)", {"cooking", "basalt"}),
            ("rock OR NOT rock", {"basalt", "granite", "lava", "cooking", "empty"}),
            ("NOT (granite OR NOT rock)", {"basalt", "lava"}),
            ("NOT rock OR NOT columns", {"granite", "lava", "cooking", "empty"}),
            ("NOT rock -empty OR lava -famous", {"cooking", "lava", "empty"}),
        ],
    )
    def test_queries_find_pages(self, searcher: Searcher, query: str, found: set[str]) -> None:
        assert set(names(searcher.search(query))) == found

    def test_a_page_without_text_is_found_by_its_title(self, searcher: Searcher) -> None:
        assert names(searcher.search("nothing")) == ["empty"]

    def test_hosts_narrow_a_search_down(self, searcher: Searcher) -> None:
        assert set(names(searcher.search("columns", hosts=["b.test"]))) == {"cooking"}
        assert set(names(searcher.search("columns", hosts=["b.test", "a.test"]))) == {"cooking", "basalt"}
        assert names(searcher.search("columns", hosts=["est"])) == []
        assert set(names(searcher.search("columns", hosts="B.test/"))) == {"cooking"}
        for host in ("http://b.test/", "b.test/cooking", ""):
            with pytest.raises(QueryError, match=f"{host!r} is not a host: give its name alone"):
                searcher.search("columns", hosts=[host])

    def test_times_narrow_a_search_down(self, searcher: Searcher) -> None:
        everything = searcher.search("rock OR salt OR nothing", show_all=True)
        times = sorted(hit.fetched_at for hit in everything.hits)
        assert len(times) == 6
        late = searcher.search("rock OR salt OR nothing", since=times[2], show_all=True)
        early = searcher.search("rock OR salt OR nothing", until=times[2], show_all=True)
        then = searcher.search("rock OR salt OR nothing", since=times[2], until=times[2], show_all=True)
        assert sorted(hit.fetched_at for hit in late.hits) == [time for time in times if time >= times[2]]
        assert sorted(hit.fetched_at for hit in early.hits) == [time for time in times if time <= times[2]]
        assert [hit.fetched_at for hit in then.hits] == [times[2]] * times.count(times[2])
        assert searcher.search("rock", since="2001-01-01").total == 0  # an offline clock begins in 1970
        assert searcher.search("rock", until="1970-01-01").total == 3
        with pytest.raises(QueryError, match="since is 'tomorrow': write a day or a time"):
            searcher.search("rock", since="tomorrow")
        with pytest.raises(QueryError, match="since 2026-05-02 is after until 2026-05-01T12:00: no page"):
            searcher.search("rock", since="2026-05-02", until="2026-05-01T12:00")
        assert searcher.search("rock", since="1970-01-01", until="1970-01-01").total == 3

    def test_relevant_pages_alone(self, searcher: Searcher) -> None:
        assert {hit.is_relevant for hit in searcher.search("columns OR rock").hits} == {True, False}
        assert {hit.is_relevant for hit in searcher.search("columns OR rock", relevant_only=True).hits} == {True}


class TestOrder:
    def test_a_score_is_the_weighted_mean_of_its_parts(self, run: Path) -> None:
        weights = {"search.text_weight": 2.0, "search.rank_weight": 0.5, "search.topic_weight": 1.5}
        with Searcher(run, weights) as searcher:
            hits = searcher.search("rock OR columns", show_all=True).hits
        assert len(hits) == 5
        for hit in hits:
            parts = hit.parts
            assert 0 <= min(parts.text, parts.rank, parts.topic) <= max(parts.text, parts.rank, parts.topic) <= 1
            assert hit.score == pytest.approx((2 * parts.text + 0.5 * parts.rank + 1.5 * parts.topic) / 4, abs=2e-6)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    def test_links_to_a_page_move_it_up(self, run: Path) -> None:
        with Searcher(run, {"search.text_weight": 0, "search.topic_weight": 0, "search.rank_weight": 1}) as searcher:
            hits = searcher.search("rock OR columns").hits
        assert hits[0].url == "http://b.test/lava"  # two pages link to it
        assert hits[0].score == hits[0].parts.rank == 1.0

    def test_a_word_in_the_title_counts_for_more(self, searcher: Searcher) -> None:
        assert names(searcher.search("granite"))[0] == "granite"
        assert names(searcher.search("basalt"))[0] == "basalt"

    def test_the_best_are_the_best_of_all_however_few_are_asked_for(self, tmp_path: Path) -> None:
        texts = {f"http://m.test/{n}": html(f"Page {n}", "ore " * (1 + n % 7) + "and " * (n % 11)) for n in range(300)}
        run = run_of(tmp_path / "run", {**texts, "http://m.test/hub": html("Hub", "links", *list(texts)[:5])})
        with Searcher(run, {"search.rank_weight": 3.0, "search.collapse": False}) as searcher:
            everything = [(hit.url, hit.score) for hit in searcher.search("ore", per_page=1000).hits]
            assert len(everything) == 300
            assert everything == sorted(everything, key=lambda pair: -pair[1])
            for per_page in (1, 10, 64):
                first = [(hit.url, hit.score) for hit in searcher.search("ore", per_page=per_page).hits]
                assert first == everything[:per_page]

    def test_pages_of_hits_follow_one_another(self, searcher: Searcher) -> None:
        whole = names(searcher.search("rock OR columns OR nothing"))
        parts = [names(searcher.search("rock OR columns OR nothing", page=n, per_page=2)) for n in (1, 2, 3, 4)]
        assert [name for part in parts for name in part] == whole
        assert parts[3] == []
        for far in (100_000_000, 1_000_000_000):
            results = searcher.search("rock OR columns OR nothing", page=far, per_page=1000)
            assert (results.hits, results.total > 0) == ((), True)


class TestDuplicates:
    def test_pages_with_the_same_text_are_shown_as_one(self, searcher: Searcher) -> None:
        (hit,) = searcher.search("famous").hits
        assert hit.url.endswith("/basalt")
        assert hit.duplicates == ("http://c.test/copy",)

    def test_all_of_them_are_shown_when_asked_for(self, run: Path, searcher: Searcher) -> None:
        assert set(names(searcher.search("famous", show_all=True))) == {"basalt", "copy"}
        with Searcher(run, {"search.collapse": False}) as each:
            assert set(names(each.search("famous"))) == {"basalt", "copy"}


class TestWhatTheGuardFound:
    """What a guard found, written by hand: this is about what a search makes of it."""

    @pytest.fixture
    def guarded(self, tmp_path: Path) -> Path:
        run = run_of(tmp_path / "run", PAGES)
        with sqlite3.connect(run / "crawl.sqlite") as database:
            database.executescript("DELETE FROM findings; DELETE FROM prints")
            pages = "SELECT l.url, p.step, p.link FROM pages p JOIN links l ON l.id = p.link"
            place_by_name = {url.rpartition("/")[2]: place for url, *place in database.execute(pages)}
            for name, kind in (("lava", "calendar"), ("basalt", "duplicate")):
                step, link = place_by_name[name]
                columns = "link, step, found_at, kind, about, rule, numbers, demotion"
                values = (link, step, 9, kind, "", "", "{}", 1)
                database.execute(f"INSERT INTO findings ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            simhashes = {"basalt": 0b1111 << 60, "granite": 0b0001 << 60, "lava": 1, "cooking": (1 << 40) - 1}
            for name, simhash in simhashes.items():
                packed = Fingerprint(1, 1, simhash, 1, 1, 1, ()).pack()
                database.execute("INSERT INTO prints VALUES (?, ?, 0, ?)", (*place_by_name[name], packed))
        return run

    def test_traps_are_left_out_where_that_is_asked_for_and_copies_are_not(self, guarded: Path) -> None:
        shown = honeyguide.search_runs(guarded, "rock", show_all=True)
        assert set(names(shown)) == {"basalt", "granite", "copy", "lava"}
        assert (shown.hidden, shown.hidden_by) == (0, {})
        results = honeyguide.search_runs(guarded, "rock", {"search.hide_traps": True}, show_all=True)
        assert set(names(results)) == {"basalt", "granite", "copy"}
        assert (results.hidden, results.hidden_by) == (1, {"search.hide_traps": 1})

    def test_pages_left_out_are_reported_by_setting_and_counted_once(self, guarded: Path, tmp_path: Path) -> None:
        words = tmp_path / "blocked.txt"
        words.write_text("lava\n")
        both = {"search.hide_traps": True, "search.blocked_words": str(words)}
        results = honeyguide.search_runs(guarded, "rock", both, show_all=True)
        assert set(names(results)) == {"granite"}
        assert results.hidden == 3
        assert results.hidden_by == {"search.hide_traps": 1, "search.blocked_words": 3}  # the trap has the word, too

    def test_pages_with_nearly_the_same_text_are_shown_as_one(self, guarded: Path) -> None:
        (hit,) = honeyguide.search_runs(guarded, "basalt").hits
        assert hit.url == "http://a.test/basalt"
        assert set(hit.duplicates) == {"http://a.test/granite", "http://c.test/copy"}  # three bits from it, none
        assert len(honeyguide.search_runs(guarded, "basalt", show_all=True).hits) == 3
        assert set(names(honeyguide.search_runs(guarded, "columns"))) == {"basalt", "cooking"}


class TestLikeAnother:
    def test_pages_like_one_come_first(self, searcher: Searcher) -> None:
        results = searcher.search(like="http://a.test/basalt", show_all=True)
        assert names(results)[0] == "copy"
        assert "basalt" not in names(results)

    def test_a_page_that_is_not_there_is_reported(self, searcher: Searcher) -> None:
        with pytest.raises(QueryError, match=r"no page http://a.test/none is among the 6 searched"):
            searcher.search(like="http://a.test/none")
        with pytest.raises(QueryError, match="not a URL"):
            searcher.search(like="basalt")
        with pytest.raises(QueryError, match="leave one of them out"):
            searcher.search("x", like="http://a.test/basalt")


class TestMeaning:
    def test_pages_without_the_word_are_found_by_their_vectors(self, searcher: Searcher) -> None:
        by_words = searcher.search("magma")
        assert by_words.total == 0
        by_meaning = searcher.search("magma", semantic=True)
        assert names(by_meaning)[0] in ("lava", "basalt")
        assert by_meaning.hits[0].parts.meaning > 0
        assert by_meaning.hits[0].score > 0

    def test_what_a_query_insists_on_binds_meanings_as_well(self, searcher: Searcher) -> None:
        assert set(names(searcher.search("magma host:b.test", semantic=True))) == {"lava", "cooking"}
        assert "lava" not in names(searcher.search("magma -title:lava", semantic=True))
        assert set(names(searcher.search('magma "light rock"', semantic=True))) == {"granite"}
        assert set(names(searcher.search("magma", semantic=True, hosts=["a.test"]))) == {"basalt", "granite"}

    def test_vectors_are_made_once_and_saved(self, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with Searcher(run) as searcher:
            first = searcher.search("volcano", semantic=True)
        monkeypatch.setattr("honeyguide.search.shard._vectors_of", _nothing_new)
        with Searcher(run) as searcher:
            assert searcher.search("volcano", semantic=True) == first

    def test_what_is_denied_twice_is_asked_for(self, searcher: Searcher) -> None:
        for query in ("NOT (NOT lava)", "-(-lava)", "NOT (NOT (lava))"):
            assert names(searcher.search(query, semantic=True)) == names(searcher.search("lava", semantic=True))
        assert names(searcher.search("NOT (granite OR NOT rock)", semantic=True))

    def test_every_run_is_searched_by_its_own_vectors(self, run: Path, tmp_path: Path) -> None:
        file = tmp_path / "few.vec"
        file.write_text("3 2\nlava 1 0\nmagma 1 1\nsoup -1 0\n")
        pages = {"http://v.test/1": html("Lava", "Lava."), "http://v.test/2": html("Soup", "Soup and lava.")}
        other = run_of(tmp_path / "other", pages, vectors__source=str(file), vectors__cache_folder=str(tmp_path))
        alone = [honeyguide.search_runs(each, "magma", semantic=True, show_all=True) for each in (run, other)]
        expected = {hit.url: hit.parts.meaning for results in alone for hit in results.hits}
        assert expected["http://v.test/1"] == pytest.approx(2**-0.5, abs=1e-3)
        kept = [(each / "index" / "meanings.npz").read_bytes() for each in (run, other)]
        for runs in ([run, other], [other, run]):
            together = honeyguide.search_runs(runs, "magma", semantic=True, show_all=True)
            assert {hit.url: hit.parts.meaning for hit in together.hits} == expected
        assert [(each / "index" / "meanings.npz").read_bytes() for each in (run, other)] == kept

    def test_a_word_that_only_one_run_has_a_vector_for_is_enough(self, run: Path, tmp_path: Path) -> None:
        file = tmp_path / "few.vec"
        file.write_text("2 2\nsoup 1 0\nonion 1 1\n")
        pages = {"http://v.test/1": html("Lava", "Lava and soup.")}
        other = run_of(tmp_path / "other", pages, vectors__source=str(file), vectors__cache_folder=str(tmp_path))
        assert "http://v.test/1" in {
            hit.url for hit in honeyguide.search_runs([other, run], "lava", semantic=True).hits
        }
        with pytest.raises(QueryError, match="no word of the query has a vector"):
            honeyguide.search_runs(other, "lava", semantic=True)

    def test_other_vectors_than_those_a_run_began_with_are_refused(self, tmp_path: Path) -> None:
        digest = "0" * 32
        changed = run_of(tmp_path / "run", {"http://v.test/": html("Lava", "Lava.")}, vectors__digest=digest)
        with pytest.raises(VectorsError, match=r"vectors of english are not those that .*run began with: put the"):
            honeyguide.search_runs(changed, "lava", semantic=True)
        assert not (changed / "index" / "meanings.npz").exists()

    def test_a_query_without_vectors_is_reported(self, searcher: Searcher) -> None:
        with pytest.raises(QueryError, match="no word of the query has a vector"):
            searcher.search("host:b.test", semantic=True)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(5)
    words = ["basalt", "lava", "volcano", "soup", "onion", "violin", "football", "parliament", "magma", "tax"]
    pages = {
        f"http://h{n % 3}.test/{n}": html(f"Page {n}", " ".join(chance.choices(words[: 4 + n % 7], k=6)) + ".")
        for n in range(420)
    }
    return run_of(tmp_path_factory.mktemp("many") / "run", pages, guard__on=False)


@pytest.fixture
def many(long_run: Path) -> Iterator[Searcher]:
    with Searcher(long_run) as opened:
        yield opened


class TestMeaningOfMany:
    """More pages than anybody pages through, of which a semantic search misses none."""

    def test_every_page_with_a_word_or_a_near_vector_is_a_hit_in_order_of_score(self, many: Searcher) -> None:
        results = many.search("magma volcano", semantic=True, show_all=True, per_page=1000)
        assert results.total == len(results.hits) > 300
        assert [hit.score for hit in results.hits] == sorted((hit.score for hit in results.hits), reverse=True)
        assert all(hit.parts.meaning > 0 or hit.parts.text > 0 for hit in results.hits)
        by_words = many.search("magma volcano", show_all=True, per_page=1000)
        assert {hit.url for hit in by_words.hits} < {hit.url for hit in results.hits}

    def test_all_whose_vectors_point_the_same_way_are_hits_and_no_others(self, many: Searcher, long_run: Path) -> None:
        chosen = many.settings.vectors
        vectors = WordVectors(open_vectors(chosen.source, chosen.cache_path))
        asked = unit(vectors.vector(["magma"]))
        shown = {hit.url: hit for hit in many.search("magma", semantic=True, show_all=True, per_page=1000).hits}
        with honeyguide.open_run(long_run) as run:
            texts = PageTexts(run, run.crawled_pages())
            words_by_url = {
                page.url.text: words_of(f"{page.title} {texts.main_text(page)}") for page in run.crawled_pages().all()
            }
        for url, words in words_by_url.items():
            cosine = float(unit(vectors.vector(words)) @ asked)
            if url in shown:
                assert shown[url].parts.meaning == pytest.approx(max(0.0, cosine), abs=1e-2)
            else:
                assert cosine <= 1e-2
                assert "magma" not in words

    def test_pages_of_hits_are_pieces_of_one_list(self, many: Searcher) -> None:
        for show_all in (True, False):
            everything = many.search("magma", semantic=True, show_all=show_all, per_page=1000)
            urls: list[str] = []
            for page in range(1, 200):
                results = many.search("magma", semantic=True, show_all=show_all, page=page, per_page=37)
                assert results.total == everything.total
                if not results.hits:
                    break
                urls += [hit.url for hit in results.hits]
            assert urls == [hit.url for hit in everything.hits]
            assert len(urls) == everything.total

    def test_filters_leave_out_and_change_nothing_else(self, many: Searcher) -> None:
        everything = many.search("magma", semantic=True, show_all=True, per_page=1000).hits
        of_host = many.search("magma", semantic=True, show_all=True, per_page=1000, hosts="h1.test")
        assert [hit.url for hit in of_host.hits] == [hit.url for hit in everything if "//h1.test/" in hit.url]
        assert of_host.total == len(of_host.hits) > 100
        moment = sorted(hit.fetched_at for hit in everything)[250]
        late = many.search("magma", semantic=True, show_all=True, per_page=1000, since=moment)
        assert [hit.url for hit in late.hits] == [hit.url for hit in everything if hit.fetched_at >= moment]
        assert late.total == len(late.hits)

    def test_what_is_hidden_is_counted_among_all_that_are_near(
        self, many: Searcher, long_run: Path, tmp_path: Path
    ) -> None:
        words = tmp_path / "blocked.txt"
        words.write_text("onion\n")
        shown = many.search("magma", semantic=True, show_all=True)
        with Searcher(long_run, {"search.blocked_words": str(words)}) as searcher:
            results = searcher.search("magma", semantic=True, show_all=True)
        assert results.hidden == results.hidden_by["search.blocked_words"] == shown.total - results.total > 0

    def test_pages_like_another_are_found_by_their_vectors_too(self, many: Searcher) -> None:
        by_words = many.search(like="http://h1.test/1", show_all=True, per_page=1000)
        by_both = many.search(like="http://h1.test/1", semantic=True, show_all=True, per_page=1000)
        assert {hit.url for hit in by_words.hits} <= {hit.url for hit in by_both.hits}
        assert max(hit.parts.text for hit in by_both.hits) > 0
        assert "http://h1.test/1" not in {hit.url for hit in by_both.hits}


class TestHowMany:
    @pytest.fixture
    def runs(self, tmp_path: Path) -> list[Path]:
        """Two runs with ten addresses in common, and three texts that two pages have."""
        texts = {n: f"Ore number {n if n < 20 else n - 3} is a rock. " for n in range(23)}
        pages = {f"http://m.test/{n}": html(f"Page {n}", text) for n, text in texts.items()}
        again = {f"http://m.test/{n}": html(f"Other {n}", f"Another ore, {n}, again.") for n in range(3, 33)}
        others = {url: text for url, text in again.items() if int(url.rpartition("/")[2]) not in range(13, 23)}
        return [run_of(tmp_path / "one", pages, guard__on=False), run_of(tmp_path / "two", others, guard__on=False)]

    @pytest.mark.parametrize("semantic", [False, True])
    def test_the_total_is_what_can_be_paged_through(self, runs: list[Path], *, semantic: bool) -> None:
        with Searcher(runs) as searcher:
            totals = set()
            for per_page in (1, 4, 7, 1000):
                urls: list[str] = []
                for page in range(1, 100):
                    results = searcher.search("ore", semantic=semantic, page=page, per_page=per_page)
                    totals.add(results.total)
                    urls += [hit.url for hit in results.hits]
                    if not results.hits:
                        break
                assert len(urls) == len(set(urls)) == results.total
            assert totals == {30}
            assert searcher.search("ore", semantic=semantic, show_all=True).total == 33

    def test_it_is_the_same_where_too_many_match_to_score_them_all(
        self, runs: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("honeyguide.search.choosing.LAST_LOOK", 22)
        with Searcher(runs) as searcher:
            found = [searcher.search("ore", page=page, per_page=size) for page, size in ((1, 1), (2, 10), (1, 1000))]
            apart = searcher.search("ore", show_all=True)
        assert {results.total for results in found} == {30}
        assert apart.total == 33

    @pytest.mark.parametrize("collapses", [False, True])
    def test_where_too_many_match_pages_of_hits_are_pieces_of_one_list(
        self, runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, collapses: bool
    ) -> None:
        chance = random.Random(7)
        pages = {
            f"http://k.test/{n}": html(
                f"Page {n}", "ore " * chance.randint(1, 3) + "rock " * chance.randint(0, 9) + "tin " * n
            )
            for n in range(150)
        }
        big = run_of(tmp_path / "big", pages, guard__on=False)
        weights = {"search.topic_weight": 5.0, "search.collapse": collapses}
        with Searcher([big, *runs], weights) as searcher:
            everything = searcher.search("ore", per_page=1000).hits
            monkeypatch.setattr("honeyguide.search.choosing.LAST_LOOK", 40)
            lists = []
            for per_page in (7, 33, 1000):
                hits: list[SearchHit] = []
                for page in range(1, 200):
                    found = searcher.search("ore", page=page, per_page=per_page).hits
                    hits += found
                    if not found:
                        break
                lists.append([hit.url for hit in hits])
                assert len(set(lists[-1])) == len(lists[-1]) == len(everything) > 170
                scores = [hit.score for hit in hits[:40]]
                assert scores == sorted(scores, reverse=True)
                assert [hit.score for hit in hits] != sorted((hit.score for hit in hits), reverse=True)
        assert lists[0] == lists[1] == lists[2]


class TestSeveralRuns:
    def test_an_address_is_shown_once(self, run: Path, tmp_path: Path) -> None:
        other = run_of(
            tmp_path / "other",
            {"http://a.test/basalt": html("Basalt, newer", "Basalt again."), "http://d.test/": html("D", "basalt")},
        )
        results = honeyguide.search_runs([run, other], "basalt", per_page=100)
        assert sorted(hit.url for hit in results.hits) == [
            "http://a.test/basalt",
            "http://a.test/granite",
            "http://d.test/",
        ]
        assert results.pages_searched == 8
        assert {hit.run for hit in results.hits} == {run, other}

    def test_what_is_left_out_counts_once(self, run: Path, tmp_path: Path) -> None:
        other = run_of(
            tmp_path / "other",
            {
                "http://a.test/basalt": html("Basalt", ROCKS),
                "http://b.test/lava": html("Stone", "A rock, which has nothing to hide."),
            },
        )
        words = tmp_path / "blocked.txt"
        words.write_text("lava\n")
        blocked = {"search.blocked_words": str(words)}
        for semantic in (False, True):
            alone = honeyguide.search_runs(run, "rock", blocked, semantic=semantic, show_all=True)
            both = honeyguide.search_runs([run, other], "rock", blocked, semantic=semantic, show_all=True)
            assert "http://b.test/lava" not in {hit.url for hit in alone.hits}
            assert "http://b.test/lava" in {hit.url for hit in both.hits}
            assert alone.hidden == alone.hidden_by["search.blocked_words"] == 3  # basalt, its copy and lava
            assert both.hidden == both.hidden_by["search.blocked_words"] == 2

    def test_a_run_that_is_named_twice_is_searched_once(self, run: Path, tmp_path: Path) -> None:
        again = tmp_path / "again"
        again.symlink_to(run)
        alone = honeyguide.search_runs(run, "rock")
        with honeyguide.open_run(run) as opened:
            assert honeyguide.search_runs([run, opened, again, str(run)], "rock") == alone

    def test_equal_pages_of_runs_of_any_size_score_alike(self, run: Path, tmp_path: Path) -> None:
        alone = run_of(
            tmp_path / "alone", {"http://e.test/": html("Other", "A text about quartz and of nothing else.")}
        )
        many = {f"http://f.test/{n}": html(f"Filler {n}", f"Filler number {n} says nothing.") for n in range(50)}
        crowd = run_of(
            tmp_path / "crowd", {**many, "http://f.test/q": html("Other", "A text about quartz and of nothing else.")}
        )
        weights = {"search.rank_weight": 0, "search.topic_weight": 0, "search.collapse": False}
        one, other = honeyguide.search_runs([alone, crowd], "quartz", weights).hits
        assert one.score == pytest.approx(other.score, rel=0.25)

    def test_a_run_that_is_open_is_searched_and_stays_open(self, run: Path) -> None:
        with honeyguide.open_run(run) as opened:
            assert honeyguide.search_runs(opened, "granite").total == 1
            assert len(list(opened.pages())) == 6


class TestBadInput:
    def test_an_empty_run_has_no_hits(self, tmp_path: Path) -> None:
        gone = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
        results = honeyguide.search_runs(run_of(tmp_path / "empty", {"http://a.test/": gone}), "zebra", semantic=True)
        assert (results.pages_searched, results.total, results.hits, results.suggestion) == (0, 0, (), None)

    @pytest.mark.parametrize("query", ["!!!", "-", "+ -", "…", "\x00", "\ud800", "x" * 300])
    def test_a_query_without_a_word_is_reported(self, searcher: Searcher, query: str) -> None:
        with pytest.raises(QueryError, match="has no word that can be looked for"):
            searcher.search(query)

    def test_a_long_query_is_no_trouble(self, searcher: Searcher) -> None:
        assert names(searcher.search("rock OR " * 2_000 + "basalt"))

    def test_pages_of_hits_count_from_one(self, searcher: Searcher) -> None:
        for page, per_page in ((0, 10), (1, 0), (1, 1001), (10**20 - 1, 10)):
            with pytest.raises(QueryError, match="pages count from 1"):
                searcher.search("rock", page=page, per_page=per_page)

    @pytest.mark.parametrize(
        ("question", "error"),
        [
            ({"page": "x"}, "page 'x' of 10 hits: pages count from 1"),
            ({"per_page": 2.5}, "page 1 of 2.5 hits: pages count from 1"),
            ({"hosts": 5}, "hosts is 5: give a list of names"),
            ({"hosts": ["a.test", None]}, "hosts is ['a.test', None]: give a list of names"),
            ({"query": None}, "query is None: give text"),
            ({"query": "", "like": 5}, "like is 5: give text"),
        ],
    )
    def test_what_is_of_another_kind_is_reported(
        self, searcher: Searcher, question: dict[str, Any], error: str
    ) -> None:
        with pytest.raises(QueryError, match=re.escape(error)):
            searcher.search(**({"query": "rock"} | question))

    def test_settings_that_a_search_does_not_look_at_are_refused(self, run: Path) -> None:
        for key, value in (("search.language", "german"), ("crawl.strategy", "random"), ("vectors.source", "x.vec")):
            with pytest.raises(SettingsError, match=f"{key} is no setting of a search: choose one of search.blocked_"):
                Searcher(run, {key: value})

    def test_settings_are_checked(self, run: Path) -> None:
        with pytest.raises(SettingsError, match=r"search\.rank_weight is -1"):
            Searcher(run, {"search.rank_weight": -1})
        with pytest.raises(SettingsError, match=r"unknown setting search\.weight"):
            Searcher(run, {"search.weight": 1})
        nothing = {"search.text_weight": 0, "search.rank_weight": 0, "search.topic_weight": 0}
        with Searcher(run, nothing) as searcher, pytest.raises(QueryError, match="all weights are 0"):
            searcher.search("rock")

    def test_weights_have_bounds_and_only_their_shares_count(self, run: Path) -> None:
        parts = ("text", "rank", "topic", "meaning")
        for key in (*(f"search.{part}_weight" for part in parts), "search.title_boost"):
            with pytest.raises(SettingsError, match=rf"{key} is 1e\+300: it must be at least 0 and at most 1,000"):
                Searcher(run, {key: 1e300})
        found = [
            honeyguide.search_runs(run, "rock", {f"search.{part}_weight": weight for part in parts}, semantic=True).hits
            for weight in (1.0, 5e-324, 1000.0)
        ]
        assert found[0] == found[1] == found[2]

    def test_one_that_is_closed_says_so(self, run: Path) -> None:
        searcher = Searcher(run)
        searcher.close()
        searcher.close()
        for ask in (lambda: searcher.search("rock"), searcher.refresh, lambda: searcher.pages):
            with pytest.raises(StoreError, match="this searcher is closed: open the runs with another"):
                ask()

    def test_what_is_no_run_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(RunDamaged, match="is not a run folder"):
            Searcher(tmp_path)
        with pytest.raises(QueryError, match="there is no run to search"):
            Searcher([])


def _nothing_new(searcher: object, keys: NDArray[np.int64], vectors: object) -> object:
    assert not len(keys)
    return PageVectors.of(np.empty(0, dtype=np.int64), np.empty((0, 256)))
