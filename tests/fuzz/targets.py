"""What a stranger can send, and what reads it. A target takes bytes and raises nothing but errors of ours."""

from __future__ import annotations

import asyncio
import atexit
import gzip
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Final

from honeyguide.errors import HoneyguideError, InvalidUrl
from honeyguide.fetch.robots import rules_from
from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.parse.listing import read_listing
from honeyguide.runs import open_run
from honeyguide.runs.repair import repair
from honeyguide.search.query import all_words, parse_query
from honeyguide.settings import Settings, load_settings, to_toml
from honeyguide.worlds.frozen import WarcWorld
from honeyguide.worlds.wiki.titles import SiteInfo, TitleRules
from honeyguide.worlds.wiki.wikitext import Converter
from small_archives import archived_run

if TYPE_CHECKING:
    from collections.abc import Callable

URL: Final = Url.parse("http://s.test/folder/page")
_LIMITS: Final = Settings().parse
_CONVERTER: Final = Converter(TitleRules(SiteInfo(number_by_namespace={"file": 6, "category": 14})))


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads bytes of strangers."""

    read: Callable[[bytes], None]
    samples: tuple[bytes, ...]
    pieces: tuple[bytes, ...]  # that mean something to it


def _html(data: bytes) -> None:
    page = parse(URL, Fetched(200, "text/html", data))
    assert len(page.links) <= _LIMITS.max_links
    assert len(page.title) <= _LIMITS.max_title_characters
    assert all(len(link.target.text) <= _LIMITS.max_url_characters for link in page.links)
    assert all(len(word) <= _LIMITS.max_word_characters for word in page.words)


def _robots(data: bytes) -> None:
    rules = rules_from(Fetched(200, "text/plain", data), "http://s.test", 0.0, "honeyguide")
    rules.refusal_of(URL)
    assert rules.delay_s >= 0


def _listing(data: bytes) -> None:
    listing = read_listing(URL, Fetched(200, "text/xml", data))
    assert len(set(listing.pages)) == len(listing.pages)


def _warc(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.warc")
        file.write_bytes(data)
        world = WarcWorld([file])
        for url in world.urls():
            asyncio.run(world.fetch(url))
        asyncio.run(world.close())


def _wikitext(data: bytes) -> None:
    article = _CONVERTER.convert(data.decode("utf-8", "replace"))
    assert len(set(article.targets)) == len(article.targets)


def _settings(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "settings.toml")
        file.write_bytes(data)
        to_toml(load_settings(file))


def _query(data: bytes) -> None:
    list(all_words(parse_query(data.decode("utf-8", "replace"))))


def _url(data: bytes) -> None:
    with suppress(InvalidUrl):
        once = Url.parse(data.decode("utf-8", "replace"), base=URL)
        assert Url.parse(once.text) == once


@cache
def _small_run() -> Path:
    folder = Path(mkdtemp(prefix="honeyguide-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return archived_run(folder / "run", "store")


def _database(data: bytes) -> None:
    """Read a run whose database has these bytes somewhere; the first ones say where."""
    with TemporaryDirectory() as folder:
        run = shutil.copytree(_small_run(), Path(folder, "run"))
        database = run / "crawl.sqlite"
        content = bytearray(database.read_bytes())
        at = int.from_bytes(data[:3], "big") % len(content)
        content[at : at + len(data)] = data
        database.write_bytes(content)
        _read_run(run)
        with suppress(HoneyguideError):
            _read_run(repair(run, Path(folder, "new")).run)


def _about(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        run = shutil.copytree(_small_run(), Path(folder, "run"))
        (run / "honeyguide.json").write_bytes(data)
        _read_run(run)


def _read_run(run: Path) -> None:
    with suppress(HoneyguideError), open_run(run) as opened:
        for page in opened.pages():
            with suppress(KeyError):
                opened.body(page.url)
        list(opened.steps())


_PAGE = b"""<!doctype html><html><head><title>Rock &amp; stone</title><base href=/a/><meta charset=utf-8></head><body>
<nav><a href=x>menu</a></nav><p>Basalt <a href='b?c=1#d' rel=nofollow>columns</a></p><table><tr><td>1</table></body>"""
_MAP = b"""<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
<url><loc>http://s.test/1</loc></url><url><loc>/2</loc></url></urlset>"""
_FEED = b"<rss><channel><item><link>http://s.test/1</link></item></channel></rss>"
_RECORD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>rock</p>"
_WARC = b"""WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://s.test/\r\nWARC-Date: 2026-01-01T00:00:00Z\r
WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n""" % (
    len(_RECORD),
    _RECORD,
)
_WIKI = b"""'''Rock''' is [[stone|a stone]].<ref>x</ref> {{Infobox|a={{b}}}}
== Head ==
* one
{| class=x\n|-\n| cell\n|}
[[File:a.png|thumb|A [[b]]]] [[Category:Rocks]] [http://a.test b] <nowiki>[[c]]</nowiki>"""

