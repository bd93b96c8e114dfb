"""How often is a real host or path called gibberish, and how much of what is gibberish is found?

Run `python benchmarks/gibberish.py DUMP [--hosts FILE] [--json]`. The real ones are the outside links of a Wikipedia
dump; the model was made from the words of such articles with every address taken out (`make_letter_costs.py`). With
`--hosts`, a file of one host a line is judged too. The gibberish is drawn: 2,000 strings of each kind and length.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np

from honeyguide.errors import InvalidUrl
from honeyguide.model import HostKey, Url
from honeyguide.text import english_letters, plain_runs, url_shape
from honeyguide.text.url_shape import has_gibberish_host
from honeyguide.worlds.wiki.dump import Dump
from machine import machine

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from typing import TYPE_CHECKING

from chance_strings import KINDS, strings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTHS = (7, 8, 10, 12, 16)
STRINGS = 2000
_WEB_ADDRESS = re.compile(r"\bhttps?://[^\s\[\]<>\"|{}]+", re.IGNORECASE)
_ANY_ADDRESS = re.compile(r"\b(?:https?|ftp|mailto|news|irc):\S+", re.IGNORECASE)
_SITE = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|mil|info|biz|[a-z]{2})\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


def words_and_urls(path: Path) -> tuple[Counter[str], list[Url]]:
    """Count the words of a dump, none of them from an address, and list every distinct address."""
    words: Counter[str] = Counter()
    urls: set[Url] = set()
    with Dump(path) as dump:
        for page in dump.pages():
            text = html.unescape(page.text)
            urls.update(urls_in(text))
            words.update(plain_runs(_TAG.sub(" ", _SITE.sub(" ", _ANY_ADDRESS.sub(" ", text)))))
    return words, sorted(urls, key=str)


def urls_in(text: str) -> Iterator[Url]:
    for found in _WEB_ADDRESS.findall(text):
        try:
            yield Url.parse(found.rstrip(".,;:)'"))
        except InvalidUrl:
            continue


def starting_hosts() -> set[HostKey]:
    tables = tomllib.loads((resources.files("honeyguide") / "starting_points.toml").read_text(encoding="utf-8"))
    return {Url.parse(text).host for table in tables.values() for text in table["urls"]}


def share_flagged(hosts: set[HostKey]) -> dict[str, object]:
    flagged = sorted(host for host in hosts if has_gibberish_host(host))
    return {"hosts": len(hosts), "flagged": len(flagged), "share": len(flagged) / max(len(hosts), 1), "which": flagged}


def found_by_kind() -> dict[str, dict[int, float]]:
    chance, letters = np.random.default_rng(0), english_letters()
    return {
        kind: {
            length: float(
                np.mean([letters.is_gibberish(string) for string in strings_of(kind, chance, STRINGS, length)])
            )
            for length in LENGTHS
        }
        for kind in KINDS
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("dump", type=Path)
    options.add_argument("--hosts", type=Path)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    _, urls = words_and_urls(chosen.dump)
    shapes = [url_shape(url) for url in urls]
    figures: dict[str, object] = {
        "urls": len(urls),
        "share_of_urls": {
            sign: float(np.mean([getattr(shape, sign) for shape in shapes])) for sign in shapes[0].__slots__
        },
        "hosts_of_the_dump": share_flagged({url.host for url in urls}),
        "hosts_of_the_starting_points": share_flagged(starting_hosts()),
        "found_by_kind_and_length": found_by_kind(),
    }
    if chosen.hosts:
        lines = chosen.hosts.read_text(encoding="utf-8").split()
        figures["hosts_of_the_file"] = share_flagged({HostKey(line) for line in lines})
    if chosen.json:
        print(json.dumps({"machine": machine(), **figures}, indent=2))
        return
    print(machine())
    for name, value in figures.items():
        print(f"{name.replace('_', ' ')}: {value}")


if __name__ == "__main__":
    main()
