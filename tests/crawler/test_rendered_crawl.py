"""A crawl of a site whose pages are made by scripts, over real HTTP and in a real browser."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from browser import needs_chromium
from honeyguide.crawler import crawl_async
from honeyguide.settings import settings_from
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

SHELL = "<title>Rocks</title><body><div id=app></div><script src=/app.js></script>"
SCRIPT = """
fetch('/ads/rocks.json').catch(() => 0)
fetch('/rocks.json').then(answer => answer.json()).then(rocks => {
  const shown = rock => `<p>${rock} rock <a href="/${rock}">${rock}</a></p>`
  document.getElementById('app').innerHTML = rocks.map(shown).join('')
})
"""


@needs_chromium
def test_pages_made_by_scripts_are_read_and_their_links_followed(tmp_path: Path) -> None:
    asked: list[str] = []

    async def serve(request: web.Request) -> web.Response:
        asked.append(request.path)
        match request.path:
            case "/":
                return web.Response(text=SHELL, content_type="text/html")
            case "/app.js":
                return web.Response(text=SCRIPT, content_type="text/javascript")
            case "/rocks.json":
                return web.json_response(["basalt", "gneiss"])
            case "/robots.txt":
                raise web.HTTPNotFound
            case _:
                return web.Response(text=f"<p>A plain page about the rock {request.path}", content_type="text/html")

    async def scenario() -> None:
        application = web.Application()
        application.router.add_get("/{path:.*}", serve)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        settings = settings_from(
            {
                "topic": {"name": "rock"},
                "crawl": {"world": "live", "seed_urls": [f"http://127.0.0.1:{port}/"], "strategy": "breadth-first"},
                "fetch": {"allow_private": ["127.0.0.0/8"]},
                "politeness": {"delay_s": 0.0},
                "render": {"enabled": True, "sandbox": False},
                "scope": {"allow_paths": ["^/$", "basalt", "gneiss"], "deny_paths": ["^/ads/"]},
                "judge": {"kind": "keyword"},
            }
        )
        try:
            with await crawl_async(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
                pages = {page.url.path_and_query: page for page in run.pages()}
                assert run.progress.relevant == 3
        finally:
            await runner.cleanup()
        assert set(pages) == {"/", "/basalt", "/gneiss"}

    asyncio.run(scenario())
    assert sorted(asked) == sorted(["/robots.txt", "/", "/app.js", "/rocks.json", "/basalt", "/gneiss"])
