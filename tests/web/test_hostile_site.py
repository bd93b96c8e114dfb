"""A site that attacks whoever looks at its crawl: nothing runs, nothing leaves, and the copy stays in its frame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from browser import chromium, needs_chromium
from honeyguide.runs import open_run
from honeyguide.web.serving import serving_beside
from loopback_servers import loopback_servers
from web.watched_pages import PATIENCE_MS, WatchedPage, crawling

if TYPE_CHECKING:
    from pathlib import Path

ATTACK = (
    "</title></script><script>alert('ran')</script>\"'><img src=http://127.0.0.2/leak onerror=alert(1)>"
    "<svg onload=alert(2)>{{7*7}}"
)
PATHS = [f"/{number}/%22%3E%3Cscript%3Ealert(3)%3C/script%3E?q='onfocus=alert(4)%20autofocus" for number in range(12)]


def page(request: web.BaseRequest) -> web.Response:
    """Return a relevant page whose every part attacks: title, icon, text, link texts, and what it loads."""
    elsewhere = f"http://127.0.0.2:{request.url.port}"
    links = "".join(f'<p>basalt <a href="{path}">basalt {escape(ATTACK)}</a></p>' for path in PATHS)
    if request.path == "/robots.txt":
        return web.Response(status=404)
    text = f"""<!doctype html><html><head><title>Basalt {escape(ATTACK)}</title>
<link rel="icon" href="javascript:alert(5)"><link rel="shortcut icon" href="{elsewhere}/leak.ico">
<link rel="stylesheet" href="{elsewhere}/leak.css"><link rel="preconnect" href="{elsewhere}">
<base target="_top">
<style>@import url({elsewhere}/leak); body {{ background: url({elsewhere}/leak.png) }}</style>
<script>alert(6); top.location = "{elsewhere}/leak"; fetch("{elsewhere}/leak")</script></head>
<body onload="alert(7)"><h1>Basalt rock {request.path[:9]}</h1>
<p>Basalt is rock. {escape(ATTACK)} basalt basalt.</p>{ATTACK}
<img src="{elsewhere}/leak" onerror="alert(8)"><iframe src="{elsewhere}/leak"></iframe>
<object data="{elsewhere}/leak"></object>
<noscript><meta http-equiv="refresh" content="1; url={elsewhere}/leak"></noscript>
<a id="out" target="_top" href="{elsewhere}/leak">out</a> <a href="javascript:alert(9)">run</a>
<form action="{elsewhere}/leak" target="_top"><button id="send">send</button></form>{links}</body></html>"""
    return web.Response(text=text, content_type="text/html")


@needs_chromium
@pytest.mark.thorough
def test_nothing_runs_nothing_leaves_and_the_copy_stays_in_its_frame(tmp_path: Path) -> None:
    run = tmp_path / "hostile"
    with loopback_servers(page) as servers, chromium() as browser, serving_beside([tmp_path]) as address:
        crawl = (
            f"--seed-url={servers.url('127.0.0.1')}", "--topic=basalt", "--keyword=basalt", "--budget=12",
            "--allow-private=127.0.0.1/32", "--set=politeness.delay_s=0.3", "--set=crawl.workers=0",
        )  # fmt: skip
        watched = WatchedPage(browser)
        with crawling(run, *crawl) as program:
            servers.wait_for(lambda: len(servers.log) > 3, patience_s=60)
            live = watched.open(f"{address}runs/hostile")
            live.wait_for_selector("#part-figures .state.finished")
            program.wait()
        asked = len(servers.log)
        with open_run(run) as opened:
            urls = [each.url.text for each in opened.pages()]
            assert sum(each.is_relevant for each in opened.pages()) > 5, "there is something to show"
        for place in ("", "runs/hostile", "runs/hostile/questions", "runs/hostile/search?q=basalt"):
            watched.open(address + place)
            watched.page.wait_for_load_state("networkidle")
            assert "{{7*7}}" in watched.page.content() or place == ""
        for url in urls[:3]:
            watched.page.goto(
                f"{address}runs/hostile/page?"
                + watched.page.evaluate("url => new URLSearchParams({url}).toString()", url)
            )
            shown = watched.page.url
            watched.page.locator("iframe").scroll_into_view_if_needed()
            frame = watched.page.frame_locator("iframe")
            frame.locator("h1").wait_for()
            for way_out in ("#out", "#send"):
                if frame.locator(way_out).count():
                    frame.locator(way_out).click(force=True, timeout=PATIENCE_MS)
            watched.page.wait_for_timeout(1500)  # longer than the page waits before it moves itself elsewhere
            assert watched.page.url == shown
            assert frame.locator("h1").inner_text().startswith("Basalt rock")
        assert [each.url for each in servers.log[asked:]] == []
        assert [each for each in watched.problems if not each.startswith("console: ")] == []
        assert [url for url in watched.asked if not url.startswith((address, "data:", "about:"))] == []
        watched.close()