TARGETS: Final = {
    "html": Target(
        _html, (_PAGE, b"\xff\xfe<\x00p\x00>\x00"),
        (b"<a href=", b"<", b">", b"&#", b"<!--", b"<table>", b"<svg>", b"</p>", b"<base href=", b"<title>",
         b"\x00", b"&amp;", b"<template>"),
    ),
    "robots": Target(
        _robots, (b"User-agent: *\nDisallow: /a*$\nAllow: /b\nCrawl-delay: 3\nSitemap: /s.xml\n",),
        (b"user-agent:", b"*", b"\n", b"disallow: /", b"$", b"crawl-delay: ", b"\xef\xbb\xbf", b"#", b"%",
         b"9" * 40, b"-1", b"nan"),
    ),
    "listing": Target(
        _listing, (_MAP, _FEED, gzip.compress(_MAP, mtime=0), b"http://s.test/1\nhttp://s.test/2\n"),
        (b"<loc>", b"<!ENTITY a 'b'>", b"&a;", b"<!DOCTYPE a [", b"</urlset>", b"<item>", b"xml:base=",
         b"\x1f\x8b", b"<![CDATA["),
    ),
    "warc": Target(
        _warc, (_WARC, _WARC * 2, gzip.compress(_WARC, mtime=0)),
        (b"WARC/1.1\r\n", b"Content-Length: ", b"-1", b"\r\n", b"99999999999", b"WARC-Type: revisit", b"\x1f\x8b\x08"),
    ),
    "wikitext": Target(
        _wikitext, (_WIKI,),
        (b"[[", b"]]", b"{{", b"}}", b"{|", b"|}", b"'''", b"<ref>", b"</ref>", b"==", b"\n*", b"|",
         b"Category:", b"<nowiki>", b"<!--"),
    ),
    "settings": Target(
        _settings, (to_toml(Settings()).encode(),),
        (b"[", b"]", b"=", b'"', b"\n[crawl]\n", b"strategy = ", b"nan", b"inf", b"1e999", b"true",
         b"[[budget]]", b"\\u0000", b"''"),
    ),
    "query": Target(
        _query, (b'basalt "two words" -title:list (a OR b) NOT c', b"host:example.org text:rock"),
        (b"(", b")", b'"', b" OR ", b" NOT ", b"-", b"title:", b"host:", b" AND ", b"*", "ﬁ".encode(), b"\\"),
    ),
    "url": Target(
        _url, (b"http://user:pass@S.test:80/a/../b?utm_source=x&c=%7e#d", b"//x.test", b"?q"),
        (b"http://", b"/", b"..", b"%", b"%2", b"#", b"?", b"@", b":", b"[::1]", "ü".encode(), b"\\",
         b"&utm_a=", b"0x7f.1"),
    ),
    "database": Target(
        _database, (b"\x00\x10\x00rock", bytes(200)), (b"\x00", b"\xff" * 8, b"CREATE", b"\x0d", b"\x05")
    ),
    "about": Target(
        _about, (b'{"format": 6, "honeyguide": "0.1.0", "has_started": true}',),
        (b"{", b"}", b"[", b"null", b"1e999", b'"format":', b"6", b"-1", b'"began_with": []', b"\xff"),
    ),
}  # fmt: skip
