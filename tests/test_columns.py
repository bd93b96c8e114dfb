"""Columns that grow, in memory and on disk: what was put in comes out, wherever it is."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from honeyguide.columns import TextColumn, grown, release
from honeyguide.crawler.parents import ParentTable
from honeyguide.frontier import SeenUrls
from honeyguide.model import LinkId, Url
from honeyguide.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

PARENTS = ParentTable().row(LinkId(0)).dtype
on_disk = pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="columns stay in memory here")


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.columns.ON_DISK_FROM", 64)


@given(st.lists(st.lists(st.binary(max_size=40), max_size=5), max_size=12), st.integers(1, 100))
def test_texts_come_back_whether_in_memory_or_in_a_file(batches: list[list[bytes]], most: int) -> None:
    texts, expected = TextColumn(), [text for batch in batches for text in batch]
    texts._most = most  # hypothesis runs no fixture for each example
    for batch in batches:
        texts.extend(batch)
    assert [texts[number] for number in range(len(texts))] == expected


@on_disk
@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("fill", [None, 0, -1])
def test_a_large_column_lies_in_a_file_and_survives_its_release(fill: float | None) -> None:
    column = np.arange(5, dtype=np.int64)
    for size in (20, 300):
        column = grown(column, size, fill=fill)
        base: object = column.base
        assert isinstance(base, mmap.mmap)
    column[299] = 7
    release([column])
    assert column[:5].tolist() == [0, 1, 2, 3, 4]
    assert column[299] == 7
    if fill is not None:
        assert set(column[5:299].tolist()) == {fill}


def no_file() -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("make", [lambda: grown(np.zeros(8), 100, fill=0), TextColumn])
def test_where_no_file_can_be_made_everything_stays_in_memory(
    make: Callable[[], object], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("honeyguide.columns._nameless_file", no_file)
    column = make()
    if isinstance(column, TextColumn):
        column.extend([b"x" * 100, b"y"])
        assert (column[0], column[1]) == (b"x" * 100, b"y")
    else:
        assert isinstance(column, np.ndarray)
        assert column.tolist() == [0.0] * 100
    assert "No space left" in caplog.text


@pytest.mark.usefixtures("small_memory")
def test_urls_are_found_again_when_their_texts_are_on_disk() -> None:
    seen, urls = SeenUrls(), [Url(f"http://a.test/{number}") for number in range(200)]
    seen.add_new(urls[:100])
    assert [seen.add(url) for url in urls] == list(range(200))
    assert list(seen) == urls
    assert seen.find(Url("http://a.test/200")) is None


@on_disk
def test_a_crawl_whose_links_are_on_disk_is_the_same_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"world": "synthetic:seed=1,pages=9000,hosts=40,mean_links=30", "concurrency": 4},
            "budget": {"fetches": 60},
            "search": {"live": "off"},
        }
    )
    crawls: list[list[tuple[str, float]]] = []
    were_released: list[np.dtype[Any]] = []

    def noted(columns: Iterable[np.ndarray[Any, Any]]) -> None:
        kept = list(columns)
        were_released.extend(column.dtype for column in kept if isinstance(column.base, mmap.mmap))
        release(kept)

    for most in (1 << 24, 64):
        monkeypatch.setattr("honeyguide.columns.ON_DISK_FROM", most)
        for place in ("honeyguide.frontier.chunks", "honeyguide.crawler.parents"):
            monkeypatch.setattr(f"{place}.RELEASED_EVERY", 2)
            monkeypatch.setattr(f"{place}.release", noted)
        with honeyguide.crawl(tmp_path / f"run-{most}", settings) as run:
            assert run.progress.waiting > 1024, "columns begin with room for so many"
            crawls.append([(step.url.text, step.score) for step in run.steps()])
    assert len(crawls[0]) == 60
    assert crawls[1] == crawls[0]
    assert {np.dtype(np.float16), np.dtype(np.float64), PARENTS} <= set(were_released)  # rows, scores, parents


LARGE_ONES_APART = """
import ctypes, sys
import numpy as np
from honeyguide.columns import keep_large_apart

if sys.argv[1] == "apart":
    keep_large_apart()
for _ in range(3):
    np.ones(3 << 20)
class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena a b c mapped d e f g h".split()]
read = ctypes.CDLL(None).mallinfo2
read.restype = Memory
before = read().mapped
kept = np.ones(2 << 20)
print(read().mapped - before >= kept.nbytes)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="for the C library of GNU"
)
@pytest.mark.parametrize(("how", "is_apart"), [("apart", "True"), ("as usual", "False")])
def test_large_pieces_of_memory_lie_apart_also_after_one_was_freed(how: str, is_apart: str) -> None:
    command = [sys.executable, "-c", LARGE_ONES_APART, how]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == is_apart
