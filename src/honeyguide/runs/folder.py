"""The folder a run lives in: self-contained, versioned, and with one writer at a time.

RUN/
  honeyguide.json   format version, the program that made it, whether a first step was stored
  settings.toml     the effective settings
  crawl.sqlite      pages, links, decisions, learner (plus SQLite's own -wal and -shm while open)
  archive/          responses as WARC files, where the settings ask for them
  index/            the full-text index, derived
  inbox/            messages of other processes to the one that crawls
  crawl.log         the output of crawls that the dashboard has started
  lock              held by the process that crawls into the folder, or takes answers about its pages
  answers.lock      held beside it by one that only takes answers

A folder may come from a stranger. So it holds plain files and folders only: whoever opens one that has a symbolic link,
a pipe or a device in it is told so, and locks and drafts are never opened through a link. No crawl leaves a
`crawl.sqlite-journal`, and SQLite would delete any file that one names; so it is refused.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Final

from honeyguide.errors import RunBusy, RunDamaged, RunExists, StoreError
from honeyguide.locks import OPEN_FLAGS, lock
from honeyguide.runs.schema import require_sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import IO, Any, Self


class FileLock:
    """A file that one process at a time holds, from construction to `close`; the system frees it when the process dies.

    The file stays behind, empty: if a held one were deleted, a second process could hold its successor.
    """

    def __init__(self, file: Path, tries: int = 1) -> None:
        """BlockingIOError where another holds it, in this process or elsewhere; another OSError where nobody can."""
        self._file: IO[bytes] | None = None
        handle = os.open(file, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, 0o666)
        self._file = os.fdopen(handle, "r+b", buffering=0)
        try:
            self._hold(handle, tries)
        except OSError:
            self.close()
            raise

    @staticmethod
    def _hold(handle: int, tries: int) -> None:
        for _ in range(tries - 1):
            with suppress(BlockingIOError):
                return lock(handle)
            sleep(0.005)
        return lock(handle)

    def close(self) -> None:
        """Free the lock; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


FORMAT: Final = 14
_ABOUT: Final = "honeyguide.json"
_LOCK: Final = "lock"
_ANSWERS_LOCK: Final = "answers.lock"
_TRIES: Final = 50
"""Tries for the lock of a run: whoever asks if it is held shares it for an instant, on a busy machine for longer."""


def split_pass(path: Path | str) -> tuple[Path, int | None]:
    """Return the folder and the pass that RUN@1 names; None for the pass where it names none."""
    folder, sign, number = str(path).rpartition("@")
    if sign and number.isascii() and number.isdecimal() and folder and not Path(path).exists():
        return Path(folder), int(number[:9])
    return Path(path), None


def _why_no_run(path: Path) -> str:
    newest, number = split_pass(path)
    if number is not None and (newest / _ABOUT).exists():
        return f"{path}: only the newest state of a run can be used here; name {newest}"
    return f"{path} is not a run folder: it has no {_ABOUT}; start one with: honeyguide crawl"


