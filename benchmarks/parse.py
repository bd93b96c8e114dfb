"""How fast is a page parsed, and does our main text agree with resiliparse's?

Run `python benchmarks/parse.py FOLDER [FOLDER...] [--json]` on folders of HTML files. Our time is for the whole `Page`:
decoding, words, links with their places, main spans. resiliparse, where it is installed, is timed for the main text
alone, on text that is decoded already. Times are CPU time on one core, the best of `--repeats` passes.

`--before TREE` names another source tree of this project (`git worktree add TREE COMMIT`): each page is then parsed by
both in turn, in this process, and the best times of each page are summed up, so that other work on the machine falls on
both alike.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from honeyguide.model import Fetched, Page, Url
from honeyguide.parse import parse
from honeyguide.text.tokens import words_of

try:
    from resiliparse.extract.html2text import extract_plain_text
except ImportError:
    extract_plain_text = None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
URL = Url.parse("http://benchmark.test/folder/page.html")


@dataclass(frozen=True, slots=True)
class Speed:
    """What parsing the pages of one folder costs."""

    folder: str
    pages: int
    mean_kb: float
    mean_words: float
    mean_links: float  # occurrences
    pages_per_s: float
    mb_per_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our main words against resiliparse's, as bags of words, averaged over pages."""

    pages_per_s: float  # resiliparse
    precision: float  # share of our main words that resiliparse keeps too
    recall: float
    f1: float
    median_f1: float
    unfiltered_f1: float  # if all our words counted as main text


def main() -> None:
    arguments = _arguments()
    if arguments.before is not None:
        for folder in arguments.folders:
            before, after = compare_trees(arguments.before, read_folder(folder, arguments.limit), arguments.repeats)
            print(f"{folder.name[:14]:14} {before:.3f} ms a page before, {after:.3f} after: {before / after:.2f} times")
        return
    rows = []
    for folder in arguments.folders:
        fetched = read_folder(folder, arguments.limit)
        if not fetched:
            raise SystemExit(f"no .html files in {folder}; name a folder that has some")
        rows.append((measure(folder.name, fetched, arguments.repeats), compare(fetched, arguments.repeats)))
    if arguments.json:
        print(json.dumps([{"speed": asdict(speed), "resiliparse": other and asdict(other)} for speed, other in rows]))
    else:
        _print_table(rows)


def read_folder(folder: Path, limit: int) -> list[Fetched]:
    """At most `limit` pages, spread evenly over the folder."""
    paths = sorted(folder.rglob("*.html"))
    step = max(1, len(paths) // limit)
    return [Fetched(200, "text/html", path.read_bytes()) for path in paths[::step][:limit]]


def measure(name: str, fetched: list[Fetched], repeats: int) -> Speed:
    pages = [parse(URL, one) for one in fetched]
    seconds = _best_seconds(lambda one: parse(URL, one), fetched, repeats)
    size = sum(len(one.body) for one in fetched)
    return Speed(
        folder=name,
        pages=len(pages),
        mean_kb=size / len(pages) / 1e3,
        mean_words=statistics.mean(len(page.words) for page in pages),
        mean_links=statistics.mean(sum(len(link.occurrences) for link in page.links) for page in pages),
        pages_per_s=len(pages) / seconds,
        mb_per_s=size / seconds / 1e6,
    )


def compare_trees(tree: Path, fetched: list[Fetched], repeats: int) -> tuple[float, float]:
    """Milliseconds a page by the parser of another tree, and by ours."""
    versions: list[Callable[[Fetched], object]] = [_parser_of(tree), partial(parse, URL)]
    total_s = [0.0, 0.0]
    for one in fetched:
        best_s = [float("inf")] * len(versions)
        for _ in range(repeats):
            for number, version in enumerate(versions):
                start = time.perf_counter()
                version(one)
                best_s[number] = min(best_s[number], time.perf_counter() - start)
        total_s = [total + best for total, best in zip(total_s, best_s, strict=True)]
    before, after = (1e3 * seconds / len(fetched) for seconds in total_s)
    return before, after


def _parser_of(tree: Path) -> Callable[[Fetched], object]:
    """The parser of another tree, loaded beside ours."""
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "honeyguide"}
    for name in ours:
        del sys.modules[name]
    sys.path.insert(0, str(tree / "src"))
    try:
        theirs, domain = import_module("honeyguide.parse"), import_module("honeyguide.model")
    finally:
        sys.path.pop(0)
        for name in [name for name in sys.modules if name.partition(".")[0] == "honeyguide"]:
            del sys.modules[name]
        sys.modules.update(ours)
    if not Path(theirs.__file__ or "").is_relative_to(tree.resolve()):
        raise SystemExit(f"{tree} has no src/honeyguide/parse; name a source tree of this project")
    url = domain.Url.parse(URL.text)
    return lambda one: theirs.parse(url, domain.Fetched(one.status, one.content_type, one.body))


def compare(fetched: list[Fetched], repeats: int) -> Comparison | None:
    """None where resiliparse is not installed."""
    if extract_plain_text is None:
        return None
    texts = [one.body.decode("utf-8", "replace") for one in fetched]
    seconds = _best_seconds(_resiliparse_main_text, texts, repeats)
    scores = [_agreement(parse(URL, one), text) for one, text in zip(fetched, texts, strict=True)]
    precision, recall, f1, unfiltered_f1 = (statistics.mean(column) for column in zip(*scores, strict=True))
    median_f1 = statistics.median(score[2] for score in scores)
    return Comparison(len(texts) / seconds, precision, recall, f1, median_f1, unfiltered_f1)


def _agreement(page: Page, html: str) -> tuple[float, float, float, float]:
    theirs = Counter(words_of(_resiliparse_main_text(html)))
    ours = Counter(page.main_words)
    shared = (ours & theirs).total()
    precision = shared / ours.total() if ours else 1.0
    recall = shared / theirs.total() if theirs else 1.0
    return precision, recall, _f1(ours, theirs), _f1(Counter(page.words), theirs)


def _f1(ours: Counter[str], theirs: Counter[str]) -> float:
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def _resiliparse_main_text(html: str) -> str:
    assert extract_plain_text is not None
    return str(extract_plain_text(html, main_content=True, alt_texts=False))


def _best_seconds(work: Callable[[T], object], inputs: Iterable[T], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for one in inputs:
            work(one)
        best = min(best, time.process_time() - start)
    return best


def _print_table(rows: list[tuple[Speed, Comparison | None]]) -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}")
    print(
        "folder          pages  mean KB  words  links  pages/s  MB/s | resiliparse/s      P      R     F1  median  all"
    )
    for speed, other in rows:
        line = f"{speed.folder[:14]:14} {speed.pages:6} {speed.mean_kb:8.1f} {speed.mean_words:6.0f}"
        line += f" {speed.mean_links:6.0f} {speed.pages_per_s:8.0f} {speed.mb_per_s:5.1f} | "
        if other is None:
            line += "not compared: resiliparse is not installed"
        else:
            line += f"{other.pages_per_s:13.0f} {other.precision:6.3f} {other.recall:6.3f} {other.f1:6.3f}"
            line += f" {other.median_f1:7.3f} {other.unfiltered_f1:4.2f}"
        print(line)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--limit", type=int, default=300, help="pages taken from each folder")
    parser.add_argument("--before", type=Path, metavar="TREE", help="another source tree, to compare with")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
