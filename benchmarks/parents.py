"""What does keeping the parents of a million links cost?

Run `python benchmarks/table.py [--pages N] [--json]`. A crawl of `--pages` pages with 100 links each, half of them to
links never met before: facts of the page, one more parent for every link, and rows of states and actions as Han has
them. The last page is as fast as the first if the work a link is constant.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

from honeyguide.crawler.parents import BYTES_A_LINK, ParentTable
from honeyguide.learn.han_features import FeatureStyle, Relevances, action_rows
from honeyguide.model import LinkId
from machine import machine

NEW_LINKS = 50
CATEGORIES = 3


def crawl(pages: int) -> tuple[ParentTable, list[float]]:
    """A table and the seconds that each page took."""
    chance, table, seconds = np.random.default_rng(0), ParentTable(), []
    for page in range(pages):
        new = np.arange(page * NEW_LINKS, (page + 1) * NEW_LINKS)
        links = np.concatenate((new, chance.integers(0, page * NEW_LINKS + 1, size=NEW_LINKS)))
        relevance = float(chance.random())
        started = time.perf_counter()
        table.add_parent(links, table.facts(LinkId(page), relevance, is_relevant=relevance > 0.9))
        seconds.append(time.perf_counter() - started)
    return table, seconds


def rows_per_s(table: ParentTable, times: int = 500) -> float:
    chance, style = np.random.default_rng(1), FeatureStyle()
    links = chance.integers(0, len(table), size=(times, 2 * NEW_LINKS))
    relevances = Relevances(chance.random(2 * NEW_LINKS), chance.random((2 * NEW_LINKS, CATEGORIES)))
    started = time.perf_counter()
    for some in links:
        action_rows(style, relevances, table.parents(some))
    return links.size / (time.perf_counter() - started)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    table, seconds = crawl(chosen.pages)
    tenth = max(chosen.pages // 10, 1)
    figures = {
        "links": len(table),
        "bytes_a_link": BYTES_A_LINK,
        "bytes_a_link_with_room_to_grow": table.nbytes / len(table),
        "links_given_a_parent_per_s": 2 * NEW_LINKS * chosen.pages / sum(seconds),
        "us_a_page_of_the_first_tenth": 1e6 * float(np.median(seconds[:tenth])),
        "us_a_page_of_the_last_tenth": 1e6 * float(np.median(seconds[-tenth:])),
        "action_rows_per_s": rows_per_s(table),
    }
    if chosen.json:
        print(json.dumps({"machine": machine(), **figures}, indent=2))
        return
    print(machine())
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):40} {value:,.3f}")


if __name__ == "__main__":
    main()
