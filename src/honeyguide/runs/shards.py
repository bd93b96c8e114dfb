"""The folder of a run that several machines crawl: an ordinary run folder with parts, each a run folder of its own.

RUN/
  cluster.json     format and number of the shards, and a name of the run that each shard bears, too
  shards/000/ …    ordinary run folders; each has the hosts that fall to it, and is written by its owner alone
  crawl.sqlite     all of it as one run, gathered from the shards (`gathering`)

What is large stays in the shards: where the gathered run would have a body, it has the words `shard 3 link 17`, and a
place in a shard's archive has a negative number.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import RunDamaged, StoreError
from honeyguide.runs.folder import RunFolder
from honeyguide.settings import SETTINGS_BY_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLUSTER_FILE: Final = "cluster.json"
SHARDS: Final = "shards"
MARK: Final = "shard"
"""Among what a run began with: which shard of which run it is."""
FORMAT: Final = 1
MOST_SHARDS: Final = int(SETTINGS_BY_KEY["cluster.shards"].at_most or 0)
_FILES_A_SHARD: Final = 1_000_000
_REFERENCE: Final = re.compile(rb"shard (\d{1,4}) link (\d{1,18})\Z")


def is_sharded(run: Path) -> bool:
    """Whether a run folder has shards, or had them when nothing was lost."""
    return (run / CLUSTER_FILE).is_file() or (run / SHARDS).is_dir()


def write_cluster_file(run: Path, shards: int, **facts: object) -> None:
    """Note that a run has shards, and facts about its crawl."""
    file, draft = run / CLUSTER_FILE, run / f"{CLUSTER_FILE}.draft"
    name = _name_of(run) if file.exists() else secrets.token_hex(8)
    draft.write_text(json.dumps({"format": FORMAT, "shards": shards, "run": name, **facts}) + "\n", encoding="utf-8")
    draft.replace(file)
    (run / SHARDS).mkdir(exist_ok=True)


def shard_folder(run: Path, number: int) -> Path:
    """Return the folder of a shard."""
    return run / SHARDS / f"{number:03}"


def mark_of_shard(folder: Path) -> str:
    """Return what says that a folder is this shard of this run; empty where it is none, or its run has no name."""
    whole = folder.resolve()
    name = _name_of(whole.parent.parent) if whole.parent.name == SHARDS and whole.name.isdecimal() else ""
    return f"{name} {int(whole.name)}" if name else ""


def refuse_shard(folder: RunFolder) -> None:
    """StoreError for a shard of a run: alone it would crawl the hosts of all, and the others would not know."""
    place = folder.path.absolute().parent
    is_in_place = place.name == SHARDS and folder.path.name.isdecimal() and (place.parent / CLUSTER_FILE).is_file()
    if is_in_place or folder.began_with.get(MARK):
        whole = f"use the whole run: {place.parent}" if is_in_place else "use the run that it is a part of"
        raise StoreError(f"{folder.path} is a shard, which can only be read alone; {whole}")


def _name_of(run: Path) -> str:
    try:
        return str(json.loads((run / CLUSTER_FILE).read_text(encoding="utf-8")).get("run", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def shard_count(run: Path) -> int:
    """Return how many shards a run has. RunDamaged where that cannot be read."""
    file = run / CLUSTER_FILE
    if not file.exists():
        count: int = sum((folder / "honeyguide.json").is_file() for folder in (run / SHARDS).iterdir())
        content = json.dumps({"format": FORMAT, "shards": count})
        raise RunDamaged(
            f"{file} is missing: restore it from a copy of the run, or, if it had {count} shards, write {content} into "
            "it"
        )
    try:
        about: Any = json.loads(file.read_text(encoding="utf-8"))
        found, count = about["format"], about["shards"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunDamaged(f"{file} cannot be read ({error}); restore it from a copy of the run") from error
    if found != FORMAT:
        raise RunDamaged(f"{file} has format {found!r}, this program reads format {FORMAT}; install a newer Honeyguide")
    if not isinstance(count, int) or not 1 <= count <= MOST_SHARDS:
        raise RunDamaged(f"{file} names {count!r} shards; restore it from a copy of the run")
    return count


def shard_folders(run: Path) -> list[Path]:
    """Return the folders of all shards. RunDamaged, with the first, where one is missing or is another."""
    folders = [shard_folder(run, number) for number in range(shard_count(run))]
    missing = [folder for folder in folders if not (folder / "honeyguide.json").is_file()]
    if missing:
        more = f", and {len(missing) - 1} more," if len(missing) > 1 else ""
        raise RunDamaged(
            f"{missing[0]} is missing{more} of the {len(folders)} shards of {run}: mount or copy the folder back, or "
            "restore it from a copy of the run"
        )
    if (shard_folder(run, len(folders)) / "honeyguide.json").is_file():
        raise RunDamaged(
            f"{run / CLUSTER_FILE} names {len(folders)} shards, and the run has more; restore it from a copy of the run"
        )
    name = _name_of(run)
    for number, folder in enumerate(folders):
        own_name, _, own_number = (RunFolder.open(folder).began_with.get(MARK) or f"{name} {number}").partition(" ")
        if own_number != str(number) or (name and own_name != name):
            raise RunDamaged(f"{folder} is another shard, or of another run; restore it from a copy of this run")
    return folders


def refuse_mixed_copies(run: Path) -> None:
    """RunDamaged where a shard is older than the others, such as one that alone was put back from a copy.

    It would number links that it hands over as it did others before, which their owners would take for those.
    """
    folders = shard_folders(run)
    dealings = [_Dealings.of(folder / "crawl.sqlite") for folder in folders]
    for number, sender in enumerate(dealings):
        for other, receiver in enumerate(dealings):
            taken = receiver.taken.get(number, 0)
            if not sender.acknowledged.get(other, 0) <= taken <= sender.handed_over:
                older = folders[number if taken > sender.handed_over else other]
                raise RunDamaged(
                    f"{older} is older than other shards of {run}: to go on, restore all shards from the same copy; "
                    "what they hold can be read as it is"
                )


@dataclass(frozen=True, slots=True)
class _Dealings:
    """What a shard has handed over to others, and taken in from them, by the numbers of its senders' links."""

    handed_over: int = 0
    acknowledged: Mapping[int, int] = field(default_factory=dict)  # by shard
    taken: Mapping[int, int] = field(default_factory=dict)  # by shard

    @classmethod
    def of(cls, database: Path) -> _Dealings:
        if not database.exists():  # it has not begun
            return cls()
        try:
            with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as opened:
                if not opened.execute("SELECT 1 FROM sqlite_master").fetchone():
                    return cls()
                told = opened.execute("SELECT json_extract(state, '$.handed_over') FROM progress").fetchone() or (0,)
                acknowledged, taken = (
                    dict(opened.execute(f"SELECT shard, number FROM {table}"))  # noqa: S608 - names of our own
                    for table in ("outbox_marks", "inbox_marks")
                )
                return cls(told[0], acknowledged, taken)
        except sqlite3.Error as error:
            raise RunDamaged(f"{database} cannot be read ({error}); restore it from a copy of the run") from error


