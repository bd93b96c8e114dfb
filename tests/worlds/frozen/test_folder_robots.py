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


def test_what_it_disallows_is_refused_and_costs_no_time(folder: Path) -> None:
    world = FolderWorld(folder, Url.parse(ROOT), robots_agent="Honeyguide/1.0 (x)")
    refused = answer(world, f"{ROOT}secret/a.html")
    assert refused.outcome == Refused(RefusalReason.ROBOTS, "http://docs.test/robots.txt disallows /secret/a.html")
    assert refused.elapsed_s == 0.0
    assert isinstance(answer(world, f"{ROOT}open.html").outcome, Fetched)
    assert answer(world, f"{ROOT}open.html").host_delay_s == 3.0


def test_rules_are_those_for_our_own_name(folder: Path) -> None:
    world = FolderWorld(folder, Url.parse(ROOT), robots_agent="Magpie/2")
    assert isinstance(answer(world, f"{ROOT}open.html").outcome, Refused)
    assert isinstance(answer(world, f"{ROOT}secret/a.html").outcome, Fetched)


def test_below_the_root_of_a_host_it_has_no_force(folder: Path) -> None:
    world = FolderWorld(folder, Url.parse(f"{ROOT}manual/"), robots_agent="Honeyguide")
    assert isinstance(answer(world, f"{ROOT}manual/secret/a.html").outcome, Fetched)


def test_a_link_to_the_file_counts_as_the_file(folder: Path) -> None:
    (folder / "robots.txt").rename(folder / "rules.txt")
    (folder / "robots.txt").symlink_to("rules.txt")
    world = FolderWorld(folder, Url.parse(ROOT), robots_agent="Honeyguide")
    assert isinstance(answer(world, f"{ROOT}secret/a.html").outcome, Refused)


def test_without_the_file_everything_is_allowed(folder: Path) -> None:
    (folder / "robots.txt").unlink()
    world = FolderWorld(folder, Url.parse(ROOT), robots_agent="Honeyguide")
    assert isinstance(answer(world, f"{ROOT}secret/a.html").outcome, Fetched)


@pytest.mark.parametrize(("obeys", "expected"), [(True, Refused), (False, Fetched)])
def test_a_crawl_obeys_it_unless_told_not_to(folder: Path, obeys: bool, expected: type) -> None:
    settings = settings_from(
        {"crawl": {"world": f"site:{folder}@{ROOT}"}, "topic": {"name": "x"}, "politeness": {"obey_robots": obeys}}
    )

    async def asked() -> Answer:
        async with open_world(settings) as world:
            return await world.fetch(Url.parse(f"{ROOT}secret/a.html"))

    assert isinstance(asyncio.run(asked()).outcome, expected)
