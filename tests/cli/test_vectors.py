"""`honeyguide vectors`, and crawling with vectors of one's own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.cli.progress import converting_line
from honeyguide.text.vector_files import Converting
from worlds.wiki.dumps import Written, world_of
from written_vectors import COMPRESSIONS

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal, StartProgram

VECTORS = b"rock 1 0 0.1\nstone 0.9 0.1 0\nsoup 0 1 0\nstew 0.1 0.9 0\nthe 0.1 0.1 1\nthe 1 1 1\ncaf\xe9 1 1 1\n"
CRAWL = "crawl run --world synthetic:seed=5,pages=1000,hosts=8 --topic rock --budget 10 --vectors "


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return tmp_path / "xdg" / "honeyguide" / "vectors"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.txt.gz"
    path.write_bytes(COMPRESSIONS["gzip"](VECTORS))
    return path


def test_a_file_is_described(cli: Cli, file: Path, cache: Path, tmp_path: Path) -> None:
    document = cli.json("vectors", "info", file, "--near", "Rock", "--near", "mud")
    assert document["source"] == str(file)
    assert (document["format"], document["compression"]) == ("GloVe text", "gzip")
    assert (document["words"], document["dimension"]) == (5, 3)
    assert (document["duplicates"], document["skipped"]) == (1, 1)
    assert document["cache"].startswith(str(cache))
    assert document["cache_bytes"] > 100
    assert [each["word"] for each in document["near"]["Rock"]] == ["stone", "the", "stew", "soup"]
    assert document["near"]["Rock"][0]["cosine"] > 0.98
    assert document["near"]["mud"] == []
    shown = cli("vectors", "info", file, "--near", "soup", "--near", "mud")
    for words in ("GloVe text, gzip", "1 repeated, 1 empty or not UTF-8", "near soup: stew 0.99, stone 0.11"):
        assert words in shown
    assert "near mud: it has no vector" in shown
    elsewhere = cli.json("vectors", "info", file, "--cache-folder", tmp_path / "here")
    assert elsewhere["cache"].startswith(str(tmp_path / "here"))


def test_the_bundled_vectors_need_no_cache(cli: Cli, cache: Path) -> None:
    document = cli.json("vectors info wordllama --near river")
    assert (document["dimension"], document["words"] > 9000) == (256, True)
    assert "rivers" in {each["word"] for each in document["near"]["river"]}
    assert "bundled" in cli("vectors info wordllama")
    assert not cache.exists()


def test_vectors_are_trained_on_a_world_and_a_run(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="needs gensim, the extra vectors")
    stones = Written("Stones", "granite and basalt make a hard mountain. " * 40)
    world_of(tmp_path, [stones, Written("Dishes", "soup and stew make a tasty dinner. " * 40)]).shut()
    document = cli.json("vectors train --world wiki:world own.vectors --dimension 8 --epochs 2")
    assert document["path"] == "own.vectors"
    assert (document["texts"], document["dimension"], document["trained_on"]) == (2, 8, "wiki:world")
    assert document["words"] >= 11
    assert cli.json("vectors info own.vectors")["format"] == "word2vec binary"
    assert cli.json("crawl run --world wiki:world --topic granite --vectors own.vectors")["pages"] >= 1
    shown = cli("vectors", "train", "--run", shared_run, "my vectors", "--dimension", "5", "--epochs", "1")
    assert "Trained." in shown
    assert "--vectors 'my vectors'" in shown
    assert (tmp_path / "my vectors").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--run absent out", "absent"),
        ("--world wiki:absent out", "absent"),
        ("--world synthetic --dimension 0 out", "dimension is 0"),
        ("--world synthetic:pages=300,hosts=6 --min-count 1000000 out", "too few to train on"),
        ("--world synthetic own.txt.gz", "is there already"),
    ],
)
def test_training_that_cannot_be_done_is_refused(refusal: Refusal, file: Path, arguments: str, words: str) -> None:
    pytest.importorskip("gensim", reason="needs gensim, the extra vectors")
    assert file.exists()
    assert words in refusal(f"vectors train {arguments}")


def test_a_run_keeps_its_vectors_and_goes_on_with_no_others(cli: Cli, file: Path, refusal: Refusal) -> None:
    cli(f"{CRAWL} {file}")
    settings = honeyguide.load_settings("run/settings.toml")
    assert settings.vectors.source == str(file)
    assert settings.vectors.digest == cli.json("vectors", "info", file)["digest"]
    assert cli.json("resume run --budget 15")["fetches"] == 15
    file.write_bytes(VECTORS.replace(b"rock 1", b"rock 2"))
    cli("vectors", "info", file)
    assert "not those that the run began with" in refusal("resume run --budget 20")


@pytest.mark.thorough
def test_a_signal_while_vectors_are_converted_ends_the_command_and_leaves_nothing(
    start_program: StartProgram, tmp_path: Path, cache: Path
) -> None:
    lines = (f"word{number}{' 0.5' * 100}\n" for number in range(100_000))
    (tmp_path / "large.txt").write_text("".join(lines), encoding="utf-8")
    with start_program(*CRAWL.split(), "large.txt") as crawling:
        while not list(cache.glob("*.draft/vectors.npy")):
            assert crawling.poll() is None, crawling.communicate()
        crawling.send_signal(signal.SIGINT)
        out, err = crawling.communicate(timeout=60)
    assert (crawling.returncode, out, err) == (130, "", "stopped before the crawl began\n")
    assert not (tmp_path / "run").exists()
    assert [each.name for each in cache.iterdir() if each.suffix != ".lock"] == []


def test_progress_is_a_line(tmp_path: Path) -> None:
    line = converting_line(Converting(tmp_path / "a\nb.txt", 50, 200, 12_345))
    assert line == "reading vectors a b.txt  25.0%  12,345 words"
