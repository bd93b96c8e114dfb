"""One crawl of everything that goes wrong out there: it goes on, tells what happened, and takes no more room for it."""

from __future__ import annotations

import html
import os
import re
import shutil
import ssl
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from fetch.awkward_server import MEGABYTE, AwkwardWeb, awkward_web, page, saying
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIMITS = (
    "--set", "fetch.connect_timeout_s=3", "--set", "fetch.first_byte_timeout_s=3", "--set", "fetch.timeout_s=4",
    "--set", "fetch.max_body_bytes=1500000", "--set", "politeness.delay_s=0", "--concurrency", "64",
    # All these hosts are one machine, and no trouble of theirs will pass.
    "--set", "politeness.per_address=false", "--set", "politeness.delay_factor=0",
    "--set", "fetch.retries=0", "--set", "fetch.backoff_s=0",
)  # fmt: skip
ROOM_BYTES = 48 * 2**20  # more than a crawl takes that meets nothing awkward
NO_NAME = f"http://{'a' * 70}.example/"
ODD_LINKS = (
    "javascript:alert(1)", "JAVASCRIPT:void(0)", "data:text/html,<p>rock", "mailto:me@example.org", "tel:+123",
    "ftp://example.org/", "file:///etc/passwd", "http://", "http://[::1", "//", "about:blank", "blob:x", "ws://a.test/",
    "http://a.test:99999/", "#top", "",
)  # fmt: skip

# What a step is told by: its outcome and the beginning of its detail.
EXPECTED = {
    "fine": r"fetched ",
    "endless body": r"failed too-large: body is over 1500000 bytes",
    "endless chunks": r"failed too-large: ",
    "slow body": r"failed timeout: no whole answer within 4 s",
    "gzip bomb": r"failed too-large: ",
    "brotli bomb": r"failed too-large: ",
    "not gzip": r"failed bad-response: .*gzip",
    "announced longer": r"failed bad-response: ",
    "announced shorter": r"(fetched |failed bad-response: )",  # by whether the rest comes in the same packet
    "announced as 100 MB": r"failed too-large: ",
    "negative length": r"failed bad-response: ",
    "two lengths": r"failed bad-response: ",
    "wrong charset": r"fetched ",
    "no such charset": r"fetched ",
    "binary as a page": r"failed unsupported-type: application/octet-stream",
    "chunk of no size": r"failed bad-response: ",
    "chunk of any size": r"failed bad-response: ",
    "chunk cut short": r"failed bad-response: ",
    "no last chunk": r"failed bad-response: ",
    "endless extension": r"failed timeout: no whole answer within 4 s",
    "endless trailers": r"failed bad-response: ",
    "header flood": r"failed bad-response: ",
    "endless headers": r"failed bad-response: ",
    "header line of 100 MB": r"failed bad-response: ",
    "status line of 100 MB": r"failed bad-response: ",
    "continue for ever": r"failed bad-response: .*over 20 interim responses",
    "slow headers": r"failed timeout: no answer within 3 s",
    "silence": r"failed timeout: no answer within 3 s",
    "HTTP 0.9": r"failed bad-response: ",
    "noise": r"failed bad-response: ",
    "another protocol": r"failed bad-response: ",
    "a strange status": r"failed http-status: 999 Go away",
    "location of 1 MB": r"failed bad-response: ",
    "reset before an answer": r"failed connection: ",
    "reset in the status line": r"failed connection: ",
    "reset in the headers": r"failed connection: ",
    "reset before the body": r"failed connection: ",
    "reset in the body": r"failed connection: ",
    "reset in a chunk": r"failed connection: ",
    "hung up": r"failed connection: ",
    "chain": r"redirected ",
    "circle": r"redirected ",
    "to itself": r"redirected ",
    "to a file": r"failed bad-response: bad Location: not an http or https URL",
    "to a script": r"failed bad-response: bad Location: not an http or https URL",
    "robots of 100 MB": r"fetched ",
    "robots for ever": r"fetched ",
    "by tls": r"failed tls: .*self-signed certificate",
}


@dataclass(frozen=True)
class Crawled:
    """The end of the crawl."""

    status: int
    out: str
    errors: str
    most_memory_bytes: int
    stop_reason: str
    outcome_by_url: dict[str, str]
    links: set[str]


