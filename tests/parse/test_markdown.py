"""The main content of pages as Markdown, held against what a reader of Markdown makes of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from honeyguide.model import Fetched
from honeyguide.parse import WIKIPEDIA
from honeyguide.parse.content import content_of
from honeyguide.parse.markdown import escape_markdown
from parse.parsed import PAGE_URL

READER = MarkdownIt("commonmark", {"html": True}).enable("table")


def markdown_of(html: str, content_type: str = "text/html; charset=utf-8") -> str:
    return content_of(PAGE_URL, Fetched(200, content_type, html.encode("utf-8", "surrogatepass"))).markdown


def shown(markdown: str) -> LexborHTMLParser:
    """What a reader of Markdown shows."""
    return LexborHTMLParser(READER.render(markdown))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A <i>b</i></h1><p>x</p><h3>C<a class=headerlink href='#c'>¶</a></h3>", "# A *b*\n\nx\n\n### C"),
        ("<p>one<br>two</p>loose <b>text </b>here", "one\\\ntwo\n\nloose **text** here"),
        ("<ul><li>a<li>b <ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol start=3><li>a<li><p>b</p><p>c</p></ol>", "3. a\n\n4. b\n\n   c"),
        ("<dl><dt>term<dd>meaning<dd>another</dl>", "- term\n\n  meaning\n\n  another"),
        ("<pre class='language-sql'>SELECT *\n  FROM a_b;\n</pre>", "```sql\nSELECT *\n  FROM a_b;\n```"),
        ("<div class='highlight-python'><div class=highlight><pre>x = 1</pre></div></div>", "```python\nx = 1\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<p>call <code>f(`x`)</code></p>", "call ``f(`x`)``"),
        ("<blockquote><p>said</p><p>so</p></blockquote>", "> said\n>\n> so"),
        ("<p><a href='../b?q=1#part'>b</a> <a href='#x'>here</a></p>", "[b](http://site.test/b?q=1) here"),
        ("<p><a href='/a_(b)'>b</a></p>", "[b](<http://site.test/a_(b)>)"),
        ("<p><a href='javascript:alert(1)'>x</a> <a href='mailto:a@b.c'>y</a></p>", "x y"),
        ("<p><img src=a.png alt='A  rock'><img src=b.png></p>", "![A rock](http://site.test/folder/a.png)"),
        ("<p><a href=/x><img src=/a.png alt=Rock></a></p>", "[![Rock](http://site.test/a.png)](http://site.test/x)"),
        (
            "<table><caption>T</caption><tr><th>a<th>b<tr><td>1|2<td><a href=/x>y</a><tr><td colspan=2>z</table>",
            "T\n\n| a | b |\n| --- | --- |\n| 1\\|2 | [y](http://site.test/x) |\n| z |  |",
        ),
        ("<table><tr><th>a<tr><td><p>b</p><p>c</p></table>", "| a |\n| --- |\n| b c |"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        ("<table><tr><td><ul><li>a<li>b</ul><td><ul><li>c</ul></table>", "- a\n- b\n\n- c"),
        ("<table><tr><td><h2>Layout</h2><p>x</p></td><td><p>y</p></td></tr></table>", "## Layout\n\nx\n\ny"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<nav>menu</nav><p>text</p><script>no</script><button>Copy</button>", "text"),
        ("<nav>only a menu</nav>", "only a menu"),
        ("<p>snake_case __init__ 2 < 3 AT&amp;T &amp;lt; a*b</p>", r"snake_case \_\_init\_\_ 2 < 3 AT&T &amp;lt; a\*b"),
        ("<p>H<sub>2</sub>O, <span>x<span>y</span></span></p>", "H2O, xy"),
        (r"<p>of <span class=math>\(x_{i}\)</span></p><div>\[a*b\]</div>", "of $`x_{i}`$\n\n```math\na*b\n```"),
        ("<p><math alttext='x^2'><mi>x</mi></math></p>", "$`x^2`$"),
        (r"<p>\(a\) and \(b\)</p>", r"\\(a\\) and \\(b\\)"),
        ("<b><p>bold paragraph</p></b>", "bold paragraph"),
        ("<p>1. not a list</p><p># no heading</p>", "1\\. not a list\n\n\\# no heading"),
    ],
)
def test_elements_are_written_as_markdown(html: str, expected: str) -> None:
    assert markdown_of(html) == expected


def test_links_follow_the_base_of_the_page() -> None:
    assert markdown_of("<base href=http://o.test/d/><p><a href=e>e</a></p>") == "[e](http://o.test/d/e)"


def test_a_site_whose_text_begins_at_the_first_paragraph() -> None:
    fetched = Fetched(200, "text/html", b"<h1>T</h1><div>logo</div><p>text</p><h2>more</h2>")
    assert content_of(PAGE_URL, fetched, WIKIPEDIA).markdown == "text\n\n## more"


def test_plain_text_keeps_its_lines_and_other_types_have_no_content() -> None:
    assert markdown_of("a *\r\n  b\n", "text/plain") == "```\na *\n  b\n```"
    assert markdown_of("\x89PNG\r\n\x1a\n", "image/png") == ""


@given(st.text())
def test_no_text_of_a_stranger_becomes_markup(text: str) -> None:
    page = "<p>" + text.replace("&", "&amp;").replace("<", "&lt;") + "</p>"
    body = shown(markdown_of(page)).body
    expected = LexborHTMLParser(page).body
    assert expected is not None
    assert words("" if body is None else body.text()) == words(expected.text())
    assert {node.tag for node in ([] if body is None else body.css("*"))} <= {"body", "p"}


@given(
    st.lists(
        st.sampled_from(["<", "b>", "[a]", "(http://x/)", "*", "_", "`", "#", "- ", "&", "lt;", "\\", "~~", "1. "])
    )
)
def test_markup_split_over_elements_does_not_come_alive(pieces: list[str]) -> None:
    spans = "".join(f"<span>{piece.replace('&', '&amp;').replace('<', '&lt;')}</span>" for piece in pieces)
    body = shown(markdown_of(f"<p>{spans}</p>")).body
    assert words("" if body is None else body.text()) == words("".join(pieces))


@given(st.text())
def test_escaped_text_is_one_line_and_the_same_words(text: str) -> None:
    escaped = escape_markdown(text)
    assert len(escaped.splitlines()) <= 1
    assert escaped.replace("&amp;", "&").replace("\\", "") == words(text.replace("\x1e", " ")).replace("\\", "")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 5000 + "deep",
        "<ul><li>" * 5000 + "deep",
        "<blockquote>" * 5000 + "deep",
        "<b>" * 5000 + "deep",
        "<table><tr><td>" * 2000 + "deep",
        "<ul><li>" * 50 + "deep<br>" * 50_000,
        "<table>" + "<tr><td colspan=9999>x" * 2000,
        "<a href=x><p>" * 3000 + "deep",
    ],
)
def test_hostile_nesting_costs_little_and_loses_no_text(html: str) -> None:
    start = time.process_time()
    markdown = markdown_of(html)
    assert time.process_time() - start < 5
    assert len(markdown) < 40 * len(html) + 1000
    assert "deep" in markdown or "x" in markdown
