"""Build a wiki world from a dump: gather in one pass, resolve and render in a second, rename into place when whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import WorldError
from honeyguide.model.counts import count_of
from honeyguide.processes import WorkerPool, cores
from honeyguide.worlds.wiki import world as world_file
from honeyguide.worlds.wiki.dump import BrokenDump, Dump
from honeyguide.worlds.wiki.first_pass import GatheredWiki
from honeyguide.worlds.wiki.pagelinks import PageLinks
from honeyguide.worlds.wiki.second_pass import ArticleBatch, WikiWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Progress = Callable[["BuildProgress"], None]


_BYTES_WORTH_A_PROCESS: Final = 4 << 20
# Measured: with other processes this one takes 260 MB, half of it caches of its databases, and 65 bytes a title. Dumps
# in bzip2 have some 1,300 bytes a title, so a twentieth of them is enough for any. Each process takes up to 100 MB, and
# 10 more here, for pages on their way.
_OWN_MB: Final = 260
_PROCESS_MB: Final = 110
_DUMP_BYTES_A_BYTE: Final = 20


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build has come in one of its stages."""

    stage: str  # "read", "links" or "write"
    done: int  # bytes of the file being read, or pages written
    total: int
    pages: int  # articles so far


@dataclass(frozen=True, slots=True)
class BuiltWiki:
    """The result of a build."""

    path: Path
    pages: int
    links: int
    redirects: int
    categories: int
    dump_pages: Mapping[str, int]  # by kind: article, redirect, other
    dropped: Mapping[str, int]  # by reason
    xml_bytes: int
    trouble: str  # why the dump could not be read to its end; "" where it was


