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
        "<details role=navigation>aside</details>", "<table role=navigation><tr><td>aside</table>",
        "<form><select><option>aside</select></form>", "<div class=sidebar><a href=/x>aside</a></div>",
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
        "<div class=sidebar>main words</div>",
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


@pytest.mark.parametrize("main", ["<main>main words</main>", "<div role=main>main words</div>"])
def test_outside_what_a_page_marks_as_main_nothing_is_main_text(main: str) -> None:
    page = page_of(f"aside <p>aside <a href='/x'>aside</a></p><div><h1>aside</h1>{main}<p>aside</p></div>aside")
    assert page.words.count("aside") == 6
    assert page.main_words == ("main", "words")
    assert not link_to(page, "/x").occurrences[0].in_main


def test_navigation_within_what_is_marked_as_main_is_still_navigation() -> None:
    page = page_of(
        "aside<main>main <nav>aside <a href='/n'>aside</a></nav><a href='/m'>words</a></main><nav>aside</nav>"
    )
    assert page.main_words == ("main", "words")
    assert not link_to(page, "/n").occurrences[0].in_main
    assert link_to(page, "/m").occurrences[0].in_main


def test_main_content_may_be_marked_in_several_places_and_twice_in_one() -> None:
    page = page_of("a<main>one</main>b<main>two <div role=main>three</div> four</main>c<div role=main>five</div>d")
    assert page.main_words == ("one", "two", "three", "four", "five")


def test_a_page_whose_marked_main_content_is_empty_is_its_own_main_text() -> None:
    assert page_of("<p>some words</p><main></main>").main_words == ("some", "words")


def test_a_text_that_could_be_read_as_a_marker_does_not_confuse_the_main_text() -> None:
    page = page_of("aside &#1;\x04 aside<main>main \x01\x05 words</main>aside")
    assert page.main_words == ("main", "words")


@pytest.mark.parametrize(
    ("box", "is_main"),
    [
        ("<div class=sidebar>words of a note, and <a href='/x'>one</a> link</div>", True),
        ("<div class=sidebar>See <a href='/x'>first chapter</a></div>", False),
        ("<div id=sidebar>words of a note, and <a href='/x'>one</a> link</div>", False),
        ("<div class=left-sidebar>words of a note, and <a href='/x'>one</a> link</div>", False),
    ],
)
def test_a_box_of_text_may_be_called_a_sidebar(box: str, is_main: bool) -> None:
    page = page_of(f"<p>main words</p>{box}")
    assert (len(page.main_words) > 2) is is_main


@pytest.mark.parametrize(
    "element", ["<a role=button>words</a>", "<img role=presentation src=x>words", "<area role=main>words"]
)
def test_a_role_makes_no_link_of_an_anchor_and_no_text_of_an_image(element: str) -> None:
    page = page_of(f"main {element}")
    assert page.main_words == ("main", "words")
    assert page.links == ()


def test_boxes_are_read_up_to_a_number_because_each_may_hold_all_the_others() -> None:
    page = page_of("<p>main words</p>" + "<div class=sidebar>box</div>" * 100)
    assert page.main_words == ("main", "words", *["box"] * 20)
