"""A file of vectors is converted once, in whole or not at all, by one process at a time, and in little memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from itertools import cycle, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import VectorsError
from honeyguide.text import open_vectors
from honeyguide.text.vector_files import FileVectors, conversion
from honeyguide.text.vector_files.conversion import CacheDraft
from written_vectors import glove, word2vec_binary, word2vec_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.text.vector_files import Converting

WORDS = [f"word{number}" for number in range(6000)]
ENCODED = [word.encode() for word in WORDS]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 8)).astype(np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_bytes(glove(ENCODED, VECTORS))
    return path


def converted(file: Path, on_progress: Callable[[Converting], None] = lambda _: None) -> FileVectors:
    source = open_vectors(str(file), file.parent / "cache", on_progress)
    assert isinstance(source, FileVectors)
    return source


def folders(file: Path) -> list[str]:
    return sorted(each.name for each in (file.parent / "cache").iterdir() if each.suffix != ".lock")


def test_a_second_opening_does_not_read_the_file(file: Path) -> None:
    converted(file)
    facts, content = file.stat(), bytearray(file.read_bytes())
    middle = len(content) // 2
    assert middle > 100_000  # away from the bytes that are looked at to tell whether it has changed
    content[middle : middle + 1000] = b"x" * 1000
    file.write_bytes(content)
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    told: list[Converting] = []
    again = converted(file, told.append)
    assert told == []
    assert np.array_equal(again.vectors(WORDS), VECTORS * np.float32(again.about.scale))


@pytest.mark.parametrize("change", ["time", "start", "end", "size"])
def test_a_file_that_has_changed_is_converted_anew(change: str, file: Path) -> None:
    first = converted(file)
    facts, content = file.stat(), file.read_bytes()
    replaced = {
        "time": content.replace(b"word3000 ", b"name3000 "),
        "start": content.replace(b"word0 ", b"name0 ", 1),
        "end": content.replace(b"word5999 ", b"name5999 "),
        "size": content + b"name" + b" 1" * 8 + b"\n",
    }[change]
    file.write_bytes(replaced)
    later = facts.st_mtime_ns + (1 if change == "time" else 0)
    os.utime(file, ns=(facts.st_atime_ns, later))
    second = converted(file)
    assert [word for word in second.words() if word.startswith("name")] != []
    assert second.digest != first.digest
    assert second.folder == first.folder
    assert folders(file) == [first.folder.name]
    assert np.array_equal(first.vectors(WORDS), VECTORS * np.float32(first.about.scale))  # opened before, still whole


def test_the_digest_is_of_the_vectors_not_of_the_file(tmp_path: Path) -> None:
    digests = []
    for name, write in (("a", glove), ("b", word2vec_text), ("c", word2vec_binary)):
        (tmp_path / name).write_bytes(write(ENCODED, VECTORS))
        digests.append(converted(tmp_path / name).digest)
    assert len(set(digests)) == 1
    other = VECTORS.copy()
    other[77, 3] += 1
    (tmp_path / "d").write_bytes(glove(ENCODED, other))
    (tmp_path / "e").write_bytes(glove([*ENCODED[:-1], b"another"], VECTORS))
    assert len({digests[0], converted(tmp_path / "d").digest, converted(tmp_path / "e").digest}) == 3


def test_files_of_the_same_name_do_not_share_a_folder(file: Path) -> None:
    other = file.parent / "elsewhere" / file.name
    other.parent.mkdir()
    other.write_bytes(b"rock 1 2\n")
    one, two = converted(file), open_vectors(str(other), file.parent / "cache")
    assert isinstance(two, FileVectors)
    assert one.folder != two.folder
    assert len(converted(file).words()) == len(WORDS)


@pytest.mark.parametrize("name", ["vektöre 日本 / x".replace("/", "|"), "n" * 250, "-", "a\nb"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"rock 1 2\n")
    assert list(converted(tmp_path / name).words()) == ["rock"]


CACHE_FILES = ("about.json", "vectors.npy", "words.utf8", "bounds.npy", "keys.npy", "rows.npy")
HARMS = ("cut", "gone", "empty", "junk")


@pytest.mark.parametrize(
    ("damage", "how"),
    [
        *zip(CACHE_FILES, cycle(HARMS), strict=False),
        *(pytest.param(*pair, marks=pytest.mark.thorough) for pair in product(CACHE_FILES, HARMS)),
    ],
)
def test_a_damaged_cache_is_made_anew(damage: str, how: str, file: Path) -> None:
    target = converted(file).folder / damage
    whole = target.read_bytes()
    match how:
        case "gone":
            target.unlink()
        case "empty":
            target.write_bytes(b"")
        case "cut":
            target.write_bytes(whole[: len(whole) * 3 // 4])
        case "junk":
            target.write_bytes(b"junk" * 10)
    again = converted(file)
    assert np.array_equal(again.vectors(WORDS), VECTORS * np.float32(again.about.scale))
    assert target.read_bytes() == whole


def test_progress_is_told_and_goes_up_to_the_whole_file(file: Path) -> None:
    big = np.random.default_rng(1).normal(size=(6000, 100)).astype(np.float32)
    file.write_bytes(glove(ENCODED, big))
    told: list[Converting] = []
    converted(file, told.append)
    assert len(told) >= 4
    assert [each.words for each in told] == sorted({each.words for each in told})
    assert told[-1].words == len(WORDS)
    assert told[-1].bytes_read == told[-1].size_bytes == file.stat().st_size
    assert {each.path for each in told} == {file}


class TestStoppedHalfway:
    @pytest.mark.parametrize("where", ["AboutVectors", "CacheDraft"])
    def test_an_error_leaves_nothing(self, where: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(conversion, where, fail)
            with pytest.raises(KeyboardInterrupt):
                converted(file)
        assert folders(file) == []
        assert len(converted(file).words()) == len(WORDS)

    def test_an_error_while_a_changed_file_is_converted_leaves_the_old_folder_until_next_time(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = converted(file)
        file.write_bytes(b"rock 1 2\nmud 3\n")
        with pytest.raises(VectorsError, match="line 2 has 1 number"):
            converted(file)
        assert folders(file) == [before.folder.name]
        file.write_bytes(b"rock 1 2\nmud 3 4\n")
        assert list(converted(file).words()) == ["rock", "mud"]

    def test_a_kill_before_the_renaming_leaves_a_draft_that_the_next_process_clears_away(self, file: Path) -> None:
        script = (
            "import os, signal, sys, pathlib; from honeyguide.text import open_vectors;"
            "pathlib.Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL);"
            "open_vectors(sys.argv[1], pathlib.Path(sys.argv[2]))"
        )
        done = subprocess.run([sys.executable, "-c", script, str(file), str(file.parent / "cache")], check=False)
        assert done.returncode == -signal.SIGKILL
        assert [name.rpartition(".")[2] for name in folders(file)] == ["draft"]
        source = converted(file)
        assert folders(file) == [source.folder.name]
        assert np.array_equal(source.vectors(WORDS), VECTORS * np.float32(source.about.scale))

    def test_a_kill_between_two_renamings_loses_no_more_than_the_cache(self, file: Path) -> None:
        source = converted(file)
        source.folder.rename(source.folder.with_name(f"{source.folder.name}.old"))
        assert len(converted(file).words()) == len(WORDS)
        assert folders(file) == [source.folder.name]

    def test_a_file_that_changes_while_it_is_read_is_refused(self, file: Path) -> None:
        def append(_: Converting) -> None:
            with file.open("ab") as opened:
                opened.write(b"late" + b" 1" * 8 + b"\n")

        with pytest.raises(VectorsError, match="has changed while it was read"):
            converted(file, append)
        assert folders(file) == []


CHILD = """
import sys, pathlib, time
from honeyguide.text import open_vectors
def tell(progress):
    print("converting", flush=True)
    time.sleep(0.2)
