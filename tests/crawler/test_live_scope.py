"""Lists, directives and archive of a crawl on the live web: a real server on loopback, the world `live`."""

from __future__ import annotations

import asyncio
import gzip
from itertools import pairwise
from typing import TYPE_CHECKING

from aiohttp import web
from warcio.archiveiterator import ArchiveIterator

from crawler.driving import script_settings
from honeyguide.crawler import crawl_async
from honeyguide.runs import open_run
from scripted_world import page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

FEED = "<rss><channel><item><link>/from-feed</link></item></channel></rss>"
SITEMAP = "<urlset><url><loc>/from-map</loc></url></urlset>"


async def answer(request: web.BaseRequest) -> web.StreamResponse:
    match request.path:
        case "/map.xml.gz":
            return web.Response(body=gzip.compress(SITEMAP.encode()), content_type="application/x-gzip")
        case "/feed":
            return web.Response(body=FEED.encode(), content_type="application/rss+xml")
        case "/from-map":
            headers = {"X-Robots-Tag": "otherbot: none", "Link": "x"}
            return web.Response(text=page_with("/moved"), content_type="text/html", headers=headers)
        case "/from-feed":
            headers = {"X-Robots-Tag": "nofollow, noindex"}
            return web.Response(text=page_with("/never"), content_type="text/html", headers=headers)
        case "/moved":
            return web.Response(status=302, headers={"Location": "/from-map"})
        case _:
            return web.Response(status=404)


async def crawled(path: Path) -> str:
    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    root = f"http://127.0.0.1:{runner.addresses[0][1]}"
    settings = script_settings(
        crawl__world="live", crawl__workers=0, fetch__allow_private=["127.0.0.0/8"], politeness__delay_s=0.0,
        store__archive="warc",
        crawl__sitemaps=[f"{root}/map.xml.gz"], crawl__feeds=[f"{root}/feed"], scope__stay_on="seed-hosts",
    )  # fmt: skip
    try:
        (await crawl_async(path, settings, vectors=hashed_vectors())).close()
    finally:
        await runner.cleanup()
    return root


def test_lists_directives_and_archive_on_the_live_web(tmp_path: Path) -> None:
    root = asyncio.run(crawled(tmp_path / "run"))
    with open_run(tmp_path / "run") as run:
        seen = {step.url.path: (step.outcome, step.detail) for step in run.steps()}
        assert seen == {
            "/from-map": ("fetched", ""),
            "/from-feed": ("fetched", "noindex"),
            "/moved": ("redirected", f"{root}/from-map"),
        }
        assert run.settings.fetch.content_types == script_settings().fetch.content_types
        assert [page.url.path for page in run.pages()] == ["/from-map"]
    addresses = set()
    for file in (tmp_path / "run" / "archive").iterdir():
        with file.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                if record.rec_type != "warcinfo":
                    addresses.add(record.rec_headers.get_header("WARC-IP-Address"))
    assert addresses == {"127.0.0.1"}


def test_lists_are_read_through_the_gate_of_the_crawl(tmp_path: Path) -> None:
    asked: list[tuple[float, str]] = []

    async def scenario() -> None:
        clock = asyncio.get_running_loop()

        async def noted(request: web.BaseRequest) -> web.StreamResponse:
            asked.append((clock.time(), request.path))
            return await answer(request)

        runner = web.ServerRunner(web.Server(noted), shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        root = f"http://127.0.0.1:{runner.addresses[0][1]}"
        settings = script_settings(
            crawl__world="live", crawl__workers=0, fetch__allow_private=["127.0.0.0/8"], politeness__delay_s=0.3,
            crawl__feeds=[f"{root}/feed"],
            crawl__sitemaps_from_robots=True,
        )  # fmt: skip
        try:
            (await crawl_async(tmp_path / "run", settings, vectors=hashed_vectors())).close()
        finally:
            await runner.cleanup()

    asyncio.run(scenario())
    paths = [path for _, path in asked]
    assert paths[:2] == ["/robots.txt", "/feed"]
    assert paths[-1] == "/from-feed"
    pauses = [after - before for (before, _), (after, _) in pairwise(asked)]
    assert min(pauses) > 0.29, list(zip(paths, pauses, strict=False))
