"""A broken WARC file is refused in one line; one that was cut off loses its last record and no more."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import WorldError
from honeyguide.model import Fetched, Url
from honeyguide.worlds.frozen import WarcWorld
from worlds.frozen.folders import outcome_of
from worlds.frozen.warc_files import Made, packed, packed_in_one_piece, record_bytes, write_warc

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["a.warc", "a.warc.gz"]
CHANCE = random.Random(3)
RECORDS = [Made(f"http://a.test/{number}", b"<html>" + CHANCE.randbytes(400)) for number in range(4)]


def pieces(path: Path) -> list[bytes]:
    return [packed(path, record_bytes(made)) for made in RECORDS]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_anywhere_in_its_last_record_keeps_all_others(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / name
    whole = pieces(path)
    start = len(b"".join(whole[:-1]))
    for length in (1, 2, 3, 9, 10, 11, 25, *range(30, len(whole[-1]) - 30, 101)):
        path.write_bytes(b"".join(whole)[: start + length])
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            world = WarcWorld([path])
        assert [url.path for url in world.urls()] == ["/0", "/1", "/2"], length
        assert f"cut off in the record at byte {start}" in caplog.text, length


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_was_cut_is_warned_of_every_time(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / name
    path.write_bytes(b"".join(pieces(path))[:-100])
    WarcWorld([path])
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        WarcWorld([path])

    assert "cut off" in caplog.text


@pytest.mark.parametrize("name", NAMES)
def test_a_file_broken_in_the_middle_is_refused_with_the_place(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    whole = pieces(path)
    path.write_bytes(b"".join([whole[0], whole[1][:-60], whole[2], whole[3]]))

    with pytest.raises(WorldError) as refused:
        WarcWorld([path])

    message = str(refused.value)
    assert message.startswith(f"{path} is broken after the record at byte ")
    assert "\n" not in message
    assert "get a whole copy" in message
    assert [file.name for file in tmp_path.iterdir()] == [name], "no half-made index is left"


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        (b"<html>no WARC", "is not a WARC file"),
        (b"\x1f\x8b no gzip", "is not a WARC file"),
        (b"", "is an empty file"),
        (packed_in_one_piece(RECORDS), "is compressed as one piece, not record by record"),
        (packed_in_one_piece(RECORDS[:1] * 300), "is compressed as one piece, not record by record"),
    ],
    ids=["html", "no gzip", "empty", "one piece", "one long piece"],  # packed bytes hold the time, and differ
)
def test_what_is_no_usable_warc_is_refused_in_one_line(tmp_path: Path, content: bytes, remedy: str) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(content)

    with pytest.raises(WorldError) as refused:
        WarcWorld([path])

    assert remedy in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_without_a_page_are_refused(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "a.warc.gz", [Made("http://a.test/", status="500 Oh")])

    with pytest.raises(WorldError, match="holds no HTML page"):
        WarcWorld([path])


def test_a_file_that_changed_under_the_world_is_a_world_error(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "a.warc.gz", RECORDS)
    world = WarcWorld([path])
    path.write_bytes(b"something else")

    with pytest.raises(WorldError, match="has changed: no record at byte"):
        outcome_of(world, Url.parse("http://a.test/3"))


def index_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.honeyguide-index")


def test_the_index_is_kept_beside_the_file_and_used_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write_warc(tmp_path / "a.warc.gz", RECORDS)
    first = list(WarcWorld([path]).urls())
    with caplog.at_level(logging.INFO):
        second = list(WarcWorld([path]).urls())

    assert index_of(path).exists()
    assert first == second
    assert "from end to end" not in caplog.text


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0 no more"])
def test_an_index_that_is_damaged_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = write_warc(tmp_path / "a.warc.gz", RECORDS)
    index_of(path).write_bytes(content)

    assert len(list(WarcWorld([path]).urls())) == 4
    assert index_of(path).stat().st_size > 1000


def test_an_index_of_another_state_of_the_file_is_made_anew(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "a.warc.gz", RECORDS)
    WarcWorld([path])
    write_warc(path, RECORDS[:2])

    assert [url.path for url in WarcWorld([path]).urls()] == ["/0", "/1"]


def test_a_folder_that_may_not_be_written_to_needs_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_warc(tmp_path / "a.warc.gz", RECORDS)
    # Stands for a read-only folder, which the superuser that tests may run as could write to all the same.
    monkeypatch.setattr("honeyguide.worlds.frozen.warc_scan.SUFFIX", "/no/such/folder")
    world = WarcWorld([path])

    assert isinstance(outcome_of(world, Url.parse("http://a.test/3")), Fetched)
    assert [file.name for file in tmp_path.iterdir()] == ["a.warc.gz"]
