"""How fast does a dump become a world, and does our reading of wikitext agree with mwparserfromhell's?

Run `python benchmarks/wiki_build.py DUMP [--json]`. The build is timed against the bare cost of unpacking the file, of
reading its XML as well, and of what mwparserfromhell takes for the wikitext of the first `--articles` pages, where
it is installed. Agreement is over those pages: words of the text as bags, links as sets of titles. Times are CPU time,
except that the build has its wall time too, since unpacking runs in a thread of its own.

With `--times N` the dump is first made N times as large, as a multistream file: each copy has titles of its own, and
links to the articles of the first. With `--jobs 1,2` that dump is built with so many processes, each in a fresh one.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import json
import re
import resource
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.text.compressed import CompressedFile
from honeyguide.text.tokens import words_of
from honeyguide.worlds.wiki import WikiWorld, build_wiki
from honeyguide.worlds.wiki.dump import Dump
from honeyguide.worlds.wiki.first_pass import redirect_target
from honeyguide.worlds.wiki.second_pass import NOWHERE, ArticleRenderer
from honeyguide.worlds.wiki.titles import LinkKind, TitleRules
from honeyguide.worlds.wiki.wikitext import Converter
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.worlds.wiki.wikitext import ConvertedArticle

T = TypeVar("T")
IS_COMPARED = find_spec("mwparserfromhell") is not None
_URL = Url.parse("http://benchmark.test/wiki/Page")
_READS = 10_000
_PAGES_IN_A_STREAM = 100  # as in the dumps of Wikimedia
_OTHER_PLACES = (LinkKind.CATEGORY, LinkKind.FILE, LinkKind.LANGUAGE)


@dataclass(frozen=True, slots=True)
class BuildSpeed:
    """What a build costs, and what it cannot cost less than."""

    xml_mb: float
    unpack_mb_per_s: float
    xml_mb_per_s: float  # unpacked and cut into pages
    build_mb_per_s: float  # CPU
    build_wall_s: float
    peak_memory_mb: float
    world_mb: float
    open_ms: float
    random_reads_per_s: float


@dataclass(frozen=True, slots=True)
class WikitextSpeed:
    """Converting wikitext, ours and mwparserfromhell's, and how far they agree."""

    articles: int
    wikitext_mb: float
    our_mb_per_s: float
    their_mb_per_s: float | None = None
    words_f1: float | None = None
    median_words_f1: float | None = None
    links_f1: float | None = None
    links_precision: float | None = None  # share of our links that they have too
    links_recall: float | None = None


@dataclass(frozen=True, slots=True)
class JobsSpeed:
    """A build with so many processes."""

    jobs: int
    xml_mb: float
    wall_s: float
    cpu_s: float  # of all processes together
    writer_cpu_s: float  # of the one process that writes, which more processes cannot make quicker
    writer_memory_mb: float  # peak
    worker_memory_mb: float  # peak of the largest
    world_hash: str


def main() -> None:
    arguments = _arguments()
    if arguments.jobs:
        with tempfile.TemporaryDirectory() as folder:
            dump = _in_a_fresh_process(enlarge, arguments.dump, Path(folder) / "dump.xml.bz2", arguments.times)
            for jobs in arguments.jobs.split(","):
                print(json.dumps(asdict(_in_a_fresh_process(measure_jobs, dump, int(jobs)))), flush=True)
        print(machine())
        return
    wikitext = measure_wikitext(arguments.dump, arguments.articles)
    build = measure_build(arguments.dump)
    if arguments.json:
        print(json.dumps({"machine": machine(), "build": asdict(build), "wikitext": asdict(wikitext)}))
        return
    print(machine())
    for part in (build, wikitext):
        for name, value in asdict(part).items():
            print(f"{name:20} {'-' if value is None else f'{value:,.3f}':>12}")
    if not IS_COMPARED:
        print("not compared: mwparserfromhell is not installed")


def measure_build(path: Path) -> BuildSpeed:
    unpack_s, xml_bytes = _timed(lambda: _unpack(path))
    xml_s, _ = _timed(lambda: _cut(path))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "world"
        started = time.perf_counter()
        build_s, _ = _timed(lambda: build_wiki(path, out, jobs=1))
        wall_s = time.perf_counter() - started
        started = time.perf_counter()
        with WikiWorld(out) as world:
            open_s = time.perf_counter() - started
            urls = list(world.urls())
            chosen = np.random.default_rng(0).integers(0, len(urls), _READS).tolist()
            read_s, _ = _timed(lambda: [world.answer(urls[number]) for number in chosen])
        world_bytes = sum(file.stat().st_size for file in out.iterdir())
    return BuildSpeed(
        xml_mb=xml_bytes / 1e6,
        unpack_mb_per_s=xml_bytes / unpack_s / 1e6,
        xml_mb_per_s=xml_bytes / xml_s / 1e6,
        build_mb_per_s=xml_bytes / build_s / 1e6,
        build_wall_s=wall_s,
        peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        world_mb=world_bytes / 1e6,
        open_ms=open_s * 1e3,
        random_reads_per_s=_READS / read_s,
    )


