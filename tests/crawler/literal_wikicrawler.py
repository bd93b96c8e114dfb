"""WikiCrawler as its document writes it down, line by line, and small wikis to try it on.

Nothing here is ours: HTML is read with regular expressions, words are counted in lists, the queue is looked through
from end to end. It understands only HTML as plain as `random_wiki` makes it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

HOME = "http://w.test"
KEYWORDS = ("tennis", "grand slam")
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>')
WORDS = ("tennis", "grand", "slam", *"abcdefghij")


class LinearScanQueue:
    """Items and weights in the order of arrival."""

    def __init__(self) -> None:
        self._weights: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return len(self._weights)

    def __contains__(self, item: Hashable) -> bool:
        return item in self._weights

    def add(self, item: Hashable, weight: float) -> bool:
        if item in self._weights:
            return False
        self._weights[item] = weight
        return True

    def extract(self) -> tuple[Hashable, float]:
        heaviest = max(self._weights.values())
        item = next(item for item, weight in self._weights.items() if weight == heaviest)
        return item, self._weights.pop(item)


def random_wiki(seed: int, pages: int) -> dict[str, str]:
    """HTML by path. Topic words are rare; some links lead to nothing, into pages, out of the wiki or back."""
    chance = random.Random(seed)
    titles = [f"{chance.choice(('Tennis', 'Grand_Slam', 'Grand', 'Other', 'Some'))}_{page}" for page in range(pages)]
    addresses = [f"/wiki/{title}" for title in titles]
    odd = ["/wiki/Missing", "/wiki/File:Ball", "/w/index.php", "#top", "http://elsewhere.test/wiki/Other", "/wiki/"]

    def words(most: int) -> str:
        common = WORDS[1 + chance.randrange(12) :]
        return " ".join(chance.choice(common) for _ in range(chance.randint(0, most)))

    def link(often: list[str]) -> str:
        target = chance.choice(odd) if chance.random() < 0.15 else chance.choice(often)
        target += "#part" if chance.random() < 0.1 else ""
        anchor = words(3) if chance.random() < 0.4 else chance.choice(("x", "y", ""))
        return f'<a href="{target}">{anchor}</a>'

    wiki = {}
    for address in addresses:
        panel = f'<div><a href="{chance.choice(addresses)}">tennis</a> grand slam</div>'
        often = chance.choices(addresses, k=4)  # so that some links stand twice on a page
        text = " ".join(f"<b>{words(30)}</b> {link(often)}" for _ in range(chance.randint(0, 8)))
        wiki[address] = f"<html><body>{panel}<p>{text} {words(9)}</p></body></html>"
    return {address: html for address, html in wiki.items() if address == addresses[0] or chance.random() < 0.95}


def weighted_links(page: str, html: str, keywords: Sequence[str]) -> dict[str, float]:
    """The links of a page with their weights, in order; those back to the page itself are left out."""
    content = html[html.index("<p>") :]
    weights: dict[str, float] = {}
    for match in LINK.finditer(content):
        link, anchor = match[1], match[2]
        if "#" in link or ":" in link or not link.startswith("/wiki/") or link in weights or link == page:
            continue
        before, after = (re.sub("<[^>]*>", " ", text) for text in (content[: match.start()], content[match.end() :]))
        weights[link] = weight(link, anchor, before.split(), after.split(), keywords)
    return weights


def weight(link: str, anchor: str, before: list[str], after: list[str], keywords: Sequence[str]) -> float:
    def stands_in(keyword: str, text: str) -> bool:
        return re.search(rf"(?<![a-z0-9]){keyword}(?![a-z0-9])", text) is not None

    readable = re.sub("[/_]", " ", link).lower()
    if any(stands_in(keyword, readable) or stands_in(keyword, anchor) for keyword in keywords):
        return 1.0
    phrases = [keyword.split() for keyword in keywords]
    ends = [place + len(phrase) for phrase in phrases for place in places_of(phrase, before)]
    begins = [place for phrase in phrases for place in places_of(phrase, after)]
    distance = min([len(before) - end for end in ends] + begins, default=21)
    return 0.0 if distance > 20 else 1 / (distance + 2)


def places_of(phrase: list[str], words: list[str]) -> list[int]:
    """Where in the words a phrase begins."""
    return [place for place in range(len(words)) if words[place : place + len(phrase)] == phrase]


@dataclass
class LiteralCrawl:
    """The pseudo code of the class WikiCrawler, without pauses."""

    wiki: Mapping[str, str]
    seed: str
    keywords: Sequence[str]
    most: int
    is_weighted: bool = True
    extracted: list[tuple[str, float]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        queue = LinearScanQueue()
        queue.add(self.seed, 0.0)
        self.visited.add(self.seed)
        while len(queue):
            page, page_weight = queue.extract()
            assert isinstance(page, str)
            self.extracted.append((page, page_weight))
            if page not in self.wiki:
                continue  # an error: go on with the next
            keywords = self.keywords if self.is_weighted else ()
            for link, link_weight in weighted_links(page, self.wiki[page], keywords).items():
                if link in self.visited:
                    self.edges.append((page, link))
                elif len(self.visited) < self.most:
                    queue.add(link, link_weight)
                    self.visited.add(link)
                    self.edges.append((page, link))
