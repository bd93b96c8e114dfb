"""No trap, though it looks like one: a large honest host whose pages are alike and link to one another.

Every article has the same frame, one in seven is a stub of a few sentences that many others have too, and hosts all
over the web refer to it. A crawler that takes it for a trap loses what people look for most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import draws, hash_int, unit
from honeyguide.worlds.synthetic.places import base36
from honeyguide.worlds.synthetic.trap import Truth, WebParts
from honeyguide_lab.traps.trap import Ground, Scenario, in_paragraphs, listed, on_own_host, tag

if TYPE_CHECKING:
    from honeyguide.model import Url

_LISTED: Final = 100  # articles on a page of a category
_STUBS: Final = 7  # one article in so many is a stub
_LINKS: Final = 24  # in an article; a stub has a third
_REFERRING: Final = 12  # one honest page in so many refers to the encyclopaedia
_ARTICLE: Final = re.compile(r"/wiki/[A-Za-z]+_[A-Za-z]+_([0-9a-z]{1,8})")
_CATEGORY: Final = re.compile(r"/category/([a-z]+)(?:\?page=([1-9][0-9]{0,6}))?")
_FRAME: Final = (
    "<p>This article is part of the encyclopaedia that everyone can edit. It was last changed on the day shown below "
    "and is available under a free licence; other terms may apply.</p>"
)


class Encyclopaedia:
    """Articles, categories and a front page, all of them worth having."""

    def __init__(self, parts: WebParts) -> None:
        self._ground = ground = Ground(parts)
        self._key = ground.key(12)
        self._reference_key = ground.key(21)
        self._host = ground.host(0)
        self.hosts = (self._host,)
        self._articles = ground.layout.spec.encyclopaedia_pages
        self._categories = ground.layout.topic_names
        self._entries = [("/", "Main page"), *((f"/category/{name}", name) for name in self._categories)]

    def page(self, url: Url) -> bytes | None:
        if url.host != self._host.name:
            return None
        path = url.path_and_query
        if path == "/":
            return self._front()
        if (article := self._article(path)) is not None:
            return self._written(article)
        place = self._category(path)
        return None if place is None else self._listing(*place)

    def truth(self, url: Url) -> Truth | None:
        path = url.path_and_query
        is_here = url.host == self._host.name and (
            path == "/" or self._article(path) is not None or self._category(path) is not None
        )
        return Truth(Scenario.ENCYCLOPAEDIA, url.text) if is_here else None

    def under(self, page: int) -> str:
        """Refer to one to three articles, on pages of all hosts."""
        key = hash_int(self._reference_key, page)
        if key % _REFERRING:
            return ""
        links = [self._reference(hash_int(key, place)) for place in range(1 + (key >> 8) % 3)]
        return f"\n<p>See {', '.join(links)}.</p>"

    def on_portal(self, portal: int) -> str:
        return f"\n<p>See {self._reference(portal)}.</p>"

    def _reference(self, number: int) -> str:
        """A link to some article, well-known ones more often than others."""
        article = self._popular(hash_int(self._key, number, 2), 1)[0]
        return tag(f"http://{self._host.name}{self._path(article)}", "the encyclopaedia")

    def _popular(self, key: int, count: int) -> list[int]:
        chances = unit(draws(key, count))
        return (chances * chances * self._articles).astype(np.int64).tolist()

    def _path(self, article: int) -> str:
        first, second = self._ground.words(hash_int(self._key, article), 2)
        return f"/wiki/{first.title()}_{second}_{base36(article)}"

    def _title(self, article: int) -> str:
        return self._ground.title(hash_int(self._key, article), article % len(self._categories))

    def _article(self, path: str) -> int | None:
        match = _ARTICLE.fullmatch(path)
        article = int(match[1], 36) if match else self._articles
        return article if article < self._articles and self._path(article) == path else None

    def _category(self, path: str) -> tuple[int, int] | None:
        """Category and page of a list of articles."""
        match = _CATEGORY.fullmatch(path)
        if match is None or match[1] not in self._categories or match[2] == "1":
            return None
        category, number = self._categories.index(match[1]), int(match[2] or 1)
        return (category, number) if number <= self._list_pages(category) else None

    def _list_pages(self, category: int) -> int:
        members = len(range(category, self._articles, len(self._categories)))
        return max(1, -(-members // _LISTED))

    def _front(self) -> bytes:
        shown = self._popular(self._key, 60)
        return self._framed("Main page", [listed((self._path(each), self._title(each)) for each in shown)])

    def _listing(self, category: int, number: int) -> bytes:
        members = range(category, self._articles, len(self._categories))[(number - 1) * _LISTED : number * _LISTED]
        links = [(self._path(each), self._title(each)) for each in members]
        name = self._categories[category]
        if number < self._list_pages(category):
            links.append((f"/category/{name}?page={number + 1}", "next page"))
        return self._framed(f"Category {name}, page {number}", [listed(links)])

    def _written(self, article: int) -> bytes:
        key, category = hash_int(self._key, article), article % len(self._categories)
        title, is_stub = self._title(article), key % _STUBS == 0
        others = self._popular(hash_int(key, 3), _LINKS // 3 if is_stub else _LINKS)
        text = [self._stub(key, title)] if is_stub else self._ground.paragraphs(key, 3 + (key >> 8) % 4, category)
        box = "".join(
            f"<tr><th>{label}</th><td>{hash_int(key, place) % 10_000}</td></tr>"
            for place, label in enumerate(("Number", "Founded", "Code", "Height", "Members"))
        )
        name = self._categories[category]
        links = [(self._path(other), self._title(other)) for other in dict.fromkeys(others)]
        end = (
            f"<p>Category: {tag(f'/category/{name}', name)}. Last changed on day {key % 366} of {2005 + key % 20}.</p>"
        )
        return self._framed(
            title, [f"<table>{box}</table>", *in_paragraphs(text), "<h2>See also</h2>", listed(links), end]
        )

    def _stub(self, key: int, title: str) -> str:
        return (
            f"{title} is a place in the {self._ground.words(key, 1)[0]} district. As of {1990 + key % 35} it had "
            f"{key >> 50} inhabitants and an area of {(key >> 16) % 900} hectares. This article is a stub; you can "
            "help the encyclopaedia by expanding it."
        )

    def _framed(self, title: str, parts: list[str]) -> bytes:
        return on_own_host(self._host.name, self._entries, title, [*parts, _FRAME])
