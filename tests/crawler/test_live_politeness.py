"""Politeness as servers see it: real crawls over real sockets, killed and taken up again; the server's log tells."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from honeyguide.runs import open_run
from loopback_servers import CLOCKS_DIFFER_S, loopback_servers
from scripted_world import page_with

if TYPE_CHECKING:
    from pathlib import Path

    from loopback_servers import LoopbackServers, Served

DELAY_S = 0.2
CRAWL_DELAY_S = 0.5
RETRY_AFTER_S = 1
RESPONSE_S = 0.4
ADDRESSES = [f"127.30.0.{number}" for number in range(1, 5)]
PLAIN, SLOW, BUSY = ADDRESSES[:2], ADDRESSES[2], ADDRESSES[3]
ONE_ADDRESS = ["localhost", "127.0.0.1"]
PAGES = 3


def site(request: web.BaseRequest) -> web.Response:
    """On every host: rules, a page of links, and pages without any."""
    if request.path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /private\n")
    links = [f"/{number}" for number in range(PAGES)] if request.path == "/" else []
    return web.Response(text=page_with(*links, "/private"), content_type="text/html")


def command(run: Path, seeds: list[str], **settings: object) -> list[str]:
    chosen = {"politeness.delay_s": DELAY_S, "judge.kind": "keyword", "crawl.strategy": "breadth-first"}
    chosen |= {key.replace("__", "."): value for key, value in settings.items()}
    options = [f"--set={key}={value}" for key, value in chosen.items()]
    named = [f"--seed-url={seed}" for seed in seeds]
    start = [sys.executable, "-m", "honeyguide", "crawl", str(run), "--topic", "geology", "--keyword", "rock"]
    return [*start, "--allow-private", "127.0.0.0/8", "--contact", "me@example.org", *named, *options]


def crawl_and_kill(servers: LoopbackServers, crawl: list[str], requests: int) -> list[Served]:
    """Kill the crawl as soon as so many requests have come and the last is under way; gives those that are."""
    with subprocess.Popen(crawl, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        servers.wait_for(lambda: len(servers.log) >= requests and is_new(servers.log[-1]))
        child.send_signal(signal.SIGKILL)
        under_way = [served for served in servers.log if not served.ended_at and is_new(served)]
        child.wait()
    return under_way


def is_new(served: Served) -> bool:
    """Whether the answer is still some time off."""
    return time.time() - served.began_at < RESPONSE_S / 2


def check_gaps(servers: LoopbackServers, least_s: float = DELAY_S) -> None:
    for key in (lambda served: served.host, lambda served: served.address):
        for name, gaps in servers.gaps_s(key).items():
            assert min(gaps, default=1.0) >= least_s - CLOCKS_DIFFER_S, f"{name} was asked early: {gaps}"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[LoopbackServers, Path]:
    """One crawl of six hosts: plain ones, two names of one address, one that is slow by its rules, one that is busy."""
    run = tmp_path_factory.mktemp("polite") / "run"
    refusals = {"left": 1}

    def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/robots.txt" and SLOW in request.host:
            return web.Response(text=f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_S}\n")
        if request.path == "/0" and BUSY in request.host and refusals["left"]:
            refusals["left"] -= 1
            return web.Response(status=503, headers={"Retry-After": f"{RETRY_AFTER_S}"})
        return site(request)

    with loopback_servers(answer) as servers:
        seeds = [servers.url(host) for host in (*PLAIN, BUSY, SLOW, *ONE_ADDRESS)]
        subprocess.run(command(run, seeds, fetch__backoff_s=0.01), check=True, capture_output=True)
    return servers, run


def test_every_host_has_its_pause_by_its_own_log(crawled: tuple[LoopbackServers, Path]) -> None:
    servers, _ = crawled
    check_gaps(servers)
    assert {url: times for url, times in servers.times().items() if BUSY not in url and SLOW not in url} == {
        f"http://{host}:{servers.port}{path}": 1
        for host in (*PLAIN, *ONE_ADDRESS)
        for path in ("/robots.txt", "/", *(f"/{number}" for number in range(PAGES)))
    }
    asked_at = [[one.began_at for one in servers.log if one.address == address] for address in ADDRESSES]
    assert max(map(min, asked_at)) < min(map(max, asked_at)), "hosts do not wait for one another"


def test_two_names_of_one_address_share_its_pause(crawled: tuple[LoopbackServers, Path]) -> None:
    servers, _ = crawled
    shared = [served for served in servers.log if served.address == "127.0.0.1"]
    assert {served.host for served in shared} == {f"{name}:{servers.port}" for name in ONE_ADDRESS}
    assert len(shared) == 2 * (PAGES + 2)
    gaps = servers.gaps_s(lambda served: served.address)["127.0.0.1"]
    assert min(gaps) >= DELAY_S - CLOCKS_DIFFER_S


def test_a_host_that_asks_for_more_time_and_one_that_asks_to_come_back_later_are_obeyed(
    crawled: tuple[LoopbackServers, Path],
) -> None:
    servers, path = crawled
    assert min(servers.gaps_s(lambda one: one.host)[f"{SLOW}:{servers.port}"]) >= CRAWL_DELAY_S - CLOCKS_DIFFER_S
    order = [served for served in servers.log if BUSY in served.host]
    refused = next(place for place, served in enumerate(order) if served.path == "/0")
    assert order[refused + 1].began_at - order[refused].ended_at >= RETRY_AFTER_S - CLOCKS_DIFFER_S
    assert sum(served.path == "/0" for served in order) == 2
    with open_run(path) as run:  # the slow host's rules take the place of those that forbid /private
        assert (run.progress.retries, run.progress.pages) == (1, 6 * (PAGES + 1) + 1)


@pytest.mark.thorough
@pytest.mark.parametrize("kill_after", [9, *(pytest.param(after, marks=pytest.mark.thorough) for after in (3, 17))])
def test_a_killed_crawl_goes_on_without_asking_early_or_for_rules_again(tmp_path: Path, kill_after: int) -> None:
    with loopback_servers(site, response_s=RESPONSE_S) as servers:
        seeds = [servers.url(address) for address in ADDRESSES]
        under_way = crawl_and_kill(servers, command(tmp_path / "run", seeds), kill_after)
        before = list(servers.log)
        subprocess.run(
            [sys.executable, "-m", "honeyguide", "resume", str(tmp_path / "run")], check=True, capture_output=True
        )
    times = servers.times()
    check_gaps(servers)
    assert under_way
    assert not any(served.is_answered for served in under_way)
    assert all(times[served.url] == 2 for served in under_way)
    answered_rules = {served.url for served in before if served.is_answered and served.path == "/robots.txt"}
    assert all(times[url] == 1 for url in answered_rules)
    with open_run(tmp_path / "run") as run:
        assert run.progress.pages == len(ADDRESSES) * (PAGES + 1)
        urls = [step.url.text for step in run.steps()]
    assert len(urls) == len(set(urls)), "what was in flight counts once"
    asked_again = {url for url, count in times.items() if count > 1}
    assert len(asked_again) <= len(ADDRESSES), "only what was under way, or not stored yet"
