"""Is what a judge reads the main text of a page? Measured on real sites, against what their own templates mark as it.

Run `python benchmarks/parser_noise.py [ROOT...] [--pages N] [--json]` with Debian's documentation packages installed,
or unpacked into a folder ROOT without installing them:

    apt-get download PACKAGE... && for file in *.deb; do dpkg-deb -x "$file" ROOT; done

The template of a site says where its main text is: in an element made for it, or in the body but for the navigation
bars. The words there are the truth of a page; main words, all words and what resiliparse extracts (where it is
installed) are compared with them as bags. Then the same page is judged by each of these, for some topics. Sites that
are not there are left out. `rules` says what part a site had in making the rules: they were chosen on it, it was looked
at in between, or it was measured only afterwards.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from honeyguide.judge import EmbeddingJudge
from honeyguide.model import Fetched, Page, Topic, Url
from honeyguide.parse import parse
from honeyguide.parse.charset import decode
from honeyguide.text import EnglishVectors, WordVectors, words_of
from machine import machine

try:
    from resiliparse.extract.html2text import extract_plain_text
except ImportError:
    extract_plain_text = None

if TYPE_CHECKING:
    from collections.abc import Sequence

URL: Final = Url.parse("http://benchmark.test/folder/page.html")
TOPICS: Final = (
    Topic("databases", ("query", "table", "transaction")),
    Topic("programming", ("function", "class", "compiler")),
    Topic("web servers", ("http", "request", "proxy")),
    Topic("computer graphics", ("image", "rendering", "colour")),
    Topic("music", ("note", "melody", "instrument")),
    Topic("mathematics", ("matrix", "equation", "theorem")),
)


class Site(NamedTuple):
    """A site whose template says where the main text is: in `main`, without `aside` (CSS selectors)."""

    package: str
    folder: str
    main: str
    aside: str = ""
    rules: str = "chosen on it"


DOC: Final = "usr/share/doc"
SITES: Final = {
    "Python (Sphinx)": Site("python3.11-doc", f"{DOC}/python3.11-doc/html", "div.body"),
    "PostgreSQL (DocBook)": Site(
        "postgresql-doc-15", f"{DOC}/postgresql-doc-15/html", "body", ".navheader, .navfooter"
    ),
    "SQLite": Site("sqlite3-doc", f"{DOC}/sqlite3", "body", "body > div.nosearch"),
    "Debian handbook (Publican)": Site(
        "debian-handbook", f"{DOC}/debian-handbook/html/en-US", "body", "#banner, #title, .docnav"
    ),
    "libxslt": Site("libxslt1-dev", f"{DOC}/libxslt1-dev/html", "body > table + table", "td[width='200']"),
    "Node.js": Site("nodejs-doc", f"{DOC}/nodejs/api", "#apicontent"),
    "Valgrind (DocBook)": Site("valgrind", f"{DOC}/valgrind/html", "body", "table.nav"),
    "Rust book (mdBook)": Site("rust-doc", f"{DOC}/rust-doc/html/book", "main"),
    "Rust std (rustdoc)": Site("rust-doc", f"{DOC}/rust-doc/html/std", "main"),
    "Apache": Site("apache2-doc", f"{DOC}/apache2-doc/manual/en", "#page-content", "", "looked at"),
    "Erlang": Site("erlang-doc", f"{DOC}/erlang-doc", "#content", "div.footer", "looked at"),
    "Eigen (Doxygen)": Site(
        "libeigen3-doc", f"{DOC}/libeigen3-dev/html", "div.contents, div.headertitle", "", "looked at"
    ),
    "Crystal": Site("crystal-doc", f"{DOC}/crystal", "div.main-content", "", "looked at"),
    "ikiwiki": Site("ikiwiki", f"{DOC}/ikiwiki/html", "#content", "", "looked at"),
    "commons-lang (javadoc)": Site(
        "libcommons-lang3-java-doc", f"{DOC}/libcommons-lang3-java/api", "main", "", "looked at"
    ),
    "GLib (gtk-doc)": Site(
        "libglib2.0-doc", "usr/share/gtk-doc/html/gio", "body", "table.navigation, div.footer", "looked at"
    ),
    "MkDocs": Site("mkdocs-doc", f"{DOC}/mkdocs/html", "div[role=main]", "", "looked at"),
    "Django (Sphinx)": Site("python-django-doc", f"{DOC}/python-django-doc/html", "#yui-main", "", "looked at"),
    "pandas (Sphinx)": Site("python-pandas-doc", f"{DOC}/python-pandas-doc/html", "main", "", "looked at"),
    "Qt": Site("qtbase5-doc-html", "usr/share/qt5/doc", "div.mainContent", "", "looked at"),
    "LilyPond": Site(
        "lilypond-doc-html", f"{DOC}/lilypond/html", "#main", "table.nav_table, #tocframe, #footer", "looked at"
    ),
    "Nim": Site("nim-doc", f"{DOC}/nim/html", "#content", "", "looked at"),
    "Boost": Site("libboost1.81-doc", f"{DOC}/libboost1.81-doc/doc/html", "body > div", ".spirit-nav", "looked at"),
    "Octave (Texinfo)": Site("octave-doc", f"{DOC}/octave/octave.html", "body", "div.header", "looked at"),
    "GHC (Haddock)": Site("ghc-doc", f"{DOC}/ghc-doc/html/libraries", "#content", "", "looked at"),
    "Exim": Site("exim4-doc-html", f"{DOC}/exim4-doc-html", "#content", "", "looked at"),
    "Tomcat": Site("tomcat10-docs", "usr/share/tomcat10-docs/docs", "#mainRight", "", "afterwards"),
    "SQLAlchemy (Sphinx)": Site(
        "python-sqlalchemy-doc", f"{DOC}/python-sqlalchemy-doc", "#docs-body", "", "afterwards"
    ),
    "NTPsec (AsciiDoctor)": Site("ntpsec-doc", f"{DOC}/ntpsec-doc/html", "#header, #content", "", "afterwards"),
    "GAP (GAPDoc)": Site(
        "gap-doc",
        "usr/share/gap/doc",
        "body",
        ".chlinktop, .chlinkbot, .chlinkprevnexttop, .chlinkprevnextbot, #mathjaxlink",
        "afterwards",
    ),
    "POV-Ray": Site("povray-doc", f"{DOC}/povray/html", "div.Content", "table.HeaderFooter", "afterwards"),
    "libxml2": Site("libxml2-doc", f"{DOC}/libxml2/html", "body > table + table", "td[width='200']", "afterwards"),
    "wxWidgets (Doxygen)": Site(
        "wx3.2-doc", f"{DOC}/wx3.2-doc/html", "div.contents, div.headertitle", "", "afterwards"
    ),
}


class Texts(NamedTuple):
    """The words of one page, as they are and as they are found."""

    truth: Sequence[str]
    main: Sequence[str]
    all: Sequence[str]
    resiliparse: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Extraction:
    """How well the truth was found, means over pages."""

    site: str
    rules: str
    pages: int
    precision: float
    recall: float
    f1: float
    all_f1: float  # if all words were main words
    resiliparse_f1: float | None


@dataclass(frozen=True, slots=True)
class Judging:
    """What noise does to relevance: means and counts over all pages and topics of a site."""

    site: str
    judgements: int
    all_shift: float  # of the relevance, when all words are judged instead of the truth
    all_distance: float  # the same, whatever the sign
    main_distance: float  # when our main words are judged
    all_flips: int  # relevant by all words or by the truth, but not by both
    main_flips: int


def texts_of(site: Site, folder: Path, limit: int) -> list[Texts]:
    """Of at most `limit` pages, spread evenly; a page in which the template marks nothing is left out."""
    files = sorted(file for file in folder.rglob("*.html") if file.is_file())
    found = (_texts(site, file.read_bytes()) for file in files[:: max(1, len(files) // limit)])
    return list(islice((texts for texts in found if texts.truth), limit))


def _texts(site: Site, body: bytes) -> Texts:
    html, _ = decode(body, "text/html")
    page = parse(URL, Fetched(200, "text/html", body))
    extracted = None
    if extract_plain_text is not None:
        extracted = words_of(str(extract_plain_text(html, main_content=True, alt_texts=False)))
    return Texts(_truth(site, html), page.main_words, page.words, extracted)


def _truth(site: Site, html: str) -> Sequence[str]:
    tree = LexborHTMLParser(html)
    for node in tree.css(site.aside) if site.aside else ():
        node.decompose()
    marked = " ".join(node.html or "" for node in tree.css(site.main))
    return parse(URL, Fetched(200, "text/html; charset=utf-8", marked.encode("utf-8", "replace"))).words


def extraction(name: str, site: Site, texts: list[Texts]) -> Extraction:
    precisions, recalls, f1s = zip(*(_agreement(one.main, one.truth) for one in texts), strict=True)
    extracted = [_agreement(one.resiliparse, one.truth)[2] for one in texts if one.resiliparse is not None]
    return Extraction(
        site=name,
        rules=site.rules,
        pages=len(texts),
        precision=mean(precisions),
        recall=mean(recalls),
        f1=mean(f1s),
        all_f1=mean(_agreement(one.all, one.truth)[2] for one in texts),
        resiliparse_f1=mean(extracted) if extracted else None,
    )


def _agreement(found: Sequence[str], truth: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of one bag of words against another that is not empty."""
    shared = (Counter(found) & Counter(truth)).total()
    return shared / len(found) if found else 1.0, shared / len(truth), 2 * shared / (len(found) + len(truth))


