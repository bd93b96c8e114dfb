"""Open the frozen site that a user names after `site:`.

PATH@http://host/prefix/            a folder of HTML files, served from that address
FILE.warc.gz or FILE.warc           a WARC file; several with commas between them
FOLDER                              all WARC files in a folder, in order of their names
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.model import Url
from honeyguide.worlds.frozen.answers import MISSING, UNRECORDED
from honeyguide.worlds.frozen.folder import FolderWorld
from honeyguide.worlds.frozen.warc import WarcWorld

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Outcome
    from honeyguide.settings import Settings

WARC_SUFFIXES: Final = (".warc", ".warc.gz")
FORMS: Final = "site:FOLDER@http://host/prefix/ or site:FILE.warc.gz"

_FOLDER_AND_BASE: Final = re.compile(r"(?P<folder>.+)@(?P<base>https?://.*)", re.DOTALL | re.IGNORECASE)


def open_frozen(spec: str, settings: Settings) -> FolderWorld | WarcWorld:
    """Open the site that stands behind `site:` in the settings."""
    robots_agent = settings.fetch.identity if settings.politeness.obey_robots else ""
    missing = MISSING if settings.world.missing == "404" else UNRECORDED
    return open_site(spec, max_body_bytes=settings.fetch.max_body_bytes, robots_agent=robots_agent, missing=missing)


def open_site(
    spec: str, *, max_body_bytes: int = 5_000_000, robots_agent: str = "", missing: Outcome = UNRECORDED
) -> FolderWorld | WarcWorld:
    """Return the frozen site that `spec` names. WorldError when there is none or it cannot be read.

    A folder refuses what its robots.txt forbids `robots_agent`; what is in a WARC file was fetched by somebody before.
    `missing` answers for what the files do not hold.
    """
    if not spec:
        raise WorldError(f"site: names no files; write {FORMS}")
    match = _FOLDER_AND_BASE.fullmatch(spec)
    try:
        if match is None:
            return WarcWorld(_warc_files(spec), max_body_bytes=max_body_bytes, missing=missing)
        folder = _expand(match["folder"])
        if not folder.is_dir():
            raise WorldError(f"site:{spec}: there is no folder {folder}; name one with HTML files in it")
        base = _parse_base(match["base"], spec)
        return FolderWorld(folder, base, max_body_bytes=max_body_bytes, robots_agent=robots_agent, missing=missing)
    except OSError as error:  # a name too long, a folder that may not be read
        raise WorldError(f"site:{spec}: {error.strerror}; write {FORMS}") from error


def _expand(name: str) -> Path:
    """Return a path as a shell reads it: no shell expands a tilde behind `site:`."""
    with suppress(RuntimeError):  # no such user, so that is what the file is called
        return Path(name).expanduser()
    return Path(name)


def _parse_base(text: str, spec: str) -> Url:
    if "?" in text or "#" in text:
        raise WorldError(f"site:{spec}: a base URL has no ? or #; write it as in http://host/prefix/")
    try:
        return Url.parse(text if text.endswith("/") else f"{text}/")
    except InvalidUrl as error:
        raise WorldError(f"site:{spec}: {error}") from None


def _warc_files(spec: str) -> Sequence[Path]:
    # A name with a comma in it is a name first.
    names = [spec] if _expand(spec).exists() else spec.split(",")
    return [file for name in names for file in _files_named(name.strip(), spec)]


def _files_named(name: str, spec: str) -> Sequence[Path]:
    path = _expand(name)
    if path.is_file():
        if not path.name.lower().endswith(WARC_SUFFIXES):
            raise WorldError(f"site:{spec}: {name} is not called .warc or .warc.gz; rename it if it is a WARC file")
        return [path]
    if not path.is_dir():
        raise WorldError(f"site:{spec}: {_explain_missing(name)}")
    found = sorted(file for file in path.iterdir() if file.name.lower().endswith(WARC_SUFFIXES) and file.is_file())
    if not found:
        raise WorldError(
            f"site:{spec}: {name} holds no WARC file; for a folder of HTML say where it is, as in "
            f"site:{name}@http://host/prefix/"
        )
    return found


def _explain_missing(name: str) -> str:
    """Explain a name that is no file: often it is a folder with a base URL that lacks its scheme."""
    folder, _, base = name.rpartition("@")
    if folder and _expand(folder).is_dir():
        return f"the base URL {base!r} does not begin with http:// or https://; write {folder}@http://{base.rpartition('://')[2]}"
    return f"there is no file or folder {name!r}; write {FORMS}"
