"""Lists of a host's pages that go on after their last page, for as long as someone turns it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.lexicon import TITLE_FORMS
from honeyguide.worlds.synthetic.traps.ground import Ground, listed
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.trap import Door
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url
    from honeyguide.worlds.synthetic.layout import Host

_LENGTH: Final = 15  # entries on a page of a list
_TAGS: Final = 20  # lists beside the one of everything
_PAGES_OF_ALL: Final = 12
_STEPS: Final = (*range(1, 10), 10, 20, 50, 100)  # pages that a page offers to turn
_LAST: Final = 10**9
_STYLES: Final = ("?page={}", "page/{}/", "?start={}")
_AFTER_THE_END: Final = ("nothing", "the last page", "the first page")


class _Place(NamedTuple):
    tag: int  # 0: the list of everything
    number: int  # from 1


class Pagination:
    """Worth having are the pages of a list that have entries of their own.

    What a list shows after its last page, the seed decides: nothing, its last page again, or its first.
    """

    hosts: tuple[Host, ...] = ()

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(10)
        self._style = ground.variant(_STYLES)
        self._after = ground.variant(_AFTER_THE_END, 3)
        self._tags = ["", *(f"{word}-{number}" for number, word in enumerate(ground.words(self._key, _TAGS), 1))]
        number = re.escape(self._style).replace(r"\{\}", r"(0|[1-9][0-9]{0,9})")
        self._address = re.compile(rf"/latest/(?:([a-z]+-[0-9]+)/)?(?:{number})?")
        self._clusters = ground.layout.open_by_host.members(ground.home)
        self.door = Door("/latest/", "Latest")

    def page(self, url: Url) -> bytes | None:
        place = self._place(url)
        if place is None:
            return None
        tag, number = place
        last = self._pages(tag)
        shown = number if number <= last else {"nothing": 0, "the last page": last, "the first page": 1}[self._after]
        entries = self._entries(tag, shown) if shown else []
        others = [number + step for step in (-1, *_STEPS) if 1 <= number + step <= _LAST]
        pager = [(self._path(_Place(tag, other)), f"Page {other}") for other in others]
        tags = [(self._path(_Place((tag + step) % len(self._tags), 1)), "More") for step in range(1, 9)]
        told = f"<p>Page {number}.</p>" if entries else f"<p>Page {number}. There are no entries here.</p>"
        title = self._tags[tag].title() or "Latest"
        return self._ground.at_home(title, [told, listed(entries), listed(pager), listed(tags)])

    def truth(self, url: Url) -> Truth | None:
        place = self._place(url)
        if place is None:
            return None
        is_after = place.number > self._pages(place.tag)
        return Truth(Scenario.PAGINATION, self._ground.home_url + self._path(place)[1:], is_worthless=is_after)

    def entrance(self, number: int) -> str:
        draw = hash_int(self._key, number)
        return self._ground.home_url + self._path(_Place(draw % len(self._tags), 1 + (draw >> 16) % 8))[1:]

    def _pages(self, tag: int) -> int:
        """The pages of a list that have entries of their own."""
        return 1 + hash_int(self._key, tag, 1) % 4 if tag else _PAGES_OF_ALL

    def _path(self, place: _Place) -> str:
        tag, number = place
        folder = f"/latest/{self._tags[tag]}/" if tag else "/latest/"
        if number == 1:
            return folder
        return folder + self._style.format((number - 1) * _LENGTH if "start" in self._style else number)

    def _place(self, url: Url) -> _Place | None:
        match = self._address.fullmatch(url.path_and_query) if url.host == self._ground.home_name else None
        if match is None or (match[1] or "") not in self._tags:
            return None
        number = int(match[2] or 1)
        if match[2] and "start" in self._style:
            number, rest = divmod(number, _LENGTH)
            number = 0 if rest else number + 1
        place = _Place(self._tags.index(match[1] or ""), number)
        return place if 1 <= number <= _LAST and self._path(place) == url.path_and_query else None

    def _entries(self, tag: int, number: int) -> list[tuple[str, str]]:
        """Honest pages of the host, the same for the same page of a list."""
        ground, size = self._ground, self._ground.layout.spec.cluster_pages
        if not len(self._clusters):
            return []
        places = np.arange(_LENGTH) + (number - 1) * _LENGTH + tag * 7
        pages = self._clusters[places % len(self._clusters)] * size + places // len(self._clusters) % size
        traits = ground.traits.of(np.minimum(pages, ground.layout.spec.pages - 1))
        titles = ground.lexicon.spell(traits.titles, TITLE_FORMS)
        return [(url, " ".join(title)) for url, title in zip(ground.addresses.pages(traits), titles, strict=True)]
