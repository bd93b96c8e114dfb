"""An answer in the browser changes what the crawl judges, and what it fetches next."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from aiohttp import web

from browser import chromium, needs_chromium
from honeyguide.runs import open_run
from honeyguide.web.serving import serving_beside
from loopback_servers import loopback_servers
from web.watched_pages import WatchedPage, crawling

if TYPE_CHECKING:
    from pathlib import Path

CATS = ["cat", "forest", "prey", "hunt", "wild", "river", "cub", "paw", "claw", "rainforest"]
CARS = ["car", "engine", "gearbox", "saloon", "wheel", "dealer", "petrol", "coupe", "chassis", "speed"]
PAGES = 400  # of each kind
LOOKED_AT = 25  # fetches


def page(request: web.BaseRequest) -> web.Response:
    """Return a page about jaguars: the animals below /cats/, the cars below /cars/, each linking to both kinds."""
    kind, _, number = request.path.strip("/").partition("/")
    if kind == "robots.txt":
        return web.Response(status=404)
    words, here = CATS if kind == "cats" else CARS, int(number or 0)
    text = " ".join(f"jaguar {words[(here + place) % len(words)]}" for place in range(60))
    links = "".join(
        f'<p><a href="/{name}/{(here * 3 + place) % PAGES}">jaguar {own[(here + place) % len(own)]}</a></p>'
        for place in range(1, 7)
        for name, own in (("cats", CATS), ("cars", CARS))
    )
    return web.Response(text=f"<title>Jaguar {words[here % 10]}</title><p>{text}</p>{links}", content_type="text/html")


@needs_chromium
@pytest.mark.thorough
def test_answers_change_the_judgement_and_the_next_fetches(tmp_path: Path) -> None:
    run = tmp_path / "jaguars"
    with loopback_servers(page) as servers, chromium() as browser, serving_beside([tmp_path]) as address:
        crawl = (
            f"--seed-url={servers.url('127.0.0.1')}", "--topic=jaguar", "--keyword=jaguar", "--budget=700",
            "--allow-private=127.0.0.1/32", "--set=politeness.delay_s=0.15", "--set=crawl.workers=0",
            "--set=guard.on=false", "--set=online_ridge.exploration=0",
        )  # fmt: skip
        watched = WatchedPage(browser)
        with crawling(run, *crawl):
            servers.wait_for(lambda: len(servers.log) > 2 * LOOKED_AT, patience_s=90)
            before = [each.path for each in servers.log][-LOOKED_AT:]
            with open_run(run) as opened:
                urls = [each.url.text for each in opened.pages()]
            cats, cars = ([url for url in urls if kind in url][:3] for kind in ("/cats/", "/cars/"))
            for url in (*cats, *cars):
                shown = watched.open(f"{address}runs/jaguars/page?{urlencode({'url': url})}")
                form = shown.locator("form.answer").first
                form.locator(f"button[value={'yes' if url in cats else 'no'}]").click()
                form.locator("button[value=undo]").wait_for()  # it was taken in
            answered = len(servers.log)
            servers.wait_for(lambda: len(servers.log) > answered + LOOKED_AT + 15, patience_s=90)
        after = [each.path for each in servers.log[answered + 15 : answered + 15 + LOOKED_AT]]
        cats_before, cats_after = (sum("/cats/" in path for path in paths) for paths in (before, after))
        assert cats_after >= cats_before + LOOKED_AT // 5, (before, after)
        with open_run(run) as opened:
            judged = {each.url.text: each for each in opened.pages()}
        assert all(judged[url].is_relevant == (url in cats) for url in (*cats, *cars))
        others = [each for url, each in judged.items() if url not in (*cats, *cars)]
        mean_cats, mean_cars = (
            mean(each.relevance for each in others if kind in each.url.text) for kind in ("/cats/", "/cars/")
        )
        assert mean_cats > mean_cars
        watched.check(address)
        watched.close()
