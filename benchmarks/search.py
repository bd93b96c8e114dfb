"""Searching: how fast do pages go into the index, against tantivy alone, and how long does a query take?

`python benchmarks/search.py [--pages 50000] [--queries 10000] [--run FOLDER] [--dump DUMP] [--json]`: crawls so many
pages of a synthetic web, or takes a run that is there, and then, in one process,

1. indexes it: from the store, parsed and added, which is what the first search of a run does; the same pages parsed
   already, which is what a crawl that indexes adds to its own work; and tantivy alone, with the least that finds the
   same words: stemmed title and text, stored, and the URL.
2. asks queries of one to three words that stand on the pages, drawn by how many pages have them, one in five of them a
   phrase, one in five with a host: each brings ten hits with snippets. p50 is the middle, p99 all but the slowest
   hundredth; both by the clock and in time of the processor, which is the same on a machine that has nothing else to
   do. The same again with every part of the score but text switched off, and with tantivy alone, which brings
   the addresses of ten documents. This is all that a user gets: totals of what can be paged through, equal texts as
   one hit, snippets. Two hundred of the queries are asked by meaning, after the search that makes the vectors.

With `--dump` the pages are pieces of 270 words of the articles of a MediaWiki dump, put into the index without a crawl,
one in fourteen of them twice; 1. is left out. A synthetic web has few words, and people search among many.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tantivy

import honeyguide
from honeyguide.errors import QueryError
from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.search import Searcher
from honeyguide.search.indexing import IndexedPage
from honeyguide.search.page_index import FOLDER, PageIndex
from honeyguide.text import words_of
from honeyguide.worlds.wiki.dump import Dump
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PAGES_IN_MEMORY: Final = 2_000  # parsed beforehand, for what indexing costs without reading and parsing
SEED: Final = 7


def crawled(folder: Path, pages: int) -> Path:
    """A run with about so many pages."""
    fetches = int(pages * 1.22)  # some links are dead, refused, or lead elsewhere
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": f"synthetic:seed=1,pages={fetches * 4}", "strategy": "breadth-first"},
            "judge": {"kind": "keyword"},
            "politeness": {"delay_s": 0.0},
            "budget": {"fetches": fetches},
            "search": {"live": "off"},
        }
    )
    honeyguide.crawl(folder, settings).close()
    return folder


def with_pieces_of(dump: Path, run: Path, pages: int) -> Path:
    """A run of a few pages, in whose index are pieces of the articles of a dump instead."""
    crawled(run, 100)
    shutil.rmtree(run / FOLDER, ignore_errors=True)
    our_index(islice(pieces_of(dump), pages), run / FOLDER)
    return run


def pieces_of(dump: Path) -> Iterator[IndexedPage]:
    chance, kept = np.random.default_rng(SEED), list[str]()
    step = 0
    with Dump(dump) as opened:
        for article in opened.pages():
            words = re.sub(r"[^\w\s.,-]+", " ", article.text).split()
            for first in range(0, len(words), 270):
                step += 1
                text = " ".join(words[first : first + 270])
                kept.append(text)
                if chance.random() < 1 / 14:
                    text = kept[chance.integers(len(kept))]
                url = Url(f"http://h{step % 997}.test/{step}")
                page = parse(url, Fetched(200, "text/html", f"<title>{article.title}</title><p>{text}".encode()))
                relevance = float(chance.random())
                yield IndexedPage.of(
                    page, step=step, fetched_at=float(step), relevance=relevance, is_relevant=relevance > 0.8
                )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that went by, and seconds of all processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def bare_index(pages: Sequence[IndexedPage], folder: Path) -> tantivy.Index:
    """What tantivy alone needs to find the same words."""
    build = tantivy.SchemaBuilder()
    build.add_text_field("title", stored=True, tokenizer_name="en_stem")
    build.add_text_field("text", stored=True, tokenizer_name="en_stem")
    build.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    folder.mkdir()
    index = tantivy.Index(build.build(), str(folder))
    writer = index.writer(50_000_000, 1)
    for page in pages:
        document = tantivy.Document()
        document.add_text("title", page.title)
        document.add_text("text", page.text)
        document.add_text("url", page.url.text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def our_index(pages: Iterable[IndexedPage], folder: Path) -> PageIndex:
    index = PageIndex.to_write(folder, "english")
    index.add_all(pages, 5_000)
    index.close()
    return index


def indexing(run: Path, scratch: Path) -> dict[str, Any]:
    """Documents a second, three ways."""
    shutil.rmtree(run / FOLDER, ignore_errors=True)
    with honeyguide.open_run(run) as opened:
        total = opened.progress.pages
        pages = opened.crawled_pages()
        some = [IndexedPage.read(page, pages.body(page), parse) for page in islice(pages.all(), PAGES_IN_MEMORY)]
    figures: dict[str, Any] = {"pages": total, "mean_text_bytes": round(np.mean([len(page.text) for page in some]))}
    ours, bare = [], []
    for repeat in range(3):
        ours.append(timed(lambda n=repeat: our_index(some, scratch / f"ours{n}")))  # type: ignore[misc]
        bare.append(timed(lambda n=repeat: bare_index(some, scratch / f"bare{n}")))  # type: ignore[misc]
    figures["ours_parsed_already"] = rates(len(some), min(ours))
    figures["tantivy_alone"] = rates(len(some), min(bare))
    wall, cpu = timed(lambda: Searcher(run, {"search.rank_weight": 0}).close())
    figures["ours_from_the_store"] = rates(total, (wall, cpu))
    figures["ranks_s"] = round(timed(lambda: Searcher(run).close())[0], 2)
    figures["open_again_s"] = round(timed(lambda: Searcher(run).close())[0], 3)
    figures["index_megabytes"] = round(sum(f.stat().st_size for f in (run / FOLDER).rglob("*") if f.is_file()) / 1e6, 1)
    return figures


def rates(count: int, took: tuple[float, float]) -> dict[str, float]:
    return {"documents_per_s": round(count / took[0]), "cpu_ms_per_document": round(took[1] / count * 1e3, 3)}


def queries_of(searcher: Searcher, count: int) -> list[str]:
    """Queries that find something, as frequent words are asked for more often than rare ones."""
    chance = np.random.default_rng(SEED)
    terms = searcher._shards[0].searcher.terms_with_prefix("vocabulary", "", limit=20_000)  # noqa: SLF001
    words = [word for word, _ in terms if len(word) > 3 and word.isalpha()]
    weights = np.array([pages for word, pages in terms if len(word) > 3 and word.isalpha()], dtype=float) ** 0.5
    drawn = chance.choice(len(words), size=(count, 3), p=weights / weights.sum())
    lengths = chance.choice([1, 2, 3], size=count, p=[0.3, 0.5, 0.2])
    stretches = phrases_of(searcher, chance, count)
    hosts = [hit.url.split("/")[2] for hit in searcher.search(words[0], per_page=50).hits]
    queries = []
    for number, (row, length) in enumerate(zip(drawn, lengths, strict=True)):
        text = " ".join(words[place] for place in row[:length])
        if number % 5 == 1:
            text = f'"{stretches[number]}"'
        elif number % 5 == 2:
            text = f"{text} host:{hosts[number % len(hosts)]}"
        queries.append(text)
    return queries


def phrases_of(searcher: Searcher, chance: np.random.Generator, count: int) -> list[str]:
    """Two or three words that stand side by side on some page."""
    opened = searcher._shards[0].searcher  # noqa: SLF001
    places = [place for _, place in opened.search(tantivy.Query.all_query(), 500).hits]
    texts = [words_of(str(opened.doc(place).get_first("text"))) for place in places]
    texts = [words for words in texts if len(words) > 10]
    stretches = []
    for _ in range(count):
        words = texts[chance.integers(len(texts))]
        first = chance.integers(len(words) - 3)
        stretches.append(" ".join(words[first : first + chance.integers(2, 4)]))
    return stretches


def latencies(ask: Callable[[str], object], queries: Sequence[str]) -> dict[str, float]:
    for query in queries[:50]:
        ask(query)
    times = np.array([timed(lambda query=query: ask(query)) for query in queries]) * 1e3  # type: ignore[misc]
    wall, cpu = times.T
    return {
        "p50_ms": round(float(np.percentile(wall, 50)), 2),
        "p99_ms": round(float(np.percentile(wall, 99)), 2),
        "cpu_p50_ms": round(float(np.percentile(cpu, 50)), 2),
        "cpu_p99_ms": round(float(np.percentile(cpu, 99)), 2),
    }


def querying(run: Path, count: int) -> dict[str, Any]:
    """How long queries take."""
    with Searcher(run) as searcher:
        queries = queries_of(searcher, count)
        found = [searcher.search(query).total for query in queries[:500]]
        figures: dict[str, Any] = {
            "queries": count,
            "median_matches": int(np.median(found)),
            "with_hits": round(float(np.mean([total > 0 for total in found])), 3),
            "blended": latencies(searcher.search, queries),
        }
        shard = searcher._shards[0]  # noqa: SLF001
        plain = [query.partition(" host:")[0] for query in queries]
        index = shard.index._index  # noqa: SLF001

        def ask_tantivy(query: str) -> object:
            parsed = index.parse_query(query, ["title", "text"], conjunction_by_default=True)
            return [shard.searcher.doc(place)["url"] for _, place in shard.searcher.search(parsed, 10).hits]

        figures["tantivy_alone"] = latencies(ask_tantivy, plain)
        figures["vectors_made_s"] = round(timed(lambda: searcher.search("rock", semantic=True))[0], 1)
        figures["by_meaning"] = latencies(lambda query: by_meaning(searcher, query), queries[:: max(1, count // 200)])
    with Searcher(run, {"search.rank_weight": 0, "search.topic_weight": 0, "search.collapse": False}) as searcher:
        figures["text_alone"] = latencies(searcher.search, queries)
    return figures


def by_meaning(searcher: Searcher, query: str) -> object:
    with suppress(QueryError):  # none of its words may have a vector
        return searcher.search(query, semantic=True)
    return None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("--pages", type=int, default=50_000)
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--run", type=Path, help="a run that is there; its index is made anew")
    arguments.add_argument("--dump", type=Path, help="search pieces of the articles of this MediaWiki dump")
    arguments.add_argument("--json", action="store_true")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures: dict[str, Any] = {"machine": machine()}
        if chosen.dump:
            run = with_pieces_of(chosen.dump, Path(scratch) / "run", chosen.pages)
        else:
            run = chosen.run or crawled(Path(scratch) / "run", chosen.pages)
            figures["indexing"] = indexing(run, Path(scratch))
        figures["queries"] = querying(run, chosen.queries)
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    for part, values in figures.items():
        print(part)
        for name, value in values.items():
            print(f"  {name:22} {value}")


if __name__ == "__main__":
    main()
