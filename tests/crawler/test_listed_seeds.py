"""Sitemaps and feeds as seeds: read through the world when a run is made, kept in its settings."""

from __future__ import annotations

import gzip
import logging
from typing import TYPE_CHECKING, Any

import pytest

from crawler.driving import script_settings
from honeyguide.crawler import crawl, resume
from honeyguide.crawler.named_pages import MOST_FILES
from honeyguide.errors import SettingsError
from honeyguide.model import Fetched, Url
from honeyguide.runs import RunFolder, open_run
from honeyguide.settings import with_overrides
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

MAP = "http://s.test/sitemap.xml"


def sitemap(*urls: str) -> Fetched:
    body = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Fetched(200, "application/xml", f"<urlset>{body}</urlset>".encode())


def index(*urls: str) -> Fetched:
    body = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return Fetched(200, "application/xml", f"<sitemapindex>{body}</sitemapindex>".encode())


def seeds_of(path: Path, script: Script, *, entry: str = "http://e.test/", **overrides: Any) -> list[str]:
    world = ScriptedWorld(script, entry_urls=[entry])
    settings = script_settings(**overrides, budget__fetches=1)
    with crawl(path, settings, world=world, vectors=hashed_vectors()) as run:
        assert len(run.settings.crawl.seed_urls) in (0, run.progress.seeds)
        return list(run.settings.crawl.seed_urls)


def refusal(tmp_path: Path, script: Script, **overrides: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        seeds_of(tmp_path / "run", script, **overrides)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"
    return str(caught.value)


def test_what_is_listed_comes_after_the_seeds_given(tmp_path: Path) -> None:
    script: Script = {
        MAP: sitemap("http://s.test/1", "http://s.test/2"),
        "http://f.test/feed": Fetched(200, "application/rss+xml", b"<rss><item><link>/3</link></item></rss>"),
    }
    seeds = seeds_of(
        tmp_path / "run", script, crawl__sitemaps=[MAP], crawl__feeds=["http://f.test/feed"],
        crawl__seed_urls=["http://s.test/2", "http://s.test/0"],
    )  # fmt: skip
    assert seeds == ["http://s.test/2", "http://s.test/0", "http://s.test/1", "http://f.test/3"]


def test_an_index_leads_on_through_redirects_and_its_own_circles(tmp_path: Path) -> None:
    script: Script = {
        MAP: redirect_to("http://s.test/maps/index.xml"),
        "http://s.test/maps/index.xml": index("one.xml", MAP, "http://s.test/maps/index.xml", "gone.xml", "two.txt"),
        "http://s.test/maps/one.xml": sitemap("http://s.test/1"),
        "http://s.test/maps/two.txt": Fetched(200, "text/plain", b"http://s.test/2\n"),
    }
    assert seeds_of(tmp_path / "run", script, crawl__sitemaps=[MAP]) == ["http://s.test/1", "http://s.test/2"]


def test_indexes_without_end_are_left_at_some_depth(tmp_path: Path) -> None:
    script: dict[str, Any] = {f"http://s.test/{n}": index(f"http://s.test/{n + 1}") for n in range(50)}
    script["http://s.test/0"] = index("http://s.test/1", "http://s.test/list")
    script["http://s.test/list"] = sitemap("http://s.test/page")
    world = ScriptedWorld(script)
    settings = script_settings(crawl__sitemaps=["http://s.test/0"], budget__fetches=1)
    with crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()) as run:
        assert run.settings.crawl.seed_urls == ("http://s.test/page",)
    assert "http://s.test/3" in world.fetches
    assert "http://s.test/4" not in world.fetches


def test_an_index_of_too_many_files_is_read_up_to_a_number(tmp_path: Path) -> None:
    names = [f"http://s.test/{n}.xml" for n in range(MOST_FILES + 20)]
    script: dict[str, Any] = {name: sitemap(f"{name}/page") for name in names} | {MAP: index(*names)}
    seeds = seeds_of(tmp_path / "run", script, crawl__sitemaps=[MAP])
    assert len(seeds) == MOST_FILES - 1


def test_only_so_many_urls_are_taken_and_the_rest_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = {MAP: sitemap(*(f"http://s.test/{n}" for n in range(2000)))}
    with caplog.at_level(logging.WARNING):
        seeds = seeds_of(tmp_path / "run", script, crawl__sitemaps=[MAP], crawl__listed_urls=3)
    assert seeds == ["http://s.test/0", "http://s.test/1", "http://s.test/2"]
    assert "1,997 listed URLs were left out; raise crawl.listed_urls to take them" in caplog.text


