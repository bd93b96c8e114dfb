"""A new pass right after a crawl, as the server sees it: nobody is asked early, and no robots.txt twice."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from honeyguide.crawler import crawl, refresh, resume
from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from loopback_servers import CLOCKS_DIFFER_S, loopback_servers
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings

DELAY_S = 0.2
RETRY_AFTER_S = 1


def site(request: web.BaseRequest) -> web.Response:
    match request.path:
        case "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /private\n")
        case "/busy":
            return web.Response(status=503, headers={"Retry-After": str(RETRY_AFTER_S)})
        case "/sitemap.txt":
            return web.Response(text=f"http://{request.host}/leaf\n")
        case "/leaf":
            return web.Response(text="rock", content_type="text/html")
        case _:
            return web.Response(text="<a href=/b>rock</a> <a href=/private>x</a>", content_type="text/html")


def live_settings(*seeds: str) -> Settings:
    return settings_from(
        {
            "topic": {"name": "rock"},
            "judge": {"kind": "keyword"},
            "crawl": {"world": "live", "seed_urls": list(seeds), "strategy": "breadth-first", "workers": 0},
            "fetch": {
                "allow_private": ["127.0.0.0/8"],
                "contact": "someone@example.org",
                "retries": 0,
                "backoff_s": 0.0,
            },
            "politeness": {"delay_s": DELAY_S},
        }
    )


def test_a_refresh_right_after_a_crawl_keeps_the_pause_and_the_robots_txt(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        crawl(tmp_path / "old", live_settings(servers.url("127.0.0.1")), vectors=hashed_vectors()).close()
        assert [served.path for served in servers.log] == ["/robots.txt", "/", "/b"]
        refresh(tmp_path / "old", new_run=tmp_path / "new", vectors=hashed_vectors()).close()
        assert [served.path for served in servers.log[3:]] == ["/", "/b"]
        (gaps,) = servers.gaps_s(lambda served: served.host).values()
        assert min(gaps) >= DELAY_S - CLOCKS_DIFFER_S
        with open_run(tmp_path / "new") as run:
            assert [file.body is not None for file in run.hosts_asked().site_files()] == [True]


def test_a_refresh_leaves_a_host_alone_for_as_long_as_it_had_asked(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        urls = servers.url("127.0.0.1", "/leaf"), servers.url("127.0.0.1", "/busy")
        crawl(tmp_path / "old", live_settings(*urls), vectors=hashed_vectors()).close()
        assert [served.path for served in servers.log] == ["/robots.txt", "/leaf", "/busy"]
        due = servers.log[-1].ended_at + RETRY_AFTER_S - CLOCKS_DIFFER_S
        refresh(tmp_path / "old", new_run=tmp_path / "new", vectors=hashed_vectors()).close()
        assert [served.path for served in servers.log[3:]] == ["/leaf"]
        assert servers.log[-1].began_at >= due
        with closing(sqlite3.connect(tmp_path / "new" / "crawl.sqlite")) as database:
            assert database.execute("SELECT chosen_at FROM steps").fetchone()[0] >= due, "nor does it hold a slot"


@pytest.mark.thorough
def test_a_refresh_that_is_stopped_at_once_remembers_what_the_old_run_knew(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        urls = servers.url("127.0.0.1", "/leaf"), servers.url("127.0.0.1", "/busy")
        crawl(tmp_path / "old", live_settings(*urls), vectors=hashed_vectors()).close()
        due = servers.log[-1].ended_at + RETRY_AFTER_S - CLOCKS_DIFFER_S
        new = tmp_path / "new"
        refresh(tmp_path / "old", new_run=new, vectors=hashed_vectors(), is_interrupted=lambda: True).close()
        shutil.rmtree(tmp_path / "old")
        resume(new, vectors=hashed_vectors()).close()
        assert [served.path for served in servers.log[3:]] == ["/leaf"]
        assert servers.log[-1].began_at >= due


def test_a_refresh_does_not_read_the_sitemaps_again(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        sitemap = servers.url("127.0.0.1", "/sitemap.txt")
        settings = with_overrides(live_settings(), {"crawl.sitemaps": [sitemap]})
        crawl(tmp_path / "old", settings, vectors=hashed_vectors()).close()
        assert servers.times()[sitemap] == 1
        refresh(tmp_path / "old", new_run=tmp_path / "new", vectors=hashed_vectors()).close()
        assert servers.times()[sitemap] == 1
        assert servers.times()[servers.url("127.0.0.1", "/leaf")] == 2
