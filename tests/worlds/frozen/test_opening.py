"""What stands after `site:` opens the right world, or is refused in one line with the value and the remedy."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from honeyguide.errors import WorldError
from honeyguide.model import Failed, Unknown, Url
from honeyguide.settings import settings_from
from honeyguide.worlds.frozen import FolderWorld, WarcWorld, open_site
from honeyguide.worlds.frozen.opening import open_frozen
from worlds.frozen.folders import site
from worlds.frozen.warc_files import Made, write_warc


def test_a_folder_with_a_base_url_is_a_folder_world(tmp_path: Path) -> None:
    site(tmp_path / "a@b", "index.html")
    world = open_site(f"{tmp_path}/a@b@https://Docs.test/the manual")

    assert isinstance(world, FolderWorld)
    assert world.base == Url("https://docs.test/the%20manual/")


def test_warc_files_with_commas_between_them_are_one_world(tmp_path: Path) -> None:
    files = [write_warc(tmp_path / f"{number}.warc.gz", [Made(f"http://a.test/{number}")]) for number in range(2)]
    world = open_site(",".join(map(str, files)))

    assert isinstance(world, WarcWorld)
    assert [url.path for url in world.urls()] == ["/0", "/1"]


def test_a_warc_file_with_a_comma_in_its_name_is_one_file(tmp_path: Path) -> None:
    file = write_warc(tmp_path / "a,b.warc", [Made("http://a.test/")])

    assert isinstance(open_site(str(file)), WarcWorld)


def test_a_folder_of_warc_files_is_all_of_them(tmp_path: Path) -> None:
    write_warc(tmp_path / "2.warc", [Made("http://a.test/2")])
    write_warc(tmp_path / "1.warc.gz", [Made("http://a.test/1")])
    world = open_site(str(tmp_path))
    again = open_site(str(tmp_path))  # with the indexes beside the files by now

    assert [url.path for url in world.urls()] == ["/1", "/2"]
    assert list(again.urls()) == list(world.urls())


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    site(tmp_path / "docs", "a.html")

    assert isinstance(open_site("~/docs@http://docs.test/"), FolderWorld)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "site: names no files; write site:FOLDER@http://host/prefix/ or site:FILE.warc.gz"),
        ("gone@http://docs.test/", "there is no folder gone; name one with HTML files"),
        ("docs", "docs holds no WARC file; for a folder of HTML say where it is, as in site:docs@http://host/prefix/"),
        ("docs@docs.test/", "'docs.test/' does not begin with http:// or https://; write docs@http://docs.test/"),
        ("docs@ftp://docs.test/", "write docs@http://docs.test/"),
        ("docs@http://", "not a URL: 'http://'; write it in full"),
        ("docs@http://docs.test/?a=1", "a base URL has no ? or #"),
        ("docs@http://bad host/", "not a URL"),
        ("gone.warc.gz", "there is no file or folder 'gone.warc.gz'"),
        ("good.warc,gone.warc", "there is no file or folder 'gone.warc'"),
        ("docs/a.html", "docs/a.html is not called .warc or .warc.gz"),
        ("empty@http://docs.test/", "empty holds no HTML page; name a folder of .html files"),
        ("fake.warc", "fake.warc is not a WARC file"),
        ("x" * 5000, "File name too long"),
        ("~nobody-of-that-name@http://a.test/", "there is no folder ~nobody-of-that-name"),
        ("a\0b", "there is no file or folder"),
    ],
)
def test_what_cannot_be_opened_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    site(Path("docs"), "a.html")
    Path("empty").mkdir()
    Path("fake.warc").write_bytes(b"<html>")
    write_warc(Path("good.warc"), [Made("http://a.test/")])

    with pytest.raises(WorldError) as refused:
        open_site(spec)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_setting_says_what_a_link_gives_that_the_files_do_not_hold(tmp_path: Path, is_folder: bool) -> None:
    site(tmp_path, "index.html")
    file = write_warc(tmp_path / "a.warc.gz", [Made("http://a.test/")])
    spec = f"{tmp_path}@http://a.test/" if is_folder else str(file)
    asked = Url.parse("http://a.test/gone.html")

    by_default = asyncio.run(open_frozen(spec, settings_from({})).fetch(asked))
    by_setting = asyncio.run(open_frozen(spec, settings_from({"world": {"missing": "404"}})).fetch(asked))

    assert isinstance(by_default.outcome, Unknown)
    assert isinstance(by_setting.outcome, Failed)
    assert by_setting.outcome.status == 404
    assert by_setting.elapsed_s > by_default.elapsed_s == 0.0
