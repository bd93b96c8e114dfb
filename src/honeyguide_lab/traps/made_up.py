"""Hosts that make up a page for every address: a domain of stock texts, a maze against crawlers, a soft 404.

The maze's text is a chain of words in which each word has a few others that may follow it. Such mazes are trained on
real texts, so a share of their words may be a topic's (`maze_topical_share`).
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import draws, hash_each, hash_int, of_65536, quarters
from honeyguide.worlds.synthetic.trap import Truth, WebParts, url_key
from honeyguide.worlds.synthetic.words import CAPITAL, COLUMNS, PLAIN, STOP
from honeyguide_lab.traps.trap import CommentedTrap, Ground, Scenario, in_paragraphs, listed, on_own_host, token

if TYPE_CHECKING:
    from honeyguide.model import Url

_STOCK: Final = 60  # paragraphs that pages are put together from
_DRAWN: Final = 4  # of them on each page
_LINKS: Final = 20


class Dynamic(CommentedTrap):
    """Every address of the domain shows a page; none is worth having."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 3)
        ground = self._ground
        self._host = ground.host(0)
        self.hosts = (self._host,)
        self._always = in_paragraphs(ground.paragraphs(self._key, 1))

    def page(self, url: Url) -> bytes | None:
        if url.host != self._host.name:
            return None
        key = url_key(url)
        drawn = [self._stock(hash_int(key, place) % _STOCK) for place in range(_DRAWN)]
        figures = " ".join(str(hash_int(key, 50 + place) % 100_000) for place in range(6))
        state = f"<p>Updated {key % 24:02d}:{(key >> 8) % 60:02d}, {key % 9000} readers. Figures: {figures}.</p>"
        links = [(self._address(hash_int(key, 100 + place)), f"Item {place + 1}") for place in range(_LINKS)]
        entries = [("/", "Start"), (self._address(hash_int(key, 99)), "Another")]
        parts = [*self._always, *in_paragraphs(drawn), state, listed(links)]
        return on_own_host(self._host.name, entries, self._ground.title(key), parts)

    def truth(self, url: Url) -> Truth | None:
        return Truth(Scenario.DYNAMIC, url.text, is_worthless=True) if url.host == self._host.name else None

    def entrance(self, number: int) -> str:
        return f"http://{self._host.name}{self._address(hash_int(self._key, number))}"

    def _stock(self, number: int) -> str:
        return self._ground.paragraphs(hash_int(self._key, number), 1)[0]

    def _address(self, key: int) -> str:
        first, second = self._ground.words(key, 2)
        match key % 3:
            case 0:
                return f"/{first}/{token(key)}"
            case 1:
                return f"/view?id={token(key)}&s={key >> 56}"
            case _:
                return f"/{2000 + (key >> 8) % 27}/{first}-{second}-{token(key)[:8]}.html"


_FOLLOWERS: Final = 8  # words that may follow a word
_SENTENCE: Final = 12
_SENTENCES: Final = 4  # in a paragraph
_ABROAD: Final = 7  # of ten links that lead to another host, where there are others
_SEGMENTS: Final = 4  # most words in an address


