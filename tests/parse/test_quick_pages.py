"""Only a page whose markup cannot be dear is read in the process of the crawl."""

from __future__ import annotations

import pytest

from honeyguide.parse import is_quick
from honeyguide.parse.markup_cost import QUICK_BYTES, QUICK_TAGS

UNITS = {
    "cells outside a table": "<font c={}><p><td>",
    "ends inside a value": '<font c="{}</font>"><p>',
    "ends inside a comment": "<font c={}><p><!--</font>-->",
    "cells of tables that end": "<font c={}><p></table><table><td></table>",
    "ends of foreign cells": "<FONT\nc={}><p><svg><td></svg>",
    "angle brackets in values": '<font c=">{}"><p>',
    "single quotes": "<nobr c='{}'><p>",
    "no space before the name of an attribute": "<i/c={}><p>",
    "a marker in place of a space": "<b&#1;c={}><p>",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_formatting_that_piles_up_is_not_quick(unit: str) -> None:
    html = "<table></table>" + "".join(unit.format(number) for number in range(QUICK_BYTES // 48))
    assert len(html) < QUICK_BYTES
    assert not is_quick(html.encode())


def test_nor_is_what_other_bytes_may_stand_for() -> None:
    page = "<p>" + "".join(f"<font c={number}><p>" for number in range(700))
    assert not is_quick(page.encode("utf-16"))
    assert not is_quick(page.replace("<font", "<fo\x1b(Bnt").encode())


def test_many_tags_and_many_bytes_are_not_quick() -> None:
    assert is_quick(b"<q>" * QUICK_TAGS)
    assert not is_quick(b"<q>" * (QUICK_TAGS + 1))
    assert is_quick(b"x" * QUICK_BYTES)
    assert not is_quick(b"x" * (QUICK_BYTES + 1))


def test_an_ordinary_page_is_quick_however_much_of_it_is_emphasised() -> None:
    paragraph = (
        '<p>See <a href="/x"><code class="py">read</code></a>, <b>not</b> <i class="w">that</i>, <em>here</em>.</p>'
    )
    html = f"<html><body>{paragraph * 200}</body></html>".encode()
    assert len(html) > QUICK_BYTES / 2
    assert is_quick(html)
