"""What every `World` promises, run over each implementation."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import settings_for
from honeyguide.crawler import crawl
from honeyguide.model import Answer, Failed, Fetched, Redirected, Refused, Unknown, Url
from honeyguide.worlds.frozen import WarcWorld
from honeyguide.worlds.replay import ReplayWorld
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from vectors_by_hash import hashed_vectors
from worlds.frozen.folders import site
from worlds.frozen.warc_files import Made, write_warc
from worlds.wiki.dumps import Written, world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from honeyguide.worlds import World


def _synthetic(_: Path) -> Iterator[World]:
    yield SyntheticWorld(SyntheticSpec(pages=500, hosts=10))


def _folder(folder: Path) -> Iterator[World]:
    yield site(folder, "index.html", "a.html", "part/b.html")


def _warc(folder: Path) -> Iterator[World]:
    yield WarcWorld([write_warc(folder / "a.warc.gz", [Made("http://a.test/"), Made("http://b.test/")])])


def _wiki(folder: Path) -> Iterator[World]:
    with world_of(folder, [Written("Rock", "[[Granite]]"), Written("Granite", "[[Rock]]")]) as world:
        yield world


def _replay(folder: Path) -> Iterator[World]:
    with crawl(folder / "run", settings_for("breadth-first", budget=60), vectors=hashed_vectors()) as run:
        yield ReplayWorld(run.recorded_answers(), "run")


WORLDS: list[Callable[[Path], Iterator[World]]] = [_synthetic, _folder, _warc, _wiki, _replay]


@pytest.fixture(params=WORLDS, ids=lambda make: make.__name__.strip("_"))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    yield from request.param(tmp_path)


def _fetch(world: World, *urls: str) -> list[Answer]:
    async def fetch_all() -> list[Answer]:
        return [await world.fetch(Url.parse(url)) for url in urls]

    return asyncio.run(fetch_all())


def test_an_entry_url_answers_with_the_same_page_every_time(world: World) -> None:
    urls = [url.text for url in world.entry_urls()]

    first, second = _fetch(world, *urls), _fetch(world, *urls)

    assert first == second
    for answer in first:
        assert isinstance(answer.outcome, Fetched)
        assert answer.outcome.media_type == "text/html"
        assert min(answer.elapsed_s, answer.host_delay_s) >= 0


def test_an_unknown_url_is_an_outcome_and_no_exception(world: World) -> None:
    missing = f"{world.entry_urls()[0].origin}/no/such/page?at=all"

    answers = _fetch(world, missing, "https://elsewhere.example/", "http://127.0.0.1:1/x")

    assert all(isinstance(answer.outcome, Failed | Refused | Redirected | Unknown) for answer in answers)
    assert min(min(answer.elapsed_s, answer.host_delay_s) for answer in answers) >= 0


def test_an_offline_world_never_suspends(world: World) -> None:
    if not world.is_offline:
        pytest.skip("a live world waits for the network")
    coroutine = world.fetch(world.entry_urls()[0])

    with pytest.raises(StopIteration) as finished:
        coroutine.send(None)

    assert isinstance(finished.value.value, Answer)


def test_closing_twice_is_allowed(world: World) -> None:
    async def close_twice() -> None:
        await world.close()
        await world.close()

    asyncio.run(close_twice())
