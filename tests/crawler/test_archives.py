"""A crawl that keeps its answers as WARC: killed, resumed, replayed, and crawled again."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from warcio.archiveiterator import ArchiveIterator

from crawler.driving import script_settings
from crawler.small_crawls import contents, settings_for, story
from crawler.test_kill_and_resume import kill_after_a_while
from deep_strategies import thorough
from honeyguide.crawler import crawl, crawl_async, resume
from honeyguide.errors import WorldError
from honeyguide.fetch import HttpFetcher
from honeyguide.model import Failed, FailureReason, Fetched, Url
from honeyguide.model.clock import RealClock
from honeyguide.runs import open_run
from honeyguide.settings import with_overrides
from honeyguide.worlds import HttpWorld
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"
WEB: Script = {
    SEED: page_with("/a", "/gone", "/moved", "/out", "/large", "/loop"),
    "http://s.test/a": Fetched(200, "text/plain", "Stein über Stein".encode("latin-1")),
    "http://s.test/moved": redirect_to("http://s.test/b"),
    "http://s.test/b": page_with("/a"),
    "http://s.test/out": redirect_to("http://elsewhere.test/"),
    "http://s.test/large": Failed(FailureReason.TOO_LARGE, "body is over 5 bytes", 200),
    "http://s.test/late": Failed(FailureReason.TIMEOUT, "late"),
    "http://s.test/loop": redirect_to("http://s.test/loop1"),
    "http://s.test/loop1": redirect_to("http://s.test/loop2"),
    "http://s.test/loop2": "end",
}


def archive_of(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run / "archive").glob("*.warc.gz"))}


def scripted(path: Path, **overrides: Any) -> None:
    settings = script_settings(store__archive="warc", scope__deny_hosts=["elsewhere.test"], **overrides)
    crawl(path, settings, world=ScriptedWorld(WEB), vectors=hashed_vectors()).close()


def test_everything_that_was_answered_is_there_and_others_can_read_it(tmp_path: Path) -> None:
    scripted(tmp_path / "run", fetch__max_redirects=1)
    seen = {}
    for file in (tmp_path / "run" / "archive").iterdir():
        with file.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI").removeprefix("http://s.test")
                    seen[url] = record.http_headers.get_statuscode()
    assert seen == {
        "/": "200", "/a": "200", "/gone": "404", "/moved": "302", "/b": "200", "/out": "302", "/large": "200",
        "/loop": "302", "/loop1": "302",
    }  # fmt: skip


def test_the_archive_of_a_crawl_is_a_world_that_answers_the_same(tmp_path: Path) -> None:
    scripted(tmp_path / "first")
    world = f"site:{tmp_path / 'first' / 'archive'}"
    settings = script_settings(crawl__world=world, crawl__seed_urls=[SEED], scope__deny_hosts=["elsewhere.test"])
    crawl(tmp_path / "second", settings, vectors=hashed_vectors()).close()
    with open_run(tmp_path / "first") as first, open_run(tmp_path / "second") as second:
        told = {step.url.path: (step.outcome, step.reward) for step in first.steps()}
        again = {step.url.path: (step.outcome, step.reward) for step in second.steps()}
        assert again.pop("/large") == ("fetched", 0.0), "what was cut off in the archive is an empty page"
        assert told.pop("/large") == ("failed", 0.0)
        assert again == told
        for page in first.pages():
            assert second.body(page.url) == first.body(page.url)
        assert first.body(Url.parse("http://s.test/a")) == "Stein über Stein".encode("latin-1")


@pytest.mark.thorough
def test_a_replay_of_it_makes_the_same_choices(tmp_path: Path) -> None:
    settings = settings_for("online-ridge", budget=80, store__archive="warc", store__archive_file_megabytes=0.02)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    assert len(archive_of(tmp_path / "run")) > 3
    again = with_overrides(settings, {"crawl.world": f"replay:{tmp_path / 'run'}", "store.archive": "store"})
    crawl(tmp_path / "again", again, vectors=hashed_vectors()).close()
    assert story(tmp_path / "again") == story(tmp_path / "run")


@pytest.mark.parametrize("kind", ["warc", "none"])
def test_where_bodies_are_kept_changes_no_choice(tmp_path: Path, kind: str) -> None:
    for name in ("store", kind):
        settings = settings_for("online-ridge", budget=60, store__archive=name)
        crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
    assert story(tmp_path / kind) == story(tmp_path / "store")
    assert contents(tmp_path / kind) == contents(tmp_path / "store")
    with open_run(tmp_path / kind) as run, open_run(tmp_path / "store") as plain:
        assert kind != "none" or run.size_bytes() < plain.size_bytes()


def test_a_run_without_bodies_says_that_it_cannot_be_replayed(tmp_path: Path) -> None:
    settings = settings_for("breadth-first", budget=10, store__archive="none")
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        page = next(run.pages())
        with pytest.raises(KeyError):
            run.body(page.url)
    again = with_overrides(settings, {"crawl.world": f"replay:{tmp_path / 'run'}"})
    with pytest.raises(WorldError, match="has kept no pages; crawl with --archive store or warc"):
        crawl(tmp_path / "again", again, vectors=hashed_vectors())


def test_over_http_the_records_are_what_went_over_the_wire(tmp_path: Path) -> None:
    page = page_with("/moved", "/gone").encode()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        match request.path:
            case "/":
                packed = {"Content-Encoding": "gzip", "Content-Type": "text/html", "X-Odd": "caf\u00e9"}
                return web.Response(body=gzip.compress(page), headers=packed)
            case "/moved":
                return web.Response(status=301, headers={"Location": "/"}, text="over there")
            case _:
                return web.Response(status=404, text="nothing here")

    async def scenario() -> str:
        runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        root = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        settings = script_settings(
            store__archive="warc",
            crawl__seed_urls=[root],
            politeness__delay_s=0.0,
            fetch__allow_private=["127.0.0.0/8"],
        )
        world = HttpWorld(HttpFetcher(settings.fetch, RealClock()))
        try:
            (await crawl_async(tmp_path / "run", settings, world=world, vectors=hashed_vectors())).close()
        finally:
            await world.close()
            await runner.cleanup()
        return root

    root = asyncio.run(scenario())
    records = []
    for file in (tmp_path / "run" / "archive").iterdir():
        with file.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                body = record.content_stream().read()
                if record.rec_type in ("request", "response"):
                    records.append((record.rec_type, record.rec_headers, record.http_headers, body))
    assert [kind for kind, *_ in records] == ["response", "request"] * 3
    assert all(about.get_header("WARC-Date").startswith("20") for _, about, _, _ in records)
    by_path = {about.get_header("WARC-Target-URI"): rest for kind, about, *rest in records if kind == "response"}
    headers, body = by_path[root]
    assert body == page
    assert headers.get_header("X-Crawler-Content-Encoding") == "gzip"
    assert headers.get_header("Content-Encoding") is None
    assert headers.get_header("Content-Length") == str(len(page))
    assert by_path[f"{root}moved"][0].get_header("Location") == "/"
    assert by_path[f"{root}gone"][0].get_statuscode() == "404"
    cut = [about.get_header("WARC-Truncated") for kind, about, *_ in records if kind == "response"]
    assert cut == [None, "unspecified", "unspecified"], "bodies that were not read are not said to be empty"
    _, about, asked, _ = records[1]
    assert (asked.protocol, asked.statusline) == ("GET", "/ HTTP/1.1")
    assert asked.get_header("User-Agent").startswith("Honeyguide/")
    assert about.get_header("WARC-Concurrent-To") == records[0][1].get_header("WARC-Record-ID")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["warc", thorough("none")])
def test_killed_again_and_again_it_holds_what_the_store_holds(tmp_path: Path, kind: str) -> None:
    overrides: dict[str, Any] = {"store__archive": kind, "store__archive_file_megabytes": 0.1}
    settings = settings_for("online-ridge", budget=200, concurrency=4, **overrides)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    killed, chance = tmp_path / "killed", random.Random(3)
    arguments = ["200", "4", "online-ridge", "best", json.dumps(overrides)]
    for _ in range(5):
        kill_after_a_while(killed, arguments, chance)
    with open_run(killed) as run:
        assert 0 < run.progress.steps < 200
    resume(killed, vectors=hashed_vectors()).close()
    assert story(killed) == story(tmp_path / "whole")
    if kind == "warc":
        assert archive_of(killed) == archive_of(tmp_path / "whole"), "to the last byte"
        assert len(archive_of(killed)) > 1
