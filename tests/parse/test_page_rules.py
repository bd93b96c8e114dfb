"""Pages of a wiki: text and links from the first paragraph on, and only links to articles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from honeyguide.model import Fetched, Page, Url
from honeyguide.parse import WIKIPEDIA, parse, parser_for
from honeyguide.parse.links import WHOLE_PAGE
from honeyguide.settings import settings_from

HERE = "https://en.wikipedia.org/wiki/Tennis"


def wiki_page(body: str, url: str = HERE) -> Page:
    return parse(Url.parse(url), Fetched(200, "text/html; charset=utf-8", body.encode()), WIKIPEDIA)


def paths_of(page: Page) -> list[str]:
    return [link.target.path_and_query for link in page.links]


def test_text_and_links_begin_at_the_first_paragraph() -> None:
    page = wiki_page(
        """<html><head><title>Tennis</title></head><body>
        <div id="panel">Menu <a href="/wiki/Main_Page">Main page</a></div>
        <div id="content"><h1>Tennis</h1><a href="/wiki/Early">early</a> stray
        <p>Tennis is a <a href="/wiki/Sport">sport</a>.</p><ul><li><a href="/wiki/Racket">racket</a></li></ul></div>
        <div><a href="/wiki/Later">later</a></div></body></html>"""
    )
    assert page.title == "Tennis"
    assert page.text == "Tennis is a sport. racket later"
    assert page.words == ("tennis", "is", "a", "sport", "racket", "later")
    assert paths_of(page) == ["/wiki/Sport", "/wiki/Racket", "/wiki/Later"]
    assert [(link.first_occurrence.start, link.first_occurrence.end) for link in page.links] == [(3, 4), (4, 5), (5, 6)]


def test_without_the_rules_all_of_it_counts() -> None:
    body = '<a href="/wiki/Main_Page">Main</a><p><a href="/wiki/Sport#x">a</a><a href="/w/index.php">b</a></p>'
    page = parse(Url.parse(HERE), Fetched(200, "text/html", body.encode()))
    assert paths_of(page) == ["/wiki/Main_Page", "/wiki/Sport", "/w/index.php"]
    assert page.words == ("main", "a", "b")


@pytest.mark.parametrize(
    "body",
    [
        "<P>one <a href='/wiki/A'>a</a>",
        "<p\nclass='lead'>one <a href='/wiki/A'>a</a>",
        "<pre>no <a href='/wiki/N'>n</a></pre><p>one <a href='/wiki/A'>a</a>",
        "<!-- <p> --><a href='/wiki/N'>n</a><p>one <a href='/wiki/A'>a</a>",
        "<script>'<p>'</script><a href='/wiki/N'>n</a><p>one <a href='/wiki/A'>a</a>",
        "<noscript><p>no</p></noscript><a href='/wiki/N'>n</a><p>one <a href='/wiki/A'>a</a>",
        "<table><tr><td><a href='/wiki/N'>n</a></td><td>no<p>one <a href='/wiki/A'>a</a></td></tr></table>",
        "<div><div>no<span>no <a href='/wiki/N'>n</a></span><div><p>one <a href='/wiki/A'>a</a></div></div></div>",
        "<a href='/wiki/N'>no<p>one</p></a><a href='/wiki/A'>a</a>",
        "</p>one <a href='/wiki/A'>a</a>",
    ],
    ids=lambda body: body[:24],
)
def test_the_first_paragraph_is_found_wherever_it_stands(body: str) -> None:
    page = wiki_page(f"<html><body>{body}</body></html>")
    assert page.words == ("one", "a")
    assert paths_of(page) == ["/wiki/A"]


@pytest.mark.parametrize("body", ["", "x", "<h1>One</h1><ul><li><a href='/wiki/A'>a</a></ul>", "<frameset></frameset>"])
def test_without_a_paragraph_there_is_nothing(body: str) -> None:
    page = wiki_page(f"<html><head><title>Still titled</title></head>{body}</html>")
    assert (page.title, page.words, page.links) == ("Still titled", (), ())


def test_what_is_a_sidebar_stays_one() -> None:
    page = wiki_page("<div class='sidebar'>no<p><a href='/wiki/X'>inside</a></p></div><p>outside</p>")
    assert page.words == ("inside", "outside")
    assert page.main_words == ("outside",)


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("/wiki/Sport", "/wiki/Sport"),
        ("/wiki/Grand_Slam_(tennis)", "/wiki/Grand_Slam_(tennis)"),
        ("/wiki/Caf%c3%a9", "/wiki/Caf%C3%A9"),
        ("/wiki/Café", "/wiki/Caf%C3%A9"),
        ("https://en.wikipedia.org/wiki/Sport", "/wiki/Sport"),
        ("//en.wikipedia.org/wiki/Sport", "/wiki/Sport"),
        ("./Sport", "/wiki/Sport"),
        ("/wiki/Sport#History", None),
        ("/wiki/Sport#", None),
        ("#History", None),
        ("#", None),
        ("", None),
        ("/wiki/File:Ball.jpg", None),
        ("/wiki/File%3ABall.jpg", None),
        ("/wiki/File%3aBall.jpg", None),
        ("/wiki/Talk:Tennis", None),
        ("/wiki/2001:_A_Space_Odyssey", None),
        ("/w/index.php?title=Sport", None),
        ("/Wiki/Sport", None),
        ("/wiki", None),
        ("https://de.wikipedia.org/wiki/Sport", None),
        ("https://example.org/wiki/Sport", None),
        ("mailto:a@b.example", None),
        ("/wiki/Tennis", None),
        ("https://en.wikipedia.org/wiki/Tennis", None),
        ("Tennis", None),
    ],
)
def test_only_links_to_articles_of_the_same_wiki_count(href: str, path: str | None) -> None:
    page = wiki_page(f"<p>a <a href='{href}'>link</a> b</p>")
    assert paths_of(page) == ([] if path is None else [path])
    assert page.words == ("a", "link", "b"), "its words are text in any case"


def test_the_first_occurrence_is_the_first_that_leads_to_the_article_and_not_into_it() -> None:
    page = wiki_page("<p><a href='/wiki/Sport#x'>into</a> it, and to <a href='/wiki/Sport'>it</a></p>")
    (link,) = page.links
    assert [place.anchor for place in link.occurrences] == ["it"]
    assert link.first_occurrence.start == 4


def test_a_page_of_thousands_of_links_keeps_their_order() -> None:
    page = wiki_page("<p>" + " ".join(f"<a href='/wiki/A{number}'>x</a>" for number in range(1_900)))
    assert paths_of(page) == [f"/wiki/A{number}" for number in range(1_900)]


def test_text_that_is_no_html_has_no_paragraphs_to_look_for() -> None:
    page = parse(Url.parse(HERE), Fetched(200, "text/plain", b"plain words"), WIKIPEDIA)
    assert page.words == ("plain", "words")


TAG_PATHS = (
    '<div id="a" class="x y"><ul><li><a href="/1">one</a><a href="/2">two</a></li></ul></div><a href="/1">again</a>'
)


def test_links_are_told_with_the_elements_around_them_where_these_are_asked_for() -> None:
    fetched = Fetched(200, "text/html", TAG_PATHS.encode())
    asked = parse(Url.parse(HERE), fetched, replace(WHOLE_PAGE, tag_paths=True))
    assert [link.tag_path for link in asked.links] == ["html body div#a.x.y ul li"] * 2, (
        "that of the first place counts"
    )
    assert [link.tag_path for link in parse(Url.parse(HERE), fetched).links] == ["", ""]


@pytest.mark.parametrize(("strategy", "asks"), [("tag-path-bandit", True), ("best-first", False)])
def test_the_strategy_decides_whether_tag_paths_are_asked_for(strategy: str, asks: bool) -> None:
    parsed = parser_for(settings_from({"crawl": {"strategy": strategy}}))
    page = parsed(Url.parse(HERE), Fetched(200, "text/html", TAG_PATHS.encode()))
    assert any(link.tag_path for link in page.links) is asks
