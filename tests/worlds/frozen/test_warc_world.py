"""WARC files of any number of hosts answer again what their hosts had answered."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import TYPE_CHECKING

import pytest
import zstandard

from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Unknown, Url
from honeyguide.worlds.frozen import WarcWorld
from worlds.frozen.folders import outcome_of
from worlds.frozen.warc_files import Made, write_warc

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"<html><title>A page</title><p>Words, and more words, and more words."
BROTLI_PAGE = bytes.fromhex(
    "1b4300508d94a9eb538304c1dd29171f70c881d3252c9496061b7010d124338ee336db0cb258b580f40cba13f88e00"
)
HERE = Url.parse("http://a.test/")


def world_of(folder: Path, *records: Made, name: str = "a.warc.gz", max_body_bytes: int = 5_000_000) -> WarcWorld:
    return WarcWorld([write_warc(folder / name, records)], max_body_bytes=max_body_bytes)


def body_of(world: WarcWorld, url: Url | str) -> bytes:
    outcome = outcome_of(world, Url.parse(url) if isinstance(url, str) else url)
    assert isinstance(outcome, Fetched)
    return outcome.body


def in_chunks(body: bytes) -> bytes:
    pieces = [body[start : start + 7] for start in range(0, len(body), 7)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_each_record_of_each_host_answers_at_its_url(tmp_path: Path, name: str) -> None:
    world = world_of(
        tmp_path,
        Made("http://a.test/", PAGE),
        Made("https://b.test/x?y=1", b"{}", headers={"Content-Type": "application/json"}),
        name=name,
    )

    assert outcome_of(world, HERE) == Fetched(200, "text/html", PAGE)
    assert outcome_of(world, Url.parse("https://b.test/x?y=1")) == Fetched(200, "application/json", b"{}")


def test_what_no_file_holds_is_unknown(tmp_path: Path) -> None:
    answer = asyncio.run(world_of(tmp_path, Made("http://a.test/")).fetch(Url.parse("http://b.test/")))

    assert isinstance(answer.outcome, Unknown)
    assert answer.elapsed_s == 0.0


def test_redirects_and_errors_are_what_they_were(tmp_path: Path) -> None:
    world = world_of(
        tmp_path,
        Made("http://a.test/"),
        Made("http://a.test/old", b"", "302 Found", {"Location": "../new?a=1#part"}),
        Made("http://a.test/bytes", b"", "301 Moved", {"Location": "/caf\udce9"}),
        Made("http://a.test/lost", b"", "301 Moved", {}),
        Made("http://a.test/bad", b"", "308 Moved", {"Location": "mailto:me"}),
        Made("http://a.test/gone", b"<html>", "410 Gone"),
        Made("http://a.test/same", b"", "304 Not Modified", {}),
    )

    assert outcome_of(world, Url.parse("http://a.test/old")) == Redirected(302, Url.parse("http://a.test/new?a=1"))
    assert outcome_of(world, Url.parse("http://a.test/bytes")) == Redirected(301, Url.parse("http://a.test/caf%E9"))
    for address, reason, status in (
        ("lost", FailureReason.BAD_RESPONSE, 301),
        ("bad", FailureReason.BAD_RESPONSE, 308),
        ("gone", FailureReason.HTTP_STATUS, 410),
        ("same", FailureReason.HTTP_STATUS, 304),
    ):
        outcome = outcome_of(world, Url.parse(f"http://a.test/{address}"))
        assert isinstance(outcome, Failed)
        assert (outcome.reason, outcome.status) == (reason, status)


@pytest.mark.parametrize(
    ("encoding", "chunked", "sent"),
    [
        ("", True, in_chunks(PAGE)),
        ("gzip", False, gzip.compress(PAGE, mtime=0)),
        ("gzip", True, in_chunks(gzip.compress(PAGE, mtime=0))),
        ("deflate", False, zlib.compress(PAGE)),
        ("deflate", False, zlib.compress(PAGE, wbits=-15)),
        ("zstd", False, zstandard.compress(PAGE)),
        ("br", False, BROTLI_PAGE),
        ("gzip", False, PAGE),  # unpacked by the crawler, which kept the header
        ("", True, PAGE),
        ("gzip", True, PAGE),
        ("x-unheard-of", False, PAGE),
    ],
)
def test_a_body_is_unpacked_however_it_was_sent(tmp_path: Path, encoding: str, chunked: bool, sent: bytes) -> None:
    headers = {"Content-Type": "text/html"}
    headers |= {"Content-Encoding": encoding} if encoding else {}
    headers |= {"Transfer-Encoding": "chunked"} if chunked else {}
    world = world_of(tmp_path, Made("http://a.test/", sent, headers=headers))

    assert body_of(world, HERE) == PAGE


def test_a_body_that_was_cut_short_gives_what_there_is(tmp_path: Path) -> None:
    cut = gzip.compress(PAGE * 50)[:-9]
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    world = world_of(tmp_path, Made("http://a.test/", cut, headers=headers, more={"WARC-Truncated": "length"}))

    assert body_of(world, HERE).startswith(PAGE)


def test_a_body_over_the_limit_is_too_large_and_not_unpacked_further(tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    world = world_of(tmp_path, Made("http://a.test/", bomb, headers=headers), max_body_bytes=1000)
    outcome = outcome_of(world, HERE)

    assert isinstance(outcome, Failed)
    assert outcome.reason is FailureReason.TOO_LARGE


def test_records_that_answer_nothing_are_passed_over(tmp_path: Path) -> None:
    world = world_of(
        tmp_path,
        Made("", b"software: x", kind="warcinfo"),
        Made("http://a.test/", b"GET / HTTP/1.1\r\n\r\n", kind="request"),
        Made("http://a.test/", PAGE),
        Made("http://a.test/", b"fetchTimeMs: 3", kind="metadata"),
        Made("dns:a.test", b"20240101 a.test. 10.0.0.1", kind="resource"),
        Made("http://a.test/odd", b"", status="no number"),
        Made("http://a.test/file", PAGE, kind="resource"),
    )

    assert body_of(world, HERE) == PAGE
    assert body_of(world, "http://a.test/file") == PAGE
    assert list(world.urls()) == [HERE, Url.parse("http://a.test/file")]


def test_the_newest_page_wins_over_older_pages_and_newer_troubles(tmp_path: Path) -> None:
    world = world_of(
        tmp_path,
        Made("http://a.test/", b"<html>2", date="2024-02-01T00:00:00Z"),
        Made("http://a.test/", b"<html>1", date="2024-01-01T00:00:00Z"),
        Made("http://a.test/", b"", "301 Moved", {"Location": "/else"}, date="2024-03-01T00:00:00Z"),
        Made("http://a.test/", b"", "500 Oh", date="2024-04-01T00:00:00Z"),
    )

    assert body_of(world, HERE) == b"<html>2"


def test_a_redirect_wins_over_an_error(tmp_path: Path) -> None:
    world = world_of(
        tmp_path,
        Made("http://a.test/page"),
        Made("http://a.test/", b"", "500 Oh", date="2024-04-01T00:00:00Z"),
        Made("http://a.test/", b"", "301 Moved", {"Location": "/page"}),
    )

    assert isinstance(outcome_of(world, HERE), Redirected)


def test_several_files_are_one_world(tmp_path: Path) -> None:
    old = write_warc(tmp_path / "1.warc.gz", [Made("http://a.test/", b"<html>old"), Made("http://a.test/1")])
    new = write_warc(
        tmp_path / "2.warc",
        [Made("http://a.test/2"), Made("http://a.test/", b"<html>new", date="2024-05-01T00:00:00Z")],
    )
    world = WarcWorld([old, new])

    assert body_of(world, HERE) == b"<html>new"
    assert [url.path for url in world.urls()] == ["/1", "/2", "/"]
    assert world.entry_urls() == (Url.parse("http://a.test/1"),)


def test_addresses_are_made_canonical(tmp_path: Path) -> None:
    world = world_of(tmp_path, Made("<HTTP://A.test:80/a b/../%7Ec?utm_source=x#top>", PAGE))

    assert body_of(world, "http://a.test/~c") == PAGE


def test_the_entry_is_the_first_html_page(tmp_path: Path) -> None:
    world = world_of(
        tmp_path,
        Made("http://a.test/robots.txt", b"", headers={"Content-Type": "text/plain"}),
        Made("http://a.test/gone", status="404 Not Found"),
        Made("http://a.test/start", PAGE, headers={}),
        Made("http://a.test/next"),
    )

    assert world.entry_urls() == (Url.parse("http://a.test/start"),)
    assert [url.path for url in world.urls()] == ["/start", "/next"]


ID = "<urn:uuid:00000000-0000-4000-8000-000000000001>"
ORIGINAL = Made("http://a.test/first", b"<html>same", more={"WARC-Record-ID": ID, "WARC-Payload-Digest": "sha1:SAME"})


def revisit(**more: str) -> Made:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return Made("http://a.test/again", b"", kind="revisit", date="2024-06-01T00:00:00Z", more=headers)


@pytest.mark.parametrize(
    "again",
    [
        revisit(WARC_Refers_To=ID),
        revisit(WARC_Refers_To_Target_URI="http://a.test/first", WARC_Refers_To_Date="2024-01-01T00:00:00Z"),
        revisit(WARC_Payload_Digest="sha1:SAME"),
        revisit(WARC_Refers_To="<urn:uuid:gone>", WARC_Payload_Digest="sha1:SAME"),
    ],
    ids=["by id", "by place and date", "by digest", "by digest when the id is gone"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_revisit_answers_with_the_original(tmp_path: Path, again: Made, is_first: bool) -> None:
    files = [write_warc(tmp_path / "1.warc.gz", [ORIGINAL]), write_warc(tmp_path / "2.warc.gz", [again])]
    world = WarcWorld(files[::-1] if is_first else files)

    assert body_of(world, "http://a.test/again") == b"<html>same"


def test_a_revisit_without_its_original_counts_for_nothing(tmp_path: Path) -> None:
    world = WarcWorld(
        [write_warc(tmp_path / "a.warc", [ORIGINAL, revisit(WARC_Payload_Digest="sha1:OTHER"), revisit()])]
    )

    assert isinstance(outcome_of(world, Url.parse("http://a.test/again")), Unknown)
    assert [url.path for url in world.urls()] == ["/first"]


def test_a_revisit_brings_an_older_page_back_to_the_top(tmp_path: Path) -> None:
    changed = Made("http://a.test/again", b"<html>changed", date="2024-03-01T00:00:00Z")
    world = WarcWorld([write_warc(tmp_path / "a.warc", [ORIGINAL, changed, revisit(WARC_Refers_To=ID)])])

    assert body_of(world, "http://a.test/again") == b"<html>same"
