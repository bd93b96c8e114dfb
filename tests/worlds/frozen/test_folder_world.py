"""A folder of HTML files under a base URL answers as a plain web server would."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import WorldError
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Unknown, Url
from honeyguide.worlds.frozen import FolderWorld
from worlds.frozen.folders import BASE, PAGE, outcome_of, site

if TYPE_CHECKING:
    from pathlib import Path

MISSING = Unknown("not in these files")
SERVED = Fetched(200, "text/html", PAGE)


def moved_to(address: str) -> Redirected:
    return Redirected(301, Url.parse(address, BASE))


def test_a_page_has_one_url_and_every_other_way_to_it_redirects(tmp_path: Path) -> None:
    world = site(tmp_path, "index.html", "index.htm", "part/index.htm", "part/b.html", "a b/index.html", "a.html")

    assert outcome_of(world, "part/b.html") == SERVED
    assert outcome_of(world, BASE) == outcome_of(world, "part/") == SERVED, "an index page answers for its folder"
    assert outcome_of(world, "index.html") == moved_to("")
    assert outcome_of(world, "part/index.htm") == moved_to("part/")
    assert outcome_of(world, "index.htm") == SERVED, "a second index page is a page like any other"
    assert outcome_of(world, "a%20b") == moved_to("a%20b/")
    assert outcome_of(world, Url.parse("http://docs.test/manual")) == moved_to("")
    for address in ("no.html", "part/no/", "a.html/", "A.HTML", "//a.html", "/", "http://else.test/manual/a.html"):
        assert outcome_of(world, address) == MISSING, address


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("a%28b%29.html", "a(b).html"),
        ("a(b).html?highlight=x", "a(b).html"),
        ("%61(b).html", "a(b).html"),
        ("list.php?page=2", "list.php%3Fpage=2"),
    ],
)
def test_another_spelling_redirects_to_the_canonical_one(tmp_path: Path, address: str, name: str) -> None:
    world = site(tmp_path, "a(b).html", "list.php?page=2")
    outcome = outcome_of(world, address)

    expected = Fetched if Url.parse(address, BASE) == Url.parse(name, BASE) else Redirected
    assert isinstance(outcome, expected)
    if isinstance(outcome, Redirected):
        assert outcome.target == Url.parse(name, BASE)
        assert isinstance(outcome_of(world, outcome.target), Fetched)


def test_nothing_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "page.html").write_bytes(PAGE)
    (tmp_path / "secret.html").write_bytes(b"<html>secret")
    root = tmp_path / "root"
    site(root, "a.html", "part/b.html")
    (root / "file.html").symlink_to(tmp_path / "secret" / "page.html")
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "nowhere.html").symlink_to("gone.html")
    (root / "itself").symlink_to("itself")
    os.mkfifo(root / "pipe.html")
    world = FolderWorld(root, BASE)

    for address in (
        "file.html", "folder/page.html", "folder", "nowhere.html", "itself", "pipe.html", "../secret.html",
        "%2e%2e/secret.html", "..%2Fsecret.html", "part/..%2f..%2fsecret.html", "..%5Csecret.html", "%2Fetc/passwd",
        "part/%252e%252e/%252e%252e/secret.html", "a.html%00",
    ):  # fmt: skip
        assert outcome_of(world, address) == MISSING, address


def test_a_link_within_the_folder_redirects_to_what_it_stands_for(tmp_path: Path) -> None:
    site(tmp_path, "v15/intro.html", "v15/index.html")
    (tmp_path / "latest").symlink_to("v15")
    (tmp_path / "start.html").symlink_to("v15/intro.html")
    (tmp_path / "home.html").symlink_to("v15/index.html")
    (tmp_path / "v15" / "up").symlink_to("..")
    world = FolderWorld(tmp_path, BASE)

    for address in ("latest/intro.html", "start.html", "v15/up/v15/intro.html"):
        assert outcome_of(world, address) == moved_to("v15/intro.html")
    for address in ("latest", "latest/", "home.html"):
        assert outcome_of(world, address) == moved_to("v15/")
    assert outcome_of(world, "latest/no.html") == MISSING


@pytest.mark.parametrize(
    ("name", "body", "content_type"),
    [
        ("a.HTM", PAGE, "text/html"),
        ("a.xhtml", PAGE, "application/xhtml+xml"),
        ("a.txt", b"words", "text/plain"),
        ("a.pdf", b"%PDF-1.4", "application/pdf"),
        ("a.jpeg", b"\xff\xd8\xff", "image/jpeg"),
        ("page", PAGE, "text/html"),
        ("page.php", b"<?xml version='1.0'?>\n<!-- saved -->\n<html><p>", "text/html"),
        ("LICENSE", b"Permission is granted", ""),
        ("empty", b"", ""),
    ],
)
def test_a_content_type_comes_from_the_name_or_else_from_the_bytes(
    tmp_path: Path, name: str, body: bytes, content_type: str
) -> None:
    (tmp_path / name).write_bytes(body)

    assert outcome_of(site(tmp_path, "z.html"), name) == Fetched(200, content_type, body)


def test_a_page_over_the_limit_is_too_large_and_one_that_is_gone_is_missing(tmp_path: Path) -> None:
    site(tmp_path, "a.html", "b.html")
    world = FolderWorld(tmp_path, BASE, max_body_bytes=len(PAGE) - 1)
    (tmp_path / "b.html").unlink()

    outcome = outcome_of(world, "a.html")
    assert isinstance(outcome, Failed)
    assert outcome.reason is FailureReason.TOO_LARGE
    assert outcome_of(world, "b.html") == MISSING


def test_the_entry_is_the_index_page_of_the_root_or_the_page_with_the_shortest_url(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"")

    assert site(tmp_path, "bb.html", "b.html", "a/index.html").entry_urls() == (Url.parse("a/", BASE),)
    assert site(tmp_path, "index.html").entry_urls() == (BASE,)


def test_urls_are_those_of_the_html_pages_and_each_answers(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_bytes(b"p {}")
    (tmp_path / "README").write_bytes(b"no page")
    world = site(tmp_path, "index.html", "a.html", "part/index.html", "part/naked", "ä#1.html")
    urls = list(world.urls())

    addresses = ("", "a.html", "part/", "part/naked", "%C3%A4%231.html")
    assert {url.text for url in urls} == {f"{BASE}{address}" for address in addresses}
    assert all(isinstance(outcome_of(world, url), Fetched) for url in urls)


def test_a_folder_without_any_page_is_refused(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_bytes(b"")

    with pytest.raises(WorldError, match="holds no HTML page; name a folder"):
        FolderWorld(tmp_path, BASE)
