"""What a person types is read as documented, or refused in one line that says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import QueryError
from honeyguide.search.query import AllOf, AnyOf, Node, Not, Required, SideBySide, Words, all_words, parse_query


def sketch(node: Node) -> str:
    """A tree in a few letters."""
    match node:
        case Words():
            text = f'"{node.text}"' if node.is_phrase else node.text
            return f"{node.field}:{text}" if node.field else text
        case Not(part):
            return f"-{sketch(part)}"
        case Required(part):
            return f"+{sketch(part)}"
        case AllOf(parts):
            return f"all({' '.join(map(sketch, parts))})"
        case AnyOf(parts):
            return f"any({' '.join(map(sketch, parts))})"
        case SideBySide(parts):
            return f"[{' '.join(map(sketch, parts))}]"


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("basalt", "basalt"),
        ("basalt columns", "[basalt columns]"),
        ('"two words" x', '["two words" x]'),
        ("a OR b c", "any(a [b c])"),
        ("a AND b OR c", "any(all(a b) c)"),
        ("a AND b c", "[all(a b) c]"),
        ("a -b +c NOT d", "[a -b +c -d]"),
        ("NOT NOT a", "a"),
        ("title:a text:(b OR c) host:x.org", "[title:a any(text:b text:c) host:x.org]"),
        ('Title:"x y"', 'title:"x y"'),
        ("-title:a", "-title:a"),
        ("(a OR b) c", "[any(a b) c]"),
        ("and or not", "[and or not]"),
        ("http://x.org/a?b=c", "http://x.org/a?b=c"),
        ("at 12:30", "[at 12:30]"),
        ("C++ foo* [a TO b] x^2", "[C++ foo* [a TO b] x^2]"),
        ("note: a", "[note: a]"),
        ("mailto:a@b.org", "mailto:a@b.org"),
        ("localhost:8080 rock", "[localhost:8080 rock]"),
        ("(localhost:8080/a?b=c)", "localhost:8080/a?b=c"),
        ("title:2006 TEXT:1@2", "[title:2006 text:1@2]"),
        ("NOT (NOT a)", "a"),
        ("-(-(a OR b)) c", "[any(a b) c]"),
        ("NOT (a OR NOT b)", "-any(a -b)"),
        ('"title:" a', '["title:" a]'),
        ("well-known", "well-known"),
    ],
)
def test_queries_are_read_as_documented(query: str, tree: str) -> None:
    assert sketch(parse_query(query)) == tree


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "the query is empty"),
        (" \t\n", "the query is empty"),
        ('"open', 'a " is not closed'),
        ("(a", r"a \( is not closed"),
        ("a)", r"a \) closes no \("),
        ("()", r"there is nothing in \( \)"),
        ("a OR", "nothing follows OR"),
        ("OR a", "nothing stands before OR"),
        ("a AND AND b", "nothing follows AND"),
        ("NOT", "nothing follows NOT"),
        ("(NOT)", "nothing follows NOT"),
        ("colour:red", "there is no field colour: use title, text, host"),
        ("title:-a", "a sign stands before the field"),
        ("title: rock", "no word follows title: at once: write title:word, or quote it"),
        ("a (Host:)", "no word follows Host: at once"),
        ("host:http://x.test/", "'http://x.test/' is not a host: give its name alone"),
        ('"a b"~10000', "~10000 is too much, at most 9,999 words"),
        ('"a b"~' + "9" * 5_000, "~9999999999999999999… is too much"),
        ("x" * 20_001, "the query has 20,001 characters"),
        ("(" * 51 + "a" + ")" * 51, "parentheses stand more than 50 deep"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason) as caught:
        parse_query(query)
    assert "\n" not in str(caught.value)


def test_words_that_are_denied_twice_are_wanted() -> None:
    query = "a NOT (b OR NOT (c -d)) -e +f"
    assert [words.text for words in all_words(parse_query(query))] == ["a", "c", "f"]


def test_a_slop_says_how_far_apart_the_words_of_a_phrase_may_stand() -> None:
    for text, slop in (('"a b"~3', 3), ('"a b"~9999', 9999), ('"a b"~0000001', 1), ('"a b"', 0)):
        words = parse_query(text)
        assert isinstance(words, Words)
        assert words.slop == slop


def test_long_chains_need_no_deep_stack() -> None:
    assert sketch(parse_query("title:" * 3_000 + "a")) == "title:a"
    assert sketch(parse_query("NOT " * 4_000 + "a")) == "a"
    assert sketch(parse_query("a OR " * 3_000 + "a")) == f"any({' '.join('a' * 3_001)})"
    assert sketch(parse_query("a AND " * 3_000 + "a")) == f"all({' '.join('a' * 3_001)})"


@given(st.text(alphabet=st.characters() | st.sampled_from('"()+-:~ ANDORNOT\\*?[]{}^'), max_size=60))
def test_any_text_is_read_or_refused(query: str) -> None:
    try:
        tree = parse_query(query)
    except QueryError:
        return
    for words in all_words(tree):
        assert words.text in query[words.start : words.end]
