"""Exports to addresses of other file systems, as `s3://bucket/pages.parquet`, by fsspec.

An export is written to this disk first and sent when it is whole. So nothing half-written is ever seen there, and a
bucket that refuses costs the sending alone.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.extras import install_hint

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}


def is_address(place: Path | str) -> bool:
    """Return whether a place is an address of fsspec, not a path."""
    return isinstance(place, str) and _ADDRESS.match(place) is not None


def is_taken(address: str) -> bool:
    """Return whether a file is at an address already. ExportError where that cannot be told."""
    system, path = _file_system(address)
    with _naming(address):
        return bool(system.isfile(path))


@contextmanager
def sent_to(address: str, *, is_folder: bool) -> Iterator[Path]:
    """Give a path for a new file or folder, which is sent to an address at the end, unless something fails before.

    ExportError where a folder is there already, but for an empty one that a folder is sent to. Where sending fails,
    what was sent is removed, unless it went over an earlier file.
    """
    system, path = _file_system(address)
    with _naming(address):
        is_new = not system.exists(path)
        if not is_new and (system.ls(path, detail=False) if is_folder else system.isdir(path)):
            remedy = "name a new folder" if is_folder else "name a file in it"
            raise ExportError(f"{address} is there already and {'not empty' if is_folder else 'a folder'}; {remedy}")
    with tempfile.TemporaryDirectory(prefix="honeyguide-export-") as folder:
        place = Path(folder) / (path.rstrip("/").rpartition("/")[2] or "export")
        yield place
        with _naming(address):
            above = path.rstrip("/").rpartition("/")[0]
            if above:
                system.makedirs(above, exist_ok=True)
            try:
                # A slash at the end of a folder: its contents are sent, not the folder into another.
                system.put(f"{place}/" if is_folder else str(place), path, recursive=is_folder)
            except BaseException:
                if is_new or is_folder:
                    with suppress(Exception):  # the first error is the one to tell
                        system.rm(path, recursive=is_folder)
                raise


def _file_system(address: str) -> tuple[Any, str]:
    protocol, _, rest = address.partition("://")
    if not rest.strip("/"):
        raise ExportError(f"{address} names no file; write it in full, as in {protocol}://bucket/file")
    try:
        import fsspec  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise ExportError(f"{address} needs fsspec, which is not installed; {_hint(protocol)}") from None
    with _naming(address):
        try:
            system, path = fsspec.core.url_to_fs(address)
        except ImportError as error:
            raise ExportError(f"{address}: {' '.join(str(error).split())}; {_hint(protocol)}") from None
        except ValueError as error:
            raise ExportError(f"{address}: {' '.join(str(error).split())}; name a file, or s3:// or gs://") from None
    return system, str(path)


def _hint(protocol: str) -> str:
    extra = _EXTRAS.get(protocol.lower())
    return install_hint(extra) if extra else f"install fsspec and its package for {protocol}"


@contextmanager
def _naming(address: str) -> Iterator[None]:
    """Turn whatever a file system raises into one line about the address."""
    try:
        yield
    except ExportError:
        raise
    except Exception as error:  # every file system of fsspec has errors of its own
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        remedy = "check the address, and that your credentials allow it"
        raise ExportError(f"{address} cannot be used: {reason}; {remedy}") from error
