"""A dump becomes a world: gathered in one pass, resolved and rendered in a second, renamed into place when whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.errors import WorldError
from honeyguide.model.counts import count_of
from honeyguide.worlds.wiki import world as world_file
from honeyguide.worlds.wiki.dump import BrokenDump, Dump
from honeyguide.worlds.wiki.gathering import Gathered
from honeyguide.worlds.wiki.pagelinks import PageLinks
from honeyguide.worlds.wiki.titles import TitleRules
from honeyguide.worlds.wiki.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from honeyguide.worlds.wiki.gathering import KeyTable
    from honeyguide.worlds.wiki.titles import SiteInfo


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build has come in one of its stages."""

    stage: str  # "read", "links" or "write"
    done: int  # bytes of the file being read, or pages written
    total: int
    pages: int  # articles so far


@dataclass(frozen=True, slots=True)
class BuiltWiki:
    """What a build came to."""

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
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> BuiltWiki:
    """Build the world of a MediaWiki dump in the folder `out`, which must not be there or be empty.

    `sample` keeps each article with that probability, decided by its title and `seed`. With `pagelinks` the links are
    those of that table. Raises `WorldError`, and leaves nothing behind, when the dump is broken (unless `keep_partial`
    and some articles are whole), when it is none, or when no article is in it. Memory: some 65 bytes a title.
    """
    if not 0 < sample <= 1:
        raise WorldError(f"--sample {sample:g}: it must be above 0 and at most 1")
    if linktarget is not None and pagelinks is None:
        raise WorldError("--linktarget explains a pagelinks table; give that too, with --pagelinks")
    tables = None if pagelinks is None else (Path(pagelinks), None if linktarget is None else Path(linktarget))
    with _new_folder(Path(out)) as folder, Dump(Path(dump)) as opened:
        build = _Build(opened, folder, progress)
        with closing(build):
            return build.run(Path(out), sample, seed, tables, keep_partial=keep_partial)


class _Build:
    """One build, in a folder of its own that becomes the world."""

    def __init__(self, dump: Dump, folder: Path, progress: Callable[[BuildProgress], None]) -> None:
        self._dump = dump
        self._progress = progress
        self._scratch_file = folder / "scratch.sqlite"
        self._world = world_file.create(folder)
        self._scratch = world_file.fast_database(self._scratch_file)

    def run(
        self, out: Path, sample: float, seed: int, tables: tuple[Path, Path | None] | None, *, keep_partial: bool
    ) -> BuiltWiki:
        gathered = Gathered(self._world, self._scratch, sample, seed)
        trouble = self._gather(gathered, keep_partial=keep_partial)
        titles = gathered.end()
        page_links = None if tables is None else self._page_links(gathered, titles, *tables)
        site = self._dump.site
        writing = Writing(self._world, gathered, titles, TitleRules(site), page_links)
        writing.run(lambda done: self._progress(BuildProgress("write", done, gathered.article_count, done)))
        counts = self._counts(writing)
        dropped = dict(sorted((gathered.dropped + writing.dropped).items()))
        built = BuiltWiki(
            path=out,
            **counts,
            dump_pages=dict(gathered.dump_pages),
            dropped=dropped,
            xml_bytes=self._dump.xml_bytes,
            trouble=trouble,
        )
        source = {"sample": sample, "seed": seed, "pagelinks": tables is not None, "trouble": trouble}
        facts = counts | {"dropped": dropped, "dump_pages": built.dump_pages, "source": source}
        world_file.finish(self._world, facts | _site_facts(site) | writing.facts())
        return built

    def close(self) -> None:
        self._world.close()
        self._scratch.close()
        self._scratch_file.unlink(missing_ok=True)

    def _gather(self, gathered: Gathered, *, keep_partial: bool) -> str:
        """The first pass; gives what was wrong with the dump, where that is tolerated."""
        dump = self._dump

        def told() -> None:
            self._progress(BuildProgress("read", dump.bytes_read, dump.size_bytes, gathered.article_count))

        trouble = ""
        try:
            gathered.read(dump, told)
        except BrokenDump as error:
            if not keep_partial:
                raise
            trouble = str(error).rpartition("; ")[0]
        if not gathered.article_count:
            kept = " in this sample" if gathered.dropped["not in the sample"] else ""
            raise WorldError(
                f"the world would be empty: no article{kept} among {count_of(dump.page_count, 'page')} of the dump"
            )
        told()
        return trouble

    def _page_links(self, gathered: Gathered, titles: KeyTable, pagelinks: Path, linktarget: Path | None) -> PageLinks:
        links = PageLinks(self._scratch, gathered.numbers_by_page_id(), titles)
        links.read(
            pagelinks,
            linktarget,
            lambda done, total: self._progress(BuildProgress("links", done, total, gathered.article_count)),
        )
        return links

    def _counts(self, writing: Writing) -> dict[str, int]:
        (redirects,) = self._world.execute("SELECT count(*) FROM redirects").fetchone()
        (categories,) = self._world.execute("SELECT count(*) FROM categories").fetchone()
        pages = len(writing.out_degrees)
        return {
            "pages": pages,
            "links": int(writing.out_degrees.sum()),
            "redirects": redirects,
            "categories": categories,
        }


def _site_facts(site: SiteInfo) -> dict[str, Any]:
    return {
        "site": {
            "name": site.name,
            "base": site.base,
            "has_capital_titles": site.has_capital_titles,
            "number_by_namespace": dict(site.number_by_namespace),
        }
    }


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` that takes its place at the end; thrown away when anything goes wrong."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise WorldError(f"{out} exists and is not empty; name a new folder for the world")
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.absolute().parent))
    except OSError as error:
        raise WorldError(f"cannot make the folder {out}: {error.strerror or error}") from error
    try:
        yield folder
        folder.chmod(0o777 & ~_umask())
        folder.replace(out)
    except sqlite3.OperationalError as error:
        raise WorldError(f"cannot write {out}: {error}; is there room on the disk?") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _umask() -> int:
    """The mask can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