def measure_jobs(dump: Path, jobs: int) -> JobsSpeed:
    """Build once; to be called in a process that has done nothing else, so that peaks of memory are the build's."""
    with tempfile.TemporaryDirectory(dir=dump.parent) as folder:
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.perf_counter()
        built = build_wiki(dump, Path(folder) / "world", jobs=jobs)
        wall_s = time.perf_counter() - started
        own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        with (built.path / "wiki.sqlite").open("rb") as file:
            world_hash = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    writer_s = own.ru_utime + own.ru_stime - before.ru_utime - before.ru_stime
    return JobsSpeed(
        jobs=jobs,
        xml_mb=built.xml_bytes / 1e6,
        wall_s=round(wall_s, 2),
        cpu_s=round(writer_s + workers.ru_utime + workers.ru_stime, 2),
        writer_cpu_s=round(writer_s, 2),
        writer_memory_mb=own.ru_maxrss / 1e3,
        worker_memory_mb=workers.ru_maxrss / 1e3,
        world_hash=world_hash,
    )


def enlarge(source: Path, path: Path, times: int) -> Path:
    """Write a multistream dump of so many copies, the titles of all but the first renamed."""
    with path.open("wb") as file:
        for copy in range(times):
            head, pages, end = _cut_into_pages(source)
            file.write(b"" if copy else bz2.compress(head))
            while some := b"".join(islice(pages, _PAGES_IN_A_STREAM)):
                renamed = some.replace(b"</title>", b" (copy %d)</title>" % copy) if copy else some
                file.write(bz2.compress(renamed))
        file.write(bz2.compress(end))
    return path


def _cut_into_pages(source: Path) -> tuple[bytes, Iterator[bytes], bytes]:
    """Return what comes before the first page, the pages, and the end."""
    with CompressedFile(source) as file:
        xml = b"".join(file.blocks())
    first, last = xml.index(b"<page>"), xml.rindex(b"</page>") + len(b"</page>")
    pages = (match[0] for match in re.finditer(rb"<page>.*?</page>\s*", xml[first:last], re.DOTALL))
    return xml[:first], pages, xml[last:]


def measure_wikitext(path: Path, count: int) -> WikitextSpeed:
    with Dump(path) as dump:
        articles = (page.text for page in dump.pages() if not page.namespace and redirect_target(page.text) is None)
        texts = list(islice(articles, count))
        rules = TitleRules(dump.site)
    converter = Converter(rules)
    size_mb = sum(len(text.encode()) for text in texts) / 1e6
    our_s, ours = _timed(lambda: [converter.convert(text) for text in texts])
    speed = WikitextSpeed(len(texts), size_mb, size_mb / our_s)
    if not IS_COMPARED:
        return speed
    their_s, theirs = _timed(lambda: [_their_reading(text, rules) for text in texts])
    pairs = list(zip(ours, theirs, strict=True))
    word_scores = [_f1(Counter(_our_words(article)), Counter(words_of(text))) for article, (text, _) in pairs]
    shared = sum(len(links & set(article.targets)) for article, (_, links) in pairs)
    our_links, their_links = (
        sum(len(article.targets) for article in ours),
        sum(len(links) for _, links in theirs),
    )
    return WikitextSpeed(
        articles=len(texts),
        wikitext_mb=size_mb,
        our_mb_per_s=size_mb / our_s,
        their_mb_per_s=size_mb / their_s,
        words_f1=float(np.mean(word_scores)),
        median_words_f1=float(np.median(word_scores)),
        links_f1=2 * shared / (our_links + their_links),
        links_precision=shared / our_links,
        links_recall=shared / their_links,
    )


def _their_reading(text: str, rules: TitleRules) -> tuple[str, set[str]]:
    """Text and linked titles by mwparserfromhell, without the links that show nothing on a page."""
    code = import_module("mwparserfromhell").parse(text)
    titles = set()
    for link in code.filter_wikilinks(recursive=True):
        target = rules.target(str(link.title))
        if target.kind is LinkKind.ARTICLE:
            titles.add(target.title)
        elif target.kind in _OTHER_PLACES:
            try:
                code.remove(link)
            except ValueError:  # it went with a link around it
                continue
    return str(code.strip_code()), titles


def _our_words(article: ConvertedArticle) -> tuple[str, ...]:
    html, _ = ArticleRenderer(str, str).body(article.html, [NOWHERE] * len(article.targets))
    return parse(_URL, Fetched(200, "text/html; charset=utf-8", html.encode())).words


def _f1(ours: Counter[str], theirs: Counter[str]) -> float:
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def _unpack(path: Path) -> int:
    file = CompressedFile(path)
    total = sum(len(block) for block in file.blocks())
    file.close()
    return total


def _cut(path: Path) -> int:
    with Dump(path) as dump:
        return sum(1 for _ in dump.pages())


def _in_a_fresh_process(work: Callable[..., T], *arguments: object) -> T:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(work, *arguments).result()


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path, metavar="DUMP")
    parser.add_argument("--articles", type=int, default=1000, help="pages compared with mwparserfromhell")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="with --jobs: copies of the dump to build")
    parser.add_argument("--jobs", metavar="N,N", help="only build, with these numbers of processes")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
