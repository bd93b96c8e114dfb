"""A folder's robots.txt is obeyed where a live host's would be."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from honeyguide.crawler.build import open_world
from honeyguide.model import Fetched, RefusalReason, Refused, Url
from honeyguide.settings import settings_from
from honeyguide.worlds.frozen import FolderWorld
from worlds.frozen.folders import PAGE

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.model import Answer

ROOT = "http://docs.test/"
RULES = "User-agent: *\nDisallow: /secret/\nCrawl-delay: 3\n\nUser-agent: Magpie\nDisallow: /open.html\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").mkdir()
    for name in ("open.html", "secret/a.html"):
        (tmp_path / name).write_bytes(PAGE)
    (tmp_path / "robots.txt").write_text(RULES, encoding="utf-8")
    return tmp_path


def answer(world: FolderWorld, address: str) -> Answer:
    return asyncio.run(world.fetch(Url.parse(address)))


def opened(folder: Path, agent: str = "Honeyguide/1.0 (x)", base: str = ROOT) -> FolderWorld:
    return FolderWorld(folder, Url.parse(base), robots_agent=agent)


def test_what_it_disallows_is_refused_and_costs_no_time(folder: Path) -> None:
    world = opened(folder)
    refused = answer(world, f"{ROOT}secret/a.html")
    assert refused.outcome == Refused(RefusalReason.ROBOTS, "http://docs.test/robots.txt disallows /secret/a.html")
    assert refused.elapsed_s == 0.0
    assert isinstance(answer(world, f"{ROOT}open.html").outcome, Fetched)
    assert answer(world, f"{ROOT}open.html").host_delay_s == 3.0


def test_rules_are_those_for_our_own_name_at_the_root_of_the_host(folder: Path) -> None:
    magpie, below = opened(folder, "Magpie/2"), opened(folder, base=f"{ROOT}manual/")
    assert isinstance(answer(magpie, f"{ROOT}open.html").outcome, Refused)
    assert isinstance(answer(magpie, f"{ROOT}secret/a.html").outcome, Fetched)
    assert isinstance(answer(below, f"{ROOT}manual/secret/a.html").outcome, Fetched)


def test_a_link_to_the_file_counts_as_the_file_and_without_one_everything_is_allowed(folder: Path) -> None:
    (folder / "robots.txt").rename(folder / "rules.txt")
    assert isinstance(answer(opened(folder), f"{ROOT}secret/a.html").outcome, Fetched)
    (folder / "robots.txt").symlink_to("rules.txt")
    assert isinstance(answer(opened(folder), f"{ROOT}secret/a.html").outcome, Refused)


@pytest.mark.parametrize(("obeys", "expected"), [(True, Refused), (False, Fetched)])
def test_a_crawl_obeys_it_unless_told_not_to(folder: Path, obeys: bool, expected: type) -> None:
    settings = settings_from(
        {"crawl": {"world": f"site:{folder}@{ROOT}"}, "topic": {"name": "x"}, "politeness": {"obey_robots": obeys}}
    )

    async def asked() -> Answer:
        async with open_world(settings) as world:
            return await world.fetch(Url.parse(f"{ROOT}secret/a.html"))

    assert isinstance(asyncio.run(asked()).outcome, expected)
