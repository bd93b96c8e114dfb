"""What was answered, as WARC: copied from an archive, or made again without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

import honeyguide
from honeyguide.errors import ExportError, RunDamaged
from honeyguide.runs import open_run
from runs.exports.scripted_runs import ODD, html, odd_run
from small_archives import archived_run

if TYPE_CHECKING:
    from pathlib import Path


def records(file: Path) -> list[dict[str, Any]]:
    """Every record as a dictionary; digests are checked on the way."""
    read = []
    with file.open("rb") as opened:
        for record in ArchiveIterator(opened, check_digests="raise"):
            http = record.http_headers
            read.append(
                {
                    "type": record.rec_type,
                    "url": record.rec_headers.get_header("WARC-Target-URI"),
                    "date": record.rec_headers.get_header("WARC-Date"),
                    "cut": record.rec_headers.get_header("WARC-Truncated"),
                    "id": record.rec_headers.get_header("WARC-Record-ID"),
                    "info": record.rec_headers.get_header("WARC-Warcinfo-ID"),
                    "status": None if http is None else http.get_statuscode(),
                    "headers": [] if http is None else http.headers,
                    "body": record.content_stream().read(),
                }
            )
    return read


def test_responses_are_made_again_from_what_was_stored(tmp_path: Path) -> None:
    written = honeyguide.export(odd_run(tmp_path / "run"), tmp_path / "out.warc.gz", "warc")
    info, *responses = records(tmp_path / "out.warc.gz")
    assert info["type"] == "warcinfo"
    assert {response["info"] for response in responses} == {info["id"]}
    by_url = {response["url"]: response for response in responses}
    assert by_url.keys() == ODD.keys() - {"http://s.test/private"} | {"http://s.test/gone"}
    page = by_url["http://t.test/new"]
    assert (page["status"], page["type"]) == ("200", "response")
    assert page["body"].decode() == ODD["http://t.test/new"]
    assert dict(page["headers"])["Content-Type"] == "text/html; charset=utf-8"
    assert dict(by_url["http://s.test/old"]["headers"])["Location"] == "http://t.test/new"
    assert by_url["http://s.test/gone"]["status"] == "404"
    hidden = by_url["http://s.test/hidden"]
    assert (hidden["body"], hidden["cut"]) == (b"", "unspecified")
    assert dict(hidden["headers"])["X-Robots-Tag"] == "noindex"
    assert str(written) == "6 responses, 3 pages among them"


def test_relevant_pages_alone(tmp_path: Path) -> None:
    honeyguide.export(odd_run(tmp_path / "run"), tmp_path / "out.warc.gz", "warc", relevant=True)
    assert [record["url"] for record in records(tmp_path / "out.warc.gz")[1:]] == [
        "http://s.test/",
        "http://t.test/new",
    ]


def test_what_is_made_again_is_what_an_archive_of_the_same_crawl_holds(tmp_path: Path) -> None:
    """Offline nothing but the outcome is known in either case; only the file's own first record differs."""
    honeyguide.export(archived_run(tmp_path / "with", "warc"), tmp_path / "with.warc.gz", "warc")
    honeyguide.export(archived_run(tmp_path / "without", "store"), tmp_path / "without.warc.gz", "warc")
    copied, made = records(tmp_path / "with.warc.gz"), records(tmp_path / "without.warc.gz")
    assert len(made) > 30
    for record in (*copied, *made):
        del record["info"]
    assert made[1:] == copied[1:]


def test_a_copy_of_a_whole_archive_is_the_archive(tmp_path: Path) -> None:
    run = archived_run(tmp_path / "run", "warc")
    honeyguide.export(run, tmp_path / "out.warc.gz", "warc")
    files = sorted((run / "archive").glob("*.warc.gz"))
    assert (tmp_path / "out.warc.gz").read_bytes() == b"".join(file.read_bytes() for file in files)


def test_every_record_of_several_files_refers_to_a_first_record_that_is_there(tmp_path: Path) -> None:
    run = archived_run(tmp_path / "run", "warc", archive_file_megabytes=0.02)
    assert len(list((run / "archive").iterdir())) > 1
    honeyguide.export(run, tmp_path / "out.warc.gz", "warc", relevant=True)
    read = records(tmp_path / "out.warc.gz")
    infos = {record["id"] for record in read if record["type"] == "warcinfo"}
    assert {record["info"] for record in read if record["type"] == "response"} <= infos
    with open_run(run) as opened:
        relevant = [page.url.text for page in opened.pages(relevant_only=True)]
    assert [record["url"] for record in read if record["type"] == "response"] == relevant


def test_our_own_world_of_a_warc_reads_it(tmp_path: Path) -> None:
    honeyguide.export(odd_run(tmp_path / "run"), tmp_path / "out.warc.gz", "warc")
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology"},
            "crawl": {
                "world": f"site:{tmp_path / 'out.warc.gz'}",
                "strategy": "breadth-first",
                "seed_urls": ["http://s.test/"],
            },
            "judge": {"kind": "keyword"},
            "politeness": {"delay_s": 0.0},
        }
    )
    with honeyguide.crawl(tmp_path / "again", settings) as again:
        titles = {page.url.text: page.title for page in again.pages()}
    with open_run(tmp_path / "run") as run:
        assert titles == {page.url.text: page.title for page in run.pages()}


def test_a_run_that_stored_no_bodies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="has no bodies"):
        honeyguide.export(archived_run(tmp_path / "run", "none"), tmp_path / "out.warc.gz", "warc")
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_an_archive_that_has_lost_its_end_is_reported(tmp_path: Path) -> None:
    run = archived_run(tmp_path / "run", "warc")
    file = run / "archive" / "pages-00000.warc.gz"
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(RunDamaged, match="has lost its end"):
        honeyguide.export(run, tmp_path / "out.warc.gz", "warc")
    file.unlink()
    with pytest.raises(RunDamaged, match="cannot be read"):
        honeyguide.export(run, tmp_path / "out.warc.gz", "warc")
    assert not (tmp_path / "out.warc.gz").exists()


def test_the_page_of_the_script_is_as_written() -> None:
    assert ODD["http://s.test/odd"] != html("")
