"""Make the table of document shares: on how many pages of a general collection each word stands.

Run `python benchmarks/make_document_shares.py WIKI_WORLD > src/honeyguide/text/document_shares.txt`. The shipped one is
from the first 10^8 bytes of the English Wikipedia of 2006-03-03. Words are counted by stem; those on fewer than one
page in a thousand are left out.
"""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
from collections import Counter, defaultdict

from honeyguide.model import Fetched
from honeyguide.parse import parse
from honeyguide.text import Stems
from honeyguide.worlds.wiki import WikiWorld

FEWEST = 0.001  # of all pages
WIDTH = 120


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("world")
    stems, pages, pages_by_stem = Stems(), 0, Counter[str]()
    with WikiWorld(options.parse_args().world) as world:
        for url in world.urls():
            outcome = world.answer(url).outcome
            assert isinstance(outcome, Fetched)
            pages += 1
            pages_by_stem.update(set(stems.of(parse(url, outcome).main_words)))
    stems_by_idf = defaultdict[int, list[str]](list)
    for stem, count in pages_by_stem.items():
        if count >= FEWEST * pages and not any(map(str.isdigit, stem)):
            stems_by_idf[round(10 * math.log((pages + 1) / (count + 0.5)))].append(stem)
    total = sum(map(len, stems_by_idf.values()))
    sys.stdout.write(
        f"# Tenths of ln(pages / pages with the stem), {total:,} stems on {pages:,} pages; see telling.py\n"
    )
    for tenths, found in sorted(stems_by_idf.items()):
        for line in textwrap.wrap(" ".join(sorted(found)), WIDTH - 4, break_on_hyphens=False):
            sys.stdout.write(f"{tenths} {line}\n")


if __name__ == "__main__":
    main()