def judging(name: str, texts: list[Texts], judges: list[EmbeddingJudge]) -> Judging:
    rows = []
    for one in texts:
        pages = [_page(words) for words in (one.truth, one.all, one.main)]
        rows += [(judge.threshold, *(judge.relevance(page) for page in pages)) for judge in judges]
    return Judging(
        site=name,
        judgements=len(rows),
        all_shift=mean(everything - truth for _, truth, everything, _ in rows),
        all_distance=mean(abs(everything - truth) for _, truth, everything, _ in rows),
        main_distance=mean(abs(ours - truth) for _, truth, _, ours in rows),
        all_flips=sum((everything >= bound) != (truth >= bound) for bound, truth, everything, _ in rows),
        main_flips=sum((ours >= bound) != (truth >= bound) for bound, truth, _, ours in rows),
    )


def _page(words: Sequence[str]) -> Page:
    return Page(URL, "text/html", "utf-8", "", "", tuple(words), ((0, len(words)),), ())


def main() -> None:
    chosen = _arguments()
    vectors = WordVectors(EnglishVectors())
    judges = [EmbeddingJudge(topic, vectors) for topic in TOPICS]
    extractions, judgings, missing = [], [], []
    for name, site in SITES.items():
        folder = next((root / site.folder for root in chosen.roots if (root / site.folder).is_dir()), None)
        texts = texts_of(site, folder, chosen.pages) if folder is not None else []
        if not texts:
            missing.append(site.package)
            continue
        extractions.append(extraction(name, site, texts))
        judgings.append(judging(name, texts, judges))
    if chosen.json:
        rows = {"extraction": [asdict(row) for row in extractions], "judging": [asdict(row) for row in judgings]}
        print(json.dumps({"machine": machine(), **rows, "missing": missing}, indent=2))
        return
    _print_extractions(extractions)
    _print_judgings(judgings)
    if missing:
        print(f"\nnot found, by package: {', '.join(dict.fromkeys(missing))}")


