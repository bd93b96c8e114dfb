"""Wikitext becomes clean text and links."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.worlds.wiki.second_pass import NOWHERE, ArticleRenderer
from honeyguide.worlds.wiki.titles import SiteInfo, TitleRules
from honeyguide.worlds.wiki.wikitext import ConvertedArticle, Converter

CONVERTER = Converter(TitleRules(SiteInfo(number_by_namespace={"bild": 6, "kategorie": 14})))
MARKUP = st.lists(
    st.sampled_from(
        ["[[", "]]", "{{", "}}", "{|", "|}", "|", "\n", "|-", "!", "=", "*", "''", "<ref>", "</ref>", "<nowiki>",
         "<!--", "-->", "</nowiki>", "[", "]", "http://a.b ", "rock", " ", "Category:", "File:", "&lt;", "<b>", "<",
         "'", "#", ":", "__TOC__"]
    ),
    max_size=40,
)  # fmt: skip


def converted(wikitext: str) -> ConvertedArticle:
    return CONVERTER.convert(wikitext)


def shown(wikitext: str) -> str:
    """The visible text, with every link left open."""
    article = converted(wikitext)
    html, _ = ArticleRenderer(str, str).body(article.html, [NOWHERE] * len(article.targets))
    return parse(Url("http://w.test/"), Fetched(200, "text/html; charset=utf-8", html.encode())).text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Gneiss''' is ''rock'' that's '''''old'''''.", "Gneiss is rock that's old."),
        ("a {{convert|3|km}} b", "a b"),
        ("a {{one|{{two|{{three}}}}}} b", "a b"),
        ("a {{open b", "a open b"),
        ("a}} b", "a b"),
        ("a<!-- [[hidden]] --> b <!-- never closed", "a b"),
        ("a<ref>note [[x]]</ref> b<ref name=x /> c", "a b c"),
        ("a <nowiki>[[not|a link]] ''x''</nowiki> b", "a [[not|a link]] ''x'' b"),
        ("<math>x^2 {{a}}</math> b", "b"),
        ("== Heading ==\ntext", "Heading text"),
        ("* one\n* two\n## three\n; term : meaning", "one two three term : meaning"),
        ("see [http://x.test/a some site] and [http://x.test/b] and http://x.test/c.", "see some site and and"),
        ("H<sub>2</sub>O<br/>ice", "H2O ice"),
        ("1 < 2 &amp; 3 &gt; 2 &mdash; &eacute;", "1 < 2 & 3 > 2 — é"),
        ("<script>x</script> <unknown> tag", "<script>x</script> <unknown> tag"),
        ("[[rock]]s and [[Rock (music)|]] and [[a|b]]c", "rocks and Rock and bc"),
        ("__NOTOC__a ~ b", "a ~ b"),
        ('{| class="x"\n! h1 !! h2\n|-\n| style="y" | a || b\n|}\nafter', "h1 h2 a b after"),
        ("[[File:x.jpg|thumb|200px|A [[rock]] in [http://x.test light]]] b", "A rock in light b"),
        ("[[Image:x.jpg|right]] b", "b"),
        ("<gallery>\nFile:a.jpg|first [[rock]]\nFile:b.jpg\n</gallery>", "first rock"),
        ("[[de:Gestein]] [[:de:Gestein]] [[wikt:rock|word]]", "de:Gestein word"),
        ("[[#History|below]] [[Talk:Rock|talk]]", "below talk"),
        ("[[http://x.test/ site]]", "site"),
        ("a [[broken b", "a [[broken b"),
    ],
)
def test_markup_leaves_clean_text(wikitext: str, text: str) -> None:
    assert shown(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "targets"),
    [
        ("[[rock]] [[Rock]] [[rock#types|x]] [[ rock_ ]]", ["Rock"]),
        ("[[:rock]] [[caf%C3%A9]] [[Cafe\u0301]] [[AT&amp;T]]", ["Rock", "Café", "AT&T"]),
        ("[[File:x.jpg|thumb|see [[granite]] and [[basalt|it]]]]", ["Granite", "Basalt"]),
        ("[[Talk:x]] [[#y]] [[de:z]] [[Image:w]] [[wikt:v]] [[Special:u]] [[]] [[|]] [[a<b]]", []),
        ("{{infobox|colour=[[green]]|{{inner|[[jade]]}}}}", ["Green", "Jade"]),
        ("<nowiki>[[no]]</nowiki> <!-- [[no]] --> <ref>[[no]]</ref> [[yes]]", ["Yes"]),
        ("[[Star Trek: Nemesis]]", ["Star Trek: Nemesis"]),
    ],
)
def test_links_lead_to_normalised_titles(wikitext: str, targets: list[str]) -> None:
    assert list(converted(wikitext).targets) == targets


def test_arguments_of_templates_keep_their_links_at_the_end() -> None:
    assert shown("{{Infobox|capital_city=[[Algiers]]|area=3}}Text.") == "Text. capital city: Algiers"


def test_a_link_inside_a_link_is_the_only_link() -> None:
    article = converted("[[outer|see [[inner]] here]]")
    assert article.targets == ("Inner",)


@pytest.mark.parametrize(
    "wikitext",
    [
        "[[Category:Planted]]",
        "[[category:planted|sort key]]",
        "[[ Kategorie : Planted ]]",
        "[[:Category:Planted|Planted]]",
        "{{box|[[Category:Planted]]}}",
        "<nowiki>[[Category:Planted]]</nowiki>",
        "<!-- [[Category:Planted]] -->",
        "[[Category:Planted",
        "[[Category:Planted|[x]]]",
        "[http://en.wiki.test/wiki/Category:Planted Planted things]",
        "[http://en.wiki.test/wiki/Category%3APlanted Planted things]",
        "http://en.wiki.test/wiki/Category:Planted",
        "<gallery>\nFile:a.jpg|[[Category:Planted]]\n</gallery>",
        "[[File:a.jpg|thumb|x [[Category:Planted]]]]",
        "{|\n| [[Category:Planted]]\n|}",
    ],
)
def test_no_category_is_ever_shown(wikitext: str) -> None:
    article = converted(f"Before {wikitext}\nafter [[rock]]")
    assert "lanted" not in article.html
    assert "ategor" not in article.html
    assert article.targets == ("Rock",)


@pytest.mark.parametrize(
    ("wikitext", "categories"),
    [
        ("[[Category:Rocks]] [[Category:rocks|*]] [[kategorie:Igneous_rocks| ]]", ("Rocks", "Igneous rocks")),
        ("[[:Category:Rocks]] <nowiki>[[Category:No]]</nowiki> <!-- [[Category:No]] -->", ()),
    ],
)
def test_categories_are_labels_without_sort_keys(wikitext: str, categories: tuple[str, ...]) -> None:
    assert converted(wikitext).categories == categories


@settings(max_examples=300, deadline=None)
@given(MARKUP)
def test_no_markup_is_too_broken(parts: list[str]) -> None:
    article = converted("".join(parts))
    numbers = [int(number) for number in re.findall("\x02(\\d+)\x03", article.html)]
    assert all(number < len(article.targets) for number in numbers)
    html, _ = ArticleRenderer(str, str).body(article.html, [NOWHERE] * len(article.targets))
    assert not re.search("[\x02-\x04]", html)


@pytest.mark.parametrize(
    "unit",
    ["[[", "{{", "<ref>", "<!--", "[[a|", "{{a|", "<nowiki>", "[http://", "{|\n", "'''", "[[File:a|", "[[a[b]", "="],
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    started = time.process_time()
    converted(unit * 20_000)
    assert time.process_time() - started < 2
