"""A folder of HTML files under a base URL answers as a plain web server would."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import WorldError
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.worlds.frozen import FolderWorld
from worlds.frozen.folders import BASE, PAGE, outcome_of, site

if TYPE_CHECKING:
    from pathlib import Path

MISSING = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)


def moved_to(address: str) -> Redirected:
    return Redirected(301, Url.parse(address, BASE))


def test_a_file_answers_at_its_name_below_the_base(tmp_path: Path) -> None:
    world = site(tmp_path, "a.html", "part/b.html")

    assert outcome_of(world, "part/b.html") == Fetched(200, "text/html", PAGE)


def test_an_index_page_answers_for_its_folder(tmp_path: Path) -> None:
    world = site(tmp_path, "index.html", "part/index.htm")

    assert outcome_of(world, BASE) == Fetched(200, "text/html", PAGE)
    assert outcome_of(world, "part/") == Fetched(200, "text/html", PAGE)


def test_an_index_page_asked_for_by_name_redirects_to_its_folder(tmp_path: Path) -> None:
    world = site(tmp_path, "index.html", "part/index.html")

    assert outcome_of(world, "index.html") == moved_to("")
    assert outcome_of(world, "part/index.html") == moved_to("part/")


def test_a_second_index_page_is_a_page_like_any_other(tmp_path: Path) -> None:
    world = site(tmp_path, "index.html", "index.htm")

    assert isinstance(outcome_of(world, "index.htm"), Fetched)


def test_a_folder_without_its_slash_redirects_to_the_slash(tmp_path: Path) -> None:
    world = site(tmp_path, "a b/index.html")

    assert outcome_of(world, "a%20b") == moved_to("a%20b/")
    assert outcome_of(world, Url.parse("http://docs.test/manual")) == moved_to("")


@pytest.mark.parametrize(
    "address", ["no.html", "part/", "part/no/", "a.html/", "A.HTML", "//a.html", "/", "http://else.test/manual/a.html"]
)
def test_what_is_not_there_is_a_404(tmp_path: Path, address: str) -> None:
    world = site(tmp_path, "a.html", "part/b.html")

    assert outcome_of(world, address) == MISSING


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


@pytest.mark.parametrize(
    "address",
    [
        "../secret.html",
        "%2e%2e/secret.html",
        "..%2Fsecret.html",
        "part/..%2f..%2fsecret.html",
        "part/%252e%252e/%252e%252e/secret.html",
        "..%5Csecret.html",
        "%2Fetc/passwd",
        "a.html%00",
    ],
)
def test_no_spelling_leads_out_of_the_folder(tmp_path: Path, address: str) -> None:
    (tmp_path / "secret.html").write_bytes(b"<html>secret")
    world = site(tmp_path / "root", "a.html", "part/b.html")

    assert outcome_of(world, address) == MISSING


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "page.html").write_bytes(PAGE)
    root = tmp_path / "root"
    site(root, "a.html")
    (root / "file.html").symlink_to(tmp_path / "secret" / "page.html")
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "nowhere.html").symlink_to("gone.html")
    (root / "itself").symlink_to("itself")
    world = FolderWorld(root, BASE)

    for address in ("file.html", "folder/page.html", "folder", "nowhere.html", "itself"):
        assert outcome_of(world, address) == MISSING


def test_a_link_within_the_folder_redirects_to_what_it_stands_for(tmp_path: Path) -> None:
    site(tmp_path, "v15/intro.html", "v15/index.html")
    (tmp_path / "latest").symlink_to("v15")
    (tmp_path / "start.html").symlink_to("v15/intro.html")
    (tmp_path / "home.html").symlink_to("v15/index.html")
    (tmp_path / "v15" / "up").symlink_to("..")
    world = FolderWorld(tmp_path, BASE)

    assert outcome_of(world, "latest/intro.html") == moved_to("v15/intro.html")
    assert outcome_of(world, "latest") == moved_to("v15/")
    assert outcome_of(world, "latest/") == moved_to("v15/")
    assert outcome_of(world, "start.html") == moved_to("v15/intro.html")
    assert outcome_of(world, "home.html") == moved_to("v15/")
    assert outcome_of(world, "v15/up/v15/intro.html") == moved_to("v15/intro.html")
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
    world = site(tmp_path, "z.html")

    assert outcome_of(world, name) == Fetched(200, content_type, body)


def test_a_page_over_the_limit_is_too_large(tmp_path: Path) -> None:
    site(tmp_path, "a.html")
    world = FolderWorld(tmp_path, BASE, max_body_bytes=len(PAGE) - 1)
    outcome = outcome_of(world, "a.html")

    assert isinstance(outcome, Failed)
    assert outcome.reason is FailureReason.TOO_LARGE


def test_a_file_gone_since_the_world_was_opened_is_a_404(tmp_path: Path) -> None:
    world = site(tmp_path, "a.html", "b.html")
    (tmp_path / "b.html").unlink()

    assert outcome_of(world, "b.html") == MISSING


def test_what_is_neither_file_nor_folder_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    world = site(tmp_path, "a.html")

    assert outcome_of(world, "pipe.html") == MISSING


def test_the_entry_is_the_index_page_of_the_root(tmp_path: Path) -> None:
    assert site(tmp_path, "a.html", "index.html").entry_urls() == (BASE,)


def test_without_an_index_page_the_entry_is_the_page_with_the_shortest_url(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"")
    world = site(tmp_path, "bb.html", "b.html", "a/index.html")

    assert world.entry_urls() == (Url.parse("a/", BASE),)


def test_urls_are_those_of_the_html_pages_and_each_answers(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_bytes(b"p {}")
    (tmp_path / "README").write_bytes(b"no page")
    world = site(tmp_path, "index.html", "a.html", "part/index.html", "part/naked", "ä#1.html")
    urls = list(world.urls())

    assert {url.text for url in urls} == {
        f"{BASE}{address}" for address in ("", "a.html", "part/", "part/naked", "%C3%A4%231.html")
    }
    assert all(isinstance(outcome_of(world, url), Fetched) for url in urls)


def test_a_folder_without_any_page_is_refused(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_bytes(b"")

    with pytest.raises(WorldError, match="holds no HTML page; name a folder"):
        FolderWorld(tmp_path, BASE)
