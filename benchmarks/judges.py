"""How many pages a second does each judge read on one core, and with the links of the page described?

Run `python benchmarks/judges.py [FOLDER | WORLD...] [--repeats N] [--interleaved] [--json]` on folders of HTML or
worlds made by `honeyguide wiki build`. Of their pages the one nearest to 90 links and 2,900 words is taken; without
any, such a page is put together from the synthetic web. Every judge is built from settings, as for a crawl; one that
cannot be built is named with the reason. Describing is what the default strategy does: every link becomes a row.

The page is parsed anew for every measurement, untimed, because in a crawl its words are new too: twenty times before a
warm pass, or with `--interleaved` just before each measurement, when the processor's own caches are full of the
parser's doings, as in a crawl they are. Warm: all its words and addresses have been met before. Cold: none has; vectors
are read, but the caches are empty. Times are CPU time; a figure is the best of `--repeats` passes, and the slowest pass
is told with it. The peer is scikit-learn's tf-idf, where it is installed, on text that is ready: it makes words of it
first, which for ours the parser has done.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, Final

from threadpoolctl import threadpool_limits

from honeyguide.crawler import Builder
from honeyguide.errors import HoneyguideError
from honeyguide.model import Candidates, Fetched, Origin, Page, Topic, Url
from honeyguide.parse import parse
from honeyguide.settings import JUDGES, SETTINGS_BY_KEY, Settings, settings_from
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from machine import machine

LINKS: Final = 90
WORDS: Final = 2900
MOST_PAGES_LOOKED_AT: Final = 3000
PAGES_A_PASS: Final = 20
TOPIC: Final = Topic("geology", ("rock", "mineral", "plate tectonics", "volcano"))
LIKE: Final = ("Basalt is a rock that cools from lava.", "A fault is a crack along which plates of rock move.")
UNLIKE: Final = ("Simmer the onions in butter.", "The band released a second album.")
# What a judge needs beside its name to be built.
NEEDS: Final[dict[str, dict[str, Any]]] = {"combined": {"parts": ["embedding:2", "tfidf:1"]}}

MakePage = Callable[[], Page]


@dataclass(frozen=True, slots=True)
class Speed:
    """Pages a second, of the best and of the slowest pass."""

    best: float
    slowest: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one judge does in a second."""

    judge: str
    judged_warm: Speed
    judged_cold: Speed
    described_warm: Speed  # judged, and its links described
    described_cold: Speed


def nearest_page(places: list[Path]) -> tuple[str, MakePage] | None:
    """The page nearest to the wanted size, by name, and how to parse it once more."""
    best: tuple[float, str, MakePage] | None = None
    for place in places:
        for url, fetched in islice(_answers(place), MOST_PAGES_LOOKED_AT):
            page = parse(url, fetched)
            distance = abs(len(page.links) - LINKS) / LINKS + abs(len(page.words) - WORDS) / WORDS
            if best is None or distance < best[0]:
                best = distance, f"{place.name}: {url.path}", partial(parse, url, fetched)
    return best and best[1:]


def _answers(place: Path) -> Iterator[tuple[Url, Fetched]]:
    if (place / "wiki.sqlite").exists():
        with WikiWorld(str(place)) as world:
            yield from _wiki_answers(world)
        return
    for file in sorted(place.rglob("*.html")):
        if file.is_file():
            url = Url.parse(f"http://benchmark.test/{file.relative_to(place).as_posix().replace('%', '_')}")
            yield url, Fetched(200, "text/html", file.read_bytes())


def _wiki_answers(world: WikiWorld) -> Iterator[tuple[Url, Fetched]]:
    waiting, met = list(world.entry_urls()), set(world.entry_urls())
    for url in waiting:
        outcome = world.answer(url).outcome
        if isinstance(outcome, Fetched):
            yield url, outcome
            fresh = [link.target for link in parse(url, outcome).links if link.target not in met]
            met.update(fresh)
            waiting += fresh


def synthetic_page() -> tuple[str, MakePage]:
    """A page of the wanted size, with a link every 32 words."""
    world = SyntheticWorld(SyntheticSpec())
    words: list[str] = []
    for number in range(0, 4000, 20):
        outcome = world.answer(world.url_of(number)).outcome
        if isinstance(outcome, Fetched):
            words += parse(world.url_of(number), outcome).words
    for number in range(LINKS):
        words[32 * number] = f'<a href="{world.url_of(number + 1)}">{words[32 * number]}</a>'
    body = f"<main>{' '.join(words[:WORDS])}</main>".encode()
    return "put together from the synthetic web", partial(parse, world.url_of(0), Fetched(200, "text/html", body))


def settings_for(judge: str) -> Settings:
    """The default settings with this judge, and with examples where topics may have them."""
    topic: dict[str, Any] = {"name": TOPIC.name, "keywords": list(TOPIC.keywords)}
    if judge in ("classifier", "neural") and "topic.like" in SETTINGS_BY_KEY:
        topic |= {"like": list(LIKE), "unlike": list(UNLIKE)}
    return settings_from({"topic": topic, "judge": {"kind": judge, **NEEDS.get(judge, {})}})