def number_of_shard(folder: Path) -> int:
    """Return the number of the shard that a run folder is; 0 for any other run."""
    whole = folder.resolve()
    if whole.parent.name != SHARDS or not whole.name.isdecimal() or not is_sharded(whole.parent.parent):
        return 0
    return int(whole.name)


def archive_in_shard(shard: int, file: str) -> str:
    """Return SQL for the number, in the whole run, of an archive file of a shard."""
    return f"-1 - ({int(shard) * _FILES_A_SHARD} + {file})"


def place_of_archive(run: Path, file: int) -> tuple[Path, int]:
    """Return the run folder that has an archive file of a run, and the file's number there."""
    if not isinstance(file, int) or file >= 0:
        return run, file
    shard, own = divmod(-1 - file, _FILES_A_SHARD)
    return shard_folder(run, shard), own


def body_in_shard(shard: int, link: str) -> str:
    """Return SQL for what stands for a body of a shard in the whole run."""
    return f"CAST('shard {int(shard)} link ' || {link} AS BLOB)"


def follow_reference(run: Path, stored: bytes) -> tuple[bytes | None, Path] | None:
    """Return the body, as it is packed, that a shard has, and the shard's database; None for what is no reference.

    The body is None where the shard keeps it no more. RunDamaged where the shard cannot be read.
    """
    found = _REFERENCE.match(stored)
    if found is None:
        return None
    database = shard_folder(run, int(found[1])) / "crawl.sqlite"
    try:
        with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            row = opened.execute("SELECT body FROM bodies WHERE link = ?", (int(found[2]),)).fetchone()
    except sqlite3.Error as error:
        raise RunDamaged(f"{database} cannot be read ({error}); restore it from a copy of the run") from error
    return (None if row is None else row[0]), database
