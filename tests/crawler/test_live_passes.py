"""Passes over a real site whose pages change: what its server is asked, and what a kill leaves."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from honeyguide.cli.main import main
from honeyguide.crawler import crawl, refresh
from honeyguide.model import Url
from honeyguide.runs import PageChange, open_run
from honeyguide.settings import settings_from, with_overrides
from loopback_servers import loopback_servers
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from honeyguide.settings import Settings

ROOT = Path(__file__).parents[2]


@dataclass
class Site:
    """Pages that answer conditional requests, and may change."""

    pages: dict[str, str]
    answered: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, request: web.BaseRequest) -> web.Response:
        text = self.pages.get(request.path)
        if text is None:
            self.answered.append((request.path, 404))
            return web.Response(status=404)
        tag = f'"{sha256(text.encode()).hexdigest()}"'
        status = 304 if request.headers.get("If-None-Match") == tag else 200
        self.answered.append((request.path, status))
        body = None if status == 304 else text.encode()
        return web.Response(status=status, body=body, headers={"ETag": tag, "Content-Type": "text/html"})


def page(text: str, *links: str) -> str:
    shown = " ".join(f"<a href={link}>granite {link[1:]}</a>" for link in links)
    return f"<html><title>{text}</title><body><p>{text} granite</p><p>{shown}</p></body></html>"


def changing_site(count: int = 4) -> Site:
    paths = [f"/{number}" for number in range(count)]
    return Site({"/": page("home", *paths), **{path: page(f"rock {path}") for path in paths}})


def live_settings(seed: str) -> Settings:
    return settings_from(
        {
            "topic": {"name": "granite"},
            "judge": {"kind": "keyword"},
            "crawl": {"seed_urls": [seed], "workers": 0},
            "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "someone@example.org", "retries": 0},
            "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
        }
    )


def test_only_what_changed_is_sent_again(tmp_path: Path) -> None:
    site, run = changing_site(), tmp_path / "run"
    with loopback_servers(site) as servers:
        seed = servers.url("127.0.0.1")
        crawl(run, live_settings(seed), vectors=hashed_vectors()).close()
        site.pages |= {"/1": page("rock anew", "/new"), "/new": page("new rock")}
        del site.pages["/2"]
        site.answered.clear()
        with refresh(run, vectors=hashed_vectors()) as refreshed:
            found = {Url(each.url).path: each.finding for each in refreshed.found_in_pass(2)}
            titles = {each.url.path: each.title for each in refreshed.pages()}
    assert sorted(site.answered) == [("/", 304), ("/0", 304), ("/1", 200), ("/2", 404), ("/3", 304), ("/new", 200)]
    assert found == {
        "/": PageChange.SAME, "/0": PageChange.SAME, "/3": PageChange.SAME, "/1": PageChange.CHANGED,
        "/2": PageChange.GONE, "/new": PageChange.NEW,
    }  # fmt: skip
    assert titles == {"/": "home", "/0": "rock /0", "/1": "rock anew", "/3": "rock /3", "/new": "new rock"}
    with open_run(f"{run}@1") as before:
        assert {each.url.path: each.title for each in before.pages()}["/2"] == "rock /2"


def test_a_pass_killed_with_minus_nine_goes_on(tmp_path: Path) -> None:
    site, run = changing_site(12), tmp_path / "run"
    with loopback_servers(site) as servers:
        words = f"crawl {run} --topic granite --seed-url {servers.url('127.0.0.1')} --allow-private 127.0.0.0/8"
        assert main([*words.split(), "--contact", "me@example.org", "--set", "politeness.delay_s=0.05"]) == 0
        for number in range(12):
            site.pages[f"/{number}"] = page(f"anew {number}")
        site.answered.clear()
        code = "import sys; from honeyguide.cli.main import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, "refresh", str(run)]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(site.answered) < 5 and time.monotonic() < deadline and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.wait()
        with open_run(run) as before:
            assert before.passes() == []
            assert {each.title for each in before.pages()} == {"home", *(f"rock /{number}" for number in range(12))}
        asked = len(site.answered)
        assert 5 <= asked < 13
        assert main(["refresh", str(run)]) == 0
        with open_run(run) as after:
            assert {each.title for each in after.pages()} == {"home", *(f"anew {number}" for number in range(12))}
            assert len(after.passes()) == 2
        assert len(site.answered) <= 13 + 1, "only what was under way is asked for again"
    assert not (run / "pass-2").exists()


def test_the_commands_of_the_how_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "howto" / "keep-a-collection-fresh.md").read_text(encoding="utf-8")
    commands = "".join(re.findall(r"```\n(.*?)```", text, flags=re.DOTALL)).splitlines()
    site = changing_site()
    with loopback_servers(site) as servers:
        for command in commands:
            words = command.replace("https://example.org/", servers.url("127.0.0.1")).split()[1:]
            extra = ["--allow-private", "127.0.0.0/8", "--set", "politeness.delay_s=0"] if words[0] == "crawl" else []
            assert main([*words, *extra]) == 0, command
            if words[0] == "crawl":
                site.pages["/1"] = page("rock anew")
                del site.pages["/2"]
    printed = capsys.readouterr().out
    assert "3 same, 1 changed, 1 gone" in printed
    assert "Lost, in A alone" in printed
    assert re.search(r"^\d+ 3 \* \* \* .*honeyguide refresh .*/news >> ", printed, flags=re.MULTILINE)
    assert "OnCalendar=Mon *-*-* 03:" in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("schedule run --every year", "choose one of hour, day, week, month"),
        ("schedule run --at 25:00", "give a time such as 03:30"),
        ("diff run@1 run@7", "has no pass 7: it has 1"),
        ("refresh run --new-links 2", "refresh.new_links"),
        ("refresh nowhere", "not a run folder"),
    ],
)
def test_bad_input_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with loopback_servers(changing_site()) as servers:
        crawl("run", live_settings(servers.url("127.0.0.1")), vectors=hashed_vectors()).close()
    assert main(words.split()) == 2
    assert told in capsys.readouterr().err


def test_sitemaps_say_what_has_changed_and_what_is_new(tmp_path: Path) -> None:
    site, run = changing_site(8), tmp_path / "run"

    def sitemap(**modified: str) -> str:
        entries = "".join(
            f"<url><loc>http://127.0.0.1:{port}/{name}</loc><lastmod>{date}</lastmod></url>"
            for name, date in modified.items()
        )
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'

    with loopback_servers(site) as servers:
        port = servers.port
        site.pages["/map.xml"] = sitemap(**{"6": "2020-01-01"})
        settings = with_overrides(
            live_settings(servers.url("127.0.0.1")), {"crawl.sitemaps": [servers.url("127.0.0.1", "/map.xml")]}
        )
        crawl(run, settings, vectors=hashed_vectors()).close()
        site.pages["/map.xml"] = sitemap(**{"0": "2020-01-01", "5": "2120-01-01T00:00:00Z", "listed": "2120-01-01"})
        site.pages |= {"/5": page("five anew"), "/listed": page("listed rock")}
        site.answered.clear()
        overrides = {"budget.fetches": 10, "refresh.new_links": 0.2, "crawl.concurrency": 1}
        with refresh(run, overrides, vectors=hashed_vectors()) as after:
            titles = {each.url.path: each.title for each in after.pages()}
    asked = [path for path, _ in site.answered if path != "/robots.txt"]
    assert asked[:2] == ["/map.xml", "/5"], "it is dated after the last look"
    assert "/0" not in asked, "it is dated before it, and eight of nine pages are looked at"
    assert (titles["/5"], titles["/listed"]) == ("five anew", "listed rock")
    assert ("/5", 200) in site.answered
    assert len(asked) == 1 + 9
