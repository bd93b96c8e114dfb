"""A folder that belongs to one experiment: to go on in it is welcome, to put another into it is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from honeyguide.errors import RunExists

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT_FILE: Final = "experiment.json"


def refuse_foreign(folder: Path, about: dict[str, Any]) -> None:
    """Before the long work: a folder of another experiment, or of something else, is not to be written into.

    `about` is what the experiment is, of things that JSON can hold; under "honeyguide" the code that makes it.
    """
    file = folder / EXPERIMENT_FILE
    if file.is_file():
        _refuse_other(file, _as_read_back(about))
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunExists(f"{folder} exists and is not empty; choose another folder with -o")


def claim_folder(folder: Path, about: dict[str, Any]) -> None:
    """Make the folder if need be, and write down whose it is; ask `refuse_foreign` first."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(about, indent=2, ensure_ascii=False)
    (folder / EXPERIMENT_FILE).write_text(f"{text}\n", encoding="utf-8")


def _as_read_back(about: dict[str, Any]) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads(json.dumps(about)))


def _refuse_other(file: Path, now: dict[str, Any]) -> None:
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunExists(f"{file} cannot be read ({error}); choose another folder with -o") from error
    changed = [name for name in now if before.get(name) != now[name]]
    if changed:
        what = "other code" if changed == ["honeyguide"] else f"another experiment ({', '.join(changed)} differ)"
        raise RunExists(f"{file.parent} was made by {what}; choose another folder with -o")
