"""Hostile content and bad servers, for `hostile.py`: pages and robots.txt files by name, and what servers do wrong."""

from __future__ import annotations

import asyncio
import gzip
import random
import shutil
import ssl
import subprocess
import zlib
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    Misbehave = Callable[[asyncio.StreamWriter], Awaitable[None]]

TEXT: Final = b"<title>Rocks</title><p>A rock is made of minerals. "


def repeated(unit: bytes, size: int) -> bytes:
    return TEXT + unit * (size // len(unit))


def numbered(unit: bytes, count: int) -> bytes:
    return TEXT + b"".join(unit % number for number in range(count))


PAGES: Final[Mapping[str, Callable[[], bytes]]] = {
    "attributes: 230,000 on one tag": lambda: TEXT + b"<p " + numbered(b"a%d=1 ", 230_000)[len(TEXT) :] + b">",
    "attributes: on an end tag": lambda: TEXT + b"</p " + numbered(b"a%d=1 ", 230_000)[len(TEXT) :] + b">",
    "attributes: 1,000 tags of 499": lambda: TEXT
    + (b"<p " + b" ".join(b"a%d=1" % number for number in range(499)) + b">") * 1000,
    "attributes: 240,000 names": lambda: TEXT + b"".join(
        b"<p a%d=1 b%d=2 c%d=3>" % (number, number, number) for number in range(80_000)
    ),
    "tags: 250,000 names": lambda: TEXT + b"".join(b"<x%d></x%d>" % (each, each) for each in range(250_000)),
    "nesting: <div></b>": lambda: repeated(b"<div></b>", 4_800_000),
    "nesting: <div> 900,000 deep": lambda: repeated(b"<div>", 4_500_000),
    "nesting: ends of other names": lambda: numbered(b"<x%d></y>", 300_000),
    "nesting: tables in cells": lambda: repeated(b"<div><table><td></div></table>", 4_500_000),
    "formatting: <font> in every paragraph": lambda: numbered(b"<p><font color=%d>x", 200_000),
    # Under a megabyte, where a live crawl bounds markup only after it has taken long.
    "900 KB, attributes on one tag": lambda: TEXT + b"<p " + numbered(b"a%d=1 ", 90_000)[len(TEXT) :] + b">",
    "900 KB, nesting: <div></b>": lambda: repeated(b"<div></b>", 900_000),
    "900 KB, formatting: <font> in every paragraph": lambda: numbered(b"<p><font color=%d>x", 38_000),
    "words: 25 of 80 KB, 1,000 links": lambda: TEXT
    + b" ".join(b"%05d" % number + b"w" * 80_000 for number in range(25))
    + numbered(b"<a href=/L%d></a>", 1000),
    "words: 2,400,000 of a letter": lambda: repeated(b"x ", 4_800_000),
    "words: 430,000 different": lambda: numbered(b"word%d ", 430_000),
    "links: 100,000": lambda: numbered(b"<a href=/L%d>e</a> ", 100_000),
    "links: 240,000 under a base of 4 KB": lambda: b'<base href="/' + b"a" * 4000 + b'/">'
    + numbered(b"<a href=%d>e</a>", 240_000),
    "links: one anchor of 4 MB": lambda: TEXT + b"<a href=/x>" + b"rock " * 900_000 + b"</a>",
    "title of 4 MB": lambda: b"<title>" + b"rock " * 900_000 + b"</title>",
    "refresh of a million digits": lambda: b'<meta http-equiv=refresh content="' + b"1" * 1_000_000 + b'">' + TEXT,
    "end tags: </p> 1,200,000 times": lambda: repeated(b"</p>", 4_800_000),
    "comments: 700,000": lambda: repeated(b"<!---->", 4_800_000),
    "menus: 400,000 <nav>": lambda: repeated(b"<nav>x</nav>", 4_800_000),
    "markers and control characters": lambda: TEXT * 40 + b"\x01\x02&#1;&#x1;" * 400_000,
}  # fmt: skip


def farm_page(number: int) -> bytes:
    """A page of 5,000 links of 340 characters, each to a page of its own, and words that no other page has."""
    begin = f"/{number}/".encode()
    words = " ".join(random.Random(number).choices(FARM_WORDS, k=300)).encode()
    return TEXT + words + _FARM_LINKS.replace(b"/@/", begin)


FARM_WORDS: Final = tuple("".join(letters) for letters in product("aeiou", "bdfg", "aeiou", "klmn"))
_FARM_LINKS: Final = b"".join(b'<a href="/@/%d?%s">rock basalt</a> ' % (each, b"x" * 330) for each in range(5000))

FARMS: Final[Mapping[str, Callable[[int], bytes]]] = {
    "link farm: two hosts, 5,000 new links a page": farm_page,
}

ROBOTS: Final[Mapping[str, Callable[[], bytes]]] = {
    "robots.txt: 4,500 agents x 4,500 rules": lambda: b"".join(b"user-agent:%d\n" % number for number in range(4500))
    + b"".join(b"allow:/%d\n" % number for number in range(4500)),
    "robots.txt: 38,000 rules with *": lambda: b"user-agent:*\n"
    + b"".join(b"allow:/*%d\n" % each for each in range(38_000)),
    "robots.txt: one line of 500 KB": lambda: b"user-agent:*\ndisallow: /" + b"*a" * 250_000,
}  # fmt: skip


def head(status: str = "200 OK", *lines: str, length: int | None = None) -> bytes:
    """Write the beginning of an answer."""
    sized = () if length is None else (f"Content-Length: {length}",)
    return "\r\n".join((f"HTTP/1.1 {status}", "Content-Type: text/html", *sized, *lines, "", "")).encode("latin-1")


def sends(*pieces: bytes, pause_s: float = 0.0) -> Misbehave:
    """Send these pieces, with a pause after each, and close."""

    async def send(writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return send


def endless(first: bytes, again: bytes, pause_s: float = 0.0) -> Misbehave:
    """Send something, then something else until nobody listens."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while True:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return send


async def nothing(_writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(120)


async def reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


def bomb(times: int) -> bytes:
    """A gigabyte of spaces, packed so often."""
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(1000)) + packer.flush()
    for _ in range(times - 1):
        packed = gzip.compress(packed)
    return packed


def brotli_bomb() -> bytes:
    return bytes(import_module("brotli").compress(b" " * 300_000_000, quality=1))


def packed(body: bytes, encoding: str) -> Misbehave:
    return sends(head("200 OK", f"Content-Encoding: {encoding}", length=len(body)) + body)


def page(charset: str, body: bytes) -> Misbehave:
    return sends(head("200 OK", f"Content-Type: text/html; charset={charset}", length=len(body)) + body)


SERVERS: Final[Mapping[str, Callable[[], Misbehave]]] = {
    "bomb: 1 GB in gzip": lambda: packed(bomb(1), "gzip"),
    "bomb: gzip in gzip": lambda: packed(bomb(2), "gzip, gzip"),
    "bomb: 300 MB in brotli": lambda: packed(brotli_bomb(), "br"),
    "packed: not what it says": lambda: packed(b"this is no gzip" * 100, "gzip"),
    "slow: no answer": lambda: nothing,
    "slow: a byte of headers a second": lambda: endless(b"HTTP/1.1 200 OK\r\nX: ", b"x", 1.0),
    "slow: a byte of body a second": lambda: endless(head(length=1_000_000), b"x", 1.0),
    "endless body": lambda: endless(head(), b"<p>rock " * 10_000),
    "endless headers": lambda: endless(b"HTTP/1.1 200 OK\r\n", b"X-Header: " + b"x" * 4000 + b"\r\n"),
    "length: more than comes": lambda: sends(head(length=100_000) + TEXT),
    "length: less than comes": lambda: sends(head(length=10) + TEXT * 1000),
    "length: two of them": lambda: sends(head("200 OK", "Content-Length: 5", length=7) + TEXT),
    "length: 10^30": lambda: sends(head("200 OK", f"Content-Length: {10**30}") + TEXT),
    "chunks: sizes that are none": lambda: sends(head("200 OK", "Transfer-Encoding: chunked") + b"zz\r\nrock\r\n"),
    "chunks: one byte each": lambda: endless(head("200 OK", "Transfer-Encoding: chunked"), b"1\r\nx\r\n" * 2000),
    "headers: garbage": lambda: sends(b"\x00\xff\x16\x03garbage\r\n\r\n" * 50),
    "headers: control characters": lambda: sends(b"HTTP/1.1 200 \x1b[2J\r\nX: \x07\x1b]0;t\x07\r\n\r\n<p>rock"),
    "status 204 with a body": lambda: sends(head("204 No Content", length=len(TEXT)) + TEXT),
    "status 999": lambda: sends(head("999 Denied", length=len(TEXT)) + TEXT),
    "closed at once": lambda: reset,
    "redirects: a loop": lambda: sends(head("302 Found", "Location: /1", length=0)),
    "redirects: to garbage": lambda: sends(head("302 Found", "Location: http://[::1", length=0)),
    "charset: none that exists": lambda: page("klingon", TEXT * 1000),
    "charset: UTF-16 that is not": lambda: page("utf-16", TEXT * 1001),
    "charset: UTF-7": lambda: page("utf-7", b"+ADw-script+AD4-" * 1000),
    "Retry-After: 10^9 s, 429": lambda: sends(head("429 Too Many Requests", "Retry-After: 1000000000", length=0)),
    "Retry-After: -1, 503": lambda: sends(head("503 Service Unavailable", "Retry-After: -1", length=0)),
    "Retry-After: a date of the year 9999": lambda: sends(
        head("503 Service Unavailable", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", length=0)
    ),
    "429 without a word": lambda: sends(head("429 Too Many Requests", length=0)),
    "robots.txt: endless": lambda: endless(head(), b"user-agent: x\nallow: /\n" * 1000),
    "TLS: none spoken": lambda: sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "TLS: no answer": lambda: nothing,
    "TLS: signed by itself": lambda: sends(head(length=len(TEXT)) + TEXT),
}


def own_certificate(folder: Path) -> ssl.SSLContext | None:
    """Make a certificate that nobody vouches for; None without openssl."""
    program = shutil.which("openssl")
    if program is None:
        return None
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ["-subj", "/CN=hostile.test", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
