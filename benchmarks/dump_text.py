"""The words and the outside addresses in a Wikipedia dump: what the letter model is made from and measured on."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url
from honeyguide.text import plain_runs
from honeyguide.worlds.wiki.dump import Dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WEB_ADDRESS = re.compile(r"\bhttps?://[^\s\[\]<>\"|{}]+", re.IGNORECASE)
_ANY_ADDRESS = re.compile(r"\b(?:https?|ftp|mailto|news|irc):\S+", re.IGNORECASE)
_SITE = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|mil|info|biz|[a-z]{2})\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class DumpText:
    """Words with their counts, none of them from an address, and every distinct address."""

    count_by_word: Counter[str]
    urls: tuple[Url, ...]  # sorted


def dump_text(path: Path) -> DumpText:
    words: Counter[str] = Counter()
    urls: set[Url] = set()
    with Dump(path) as dump:
        for page in dump.pages():
            text = html.unescape(page.text)
            urls.update(_urls(text))
            words.update(plain_runs(_TAG.sub(" ", _SITE.sub(" ", _ANY_ADDRESS.sub(" ", text)))))
    return DumpText(words, tuple(sorted(urls, key=str)))


def _urls(text: str) -> Iterator[Url]:
    for found in _WEB_ADDRESS.findall(text):
        try:
            yield Url.parse(found.rstrip(".,;:)'"))
        except InvalidUrl:
            continue