class RunFolder:
    """Paths of a run, and its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def settings_file(self) -> Path:
        return self.path / "settings.toml"

    @property
    def database_file(self) -> Path:
        return self.path / "crawl.sqlite"

    @classmethod
    def create(
        cls, path: Path, settings_toml: str, began_with: Mapping[str, Any] | None = None
    ) -> tuple[RunFolder, RunLock]:
        """Make a new run folder and hold it. RunExists if something is there; a failure leaves nothing behind.

        `began_with` are values of settings that a run cannot change, by key.
        """
        require_sqlite()
        folder, is_ours = cls(path), not path.exists()
        folder.refuse_if_used()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the run folder {path}: {error.strerror}; choose another place") from error
        lock = RunLock(folder)
        try:
            folder.refuse_if_used()  # another process may have been quicker
            folder.save_settings(settings_toml)
            folder._save_about({"began_with": dict(began_with or {}), "has_started": False})
        except RunExists:
            lock.close()
            raise
        except StoreError:
            lock.close()
            folder._remove(with_folder=is_ours)
            raise
        return folder, lock

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a folder made earlier. RunDamaged if it is not a run this program can read."""
        try:
            _refuse_if_special(path / _ABOUT, path)
            about = json.loads((path / _ABOUT).read_text(encoding="utf-8"))
            format_number = int(about["format"])
        except FileNotFoundError:
            raise RunDamaged(_why_no_run(path)) from None
        except NotADirectoryError:
            raise RunDamaged(f"{path} is a file, not a run folder; name the folder of a run") from None
        except (OSError, UnicodeDecodeError) as error:
            raise RunDamaged(f"{path / _ABOUT} cannot be read ({error}); restore it from a copy of the run") from error
        except (ValueError, KeyError, TypeError):
            raise RunDamaged(f"{path / _ABOUT} names no run format; restore it from a copy of the run") from None
        if format_number != FORMAT:
            maker = about.get("honeyguide", "another one")
            is_ours = maker == metadata.version("honeyguide")  # between two releases a format may change
            remedy = (
                "crawl it again"
                if is_ours
                else f"open it with the Honeyguide that made it ({maker}), or crawl it again"
            )
            if format_number > FORMAT:
                remedy = f"install a newer Honeyguide, such as the one that made it ({maker})"
            raise RunDamaged(f"{path} has run format {format_number}, this program reads format {FORMAT}; {remedy}")
        folder = cls(path)
        if not folder.settings_file.exists():
            raise RunDamaged(f"{path} has no {folder.settings_file.name}; restore it from a copy of the run")
        for entry in _entries_below(path):
            _refuse_if_special(Path(entry.path), path)
        journal = path / f"{folder.database_file.name}-journal"
        if journal.exists():
            raise RunDamaged(f"{journal} is a file that no run has: delete it, or do not open {path}")
        return folder

    @property
    def has_started(self) -> bool:
        """Say whether a first step was stored; if so, a run without a database has lost it."""
        return bool(self._about().get("has_started", True))

    def mark_started(self, *, is_repaired: bool = False) -> None:
        """Note that steps are stored; in a repaired run some are missing."""
        repaired = {"is_repaired": True} if is_repaired else {}
        self._save_about({**self._about(), "has_started": True, **repaired})

    @property
    def is_repaired(self) -> bool:
        """Whether this is what was left of a damaged run."""
        return bool(self._about().get("is_repaired"))

    @property
    def began_with(self) -> dict[str, Any]:
        """Return the values that the run cannot change, by key."""
        found = self._about().get("began_with")
        return found if isinstance(found, dict) else {}

    def changed_since_the_start(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the run began with, by key, where these values differ from it."""
        then = self.began_with
        return {key: then[key] for key, value in settings.items() if then.get(key, value) != value}

    def save_settings(self, settings_toml: str) -> None:
        """Replace the settings file when the new one is complete."""
        _replace_file(self.settings_file, settings_toml)

    def _about(self) -> dict[str, Any]:
        return dict(json.loads((self.path / _ABOUT).read_text(encoding="utf-8")))

    def _save_about(self, about: Mapping[str, Any]) -> None:
        ours = {"format": FORMAT, "honeyguide": metadata.version("honeyguide")}
        _replace_file(self.path / _ABOUT, json.dumps({**about, **ours}, indent=2) + "\n")

    def refuse_if_used(self) -> None:
        """RunExists if a new run cannot be made here. It can where making one was cut short."""
        if self.path.exists() and not self.path.is_dir():
            raise RunExists(f"{self.path} is a file; choose another name for the run folder")
        names = {entry.name for entry in self.path.iterdir()} if self.path.exists() else set()
        if names and not (_LOCK in names and names <= self._unfinished):
            raise RunExists(
                f"{self.path} exists and is not empty; choose another folder, or: honeyguide resume {self.path}"
            )

    @property
    def _unfinished(self) -> set[str]:
        """The files that `create` makes before the one by which a folder is a run."""
        settings = self.settings_file.name
        return {_LOCK, settings, f"{settings}.draft", f"{_ABOUT}.draft"}

    def _remove(self, *, with_folder: bool) -> None:
        """Remove what `create` has made."""
        with suppress(OSError):
            for name in (*self._unfinished, _ABOUT):
                (self.path / name).unlink(missing_ok=True)
            if with_folder:
                self.path.rmdir()

    def size_bytes(self) -> int:
        return folder_bytes(self.path)


def run_around(path: Path) -> Path | None:
    """Return the run folder that a path is in, links followed; None where there is none."""
    return next((folder for folder in path.resolve().parents if (folder / _ABOUT).is_file()), None)


def _replace_file(file: Path, text: str) -> None:
    draft = file.with_name(f"{file.name}.draft")
    try:
        draft.unlink(missing_ok=True)  # of a process that was killed
        with draft.open("x", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())  # or a power cut may leave an empty file under the new name
        draft.replace(file)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise StoreError(f"cannot write {file}: {error.strerror}; free some space or choose another place") from error


def folder_bytes(path: Path) -> int:
    """Return the size of all files below a folder; those that vanish meanwhile, as SQLite's own do, count as none."""
    total = 0
    for entry in _entries_below(path):
        with suppress(FileNotFoundError):
            if entry.is_file(follow_symlinks=False):
                total += entry.stat(follow_symlinks=False).st_size
    return total


def _entries_below(path: Path) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder; links are not followed, and folders may vanish meanwhile."""
    waiting = [str(path)]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _refuse_if_special(file: Path, run: Path) -> None:
    """RunDamaged for a symbolic link, a pipe or a device in a run folder; one that vanishes is none."""
    try:
        mode = file.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "no plain file"
        raise RunDamaged(f"{file} is {kind}, which no run has: delete it, or do not open {run}")


def is_being_crawled(path: Path) -> bool:
    """Return whether a process crawls into a run folder; one that only takes answers about its pages does not."""
    return _is_held(path / _LOCK) and not _is_held(path / _ANSWERS_LOCK)


def _is_held(file: Path) -> bool:
    """Return whether a process holds a lock; False where there is no lock to be read."""
    try:
        handle = os.open(file, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return False
    try:
        lock(handle, is_shared=True)  # for an instant, which `RunLock` allows for
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


class RunLock(FileLock):
    """Held while a process crawls into a folder, or takes answers about its pages."""

    def __init__(self, folder: RunFolder, *, for_answers: bool = False) -> None:
        """RunBusy where another process holds it, StoreError where the lock cannot be taken."""
        self._note: FileLock | None = None
        self._note_file = folder.path / _ANSWERS_LOCK
        try:
            super().__init__(folder.path / _LOCK, _TRIES)
            if for_answers:
                self._note = FileLock(self._note_file, _TRIES)
        except BlockingIOError:
            self.close()
            raise RunBusy(
                f"another process is crawling into {folder.path}; wait for it, or stop it and resume"
            ) from None
        except OSError as error:
            self.close()
            raise StoreError(f"cannot lock {folder.path}: {error.strerror}; copy it where you may write") from error

    def close(self) -> None:
        if self._note is not None:
            with suppress(OSError):
                self._note_file.unlink()  # nobody else can want it as long as the other lock is held
            self._note.close()
            self._note = None
        super().close()