def test_what_is_out_of_scope_is_left_out(tmp_path: Path) -> None:
    script = {MAP: sitemap("http://s.test/in", "http://t.test/", "http://s.test/out")}
    rules: dict[str, Any] = {"scope__stay_on": "seed-hosts", "scope__deny_paths": ["out"]}
    assert seeds_of(tmp_path / "run", script, crawl__sitemaps=[MAP], **rules) == ["http://s.test/in"]


def test_sitemaps_in_robots_txt_count_when_asked_for(tmp_path: Path) -> None:
    robots = Fetched(200, "text/plain", b"Sitemap: /a.xml\nSitemap: /gone.xml\n")
    script: Script = {
        "http://e.test/": page_with(),
        "http://e.test/robots.txt": robots,
        "http://e.test/a.xml": sitemap("http://e.test/1"),
    }
    assert seeds_of(tmp_path / "not", script) == []
    asked = seeds_of(tmp_path / "run", script, crawl__sitemaps_from_robots=True)
    assert asked == ["http://e.test/", "http://e.test/1"]
    without = {"http://e.test/": page_with()}
    assert seeds_of(tmp_path / "none", without, crawl__sitemaps_from_robots=True) == ["http://e.test/"]


def test_every_file_that_cannot_be_read_is_told_at_once(tmp_path: Path) -> None:
    script: Script = {"http://s.test/page": page_with("/x")}
    told = refusal(tmp_path, script, crawl__sitemaps=[MAP, "http://s.test/page"])
    assert f"sitemap or feed: {MAP} gave no page: 404 Not Found" in told
    assert "http://s.test/page is not a sitemap, a feed or a list of URLs: it is HTML" in told


def test_a_list_with_nothing_to_start_at_is_refused(tmp_path: Path) -> None:
    assert "lists no URL; give --seed-url" in refusal(tmp_path, {MAP: sitemap()}, crawl__sitemaps=[MAP])
    listed = {MAP: sitemap("http://t.test/")}
    told = refusal(tmp_path, listed, crawl__sitemaps=[MAP], scope__allow_hosts=["s.test"])
    assert f"none of the 1 URLs that {MAP} lists is in scope" in told


def test_a_run_resumed_before_its_first_step_does_not_ask_for_the_list_again(tmp_path: Path) -> None:
    world = ScriptedWorld({MAP: sitemap("http://s.test/1"), "http://s.test/1": "x"})
    settings = script_settings(crawl__sitemaps=[MAP])
    crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()).close()
    folder = RunFolder.open(tmp_path / "run")
    for file in tmp_path.glob("run/crawl.sqlite*"):
        file.unlink()
    folder._save_about({"has_started": False})
    with resume(tmp_path / "run", world=world, vectors=hashed_vectors()) as run:
        assert [page.url for page in run.pages()] == [Url.parse("http://s.test/1")]
    assert world.fetches[MAP] == 1


def test_a_sitemap_that_is_too_large_names_the_setting_to_raise(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("rock")
    (site / "sitemap.txt").write_text("http://w.test/index.html\n" * 100)
    world = f"site:{site}@http://w.test/"
    settings = script_settings(crawl__world=world, crawl__sitemaps=["http://w.test/sitemap.txt"])
    with pytest.raises(SettingsError) as refused:
        crawl(
            tmp_path / "run", with_overrides(settings, {"fetch.max_body_bytes": 1000}), vectors=hashed_vectors()
        ).close()
    told = "http://w.test/sitemap.txt gave no page: body is over 1000 bytes; raise fetch.max_body_bytes"
    assert told in str(refused.value)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()


def test_in_a_world_of_files_a_packed_sitemap_is_read_like_any_other(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>home", encoding="utf-8")
    (site / "deep.html").write_text("<p>rock", encoding="utf-8")
    (site / "sitemap.xml.gz").write_bytes(gzip.compress(sitemap("http://w.test/deep.html").body))
    settings = script_settings(
        crawl__world=f"site:{site}@http://w.test/", crawl__sitemaps=["http://w.test/sitemap.xml.gz"]
    )
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        assert [page.url.text for page in run.pages()] == ["http://w.test/deep.html"]
