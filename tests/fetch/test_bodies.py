"""Which bodies are read, and how much of them."""

from __future__ import annotations

import asyncio
import gzip
import random
import tracemalloc
import zlib
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from fetch.serving import answer_of, answer_to, opened
from honeyguide.fetch.connections import CHUNK_BYTES, CHUNKS_OF_ANY_SIZE, ChunkCount
from honeyguide.model import Answer, Failed, FailureReason, Fetched
from local_site import serve

PDF = b"%PDF-1.7\n" + bytes(5000)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(5000)
PACKERS: dict[str, Any] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(import_module("brotli").compress, quality=4),  # ships no types
}
PAGE = b"<!doctype html><title>Rock</title>" + b"<p>basalt " * 500


def not_read(media_type: str) -> Failed:
    hint = "; --documents reads it" if media_type == "application/pdf" else ""
    return Failed(FailureReason.UNSUPPORTED_TYPE, f"{media_type} is none of fetch.content_types{hint}", 200)


@pytest.mark.parametrize(
    "content_type",
    ["text/html", "TEXT/HTML; charset=latin-1", "application/xhtml+xml", "text/plain", "application/xml", "text/xml;x"],
)
def test_what_the_parser_reads_is_read(content_type: str) -> None:
    outcome = answer_of(web.Response(body=PAGE, headers={"Content-Type": content_type})).outcome
    assert isinstance(outcome, Fetched)
    assert outcome.body == PAGE


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "application/octet-stream", "font/woff2"])
def test_the_body_of_another_type_is_not_waited_for(content_type: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: 4000000\r\n\r\n"
    assert answer_to(head.encode()).outcome == not_read(content_type), "of the body not a byte is ever sent"


@pytest.mark.parametrize(("body", "kind"), [(PDF, "application/pdf"), (PNG, "image/png")])
@pytest.mark.parametrize("declared", ["", "Content-Type: text/html\r\n", "Content-Type: text/plain\r\n"])
def test_a_file_that_is_not_what_it_is_called_is_known_by_its_first_bytes(
    declared: str, body: bytes, kind: str
) -> None:
    head = f"HTTP/1.1 200 OK\r\n{declared}Content-Length: 4000000\r\n\r\n"
    assert answer_to(head.encode() + body).outcome == not_read(kind), "far from whole"


@pytest.mark.parametrize("body", [b"", b"<p>short", PAGE])
def test_a_page_without_a_type_is_read(body: bytes) -> None:
    assert answer_to(b"HTTP/1.1 200 OK\r\n\r\n" + body).outcome == Fetched(200, "", body)


def test_a_short_file_without_a_type_is_known_as_well() -> None:
    assert answer_to(b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.7\n").outcome == not_read("application/pdf")


@pytest.mark.parametrize("wanted", ["application/pdf", "application/*", "*/*"])
def test_a_person_may_want_more(wanted: str) -> None:
    response = web.Response(body=PDF, headers={"Content-Type": "application/pdf"})
    assert isinstance(answer_of(response, content_types=(wanted,)).outcome, Fetched)


def test_the_first_bytes_are_had_of_any_type() -> None:
    async def scenario() -> Answer:
        picture = web.Response(body=PNG, headers={"Content-Type": "image/png"})
        async with serve({"/": picture}) as root, opened() as fetcher:
            return await fetcher.fetch(root, first_bytes=8)

    assert asyncio.run(scenario()).outcome == Fetched(200, "image/png", PNG[:8])


@pytest.mark.parametrize("encoding", sorted(PACKERS))
def test_a_packed_page_is_unpacked_and_a_bomb_takes_little_more_room_than_the_limit(encoding: str) -> None:
    headers = {"Content-Type": "text/html", "Content-Encoding": encoding}
    outcome = answer_of(web.Response(body=PACKERS[encoding](PAGE), headers=headers)).outcome
    assert isinstance(outcome, Fetched)
    assert outcome.body == PAGE
    packed = PACKERS[encoding](b"rock " * 6_000_000)
    assert len(packed) < 100_000
    tracemalloc.start()
    try:
        answer = answer_of(web.Response(body=packed, headers=headers), max_body_bytes=1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.outcome == Failed(FailureReason.TOO_LARGE, "body is over 1000000 bytes", 200)
    assert peak < 6_000_000


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n"
LAST = b"0\r\n\r\n"


def chunks(body: bytes, size: int) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;of=one\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + LAST


@pytest.mark.parametrize("encoding", [b"", b"Content-Encoding: gzip\r\n"])
def test_a_body_in_chunks_of_a_byte_is_given_up(encoding: bytes) -> None:
    text = random.Random(0).randbytes(2 * CHUNKS_OF_ANY_SIZE).hex().encode()
    body = gzip.compress(text) if encoding else text
    outcome = answer_to(CHUNKED + encoding + b"\r\n" + chunks(body, 1)).outcome
    assert isinstance(outcome, Failed)
    assert outcome.reason is FailureReason.BAD_RESPONSE
    assert outcome.detail == "ClientPayloadError: over 20000 chunks, of less than 64 bytes on average"


@pytest.mark.parametrize("size", [1, CHUNK_BYTES, 4096])
def test_a_page_in_small_chunks_is_read(size: int) -> None:
    body = PAGE * 3 if size == 1 else PAGE * 300
    assert answer_to(CHUNKED + b"\r\n" + chunks(body, size)).outcome == Fetched(200, "text/html", body)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 200), max_size=20), st.lists(st.integers(0, 3000), max_size=10), st.integers(0, 700))
def test_chunks_are_counted_however_their_bytes_come(sizes: list[int], cuts: list[int], more: int) -> None:
    lines = b"".join(chunks(b"7\r\n" * size, 3 * size).removesuffix(LAST) for size in sizes)
    single = CHUNKS_OF_ANY_SIZE + more
    sent = lines + chunks(b"x" * single, 1)
    borders = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    count = ChunkCount()
    are_too_small = [count.are_too_small(sent[start:end]) for start, end in pairwise(borders)]
    chunk_count = len(sizes) + single + len([LAST])
    assert are_too_small[-1] == (chunk_count > CHUNKS_OF_ANY_SIZE + (3 * sum(sizes) + single) // CHUNK_BYTES)
