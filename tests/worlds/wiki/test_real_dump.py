"""A real dump: the first 10^8 bytes of the English Wikipedia of March 2006, where it is at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from honeyguide.model import Fetched
from honeyguide.parse import parse
from honeyguide.worlds.wiki import WikiWorld, build_wiki, wiki_stats

DUMP = Path(__file__).parents[4] / "shared" / "data" / "enwiki-2006-sample.xml.bz2"
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not DUMP.exists(), reason="needs ../shared/data/enwiki-2006-sample.xml.bz2"),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wiki(DUMP, tmp_path_factory.mktemp("real") / "world").path


def test_the_figures_are_what_they_were(world: Path) -> None:
    stats = wiki_stats(world)
    assert stats.dump_pages == {"article": 8589, "redirect": 3649, "other": 108}
    assert stats.pages == 8589
    assert stats.links == pytest.approx(85_860, abs=50)
    assert stats.categories == pytest.approx(12_100, abs=30)
    assert stats.reachable == pytest.approx(6758, abs=10)


def test_what_a_crawler_finds_is_what_grades_it(world: Path) -> None:
    with WikiWorld(world) as opened:
        for url in list(opened.urls())[::50]:
            outcome = opened.answer(url).outcome
            assert isinstance(outcome, Fetched)
            page = parse(url, outcome)
            assert {link.target for link in page.links} == set(opened.links_of(url))
            left = re.findall(r"\[\[|\]\]|\{\{|\}\}|\bCategory:|'''", page.text)
            assert len(left) <= 4, (url, left)


def test_no_category_link_is_on_any_page(world: Path) -> None:
    with WikiWorld(world) as opened:
        for url in opened.urls():
            outcome = opened.answer(url).outcome
            assert isinstance(outcome, Fetched)
            assert b"[[Category:" not in outcome.body
