"""Make two other sites of a Wikipedia dump: one that lists its categories, one that has neither those nor lists.

Run `python benchmarks/wiki_sites.py DUMP organised|bare OUT.xml.gz`, then `honeyguide wiki build OUT.xml.gz WORLD`.
The world of a dump has no categories on its pages: they are labels. It has the lists of the encyclopaedia itself.

organised: every article ends with a line of its categories, each a link to a page that lists the articles in it.
bare: articles whose title begins with "List of" or "Lists of" are left out.

The labels of articles are the same in all three; pages of categories have none.
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from honeyguide.worlds.wiki.dump import Dump
from honeyguide.worlds.wiki.first_pass import redirect_target
from honeyguide.worlds.wiki.titles import TitleRules
from honeyguide.worlds.wiki.wikitext import Converter

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTS = ("List of ", "Lists of ")


def head(dump: Dump) -> str:
    """Return the beginning of a dump of the same site."""
    site = dump.site
    case = "first-letter" if site.has_capital_titles else "case-sensitive"
    names = "".join(
        f'<namespace key="{number}">{escape(name)}</namespace>' for name, number in site.number_by_namespace.items()
    )
    return (
        f"<mediawiki><siteinfo><sitename>{escape(site.name)}</sitename><base>{escape(site.base)}</base>"
        f"<case>{case}</case><namespaces>{names}</namespaces></siteinfo>\n"
    )


def organised(dump: Dump) -> Iterator[tuple[str, int | None, str]]:
    """Yield title, namespace and text of every page, then of a page for every category."""
    members: dict[str, list[str]] = defaultdict(list)
    converter = None
    for page in dump.pages():
        converter = converter or Converter(TitleRules(dump.site))  # the site is known from the first page on
        prefix = page.title.partition(":")[0].lower()
        if page.namespace or prefix in dump.site.all_namespaces or redirect_target(page.text) is not None:
            yield page.title, page.namespace, page.text
            continue
        names = [name for name in converter.convert(page.text).categories if not set(name) & set("[]{}|#<>")]
        for name in names:
            members[name].append(page.title)
        line = " | ".join(f"[[{_title(name)}|{name}]]" for name in names)
        yield page.title, page.namespace, f"{page.text}\n\nCategories: {line}\n" if names else page.text
    for name, titles in members.items():
        listed = "\n".join(f"* [[{title}]]" for title in sorted(titles))
        yield _title(name), 0, f"Articles in the category {name}.\n\n{listed}\n"


def bare(dump: Dump) -> Iterator[tuple[str, int | None, str]]:
    """Yield title, namespace and text of every page that is no list."""
    for page in dump.pages():
        if not page.title.startswith(LISTS):
            yield page.title, page.namespace, page.text


def _title(category: str) -> str:
    return f"{category} (category)"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dump", type=Path)
    arguments.add_argument("site", choices=["organised", "bare"])
    arguments.add_argument("out", type=Path)
    options = arguments.parse_args()
    make = organised if options.site == "organised" else bare
    with Dump(options.dump) as dump, gzip.open(options.out, "wt", compresslevel=1, encoding="utf-8") as out:
        for number, (title, namespace, text) in enumerate(make(dump)):
            if not number:
                out.write(head(dump))  # known from the first page on
            place = "" if namespace is None else f"<ns>{namespace}</ns>"
            out.write(
                f"<page><title>{escape(title)}</title>{place}<id>{number + 1}</id>"
                f"<revision><text>{escape(text)}</text></revision></page>\n"
            )
        out.write("</mediawiki>\n")


if __name__ == "__main__":
    main()