class Bench:
    """One judge and the default strategy, made as for a crawl."""

    def __init__(self, settings: Settings, source: EnglishVectors) -> None:
        builder = Builder(settings, WordVectors(source))
        self._judge = builder.judge()
        self._strategy = builder.strategy()

    def judge(self, page: Page) -> float:
        return self._judge.judge(page).relevance

    def judge_and_describe(self, page: Page) -> object:
        origin = Origin(page.url.host, self.judge(page), distance=1, depth=2)
        candidates = Candidates.on_page(page, page.links, origin)
        return self._strategy.rows(self._strategy.describe(candidates), candidates.parents)


class Stopwatch:
    """Times work on copies of one page."""

    def __init__(self, make_page: MakePage, repeats: int, *, is_interleaved: bool) -> None:
        self._make_page = make_page
        self._repeats = repeats
        self._is_interleaved = is_interleaved

    def warm(self, work: Callable[[Page], object]) -> Speed:
        work(self._make_page())
        return _speed([_seconds(work, self._pages()) for _ in range(self._repeats)])

    def cold(self, make_work: Callable[[], Callable[[Page], object]]) -> Speed:
        passes = []
        for _ in range(self._repeats):
            work = make_work()
            _empty_caches()
            passes.append(_seconds(work, [self._make_page()]))
        return _speed(passes)

    def _pages(self) -> Iterable[Page]:
        pages = (self._make_page() for _ in range(PAGES_A_PASS))
        return pages if self._is_interleaved else list(pages)


def measured(judge: str, source: EnglishVectors, watch: Stopwatch) -> Row:
    make_bench = partial(Bench, settings_for(judge), source)
    return Row(
        judge,
        judged_warm=watch.warm(make_bench().judge),
        judged_cold=watch.cold(lambda: make_bench().judge),
        described_warm=watch.warm(make_bench().judge_and_describe),
        described_cold=watch.cold(lambda: make_bench().judge_and_describe),
    )


def _seconds(work: Callable[[Page], object], pages: Iterable[Page]) -> float:
    """CPU seconds a page."""
    gc.collect()
    passed = []
    for page in pages:
        started = time.process_time()
        work(page)
        passed.append(time.process_time() - started)
    return mean(passed)


def _speed(passes: list[float]) -> Speed:
    return Speed(best=1 / min(passes), slowest=1 / max(passes))


def _empty_caches() -> None:
    """Forget what functions of the package remember, such as the words of addresses."""
    for name, module in list(sys.modules.items()):
        if name.startswith("honeyguide"):
            for value in vars(module).values():
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


def peer(page: Page, watch: Stopwatch) -> Speed | None:
    """Tf-idf by scikit-learn, whose vocabulary is the page's; None where it is not installed."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - a peer, where it is installed
    except ImportError:
        return None
    vectorizer = TfidfVectorizer(sublinear_tf=True).fit([page.text, " ".join(TOPIC.phrases)])
    topic = vectorizer.transform([" ".join(TOPIC.phrases)]).T

    def measure(page: Page) -> object:
        return vectorizer.transform([page.text]) @ topic

    return watch.warm(measure)


def main() -> None:
    chosen = _arguments()
    name, make_page = nearest_page(chosen.places) or synthetic_page()
    page = make_page()
    source = EnglishVectors()
    watch = Stopwatch(make_page, chosen.repeats, is_interleaved=chosen.interleaved)
    rows: list[Row] = []
    left_out: dict[str, str] = {}
    with threadpool_limits(1):
        for judge in JUDGES:
            try:
                rows.append(measured(judge, source, watch))
            except HoneyguideError as error:
                left_out[judge] = str(error)
        other = peer(page, watch)
    about = {
        "page": name,
        "words": len(page.words),
        "distinct words": len(set(page.words)),
        "main words": len(page.main_words),
        "links": len(page.links),
    }
    if chosen.json:
        figures = {"judges": [asdict(row) for row in rows], "left_out": left_out, "peer": other and asdict(other)}
        print(json.dumps({"machine": machine(), **about, **figures}, indent=2))
        return
    print(machine())
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    _print_table(rows, other)
    for judge, reason in left_out.items():
        print(f"{judge}: left out: {reason}")


def _print_table(rows: list[Row], other: Speed | None) -> None:
    print("pages/s of the best pass (of the slowest)")
    print("| judge | judged, warm | judged, cold | and links described, warm | cold |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for row in rows:
        speeds = (row.judged_warm, row.judged_cold, row.described_warm, row.described_cold)
        print(f"| {row.judge} | " + " | ".join(f"{one.best:,.0f} ({one.slowest:,.0f})" for one in speeds) + " |")
    if other is not None:
        print(f"| scikit-learn's tf-idf, from text | {other.best:,.0f} ({other.slowest:,.0f}) | | | |")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="*", metavar="FOLDER | WORLD")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--interleaved", action="store_true", help="parse each page just before it is judged")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
