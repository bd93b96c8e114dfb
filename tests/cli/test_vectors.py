"""`honeyguide vectors`, and crawling with vectors of one's own; bad input gets one line and leaves nothing."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.cli.watching import converting_line
from honeyguide.text.vector_files import Converting
from worlds.wiki.dumps import Written, write_dump
from written_vectors import COMPRESSIONS

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal, StartProgram

VECTORS = b"rock 1 0 0.1\nstone 0.9 0.1 0\nsoup 0 1 0\nstew 0.1 0.9 0\nthe 0.1 0.1 1\nthe 1 1 1\ncaf\xe9 1 1 1\n"
SMALL_WORLD = "synthetic:seed=5,pages=1000,hosts=8"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return tmp_path / "xdg" / "honeyguide" / "vectors"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.txt.gz"
    path.write_bytes(COMPRESSIONS["gzip"](VECTORS))
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document: dict[str, Any] = json.loads(out)
    return document


class TestInfo:
    def test_says_what_is_in_a_file(self, file: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
        document = told(capsys, "vectors", "info", str(file))
        assert document["source"] == str(file)
        assert (document["format"], document["compression"]) == ("GloVe text", "gzip")
        assert (document["words"], document["dimension"]) == (5, 3)
        assert (document["duplicates"], document["skipped"]) == (1, 1)
        assert document["cache"].startswith(str(cache))
        assert document["cache_bytes"] > 100
        assert document["near"] == {}

    def test_shows_the_nearest_words(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        document = told(capsys, "vectors", "info", str(file), "--near", "Rock", "--near", "mud")
        assert [each["word"] for each in document["near"]["Rock"]] == ["stone", "the", "stew", "soup"]
        assert document["near"]["Rock"][0]["cosine"] > 0.98
        assert document["near"]["mud"] == []

    def test_says_it_to_people_too(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["vectors", "info", str(file), "--near", "soup", "--near", "mud"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert "GloVe text, gzip" in out
        assert "1 repeated, 1 empty or not UTF-8" in out
        assert "near soup: stew 0.99, stone 0.11" in out
        assert "near mud: it has no vector" in out

    def test_knows_the_bundled_ones(self, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
        document = told(capsys, "vectors", "info", "wordllama", "--near", "river")
        assert document["dimension"] == 256
        assert document["words"] > 9000
        assert "rivers" in {each["word"] for each in document["near"]["river"]}
        assert main(["vectors", "info", "wordllama"]) == 0
        assert "bundled" in capsys.readouterr().out
        assert not cache.exists()

    def test_puts_the_cache_where_it_is_told(
        self, file: Path, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        document = told(capsys, "vectors", "info", str(file), "--cache-folder", str(tmp_path / "here"))
        assert document["cache"].startswith(str(tmp_path / "here"))
        assert not cache.exists()

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"rock 1 2\nmud 3\n", "own.txt, line 2 has 1 number"),
            (b"", "own.txt is empty"),
            (COMPRESSIONS["gzip"](VECTORS)[:-4], "gzip data is cut off"),
        ],
        ids=["columns", "empty", "cut off"],
    )
    def test_refuses_a_bad_file(
        self, content: bytes, said: str, tmp_path: Path, refusal: Refusal, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "own.txt").write_bytes(content)
        main(["vectors", "info", str(tmp_path / "own.txt")])  # makes the folder of the cache, which stays
        capfd.readouterr()
        assert said in refusal("vectors", "info", "own.txt")

    def test_refuses_what_is_not_there(self, refusal: Refusal) -> None:
        assert "there is no file of vectors absent.txt" in refusal("vectors", "info", "absent.txt")
        assert "is a folder" in refusal("vectors", "info", ".")


class TestTrain:
    @pytest.fixture
    def world(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
        stones = Written("Stones", "granite and basalt make a hard mountain. " * 40)
        dishes = Written("Dishes", "soup and stew make a tasty dinner. " * 40)
        write_dump(tmp_path / "dump.xml", [stones, dishes])
        assert main(["wiki", "build", str(tmp_path / "dump.xml"), str(tmp_path / "world")]) == 0
        capsys.readouterr()
        return f"wiki:{tmp_path / 'world'}"

    def test_trains_on_a_world_what_a_crawl_can_use(
        self, world: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "own.vectors"
        document = told(capsys, "vectors", "train", "--world", world, str(out), "--dimension", "8", "--epochs", "2")
        assert document["path"] == str(out)
        assert (document["texts"], document["dimension"], document["trained_on"]) == (2, 8, world)
        assert document["words"] >= 11
        assert told(capsys, "vectors", "info", str(out))["format"] == "word2vec binary"
        run = str(tmp_path / "run")
        crawled = told(capsys, "crawl", run, "--world", world, "--topic", "granite", "--vectors", str(out))
        assert crawled["pages"] >= 1

    def test_trains_on_a_run_and_says_how_to_go_on(
        self, finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "my vectors"
        assert (
            main(["vectors", "train", "--run", str(finished_run), str(out), "--dimension", "5", "--epochs", "1"]) == 0
        )
        shown = capsys.readouterr().out
        assert "Trained." in shown
        assert f"--vectors '{out}'" in shown
        assert out.exists()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ((), "give either --run RUN or --world WORLD"),
            (("--run", "a", "--world", "b"), "give either --run RUN or --world WORLD"),
            (("--run", "absent"), "absent"),
            (("--world", "wiki:absent"), "absent"),
            (("--world", "live"), "live"),
            (("--world", "synthetic", "--dimension", "0"), "dimension is 0"),
            (("--world", "synthetic:pages=300,hosts=6", "--min-count", "1000000"), "too few to train on"),
        ],
    )
    def test_refuses_what_cannot_be_done(self, arguments: tuple[str, ...], said: str, refusal: Refusal) -> None:
        assert said in refusal("vectors", "train", *arguments, "out")

    def test_does_not_overwrite(self, file: Path, refusal: Refusal) -> None:
        assert "is there already" in refusal("vectors", "train", "--world", "synthetic", str(file))


class TestCrawl:
    def test_a_flag_names_the_vectors_and_the_run_keeps_them(
        self, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run = str(tmp_path / "run")
        flags = ("--world", SMALL_WORLD, "--topic", "rock", "--budget", "10", "--vectors", str(file))
        told(capsys, "crawl", run, *flags)
        settings = honeyguide.load_settings(tmp_path / "run" / "settings.toml")
        assert settings.vectors.source == str(file)
        assert settings.vectors.digest == told(capsys, "vectors", "info", str(file))["digest"]
        assert told(capsys, "resume", run, "--budget", "15")["fetches"] == 15

    def test_a_run_does_not_go_on_with_other_vectors(
        self, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], refusal: Refusal
    ) -> None:
        flags = ("--world", SMALL_WORLD, "--topic", "rock", "--budget", "10", "--vectors", str(file))
        told(capfd, "crawl", str(tmp_path / "run"), *flags)
        file.write_bytes(VECTORS.replace(b"rock 1", b"rock 2"))
        told(capfd, "vectors", "info", str(file))
        assert "not those that the run began with" in refusal("resume", str(tmp_path / "run"), "--budget", "15")

    def test_a_bad_file_is_refused_and_leaves_no_run(self, refusal: Refusal, tmp_path: Path) -> None:
        flags = ("--world", SMALL_WORLD, "--topic", "rock", "--vectors", "absent.txt")
        assert f"there is no file of vectors {tmp_path / 'absent.txt'}" in refusal("crawl", "run", *flags)

    def test_a_signal_while_vectors_are_converted_ends_the_command_and_leaves_nothing(
        self, start_program: StartProgram, tmp_path: Path, cache: Path
    ) -> None:
        lines = (f"word{number}{' 0.5' * 100}\n" for number in range(100_000))
        (tmp_path / "large.txt").write_text("".join(lines), encoding="utf-8")
        flags = ("--world", SMALL_WORLD, "--topic", "rock", "--vectors", "large.txt")
        with start_program("crawl", "run", *flags) as crawling:
            while not list(cache.glob("*.draft/vectors.npy")):
                assert crawling.poll() is None, crawling.communicate()
            crawling.send_signal(signal.SIGINT)
            out, err = crawling.communicate(timeout=30)
        assert (crawling.returncode, out, err) == (130, "", "stopped before the crawl began\n")
        assert not (tmp_path / "run").exists()
        assert [each.name for each in cache.iterdir() if each.suffix != ".lock"] == []


def test_progress_is_a_line(tmp_path: Path) -> None:
    line = converting_line(Converting(tmp_path / "a\nb.txt", 50, 200, 12_345))
    assert line == "reading vectors a b.txt  25.0%  12,345 words"


@pytest.mark.parametrize("command", ["info", "train"])
def test_there_is_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example" in shown
    assert "honeyguide vectors " in shown
