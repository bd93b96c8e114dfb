"""Extras of this installation: which are there, and how one is added to it."""

from __future__ import annotations

import json
import re
import shlex
from importlib import metadata
from typing import Final
from urllib.parse import unquote, urlsplit

_REQUIREMENT: Final = re.compile(r"([\w.-]+)[^;]*;\s*extra\s*==\s*['\"]([\w-]+)['\"]")


def install_hint(extra: str) -> str:
    """Return the command that adds an extra to this installation, wherever it was installed from."""
    try:
        origin = json.loads(metadata.distribution("honeyguide").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        origin = {}
    address = urlsplit(origin.get("url", ""))
    if address.scheme != "file":
        return f"pip install 'honeyguide[{extra}]'"
    if "dir_info" not in origin:  # a wheel or an sdist
        return f"pip install {shlex.quote(f'honeyguide[{extra}] @ ' + origin['url'])}"
    editable = "-e " if origin["dir_info"].get("editable") else ""
    return f"pip install {editable}{shlex.quote(f'{unquote(address.path)}[{extra}]')}"


def missing_by_extra() -> dict[str, tuple[str, ...]]:
    """Return for every extra the packages that it still needs, by name; none where it is whole."""
    needed: dict[str, set[str]] = {
        extra: set() for extra in metadata.metadata("honeyguide").get_all("Provides-Extra", ())
    }
    for each in metadata.requires("honeyguide") or ():
        found = _REQUIREMENT.match(each)
        if found is None:
            continue
        package, extra = found.groups()
        if package == "honeyguide":  # extras made of other extras are those of developers
            needed.pop(extra, None)
        elif extra in needed:
            needed[extra].add(package)
    return {extra: tuple(sorted(filter(_is_missing, packages))) for extra, packages in sorted(needed.items())}


def _is_missing(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return True
    return False
