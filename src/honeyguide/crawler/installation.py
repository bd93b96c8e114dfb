"""Looks at an installation: versions, extras, browser, names, disk and limits of the system."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import socket
import sqlite3
import sys
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from honeyguide.crawler.events import MEGABYTE
from honeyguide.crawler.machine_limits import free_disk
from honeyguide.extras import install_hint, missing_by_extra
from honeyguide.fetch.chromium import BROWSERS
from honeyguide.model import Url
from honeyguide.settings import BudgetSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

USUAL_HOST: Final = "example.org"
OLDEST_PYTHON, OLDEST_SQLITE = (3, 11), (3, 37)
FEWEST_FILES: Final = 256  # open at once: connections, the database, the index
_FOR_DEVELOPERS: Final = ("dev", "docs")
_TIMEOUT_S: Final = 5.0


class CheckState(StrEnum):
    """Whether something is as it should be; what is missing is only needed by some commands."""

    OK = "ok"
    MISSING = "missing"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: CheckState
    detail: str
    remedy: str = ""  # where the state is not ok


def check_installation(host: str = "", folder: Path | str = ".") -> tuple[Check, ...]:
    """Look at this installation, at a host or URL to be crawled, and at the disk of a folder for runs."""
    return (
        _python(), _sqlite(), _package(), *_extras(), _chromium(), *_network(host), _disk(Path(folder)), *_open_files(),
    )  # fmt: skip


def _python() -> Check:
    found = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info >= OLDEST_PYTHON:
        return Check("Python", CheckState.OK, found)
    return Check("Python", CheckState.PROBLEM, found, "use Python 3.11 or later")


def _sqlite() -> Check:
    found = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return Check("SQLite", CheckState.OK, found)
    return Check("SQLite", CheckState.PROBLEM, found, "use a Python with SQLite 3.37 or later, as uv or conda installs")


def _package() -> Check:
    place = Path(__file__).parents[1]
    return Check("honeyguide", CheckState.OK, f"{metadata.version('honeyguide')} ({place})")


def _extras() -> Iterator[Check]:
    for extra, packages in missing_by_extra().items():
        if extra in _FOR_DEVELOPERS:
            continue
        if packages:
            needs = f"needs {', '.join(packages)}"
            yield Check(f"extra {extra}", CheckState.MISSING, needs, install_hint(extra))
        else:
            yield Check(f"extra {extra}", CheckState.OK, "installed")


def _chromium() -> Check:
    path = next(filter(None, map(shutil.which, BROWSERS)), None) or _own_browser()
    if path is not None:
        return Check("Chromium", CheckState.OK, path)
    remedy = "install Chromium, or: playwright install chromium"
    return Check("Chromium", CheckState.MISSING, "not found; only crawl --render needs it", remedy)


def _own_browser() -> str | None:
    """Return the browser that Playwright has installed, if any."""
    if importlib.util.find_spec("playwright") is None:
        return None
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra, and slow to load

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _network(asked: str) -> Iterator[Check]:
    """Look up a name; connect to it only where it was asked for. InvalidUrl where it is none."""
    parts = urlsplit(Url.parse(asked if "://" in asked else f"https://{asked or USUAL_HOST}").text)
    host, port = parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)
    try:
        addresses = sorted({str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if asked:
            remedy = f"check the spelling of {host}, then the network and the name servers"
        else:
            remedy = "check the network and the name servers; offline worlds need neither"
        yield Check("DNS", CheckState.PROBLEM, f"{host} cannot be looked up: {reason}", remedy)
        return
    yield Check("DNS", CheckState.OK, f"{host} is {', '.join(addresses[:3])}")
    if asked:
        try:
            socket.create_connection((host, port), timeout=_TIMEOUT_S).close()
        except OSError as error:
            remedy = "check that it is up, and that no firewall or proxy is in between (fetch.proxies)"
            yield Check("host", CheckState.PROBLEM, f"{host} port {port}: {error.strerror or error}", remedy)
        else:
            yield Check("host", CheckState.OK, f"{host} port {port} answers")


def _disk(folder: Path) -> Check:
    free, least = free_disk(folder) / MEGABYTE, BudgetSettings().free_disk_megabytes
    found = f"{free / 1000:,.1f} GB free in {folder.resolve()}"
    if not os.access(folder, os.W_OK):
        return Check("disk", CheckState.PROBLEM, f"{folder.resolve()} cannot be written to", "work in another folder")
    if free > 2 * least:
        return Check("disk", CheckState.OK, found)
    return Check("disk", CheckState.PROBLEM, found, f"make room: a crawl stops when {least:,.0f} MB are left")


def _open_files() -> Iterator[Check]:
    """Look at how many files a process may have open; nothing where the system has no such limit."""
    if importlib.util.find_spec("resource") is None:
        return
    import resource  # noqa: PLC0415 - POSIX alone has it

    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = "no limit" if most == resource.RLIM_INFINITY else f"at most {most:,}"
    if most == resource.RLIM_INFINITY or most >= FEWEST_FILES:
        yield Check("open files", CheckState.OK, found)
    else:
        yield Check("open files", CheckState.PROBLEM, found, f"raise it: ulimit -n {4 * FEWEST_FILES}")