def _print_extractions(rows: list[Extraction]) -> None:
    print("| site | rules | pages | precision | recall | F1 | all words | resiliparse |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        other = "–" if row.resiliparse_f1 is None else f"{row.resiliparse_f1:.3f}"
        print(
            f"| {row.site} | {row.rules} | {row.pages} | {row.precision:.3f} | {row.recall:.3f} | {row.f1:.3f} "
            f"| {row.all_f1:.3f} | {other} |"
        )
    for rules in dict.fromkeys(row.rules for row in rows):
        group = [row for row in rows if row.rules == rules]
        others = [row.resiliparse_f1 for row in group if row.resiliparse_f1 is not None]
        print(
            f"mean over sites, {rules}: F1 {mean(row.f1 for row in group):.3f}, all words "
            f"{mean(row.all_f1 for row in group):.3f}" + (f", resiliparse {mean(others):.3f}" if others else "")
        )


def _print_judgings(rows: list[Judging]) -> None:
    print("\n| site | judgements | shift, all words | distance, all words | ours | flips, all words | ours |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(
            f"| {row.site} | {row.judgements} | {row.all_shift:+.3f} | {row.all_distance:.3f} "
            f"| {row.main_distance:.3f} | {row.all_flips} | {row.main_flips} |"
        )
    print(
        f"in all: distance {mean(row.all_distance for row in rows):.4f} with all words, "
        f"{mean(row.main_distance for row in rows):.4f} with ours (means over sites); flips "
        f"{sum(row.all_flips for row in rows)} and {sum(row.main_flips for row in rows)} of "
        f"{sum(row.judgements for row in rows):,}"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", type=Path, nargs="*", default=[Path("/")], metavar="ROOT")
    parser.add_argument("--pages", type=int, default=100, help="pages taken from each site")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
