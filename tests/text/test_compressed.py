"""A file is read as what it holds, in blocks of bounded size, and a broken one says how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.processes import WorkerPool
from honeyguide.text.compressed import BLOCK_BYTES, BrokenStream, CompressedFile
from written_vectors import COMPRESSIONS

if TYPE_CHECKING:
    from pathlib import Path


def content_of(path: Path, packed: bytes) -> list[bytes]:
    path.write_bytes(packed)
    with CompressedFile(path) as file:
        return list(file.blocks())


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz", "zip"])
def test_a_file_that_grows_a_thousandfold_comes_in_small_blocks(compression: str, tmp_path: Path) -> None:
    blocks = content_of(tmp_path / "packed", COMPRESSIONS[compression](bytes(8 * BLOCK_BYTES)))

    assert sum(map(len, blocks)) == 8 * BLOCK_BYTES
    assert max(map(len, blocks)) <= BLOCK_BYTES


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz", "zstd"])
def test_streams_follow_one_another_with_zeros_at_the_end_and_nothing_else(compression: str, tmp_path: Path) -> None:
    pack = COMPRESSIONS[compression]

    assert b"".join(content_of(tmp_path / "packed", pack(b"one") + pack(b"two") + bytes(600))) == b"onetwo"
    with pytest.raises(BrokenStream, match="followed by something else"):
        content_of(tmp_path / "packed", pack(b"one") + b"something else")


def test_lines_are_whole_wherever_blocks_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.text.compressed.BLOCK_BYTES", 3)
    (tmp_path / "plain").write_bytes(b"one\n\ntwenty-two\nlast")
    with CompressedFile(tmp_path / "plain") as file:
        assert list(file.lines()) == [b"one", b"", b"twenty-two", b"last"]
        assert (file.bytes_read, file.size_bytes, file.compression) == (20, 20, "")


def test_a_stream_that_is_too_large_for_a_process_is_read_in_small_blocks_all_the_same(tmp_path: Path) -> None:
    pack = COMPRESSIONS["bzip2"]
    small, large = b"small" * 1000, bytes(70 * BLOCK_BYTES)
    (tmp_path / "packed").write_bytes(pack(small) + pack(large) + pack(small))
    with WorkerPool(2) as workers, CompressedFile(tmp_path / "packed", workers) as file:
        blocks = list(file.blocks())
        assert file.bytes_read == file.size_bytes
    assert max(map(len, blocks)) <= BLOCK_BYTES
    assert b"".join(blocks) == small + large + small