def build_wiki(
    dump: Path | str,
    out: Path | str,
    *,
    sample: float = 1.0,
    seed: int = 0,
    pagelinks: Path | str | None = None,
    linktarget: Path | str | None = None,
    keep_partial: bool = False,
    jobs: int | None = None,
    memory_mb: int | None = None,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> BuiltWiki:
    """Build the world of a MediaWiki dump in the folder `out`, which must not be there or be empty.

    `sample` keeps each article with that probability, decided by its title and `seed`. With `pagelinks` the links are
    those of that table. Raises `WorldError`, and leaves nothing behind, when the dump is broken (unless `keep_partial`
    and some articles are whole), when it is none, or when no article is in it.

    `jobs` processes unpack, convert and render pages beside this one, which reads XML and writes: as many as there are
    cores unless told, fewer for a small dump; with 1 there is none. The world is the same with any number, byte for
    byte. Memory: 260 MB, some 65 bytes a title, and some 110 MB for each process unless single pages are huge.
    `memory_mb` bounds it: there are no more processes than fit. Raises `WorldError` where not even this one does.
    """
    if not 0 < sample <= 1:
        raise WorldError(f"--sample {sample:g}: it must be above 0 and at most 1")
    if linktarget is not None and pagelinks is None:
        raise WorldError("--linktarget explains a pagelinks table; give that too, with --pagelinks")
    with (
        _new_folder(Path(out)) as folder,
        WorkerPool(_jobs_for(Path(dump), jobs, memory_mb)) as workers,
        Dump(Path(dump), workers) as opened,
        closing(world_file.create(folder)) as world,
        TemporaryDirectory(dir=folder) as name,
    ):
        scratch_folder = Path(name)
        with _scratch_database(scratch_folder) as scratch:
            gathered = GatheredWiki(world, scratch, sample, seed)
            trouble = _gather(opened, gathered, workers, progress, keep_partial=keep_partial)
            titles = gathered.end()
            titles.save(scratch_folder)
            if pagelinks is not None:
                PageLinks(scratch, gathered.numbers_by_page_id(), titles).read(
                    Path(pagelinks),
                    None if linktarget is None else Path(linktarget),
                    lambda done, total: progress(BuildProgress("links", done, total, gathered.article_count)),
                )
        count = gathered.article_count
        articles = ArticleBatch(scratch_folder, opened.site, range(count), has_page_links=pagelinks is not None)
        writer = WikiWriter(world, articles, workers)
        writer.run(lambda done: progress(BuildProgress("write", done, count, done)))
        dropped = dict(sorted((gathered.dropped + writer.dropped).items()))
        counts = {
            "pages": count,
            "links": int(writer.out_degrees.sum()),
            "redirects": _count(world, "redirects"),
            "categories": _count(world, "categories"),
        }
        facts = {
            **counts,
            "dropped": dropped,
            "dump_pages": dict(gathered.dump_pages),
            "source": {"sample": sample, "seed": seed, "pagelinks": pagelinks is not None, "trouble": trouble},
            "site": asdict(opened.site),
            **writer.facts(),
        }
        world_file.finish(world, facts)
        return BuiltWiki(
            path=Path(out),
            **counts,
            dump_pages=dict(gathered.dump_pages),
            dropped=dropped,
            xml_bytes=opened.file.bytes_out,
            trouble=trouble,
        )


def _jobs_for(dump: Path, jobs: int | None, memory_mb: int | None) -> int:
    """Return how many processes to use: those told, else those a dump is worth, and no more than memory allows."""
    try:
        size = dump.stat().st_size
    except OSError:
        return 1  # whoever opens it says why it cannot be read
    # A process takes a second to start.
    wanted = jobs or max(1, min(cores(), size // _BYTES_WORTH_A_PROCESS))
    if memory_mb is None:
        return wanted
    own_mb = _OWN_MB + -(-size // _DUMP_BYTES_A_BYTE) // 1_000_000
    if memory_mb < own_mb:
        raise WorldError(f"--memory {memory_mb}: a build of {dump.name} takes {own_mb} MB at least")
    fitting = (memory_mb - own_mb) // _PROCESS_MB
    return min(wanted, fitting) if fitting > 1 else 1  # one more process beside this one would not be quicker


def _gather(dump: Dump, gathered: GatheredWiki, workers: WorkerPool, progress: Progress, *, keep_partial: bool) -> str:
    """Make the first pass; return what was wrong with the dump, where that is tolerated."""

    def report() -> None:
        progress(BuildProgress("read", dump.file.bytes_read, dump.file.size_bytes, gathered.article_count))

    trouble = ""
    try:
        gathered.read(dump, workers, report)
    except BrokenDump as error:
        if not keep_partial:
            raise
        trouble = str(error).rpartition("; ")[0]
    if not gathered.article_count:
        kept = " in this sample" if gathered.dropped["not in the sample"] else ""
        raise WorldError(
            f"the world would be empty: no article{kept} among {count_of(dump.page_count, 'page')} of the dump"
        )
    report()
    return trouble


def _count(world: sqlite3.Connection, table: str) -> int:
    (count,) = world.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - a name of our own
    return int(count)


@contextmanager
def _scratch_database(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open a database that is only written meanwhile, and only read after."""
    with closing(world_file.fast_database(folder / world_file.SCRATCH_NAME)) as scratch:
        yield scratch
        scratch.execute("COMMIT")


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """Make a folder beside `out` that takes its place at the end and is deleted when anything goes wrong."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise WorldError(f"{out} exists and is not empty; name a new folder for the world")
    remove_abandoned(out.absolute().parent, f".{out.name}-")
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", suffix=".draft", dir=out.absolute().parent))
    except OSError as error:
        raise WorldError(f"cannot make the folder {out}: {error.strerror or error}") from error
    try:
        with holding(folder):
            yield folder
            folder.chmod(0o777 & ~_umask())
            folder.replace(out)
    except sqlite3.OperationalError as error:
        raise WorldError(f"cannot write {out}: {error}; is there room on the disk?") from error
    except BrokenProcessPool as error:
        raise WorldError(
            "a process of the build was ended from outside (out of memory?); try again, with fewer: --jobs 1"
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _umask() -> int:
    """Return the mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
