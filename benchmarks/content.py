"""How well is the main content of a page kept, words and structure, against trafilatura and resiliparse?

    python benchmarks/content.py FOLDER [FOLDER...] [--limit 150] [--json]

The folders are sites whose template marks the main content: Sphinx (`article.bd-article`, `div.body`, `main` or
`role=main`) and DocBook (all but `navheader` and `navfooter`); pages without a mark are left out. What is inside the
mark is taken for right. Each extractor then gets every page twice: as it is, and with `main` and `role=main` taken
away, as older sites have it.

Words: F1 of the words, as bags. Structure: the same for the words in headings, in lists (definition lists are lists),
in table cells, in code blocks and in links to other pages, and the mean over those of the five that page or output
has. Markdown is read back by markdown-it-py, the output of resiliparse is its `minimal_html`. Times are processor time,
one core. Extractors that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.parse.content import content_of
from honeyguide.text import main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

URL: Final = Url.parse("http://benchmark.test/folder/page.html")
MARKS: Final = (
    "article.bd-article",
    "div.body",
    "[role=main]",
    "main",
    "div.sect1, div.chapter, div.refentry, div.book",
)
NO_CONTENT: Final = "script, style, noscript, svg, a.headerlink, div.navheader, div.navfooter, nav, [hidden]"
KINDS: Final = {
    "headings": "h1, h2, h3, h4, h5, h6",
    "lists": "ul, ol, dl",
    "tables": "td, th",
    "code": "pre",
    "links": 'a[href]:not([href^="#"], [href^="mailto:"])',
}
Bags = dict[str, Counter[str]]


class Page(NamedTuple):
    """A page as an extractor gets it, and what it should find."""

    html: str
    right: Bags


class Score(NamedTuple):
    """Means over pages; of a kind, over the pages that have it."""

    words: float
    structure: float
    by_kind: dict[str, float]
    ms_a_page: float


def main() -> None:
    arguments = _arguments()
    rows = []
    for folder in arguments.folders:
        for marked in (True, False):
            pages = list(read_pages(folder, arguments.first, arguments.limit, marked=marked))
            if not pages:
                raise SystemExit(f"no page of {folder} marks its main content; name a site made by Sphinx or DocBook")
            for name, extractor in extractors().items():
                row = {"site": folder.name, "pages": len(pages), "marked": marked, "extractor": name}
                rows.append(row | measure(extractor, pages)._asdict())
    if arguments.json:
        print(json.dumps(rows))
    else:
        _print_table(rows)


def read_pages(folder: Path, first: int, limit: int, *, marked: bool) -> Iterator[Page]:
    """At most `limit` pages with a mark, spread evenly over a folder, from its file number `first` on."""
    paths = sorted(folder.rglob("*.html"))
    for path in paths[first :: max(1, len(paths) // limit)][:limit]:
        html = path.read_text(encoding="utf-8", errors="replace")
        right = _right(html)
        if right is not None and right["words"].total() >= 20:
            yield Page(html if marked else _without_marks(html), right)


def _right(html: str) -> Bags | None:
    tree = LexborHTMLParser(html)
    for node in tree.css(NO_CONTENT):
        node.decompose(recursive=False)
    for mark in MARKS:
        found = tree.css_first(mark)
        if found is not None:
            return bags_of(found)
    return None


def _without_marks(html: str) -> str:
    html = re.sub(r"""\srole=["']?main["']?""", "", html, flags=re.IGNORECASE)
    html = re.sub(r"(</?)(?:main|article)(?=[\s>])", r"\1div", html, flags=re.IGNORECASE)
    return re.sub(r"\sbd-article\b|\bbd-article\s", "", html)


def bags_of(node: LexborNode) -> Bags:
    """The words of an element, and those in each kind of structure; what nests in its own kind counts once."""
    bags = {"words": Counter(words_of(node.text(separator=" ")))}
    for kind, selector in KINDS.items():
        inner = {each.mem_id for outer in node.css(selector) for each in outer.css(selector) if each != outer}
        outermost = [each for each in node.css(selector) if each.mem_id not in inner]
        bags[kind] = Counter(word for each in outermost for word in words_of(each.text(separator=" ")))
    return bags


def measure(extractor: Extractor, pages: list[Page]) -> Score:
    started = time.process_time()
    outputs = [extractor.extract(page.html) for page in pages]
    seconds = time.process_time() - started
    if extractor.gives_markdown:
        outputs = list(map(MarkdownIt("commonmark").enable("table").render, outputs))
    words, structure = [], []
    by_kind: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for page, output in zip(pages, outputs, strict=True):
        body = LexborHTMLParser(output).body
        found = {name: Counter[str]() for name in page.right} if body is None else bags_of(body)
        words.append(f1(found["words"], page.right["words"]))
        scores = {kind: f1(found[kind], page.right[kind]) for kind in KINDS if found[kind] or page.right[kind]}
        structure.append(statistics.mean(scores.values()) if scores else 1.0)
        for kind, score in scores.items():
            by_kind[kind].append(score)
    kinds = {kind: statistics.mean(scores) for kind, scores in by_kind.items() if scores}
    return Score(statistics.mean(words), statistics.mean(structure), kinds, 1e3 * seconds / len(pages))


def f1(found: Counter[str], right: Counter[str]) -> float:
    total = found.total() + right.total()
    return 2 * (found & right).total() / total if total else 1.0


class Extractor(NamedTuple):
    """Makes Markdown or HTML of the main content of a page."""

    extract: Callable[[str], str]
    gives_markdown: bool = True


def extractors() -> dict[str, Extractor]:
    """Return those that are installed, by name; our main text is what the judge reads."""
    found = {
        "honeyguide": Extractor(lambda html: content_of(URL, _fetched(html)).markdown),
        "honeyguide, main text": Extractor(
            lambda html: main_text(parse(URL, _fetched(html))).replace("<", "&lt;"), gives_markdown=False
        ),
    }
    if find_spec("trafilatura"):
        found["trafilatura"] = Extractor(_trafilatura)
    if find_spec("resiliparse"):
        found["resiliparse"] = Extractor(_resiliparse, gives_markdown=False)
    return found


def _fetched(html: str) -> Fetched:
    return Fetched(200, "text/html; charset=utf-8", html.encode())


def _trafilatura(html: str) -> str:
    from trafilatura import extract  # noqa: PLC0415 - need not be installed

    options = dict.fromkeys(("include_links", "include_images", "include_tables", "include_formatting"), True)
    return extract(html, output_format="markdown", favor_recall=True, url=URL.text, **options) or ""


def _resiliparse(html: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415 - need not be installed

    return str(extract_plain_text(html, preserve_formatting="minimal_html", main_content=True, links=True))


def _print_table(rows: list[dict[str, object]]) -> None:
    print("| site | pages | marks | extractor | words | structure | " + " | ".join(KINDS) + " | ms a page |")
    print("| --- | ---: | --- | --- | ---: | ---: |" + " ---: |" * len(KINDS) + " ---: |")
    for row in rows:
        kinds = row["by_kind"]
        assert isinstance(kinds, dict)
        cells = [row["site"], row["pages"], "kept" if row["marked"] else "taken away", row["extractor"]]
        cells += [f"{row['words']:.3f}", f"{row['structure']:.3f}"]
        cells += [f"{kinds[kind]:.3f}" if kind in kinds else "" for kind in KINDS]
        print("| " + " | ".join(map(str, [*cells, f"{row['ms_a_page']:.1f}"])) + " |")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--limit", type=int, default=150, help="pages taken from each folder")
    parser.add_argument("--first", type=int, default=0, help="number of the first: another number, other pages")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
