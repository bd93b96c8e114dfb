"""The parts of a search that are plain functions: spelling, quality, times, blocked words."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from honeyguide.errors import QueryError
from honeyguide.search.indexing import text_quality
from honeyguide.search.matching import domains_of, marked, unmarked
from honeyguide.search.query import span
from honeyguide.search.spelling import SLIP, Speller, slips_between
from honeyguide.text import words_of
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from pathlib import Path


@given(st.text())
def test_marks_come_and_go(text: str) -> None:
    once = marked(text)
    assert marked(once) == once
    assert marked(unmarked(once)) == once


def plain_slips(one: str, other: str) -> int:
    """The distance by its definition, a place at a time."""
    table = {(row, 0): row for row in range(len(one) + 1)} | {(0, column): column for column in range(len(other) + 1)}
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            best = min(
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + (one[row - 1] != other[column - 1]),
            )
            if row > 1 and column > 1 and one[row - 1] == other[column - 2] and one[row - 2] == other[column - 1]:
                best = min(best, table[row - 2, column - 2] + 1)
            table[row, column] = best
    return table[len(one), len(other)]


class TestSpelling:
    @given(st.text("abcé", min_size=1, max_size=8), st.lists(st.text("abcé", min_size=1, max_size=8), min_size=1))
    def test_slips_are_counted_for_many_words_at_once(self, word: str, others: list[str]) -> None:
        counted = slips_between(word, np.array(others, dtype="<U24"))
        assert counted.tolist() == [plain_slips(word, other) for other in others]

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("geolgy", "geology"),
            ("goelogy", "geology"),
            ("geologyy", "geology"),
            ("geology", None),
            ("theology", None),
            ("geoolgyy", "geology"),
            ("rokc", "rock"),
            ("rkc", None),  # too short to tell
            ("zzzzzz", None),
            ("12345", None),
        ],
    )
    def test_what_is_spelled_nearly_so_and_on_many_pages_is_suggested(self, typed: str, meant: str | None) -> None:
        known = [("geology", 300), ("theology", 20), ("geodesy", 5), ("rock", 500), ("rick", 1)]
        assert Speller(known).suggestion(typed) == meant

    def test_a_rare_spelling_gives_way_to_one_that_far_more_pages_have(self) -> None:
        assert Speller([("mineral", 101), ("mineraal", 2)]).suggestion("mineraal") == "mineral"
        assert Speller([("mineral", 99), ("mineraal", 2)]).suggestion("mineraal") is None

    def test_of_equal_words_the_first_in_the_alphabet_is_suggested(self) -> None:
        assert Speller([("slate", 7), ("skate", 7)]).suggestion("scate") == "skate"

    @given(
        st.text("abcdeéж", min_size=4, max_size=9),
        st.dictionaries(st.text("abcdeéжa", min_size=2, max_size=9), st.sampled_from([1, 2, 60, 120, 3000, 9000])),
    )
    def test_words_that_are_ruled_out_beforehand_would_not_have_been_suggested(
        self, typed: str, pages: dict[str, int]
    ) -> None:
        most = 2 if len(typed) >= 6 else 1
        worth = {
            word: count / SLIP**slips
            for word, count in pages.items()
            if 1 <= (slips := plain_slips(typed, word)) <= most
        }
        best = max(worth.values(), default=0.0)
        meant = min((word for word in worth if worth[word] == best), default=None)
        assert Speller(pages.items()).suggestion(typed) == (meant if best > pages.get(typed, 0) else None)

    def test_no_words_no_suggestion(self) -> None:
        assert Speller([]).suggestion("rocks") is None

    def test_a_query_is_put_right_where_it_stands(self, tmp_path: Path) -> None:
        run = run_of(
            tmp_path / "run", {f"http://a.test/{n}": html(str(n), "volcanic basalt columns") for n in range(3)}
        )
        assert honeyguide.search_runs(run, "bsaalt -granite").suggestion == "basalt -granite"
        assert honeyguide.search_runs(run, 'title:x OR "volcanik BASALTT"').suggestion == 'title:x OR "volcanic basalt"'
        assert honeyguide.search_runs(run, "basalt").suggestion is None
        assert honeyguide.search_runs(run, "host:bsaalt.test").suggestion is None


class TestQuality:
    PROSE = (
        "Basalt is a fine-grained, dark rock. It forms when lava cools quickly at the surface, as it does on Iceland. "
        "Most of the ocean floor is made of it, and so are the plains of the Moon, which we see as dark patches."
    )

    def test_prose_has_all_of_it(self) -> None:
        assert text_quality(self.PROSE, words_of(self.PROSE)) == 1.0

    def test_little_monotonous_or_unpunctuated_text_has_less(self) -> None:
        for text, most in (("Page not found.", 0.1), ("buy cheap shoes " * 50, 0.1), ("menu home contact " * 3, 0.01)):
            assert text_quality(text, words_of(text)) <= most
        assert text_quality("", []) == 0.0

    def test_numbers_by_hand(self) -> None:
        # 15 of 30 words, 3 distinct of 15 over 0.3, one mark of 15 words: 0.5 · 0.6667 · 1
        assert text_quality("a b c " * 5 + ".", ["a", "b", "c"] * 5) == pytest.approx(1 / 3)

    def test_low_quality_is_left_out_where_asked_for(self, tmp_path: Path) -> None:
        run = run_of(
            tmp_path / "run",
            {"http://a.test/good": html("Good", self.PROSE), "http://a.test/bad": html("Bad", "basalt " * 80)},
        )
        assert honeyguide.search_runs(run, "basalt").total == 2
        results = honeyguide.search_runs(run, "basalt", {"search.min_quality": 0.5})
        assert [hit.url for hit in results.hits] == ["http://a.test/good"]
        assert (results.total, results.hidden) == (1, 1)


SWEARING = {
    "http://a.test/1": html("One", "A rock and a Swear word."),
    "http://a.test/2": html("Two", "A rock that swears by nothing."),
    "http://a.test/3": html("Bad title", "A rock."),
    "http://a.test/4": html("Four", "A rock with two bad words in it."),
}


class TestBlockedWords:
    def test_pages_with_a_listed_word_or_phrase_are_left_out(self, tmp_path: Path) -> None:
        run = run_of(tmp_path / "run", SWEARING)
        words = tmp_path / "words.txt"
        words.write_text("\ufeff# a comment\nSwear\n\nbad words  # another\n東京\n", encoding="utf-8")
        results = honeyguide.search_runs(run, "rock", {"search.blocked_words": str(words)})
        assert {hit.url[-1] for hit in results.hits} == {"2", "3"}
        assert results.hidden == 2
        words.write_text("bad")
        results = honeyguide.search_runs(run, "rock", {"search.blocked_words": str(words)})
        assert {hit.url[-1] for hit in results.hits} == {"1", "2"}

    def test_a_list_without_a_word_is_reported(self, tmp_path: Path) -> None:
        run = run_of(tmp_path / "run", SWEARING)
        words = tmp_path / "words.txt"
        words.write_text("# nothing\n!!!\n")
        with pytest.raises(QueryError, match="has no word, so nothing would be left out; write one a line"):
            honeyguide.search_runs(run, "rock", {"search.blocked_words": str(words)})
        words.write_text("# nothing\n!!!\nzebra\n")
        assert honeyguide.search_runs(run, "rock", {"search.blocked_words": str(words)}).total == 4

    def test_a_list_that_cannot_be_read_is_reported(self, tmp_path: Path) -> None:
        run = run_of(tmp_path / "run", SWEARING)
        with pytest.raises(QueryError, match=r"cannot read .*none\.txt: No such file"):
            honeyguide.search_runs(run, "rock", {"search.blocked_words": str(tmp_path / "none.txt")})
        (tmp_path / "odd.txt").write_bytes(b"\xff\xfe\xff")
        with pytest.raises(QueryError, match="is not UTF-8 text"):
            honeyguide.search_runs(run, "rock", {"search.blocked_words": str(tmp_path / "odd.txt")})


def since(moment: Any) -> float | None:
    return span(moment, None)[0]


def until(moment: Any) -> float | None:
    return span(None, moment)[1]


class TestMoments:
    def test_days_and_times_are_of_utc(self) -> None:
        day = datetime(2026, 5, 1, tzinfo=UTC).timestamp()
        assert since("2026-05-01") == day
        assert day + 86_399.999_999 < (until("2026-05-01") or 0.0) < day + 86_400
        assert until("2026-05-01") == until(date(2026, 5, 1)) == until("2026-W18-5")
        assert since(date(2026, 5, 1)) == day
        assert until("2026-05-01T00:00") == day
        assert since("2026-05-01T02:00+02:00") == day
        assert since(datetime(2026, 5, 1)) == day  # noqa: DTZ001
        assert since(datetime(2026, 5, 1, 2, tzinfo=timezone(timedelta(hours=2)))) == day

    def test_seconds_are_of_the_crawls_clock(self) -> None:
        assert since("12.5") == until(12.5) == 12.5
        assert since(None) is until("") is None

    def test_the_last_day_of_all_is_a_day(self) -> None:
        assert until("9999-12-31") == math.nextafter(253_402_300_800.0, 0)

    def test_a_moment_is_from_then_until_then(self) -> None:
        assert span("2026-05-01T12:30", "2026-05-01T12:30") == (since("2026-05-01T12:30"),) * 2
        with pytest.raises(QueryError, match="since 2026-05-02 is after until 2026-05-01: no page can be from then"):
            span("2026-05-02", "2026-05-01")

    @pytest.mark.parametrize(
        "moment",
        ["tomorrow", "2026-13-01", "9999-12-31T25:00", float("nan"), float("inf"), 10**400, [5]],
    )
    def test_what_is_no_time_is_reported(self, moment: Any) -> None:
        with pytest.raises(QueryError, match="until is"):
            until(moment)


@pytest.mark.parametrize(
    ("host", "domains"),
    [
        ("www.example.org", ["www.example.org", "example.org", "org"]),
        ("example.org:81", ["example.org:81", "example.org", "org"]),
        ("127.0.0.1:8080", ["127.0.0.1:8080", "127.0.0.1"]),
        ("[::1]", ["[::1]"]),
        ("[::1]:80", ["[::1]:80", "[::1]"]),
        ("localhost", ["localhost"]),
    ],
)
def test_a_host_belongs_to_domains(host: str, domains: list[str]) -> None:
    assert domains_of(host) == domains