source = open_vectors(sys.argv[1], pathlib.Path(sys.argv[2]), tell)
print(source.digest)
"""


def test_two_processes_that_want_the_same_file_convert_it_once(file: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(file), str(file.parent / "cache")]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [child.communicate(timeout=60)[0].split() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert sum("converting" in output for output in outputs) == 1
    assert len({output[-1] for output in outputs}) == 1
    assert folders(file) == [converted(file).folder.name]


def test_when_the_process_that_converts_is_killed_the_one_that_waits_goes_on(file: Path) -> None:
    command = [sys.executable, "-c", CHILD.replace("0.2", "30"), str(file), str(file.parent / "cache")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "converting\n"
        second = subprocess.Popen([*command[:2], CHILD, *command[3:]], stdout=subprocess.PIPE, text=True)
        time.sleep(0.3)
        assert second.poll() is None
        first.kill()
    out, _ = second.communicate(timeout=60)
    assert out.split()[0] == "converting"
    assert folders(file) == [converted(file).folder.name]


def test_a_cache_that_cannot_be_written_is_named_with_a_remedy(file: Path) -> None:
    in_the_way = file.parent / "cache"
    in_the_way.write_bytes(b"a file")
    with pytest.raises(VectorsError, match=r"cannot write the cache .*cache: .*vectors\.cache_folder") as caught:
        converted(file)
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_named_with_a_remedy(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CacheDraft, "add", full)
    with pytest.raises(VectorsError, match=r"No space left on device; free some space"):
        converted(file)
    assert folders(file) == []


def test_what_was_converted_can_be_read_where_nothing_can_be_written(file: Path) -> None:
    folder = converted(file).folder
    (file.parent / "cache" / f"{folder.name}.lock").unlink()
    for each in (folder, folder.parent):
        each.chmod(0o500)
    try:
        assert len(converted(file).words()) == len(WORDS)
        assert not (file.parent / "cache" / f"{folder.name}.lock").exists()
    finally:
        for each in (folder.parent, folder):
            each.chmod(0o700)


def test_the_cache_can_be_thrown_away_at_any_time(file: Path) -> None:
    source = converted(file)
    shutil.rmtree(file.parent / "cache")
    assert np.array_equal(source.vectors(WORDS[:5]), VECTORS[:5] * np.float32(source.about.scale))
    assert len(converted(file).words()) == len(WORDS)


def test_memory_does_not_grow_with_the_numbers_of_a_file(tmp_path: Path) -> None:
    words, dimension = 60_000, 150
    file = tmp_path / "large"
    numbers = np.random.default_rng(3).normal(size=(1000, dimension)).astype("<f4")
    with file.open("wb") as opened:
        opened.write(f"{words} {dimension}\n".encode())
        for number in range(words):
            opened.write(f"word{number} ".encode() + numbers[number % 1000].tobytes())
    tracemalloc.start()
    source = converted(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    found = source.vectors([f"word{number}" for number in (0, 1, 59_999)])
    looked_up = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert file.stat().st_size > 36e6
    assert peak < 20e6
    assert looked_up < 1e6
    assert np.array_equal(found, numbers[[0, 1, 999]] * np.float32(source.about.scale))
