"""What pages say about themselves for machines: JSON-LD, microdata, OpenGraph."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.parse import json_ld_of, microdata_of, open_graph_of, values_at, whole_tree


def script(text: str) -> str:
    return f'<html><head><script type="application/ld+json">{text}</script></head><body>x</body></html>'


def test_json_ld_objects_come_out_of_lists_and_graphs() -> None:
    text = '[{"@type": "Person", "name": "A"}, {"@context": "x", "@graph": [{"@type": "Article", "headline": "B"}]}]'
    assert json_ld_of(whole_tree(script(text))) == [
        {"@type": "Person", "name": "A"},
        {"@type": "Article", "headline": "B"},
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"name": "A"} -->',
        '//<![CDATA[\n{"name": "A"}\n//]]>',
        '{"name": "A"};',
        '\n {"name": "A"}\n',
    ],
)
def test_json_ld_is_read_out_of_what_pages_wrap_it_in(text: str) -> None:
    assert json_ld_of(whole_tree(script(text))) == [{"name": "A"}]


def test_a_line_break_within_a_json_text_is_forgiven() -> None:
    assert json_ld_of(whole_tree(script('{"name": "A\nB"}'))) == [{"name": "A\nB"}]


def test_numbers_that_no_json_can_hold_are_none() -> None:
    text = '{"a": [NaN, 1e999, -Infinity, 0.5], "b": {"c": -1e999}}'
    assert json_ld_of(whole_tree(script(text))) == [{"a": [None, None, None, 0.5], "b": {"c": None}}]


@pytest.mark.parametrize("text", ["", "{", "null", '"x"', "[" * 100_000, '{"a":' * 200 + "1" + "}" * 200])
def test_what_is_no_json_ld_is_left_out(text: str) -> None:
    assert json_ld_of(whole_tree(script(text))) == []


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(ANY_JSON)
def test_any_json_is_read_or_left_out(value: object) -> None:
    found = json_ld_of(whole_tree(script(json.dumps(value).replace("<", "\\u003c"))))
    assert all(isinstance(each, dict) for each in found)
    if isinstance(value, dict) and not value.keys() & {"@context", "@graph"}:
        assert found == [value]


def test_microdata_is_shaped_like_json_ld() -> None:
    html = """<div itemscope itemtype="https://schema.org/Article"><h1 itemprop="headline">On  rocks</h1>
    <span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ada</b></span>
    <time itemprop="datePublished" datetime="2026-03-01">March</time>
    <a itemprop="license" href="/cc">free</a><i itemprop="keywords">a</i><i itemprop="keywords">b</i></div>"""
    (item,) = microdata_of(whole_tree(html))
    assert item == {
        "@type": "Article", "headline": "On rocks", "author": {"@type": "Person", "name": "Ada"},
        "datePublished": "2026-03-01", "license": "/cc", "keywords": ["a", "b"],
    }  # fmt: skip
    assert list(values_at([item], "author.name")) == ["Ada"]


def test_open_graph_comes_from_the_head_alone() -> None:
    html = """<html><head><meta property="og:title" content="A"><meta property="og:image" content="1">
    <meta property="og:image" content="2"><meta property="other" content="x"></head>
    <body><p>x</p><meta property="og:site_name" content="of a stranger"></body></html>"""
    assert open_graph_of(whole_tree(html)) == {"og:title": "A", "og:image": ["1", "2"]}


def test_a_path_goes_through_lists() -> None:
    objects = [{"author": [{"name": "A"}, {"name": ["B", "C"]}, "D"]}, {"name": "E"}]
    assert list(values_at(objects, "author.name")) == ["A", "B", "C"]
    assert list(values_at(objects, "author.missing")) == []
