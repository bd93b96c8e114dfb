"""Which files a folder has: names only, read once, and nothing outside the folder.

A URL is looked up among these names and never joined to a path, so no spelling of it can lead out of the folder.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger(__name__)

INDEX_NAMES: Final = ("index.html", "index.htm", "index.xhtml")
"""What answers for a folder, the first that is there."""


class FolderIndex:
    """Names of the regular files below a folder, and of the symbolic links that stay inside it.

    Names are paths below the root with "/" between parts; a folder's name ends in "/", the root's own is "". A link
    that leads out of the root, leads nowhere, or is no file or folder is left out.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._files: set[str] = set()
        self._folders = {""}
        self._link_targets: dict[str, str] = {}  # name of a link: name of the file or folder it stands for
        self._read("")
        self._link_targets = {link: name for link, name in self._link_targets.items() if self._has(name)}

    def __len__(self) -> int:
        return len(self._files)

    def is_file(self, name: str) -> bool:
        return name in self._files

    def is_folder(self, name: str) -> bool:
        """Whether `name`, which ends in "/" or is empty, is a folder."""
        return name in self._folders

    def index_of(self, folder: str) -> str | None:
        """The file that answers for a folder."""
        return next((folder + name for name in INDEX_NAMES if folder + name in self._files), None)

    def behind_links(self, name: str) -> str | None:
        """The name that `name` stands for when it is, or goes through, a symbolic link; None when there is none."""
        end = len(name)
        while end > 0:
            target = self._link_targets.get(name[:end])
            if target is not None:
                rest = name[end:]
                return target + (rest.removeprefix("/") if self.is_folder(target) else rest)
            end = name.rfind("/", 0, end)
        return None

    def names(self) -> Iterator[str]:
        """Every file, in order of its name."""
        return iter(sorted(self._files))

    def path_of(self, name: str) -> Path:
        """Where a file of the index lies."""
        return self.root / name

    def _has(self, name: str) -> bool:
        return name in self._files or name in self._folders

    def _read(self, top: str) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(self.root / folder) as entries:
                    for entry in entries:
                        self._note(entry, folder + entry.name, waiting)
            except PermissionError:
                log.warning("%s may not be read; what is in it counts as missing", self.root / folder)

    def _note(self, entry: os.DirEntry[str], name: str, waiting: list[str]) -> None:
        if entry.is_symlink():
            target = self._inside(Path(entry.path))
            if target is not None:
                self._link_targets[name] = target
        elif entry.is_dir():
            self._folders.add(f"{name}/")
            waiting.append(f"{name}/")
        elif entry.is_file():
            self._files.add(name)

    def _inside(self, link: Path) -> str | None:
        """The name of what a link leads to; None when that is outside or nothing."""
        try:
            target = link.resolve(strict=True)
            name = target.relative_to(self.root).as_posix()
        except (OSError, RuntimeError, ValueError):  # broken, a loop, or outside
            return None
        if name == ".":
            return ""
        return f"{name}/" if target.is_dir() else name