class Maze(CommentedTrap):
    """Every address of its hosts shows a page; none is worth having."""

    def __init__(self, parts: WebParts, scenario: Scenario, hosts: int) -> None:
        super().__init__(parts, 4)
        ground = self._ground
        self._scenario = scenario
        self.hosts = tuple(ground.host(number) for number in range(hosts))
        self._names = frozenset(host.name for host in self.hosts)
        self._topical = of_65536(ground.layout.spec.maze_topical_share)
        self._followers: list[list[int]] = _followers(ground, self._key).tolist()

    def page(self, url: Url) -> bytes | None:
        if url.host not in self._names:
            return None
        key = url_key(url)
        paragraphs = 2 + key % 4
        text = self._text(key, paragraphs * _SENTENCES * _SENTENCE)
        links = [self._link(hash_int(key, place), url) for place in range(_LINKS)]
        title = " ".join(self._ground.words(key, 3)).capitalize()
        return on_own_host(url.host, [("/", "Home")], title, [*in_paragraphs(text), listed(links)])

    def truth(self, url: Url) -> Truth | None:
        return Truth(self._scenario, url.text, is_worthless=True) if url.host in self._names else None

    def entrance(self, number: int) -> str:
        """All comments lead to the same few hosts: whoever planted them had no others to show."""
        host = self.hosts[number % min(3, len(self.hosts))]
        return f"http://{host.name}/{self._ground.words(hash_int(self._key, number), 1)[0]}/"

    def _link(self, key: int, url: Url) -> tuple[str, str]:
        words = self._ground.words(key, 4)
        if len(self.hosts) > 1 and key % 10 < _ABROAD:
            start = f"http://{self.hosts[(key >> 8) % len(self.hosts)].name}/{words[2]}/"
        else:
            kept = [part for part in url.path.split("/") if part.isalpha()][: (key >> 8) % _SEGMENTS]
            start = "/" + "".join(f"{part}/" for part in kept)
        return f"{start}{words[0]}/", f"{words[0]} {words[3]}"

    def _text(self, key: int, count: int) -> list[str]:
        """Paragraphs of a walk along the chain, with words of one topic strewn in."""
        step, is_topical, column, _ = quarters(draws(key, count))
        word = key % len(self._followers)
        walk = []
        for choice in (step % _FOLLOWERS).tolist():
            word = self._followers[word][choice]
            walk.append(word)
        numbers = np.array(walk)
        lexicon = self._ground.lexicon
        rows = np.where(column & 1, lexicon.jargon, 0) + self._ground.topic(key)
        numbers = np.where(is_topical < self._topical, lexicon.table[rows, (column >> 1) % COLUMNS], numbers)
        forms = np.full(count, PLAIN)
        forms[::_SENTENCE], forms[_SENTENCE - 1 :: _SENTENCE] = CAPITAL, STOP
        words = lexicon.spell(numbers, forms)
        length = _SENTENCES * _SENTENCE
        return [" ".join(words[start : start + length]) for start in range(0, count, length)]


def build_maze(parts: WebParts) -> Maze:
    return Maze(parts, Scenario.MAZE, 1)


def build_maze_of_hosts(parts: WebParts) -> Maze:
    return Maze(parts, Scenario.MAZE_HOSTS, parts.layout.spec.maze_hosts)


def _followers(ground: Ground, key: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """A row for each word of the web: the words that may follow it, every other one of them glue."""
    lexicon = ground.lexicon
    words = np.arange(len(lexicon.slugs), dtype=np.int64)[:, None]
    columns = hash_each(words * _FOLLOWERS + np.arange(_FOLLOWERS), np.uint64(key)) % np.uint64(COLUMNS)
    rows = np.where(np.arange(_FOLLOWERS) % 2, lexicon.glue, lexicon.general)
    return lexicon.table[rows, columns.astype(np.int64)].astype(np.int64)


_GUESSES: Final = 12
_SHOWN: Final = 200  # characters of the address that the apology repeats


class Soft404(CommentedTrap):
    """None of what the host makes up is worth having; the links of the web that are dead lead here too."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 9)
        ground = self._ground
        self._sections = (*ground.layout.hosts[ground.home].sections, "search", "products", "help")
        self._home_page = ground.home_url

    def page(self, url: Url) -> bytes | None:
        if url.host != self._ground.home_name:
            return None
        key = url_key(url)
        guesses = [self._guess(hash_int(self._key, key, place)) for place in range(_GUESSES)]
        asked = escape(url.path_and_query[:_SHOWN])
        sorry = (
            f"<p>Sorry, there is nothing at {asked} on this site. The page may have been moved, renamed or taken away. "
            "Please check the address for mistakes, or go back to the start page.</p>\n"
            "<p>Perhaps you were looking for one of these pages:</p>"
        )
        return self._ground.at_home("Page not found", [sorry, listed(guesses)])

    def truth(self, url: Url) -> Truth | None:
        if url.host != self._ground.home_name:
            return None
        return Truth(Scenario.SOFT_404, f"{self._home_page}not-found", is_worthless=True)

    def entrance(self, number: int) -> str:
        return self._home_page + self._guess(hash_int(self._key, number))[0][1:]

    def _guess(self, key: int) -> tuple[str, str]:
        """An address as the host has them, or had them."""
        first, second = self._ground.words(key, 2)
        section = self._sections[(key >> 8) % len(self._sections)]
        match key % 4:
            case 0:
                path = f"/{section}/{first}-{second}"
            case 1:
                path = f"/{section}/{first}/{second}.html"
            case 2:
                path = f"/{first}/{second}-{key >> 48}.html"
            case _:
                path = f"/{section}.php?q={first}+{second}"
        return path, f"{first} {second}"
