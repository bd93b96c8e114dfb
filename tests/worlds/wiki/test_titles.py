"""Titles are written as MediaWiki writes them, and addresses are what a crawler would ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Url
from honeyguide.worlds.wiki.titles import SiteInfo, TitleRules

RULES = TitleRules(SiteInfo(base="http://en.wiki.test/wiki/Main_Page", number_by_namespace={"portal talk": 101}))


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("rock", "Rock"),
        (" _rock__music_ ", "Rock music"),
        ("rock#History", "Rock"),
        (":rock", "Rock"),
        ("r%6Fck", "Rock"),
        ("100%", "100%"),
        ("AT&amp;T", "AT&T"),
        ("Cafe\u0301", "Café"),
        ("éclair", "Éclair"),
        ("ßtrasse", "ßtrasse"),
        ("a\u00a0\u3000b", "A b"),
        ("\u200erock\u200f", "Rock"),
        ("a[b", ""),
        ("a|b", ""),
        ("../up", ""),
        ("x" * 256, ""),
        ("", ""),
    ],
)
def test_a_title_is_normalised(written: str, title: str) -> None:
    assert RULES.normalise(written) == title


def test_a_wiki_may_tell_small_letters_from_capitals() -> None:
    assert TitleRules(SiteInfo(has_capital_titles=False)).normalise("rock") == "rock"


@pytest.mark.parametrize("written", ["Portal_talk:X", "user:X", "FILE:X", "Category : X", "de:X", "wikt:X", "//x.test"])
def test_what_is_in_another_place_is_no_article(written: str) -> None:
    assert RULES.article(written) == ""


@given(st.text(max_size=40))
def test_normalising_twice_equals_once(text: str) -> None:
    once = RULES.normalise(text)
    if "%" not in once and "&" not in once and not once.startswith(":"):
        assert RULES.normalise(once) == once


@given(st.text(max_size=40))
def test_an_address_is_canonical_and_leads_back_to_its_title(text: str) -> None:
    title = RULES.article(text)
    if title and "&" not in title and "%" not in title:
        address = RULES.address(title)
        assert Url.parse(address).text == address
        assert RULES.title_at(address) == title


@pytest.mark.parametrize(
    ("base", "home"),
    [
        ("http://en.wikipedia.org/wiki/Main_Page", "http://en.wikipedia.org/wiki/"),
        ("https://de.wikipedia.org/wiki/Wikipedia:Hauptseite", "https://de.wikipedia.org/wiki/"),
        ("http://x.test/w/index.php/Main_Page", "http://x.test/w/index.php/"),
        ("http://x.test/index.php?title=Main_Page", "http://x.test/wiki/"),
        ("", "https://wiki.invalid/wiki/"),
    ],
)
def test_addresses_follow_the_site_of_the_dump(base: str, home: str) -> None:
    assert SiteInfo(base=base).home == home
