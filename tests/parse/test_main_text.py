"""Main text: what is left without navigation, site headers, footers and sidebars."""

from __future__ import annotations

import pytest

from parse.parsed import link_to, page_of


@pytest.mark.parametrize(
    "aside",
    [
        "<nav>aside</nav>", "<footer>aside</footer>", "<aside>aside</aside>", "<header>aside</header>",
        "<div role=navigation>aside</div>", "<div role=banner>aside</div>", "<section role=contentinfo>aside</section>",
        "<div class=navbar>aside</div>", "<ul class='x main-menu'>aside</ul>", "<div id=sidebar>aside</div>",
        "<div id=site-footer>aside</div>", "<div class='breadcrumbs'>aside</div>", "<div class=navheader>aside</div>",
        "<div class='cookie-banner'>aside</div>", "<DIV CLASS=Footer>aside</DIV>", "<p class=pagination>aside</p>",
    ],
)  # fmt: skip
def test_boilerplate_is_text_but_not_main_text(aside: str) -> None:
    page = page_of(f"<body>{aside}<p>main words</p></body>")
    assert sorted(page.words) == ["aside", "main", "words"]
    assert page.main_words == ("main", "words")


@pytest.mark.parametrize(
    "content",
    [
        "<article><header>main</header> words</article>", "<main><header>main</header> words</main>",
        "<div class='has-sidebar'>main words</div>", "<div class='no-nav content'>main words</div>",
        "<div class='restaurant-menu'>main words</div>", "<div id=navigational-history>main words</div>",
        "<div class=toc>main words</div>", "<div class=sidebar><main>main words</main></div>",
        "<div class='menu'><div><div role=main>main words</div></div></div>", "<div role=form class=x>main words</div>",
    ],
)  # fmt: skip
def test_content_is_not_mistaken_for_boilerplate(content: str) -> None:
    assert page_of(f"<nav>aside</nav>{content}").main_words == ("main", "words")


def test_main_text_may_be_in_several_spans() -> None:
    page = page_of("<p>one two<nav>three<div class=menu>four</div>five</nav><p>six<footer>seven</footer>")
    assert page.main_spans == ((0, 2), (5, 6))
    assert page.main_words == ("one", "two", "six")


def test_links_know_whether_they_stand_in_the_main_text() -> None:
    page = page_of("<nav><a href='/n'>home</a></nav><a href='/m'>more</a><footer>by <a href='/n'>us</a></footer>")
    assert [place.in_main for place in link_to(page, "/n").occurrences] == [False, False]
    assert [place.in_main for place in link_to(page, "/m").occurrences] == [True]


def test_a_page_that_is_all_boilerplate_is_its_own_main_text() -> None:
    page = page_of("<nav>only <a href='/x'>links</a></nav>")
    assert page.main_spans == ((0, 2),)


def test_navigation_inside_a_link_does_not_move_its_words() -> None:
    page = page_of("<div>one <a href='/x'>two <nav>three</nav> four</a> five")
    place = page.links[0].occurrences[0]
    assert page.words[place.start : place.end] == ("two", "three", "four")
    assert page.main_words == ("one", "two", "four", "five")
