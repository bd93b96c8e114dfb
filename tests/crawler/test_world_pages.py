"""Every page of an offline world, in an order that is the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import settings_for
from honeyguide.crawler import all_pages, crawl
from honeyguide.crawler.world_graph import explore
from honeyguide.errors import WorldError
from honeyguide.runs import open_run
from honeyguide.settings import settings_from
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import build_wiki
from vectors_by_hash import hashed_vectors
from worlds.wiki.dumps import Written, write_dump

if TYPE_CHECKING:
    from pathlib import Path


def urls_in(world: str) -> list[str]:
    return [page.url.text for page in all_pages(settings_from({"crawl": {"world": world}}))]


def test_a_wiki_lists_all_its_articles_also_those_that_nothing_leads_to(tmp_path: Path) -> None:
    articles = [
        Written("Rock", "Hard [[mineral]]."), Written("Mineral", "In [[rock]]."), Written("Alone", "Far away."),
        Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
    ]  # fmt: skip
    built = build_wiki(write_dump(tmp_path / "dump.xml", articles), tmp_path / "world")
    pages = list(all_pages(settings_from({"crawl": {"world": f"wiki:{built.path}"}})))
    assert [page.url.text.rpartition("/")[2] for page in pages] == ["Rock", "Mineral", "Alone"]
    assert "hard" in pages[0].main_words


def test_a_folder_lists_all_its_files(tmp_path: Path) -> None:
    for name in ("index", "other"):
        (tmp_path / f"{name}.html").write_text(f"<p>{name} page</p>", encoding="utf-8")
    assert len(urls_in(f"site:{tmp_path}@http://site.test/")) == 2


def test_of_a_synthetic_web_it_is_what_the_laboratory_can_reach() -> None:
    name = "synthetic:seed=3,pages=300,hosts=6"
    world = SyntheticWorld(SyntheticSpec.parse(name.partition(":")[2]))
    graph = explore(world, world.entry_urls())
    reached = [url for url, is_page in zip(graph.urls, graph.is_page, strict=True) if is_page]
    assert urls_in(name) == reached
    assert len(reached) > 200


def test_a_run_gives_the_pages_it_fetched(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=40), vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        fetched = {page.url.text for page in run.pages() if page.media_type == "text/html"}
    assert len(fetched) > 20
    assert set(urls_in(f"replay:{tmp_path / 'run'}")) == fetched


def test_a_world_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.crawler.world_graph.MOST_URLS", 50)
    with pytest.raises(WorldError, match="more than 50 URLs"):
        urls_in("synthetic:seed=3,pages=300,hosts=6")


@pytest.mark.parametrize("world", ["synthetic+http:pages=300,hosts=6", "live"])
def test_a_world_that_is_not_offline_is_refused(world: str) -> None:
    with pytest.raises(WorldError, match="is not"):
        urls_in(world)


def test_whoever_stops_early_leaves_nothing_open(tmp_path: Path) -> None:
    built = build_wiki(write_dump(tmp_path / "dump.xml", [Written("Rock", "x"), Written("Mud", "y")]), tmp_path / "w")
    pages = all_pages(settings_from({"crawl": {"world": f"wiki:{built.path}"}}))
    assert next(pages).words
    pages.close()
    assert list(pages) == []
