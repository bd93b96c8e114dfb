"""What addresses have in common: `/wiki/Basalt` and `/wiki/Granite` are both `/wiki/*`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.domain import Url

_NUMBER: Final = re.compile(r"\d+")
_FILE_TYPE: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_MOST_PARTS: Final = 6
_LONGEST_PART: Final = 30


def url_pattern(url: Url) -> str:
    """The shape of an address without its host: its first folder by name, numbers as `#`, the rest as `*`.

    File types stay, and so do the names of parameters, sorted: `/2024/05/rocks.html?page=2` is `/#/#/*.html?page`.
    """
    path, _, query = url.path_and_query.partition("?")
    folders, name = path.split("/")[1:-1], path.rpartition("/")[2]
    parts = [_folder(part, is_first=number == 0) for number, part in enumerate(folders[:_MOST_PARTS])]
    if len(folders) > _MOST_PARTS:
        parts.append("…")
    parts.append(_file(name))
    parameters = sorted({parameter.partition("=")[0] for parameter in query.split("&")} - {""})
    names = "&".join(_NUMBER.sub("#", name)[:_LONGEST_PART] for name in parameters[:_MOST_PARTS])
    return f"/{'/'.join(parts)}" + (f"?{names}" if names else "")


def _folder(part: str, *, is_first: bool) -> str:
    if part.isdigit():
        return "#"
    return _NUMBER.sub("#", part)[:_LONGEST_PART] if is_first else "*"


def _file(name: str) -> str:
    if not name:
        return ""
    kind = _FILE_TYPE.search(name)
    return ("#" if _FILE_TYPE.sub("", name).isdigit() else "*") + (kind[0].lower() if kind else "")
