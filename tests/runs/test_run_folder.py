"""The folder of a run: made once, refused when it is not one, written by one process at a time."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from crawler.small_crawls import settings_for
from honeyguide.crawler import crawl, resume
from honeyguide.errors import RunBusy, RunDamaged, RunExists, StoreError
from honeyguide.runs import RunFolder, RunLock, open_run
from honeyguide.runs.folder import FORMAT, folder_bytes
from honeyguide.settings import load_settings, to_toml
from vectors_by_hash import hashed_vectors

SETTINGS = settings_for(budget=10)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    crawl(path, SETTINGS, vectors=hashed_vectors()).close()
    return path


@pytest.fixture
def run(tmp_path: Path, whole_run: Path) -> Path:
    return Path(shutil.copytree(whole_run, tmp_path / "run"))


def test_the_settings_in_the_folder_are_the_effective_ones_and_read_back_equal(run: Path) -> None:
    assert load_settings(run / "settings.toml") == SETTINGS
    assert (run / "settings.toml").read_text(encoding="utf-8") == to_toml(SETTINGS)
    with open_run(run) as opened:
        assert opened.settings == SETTINGS


def test_a_run_belongs_to_its_folder_and_may_be_moved(run: Path, tmp_path: Path) -> None:
    moved = run.rename(tmp_path / "elsewhere # 100% ?")
    with open_run(moved) as opened:
        assert opened.progress.steps == 10
        assert opened.path == moved


def test_an_empty_folder_and_missing_parents_can_become_a_run(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "a" / "b" / "run"):
        RunFolder.create(path, to_toml(SETTINGS))[1].close()
        assert RunFolder.open(path).settings_file.exists()


@pytest.mark.parametrize("left", [(), ("settings.toml",), ("settings.toml", "honeyguide.json.draft")])
def test_a_folder_in_which_making_a_run_was_cut_short_can_become_one(tmp_path: Path, left: tuple[str, ...]) -> None:
    for name in ("lock", *left):
        (tmp_path / name).write_text("")
    RunFolder.create(tmp_path, to_toml(SETTINGS))[1].close()
    assert RunFolder.open(tmp_path).settings_file.read_text(encoding="utf-8") == to_toml(SETTINGS)


def test_settings_that_somebody_keeps_in_a_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("mine")
    with pytest.raises(RunExists, match="not empty"):
        RunFolder.create(tmp_path, to_toml(SETTINGS))
    assert (tmp_path / "settings.toml").read_text() == "mine"


def test_a_folder_with_something_in_it_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunExists, match="not empty"):
        crawl(tmp_path, SETTINGS, vectors=hashed_vectors())
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_the_place_of_the_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    file = tmp_path / "run"
    file.write_text("mine")
    with pytest.raises(RunExists):
        RunFolder.create(file, "")
    with pytest.raises(RunDamaged):
        open_run(file)
    with pytest.raises(StoreError, match="cannot make the run folder"):
        RunFolder.create(file / "below", "")
    assert file.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_parent_that_may_not_be_written_gives_a_one_line_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot make the run folder"):
            RunFolder.create(tmp_path / "run", "")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_finished_run_can_be_read_where_nothing_may_be_written(run: Path) -> None:
    for leftover in run.glob("crawl.sqlite-*"):
        leftover.unlink()
    run.chmod(0o500)
    try:
        with open_run(run) as opened:
            assert len(list(opened.steps())) == 10
    finally:
        run.chmod(0o700)


def test_a_lock_or_settings_that_cannot_be_written_give_a_one_line_error(run: Path) -> None:
    folder = RunFolder.open(run)
    for name in ("lock", "settings.toml.draft"):
        (run / name).unlink(missing_ok=True)
        (run / name).mkdir()  # stands for whatever keeps the file from being written, also from root
    with pytest.raises(StoreError, match="cannot lock"):
        RunLock(folder)
    with pytest.raises(StoreError, match="cannot write"):
        folder.save_settings("")
    assert load_settings(folder.settings_file) == SETTINGS


def test_a_file_is_not_called_a_damaged_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no run")
    with pytest.raises(RunDamaged, match=r"notes\.txt is a file, not a run folder"):
        open_run(tmp_path / "notes.txt")


def test_a_second_writer_is_turned_away_until_the_first_is_done(run: Path) -> None:
    with RunLock(RunFolder.open(run)) as lock:
        with pytest.raises(RunBusy, match="another process"):
            resume(run, budget="+5", vectors=hashed_vectors())
        lock.close()
        lock.close()
    with resume(run, budget="+5", vectors=hashed_vectors()) as opened:
        assert opened.progress.steps == 15


def test_a_writer_is_turned_away_while_a_crawl_is_under_way(tmp_path: Path) -> None:
    def intrude(event: object) -> None:
        with pytest.raises(RunBusy):
            resume_elsewhere()

    def resume_elsewhere() -> None:
        RunLock(RunFolder.open(tmp_path / "run")).close()

    crawl(tmp_path / "run", SETTINGS, listeners=[intrude], vectors=hashed_vectors()).close()
    resume_elsewhere()


@pytest.mark.parametrize("act", [open_run, resume], ids=["open", "resume"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_run_of_another_format_is_refused_with_the_remedy(run: Path, act: object, change: int) -> None:
    (run / "honeyguide.json").write_text(json.dumps({"format": FORMAT + change}))
    remedy = "install a newer Honeyguide" if change > 0 else "or crawl it again"
    with pytest.raises(RunDamaged, match=f"has run format {FORMAT + change}, .*{remedy}"):
        act(run)  # type: ignore[operator]


def test_a_run_of_another_format_and_our_own_version_is_to_be_crawled_again(run: Path) -> None:
    about = json.loads((run / "honeyguide.json").read_text())
    (run / "honeyguide.json").write_text(json.dumps({**about, "format": FORMAT - 1}))
    with pytest.raises(RunDamaged, match=f"this program reads format {FORMAT}; crawl it again$"):
        open_run(run)


@pytest.mark.parametrize("about", ["", "{", "[]", "null", '{"format": "x"}', "{}", "\ud7ff"])
def test_a_description_without_a_format_is_damage(run: Path, about: str) -> None:
    (run / "honeyguide.json").write_text(about, encoding="utf-8")
    with pytest.raises(RunDamaged, match=r"honeyguide\.json names no run format; restore it from a copy of the run$"):
        open_run(run)


def test_a_description_that_cannot_be_read_is_damage(run: Path) -> None:
    (run / "honeyguide.json").write_bytes("{}".encode("utf-16"))
    with pytest.raises(RunDamaged, match=r"honeyguide\.json cannot be read"):
        open_run(run)


@pytest.mark.parametrize("act", [open_run, resume], ids=["open", "resume"])
@pytest.mark.parametrize("missing", ["honeyguide.json", "settings.toml"])
def test_a_run_without_one_of_its_files_is_refused(run: Path, missing: str, act: object) -> None:
    (run / missing).unlink()
    with pytest.raises(RunDamaged, match=missing):
        act(run)  # type: ignore[operator]


def test_a_run_without_its_database_cannot_be_read_and_none_is_made(run: Path) -> None:
    (run / "crawl.sqlite").unlink()
    with pytest.raises(RunDamaged, match=r"no crawl\.sqlite"):
        open_run(run)
    assert not (run / "crawl.sqlite").exists()


def test_a_place_where_nothing_is_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunDamaged, match="not a run folder"):
        open_run(tmp_path / "nothing")
    assert list(tmp_path.iterdir()) == []


def test_room_taken_leaves_out_folders_and_files_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(bytes(1000))
    (tmp_path / "two").write_bytes(bytes(234))
    (tmp_path / "folder").mkdir()
    (tmp_path / "vanished").symlink_to(tmp_path / "gone")
    assert folder_bytes(tmp_path) == 1234


def test_a_run_may_be_closed_twice(run: Path) -> None:
    opened = open_run(run)
    opened.close()
    opened.close()
    with open_run(run) as again:
        assert again.settings == opened.settings


def test_of_two_processes_that_make_one_folder_the_second_changes_nothing(tmp_path: Path) -> None:
    _, lock = RunFolder.create(tmp_path / "run", to_toml(SETTINGS))
    with lock, pytest.raises(RunExists):
        RunFolder.create(tmp_path / "run", "other = 1")
    assert (tmp_path / "run" / "settings.toml").read_text(encoding="utf-8") == to_toml(SETTINGS)


def test_a_folder_that_could_not_be_filled_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(StoreError, match="No space left"):
        RunFolder.create(tmp_path / "run", "")
    assert list(tmp_path.iterdir()) == []


def test_with_an_old_sqlite_no_run_is_begun_or_opened(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreError, match=r"needs 3\.37 or newer"):
        crawl(tmp_path / "new", SETTINGS, vectors=hashed_vectors())
    assert not (tmp_path / "new").exists()
    with pytest.raises(StoreError, match=r"needs 3\.37 or newer"):
        open_run(run)
