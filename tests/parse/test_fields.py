"""Fields that a user names, read from pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import SettingsError
from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.parse.fields import MOST_CHARACTERS, MOST_VALUES, compile_fields, date_in, number_in

if TYPE_CHECKING:
    from honeyguide.model import FieldValue

PAGE = """<html><head><title>Shop</title><base href="/de/"><script type="application/ld+json">
{"@graph": [{"offers": [{"price": 12.5}, {"price": 13}], "author": {"@type": "Person", "name": "Ann"}}]}
</script></head><body><h1>Basalt <b>rocks</b></h1>
<p class=price>Only 1.299,00&nbsp;€ today</p><p>Sold on <time>3 May 2024</time></p>
<a class=author href="ann">Ann</a><ul><li>dark</li><li>heavy</li></ul><script>var sku = "B-17";</script>"""


def fields(*specs: str, html: str = PAGE, content_type: str = "text/html") -> dict[str, FieldValue]:
    fetched = Fetched(200, content_type, html.encode())
    return dict(parse(Url.parse("http://shop.example/a/b"), fetched, fields=compile_fields(specs)).fields)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("v=css:h1", "Basalt rocks"),
        ("v=css:h1::text", "Basalt"),
        ("v=css:a.author::attr(href)", "ann"),
        ("v:url=css:a.author::attr(href)", "http://shop.example/de/ann"),
        ("v:number=css:.price", 1299),
        ("v:date=css:time", "2024-05-03"),
        ("v:list=css:li", ("dark", "heavy")),
        ("v=css:ul", "dark heavy"),
        ('v=re:sku = "([\\w-]+)"', "B-17"),
        ("v=re:Only", "Only"),
        ("v=jsonld:author.name", "Ann"),
        ("v=jsonld:author", "Ann"),
        ("v:number=jsonld:offers.price", 12.5),
        ("v:list=jsonld:offers.price", ("12.5", "13")),
        ("v=css:.nowhere", None),
        ("v:number=css:h1", None),
        ("v:date=css:h1", None),
        ("v=jsonld:isbn", None),
    ],
)
def test_a_field_has_the_value_that_its_type_makes_of_what_is_found(spec: str, value: Any) -> None:
    assert fields(spec).get("v") == value


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("v=xpath://h1", "Basalt rocks"),
        ("v=xpath://a/@href", "ann"),
        ("v:number=xpath:count(//li)", 2),
        ("v=xpath:boolean(//li)", "true"),
        ("v:list=xpath://li/text()", ("dark", "heavy")),
        ("v=xpath://h7", None),
    ],
)
def test_xpath_reads_elements_attributes_and_results(spec: str, value: Any) -> None:
    pytest.importorskip("lxml", reason="needs the extra xpath")
    assert fields(spec).get("v") == value


def test_plain_text_has_fields_by_expression_alone() -> None:
    assert fields("a=re:(\\d+) m", "b=css:p", html="It is 812 m high.", content_type="text/plain") == {"a": "812"}


def test_long_values_are_cut() -> None:
    html = "<p>" + "a" * (MOST_CHARACTERS + 1) + "</p>" + "<i>b</i>" * (MOST_VALUES + 1)
    found = fields("long=css:p", "many:list=css:i", html=html)
    assert len(str(found["long"])) == MOST_CHARACTERS
    assert len(tuple(found["many"])) == MOST_VALUES  # type: ignore[arg-type]


@pytest.mark.parametrize(("written", "value"), [('"a\\ud800b"', "a?b"), ("1" * 400, "1" * 400)])
def test_json_ld_that_no_file_could_hold_becomes_text(written: str, value: str) -> None:
    html = f'<script type="application/ld+json">{{"v": {written}}}</script>'
    assert fields("v=jsonld:v", html=html) == {"v": value}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12), ("1,299.00", 1299), ("1.299,00", 1299), ("1 299", 1299), ("1,299", 1299), ("12,5", 12.5),
        ("1.5", 1.5), ("-3", -3), ("\u22123,25", -3.25), ("1,234,567", 1234567), ("1.234.567", 1234567),
        ("about 7 of 9", 7), ("1'299.50", 1299.5), ("2e3", 2000), ("12.", 12), ("none", None),
        ("1e999", None), ("9" * 400, None), ("SKU-12", 12), ("€ -12", -12),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text: str, number: float | None) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-03", "2024-05-03"), ("on 2024-05-03T12:30:00Z", "2024-05-03T12:30:00+00:00"),
        ("May 3, 2024", "2024-05-03"), ("3rd", None), ("3. May 2024", "2024-05-03"), ("Dec 31st, 1999", "1999-12-31"),
        ("03.05.2024", "2024-05-03"), ("03/04/2024", None), ("2024/5/3", "2024-05-03"), ("31 Foo 2024", None),
        ("Fri, 03 May 2024 12:00:00 GMT", "2024-05-03T12:00:00+00:00"), ("2024-13-45", None),
        ("2024-13-45 and 2024-05-03", "2024-05-03"), ("2024-13-45, May 3, 2024", "2024-05-03"),
    ],
)  # fmt: skip
def test_dates_are_read_as_people_write_them_unless_they_mean_two_days(text: str, date: str | None) -> None:
    assert date_in(text) == date


@given(st.text(max_size=60))
def test_no_text_makes_number_or_date_fail(text: str) -> None:
    assert math.isfinite(number_in(text) or 0)
    date_in(text)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("price=css:p[", "is no CSS selector that can be read"),
        ("price=xpath://p[", "is no XPath that can be read"),
        ("price=xpath:unknown(//p)", "is no XPath that can be read"),
        ("price=re:(", "is not a regular expression that RE2 knows"),
        ("price=jsonld:a..b", "is no path"),
        ("price=css:", "there is nothing behind css:"),
        ("price", "write it as NAME=KIND:EXPRESSION"),
        ("price=.price", "a kind is css, xpath, re or jsonld"),
        ("the price=css:p", "a name is a letter"),
        ("price:money=css:p", "'money' is no type: choose text, number, date, url or list"),
    ],
)
def test_a_field_that_cannot_be_read_is_told_on_one_line(spec: str, told: str) -> None:
    if "xpath" in spec:
        pytest.importorskip("lxml", reason="needs the extra xpath")
    with pytest.raises(SettingsError) as refused:
        compile_fields([spec])
    (mistake,) = refused.value.mistakes
    assert mistake.startswith(f"field {spec!r}: ")
    assert told in mistake
    assert "\n" not in mistake


def test_all_mistakes_are_told_at_once_and_a_name_stands_for_one_field() -> None:
    with pytest.raises(SettingsError) as refused:
        compile_fields(["a=css:p[", "b=css:p", "b=css:i", "c=re:("])
    assert [mistake.split(":")[0] for mistake in refused.value.mistakes[:2]] == ["field 'a=css", "field 'c=re"]
    assert refused.value.mistakes[2] == "field 'b' is given twice, capitals aside: leave one out"


def test_names_that_differ_in_capitals_alone_are_refused() -> None:
    with pytest.raises(SettingsError, match="'price' is given twice"):
        compile_fields(["price=css:p", "Price=css:i"])