def crawled(folder: Path, seed: str) -> Crawled:
    """Crawl from a seed in a process of its own, which is asked afterwards how much room it has taken."""
    command = [
        sys.executable,
        "-m",
        "honeyguide.cli.main",
        "crawl",
        "run",
        "--allow-private",
        "127.0.0.0/8",
        "--seed-url",
        seed,
    ]
    how = ["--topic", "geology", "--keyword", "rock", "--judge", "keyword", "--strategy", "breadth-first", *LIMITS]
    folder.mkdir()
    with (folder / "out").open("wb") as out, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen([*command, *how], cwd=folder, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open_run(folder / "run") as run:
        steps = {step.url.text: f"{step.outcome} {step.detail}" for step in run.steps()}
        links = {target.text for _, target in run.edges()}
        stop_reason = run.progress.stop_reason
    out_text, error_text = ((folder / name).read_text(encoding="utf-8") for name in ("out", "errors"))
    memory_bytes = usage.ru_maxrss * 1024
    return Crawled(process.returncode, out_text, error_text, memory_bytes, stop_reason, steps, links)


def certificate(folder: Path) -> ssl.SSLContext | None:
    """A certificate that nobody vouches for; None where there is no program to make one."""
    program = shutil.which("openssl")
    if program is None:
        return None
    key, made = folder / "key.pem", folder / "certificate.pem"
    subject = ("-subj", "/CN=awkward.test", "-days", "2")
    new_key = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(made))
    subprocess.run([program, *new_key, *subject], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return context


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwkwardWeb]:
    with awkward_web(certificate(tmp_path_factory.mktemp("tls"))) as served:
        plain = served.url_by_name["fine"]
        targets = [
            *served.url_by_name.values(), plain.replace("http:", "https:"), NO_NAME, *ODD_LINKS,
            served.url_by_name["robots of 100 MB"] + "hidden", f"{plain}{'x' * MEGABYTE}",
        ]  # fmt: skip
        anchors = "".join(f'<p><a href="{html.escape(target)}">rock</a></p>' for target in targets)
        served.put("index", saying(page(f"<html><body>{anchors}".encode()[: 2 * MEGABYTE])))
        yield served


@pytest.fixture(scope="module")
def crawl(web: AwkwardWeb, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    # The index is over the limit of a page that everything else is held to.
    return crawled(tmp_path_factory.mktemp("awkward") / "crawl", web.url_by_name["index"])


def test_the_crawl_ends_by_itself_with_nothing_left_to_do(crawl: Crawled) -> None:
    assert (crawl.status, crawl.stop_reason) == (0, "nothing left to crawl"), crawl.errors
    assert "Traceback" not in crawl.errors
    assert "Stopped:" in crawl.out


def test_every_trouble_has_its_outcome(crawl: Crawled, web: AwkwardWeb) -> None:
    """That of the certificate is left out where there is no openssl to make one with."""
    outcomes = {name: crawl.outcome_by_url[url] for name, url in web.url_by_name.items() if name in EXPECTED}
    assert len(outcomes) >= len(EXPECTED) - 1
    assert {name: told for name, told in outcomes.items() if not re.match(EXPECTED[name], told)} == {}


def test_nothing_that_could_be_fetched_was_left_out(crawl: Crawled, web: AwkwardWeb) -> None:
    assert set(web.url_by_name.values()) <= crawl.outcome_by_url.keys()
    assert crawl.links <= crawl.outcome_by_url.keys()


def test_memory_stays_flat(crawl: Crawled, web: AwkwardWeb, tmp_path: Path) -> None:
    ordinary = crawled(tmp_path / "ordinary", web.url_by_name["fine"])

    assert ordinary.stop_reason == crawl.stop_reason
    assert crawl.most_memory_bytes < ordinary.most_memory_bytes + ROOM_BYTES


def test_what_does_not_end_is_cut_off_early(crawl: Crawled, web: AwkwardWeb) -> None:
    """What the buffers of two sockets hold is sent in any case."""
    assert crawl.status == 0
    endless = ("endless body", "header line of 100 MB", "status line of 100 MB", "endless headers", "robots of 100 MB")
    assert max(sent for name in endless for sent in web.sent_bytes[name].values()) < 20 * MEGABYTE


def test_a_chain_of_ten_thousand_redirects_is_followed_for_ten(crawl: Crawled, web: AwkwardWeb) -> None:
    start = web.url_by_name["chain"]
    told = [crawl.outcome_by_url.get(f"{start}step{number}" if number else start, "") for number in range(12)]

    assert told[:10] == [f"redirected {start}step{number + 1}" for number in range(10)]
    assert told[10].startswith("failed too-many-redirects: 10 redirects and one more to ")
    assert told[11] == ""


def test_a_circle_of_redirects_is_gone_round_once(crawl: Crawled, web: AwkwardWeb) -> None:
    start = web.url_by_name["circle"]

    told = {url.removeprefix(start): words for url, words in crawl.outcome_by_url.items() if url.startswith(start)}

    assert told == {"": f"redirected {start}b", "b": f"redirected {start}c", "c": f"redirected {start}"}


def test_a_host_without_a_name_and_one_without_tls_are_told_apart(crawl: Crawled, web: AwkwardWeb) -> None:
    assert crawl.outcome_by_url[NO_NAME].startswith("failed dns: ")
    url = web.url_by_name["fine"].replace("http:", "https:")
    assert crawl.outcome_by_url[url].startswith(f"refused robots: {url}robots.txt cannot be had: ")


def test_the_beginning_of_an_enormous_robots_txt_counts(crawl: Crawled, web: AwkwardWeb) -> None:
    told = crawl.outcome_by_url[f"{web.url_by_name['robots of 100 MB']}hidden"]

    assert told.endswith("/robots.txt disallows /hidden")


def test_what_is_no_address_of_a_page_is_never_met(crawl: Crawled) -> None:
    assert all(url.startswith(("http://", "https://")) and len(url) < 5000 for url in crawl.outcome_by_url)
    assert not any(word in url for url in crawl.links for word in ("passwd", "alert", "99999", "a.test"))
