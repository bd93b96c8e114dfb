"""Lists without an end: pages that go on after the last one, and a shop's goods narrowed by any mix of properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.trap import Truth, WebParts
from honeyguide.worlds.synthetic.words import TITLE_FORMS
from honeyguide_lab.traps.trap import CommentedTrap, Scenario, in_paragraphs, listed

if TYPE_CHECKING:
    from honeyguide.model import Url

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


class Pagination(CommentedTrap):
    """Worth having are the pages of a list that have entries of their own.

    What a list shows after its last page, the seed decides: nothing, its last page again, or its first.
    """

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 10)
        ground = self._ground
        self._style = ground.variant(_STYLES)
        self._after = ground.variant(_AFTER_THE_END, 3)
        self._tags = ["", *(f"{word}-{number}" for number, word in enumerate(ground.words(self._key, _TAGS), 1))]
        number = re.escape(self._style).replace(r"\{\}", r"(0|[1-9][0-9]{0,9})")
        self._address = re.compile(rf"/latest/(?:([a-z]+-[0-9]+)/)?(?:{number})?")
        self._clusters = ground.layout.open_by_host.members(ground.home)
        ground.show_door("/latest/", "Latest")

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


GOODS: Final = 240
"""Things that are sold; each has a page."""

_ON_A_PAGE: Final = 24
_FACETS: Final = {
    "colour": ("red", "green", "blue", "black", "white"),
    "size": ("xs", "s", "m", "l", "xl"),
    "brand": ("acme", "birch", "corva", "delmar", "elstow"),
    "price": ("0-10", "10-25", "25-50", "50-100", "100-500"),
    "material": ("cotton", "wool", "linen", "leather", "steel"),
    "rating": ("1", "2", "3", "4", "5"),
}
_LOOKS: Final = {"sort": ("price", "name", "newest"), "view": ("grid", "list")}
_PATHS: Final = ("/shop/", "/products", "/catalog/")
_PAGE: Final = re.compile(r"[1-9][0-9]{0,3}")


class _View(NamedTuple):
    """A list of goods as an address asks for it."""

    facets: dict[str, str]
    looks: dict[str, str]
    page: int


class Facets(CommentedTrap):
    """Worth having are the goods, the whole list and what one property narrows it to, each page once.

    Any sorting or layout shows the same page again; two properties together, or a page after the last, show nothing
    that was not to be had.
    """

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 6)
        ground = self._ground
        self._path = ground.variant(_PATHS)
        self._folder = self._path.rstrip("/")
        self._item = re.compile(rf"{self._folder}/item-(0|[1-9][0-9]{{0,2}})")
        ground.show_door(self._path, "Shop")
        self._properties = [
            {name: values[hash_int(self._key, item, place) % 5] for place, (name, values) in enumerate(_FACETS.items())}
            for item in range(GOODS)
        ]

    def page(self, url: Url) -> bytes | None:
        if (item := self._item_number(url)) is not None:
            key = hash_int(self._key, item)
            text = in_paragraphs(self._ground.paragraphs(key, 2))
            told = ", ".join(f"{name}: {value}" for name, value in self._properties[item].items())
            return self._ground.at_home(self._ground.title(key), [*text, f"<p>{told}</p>"])
        view = self._view(url)
        return None if view is None else self._list(view, url.path_and_query.partition("?")[2])

    def truth(self, url: Url) -> Truth | None:
        home = self._ground.home_url
        if (item := self._item_number(url)) is not None:
            return Truth(Scenario.FACETS, f"{home}{self._folder[1:]}/item-{item}")
        view = self._view(url)
        if view is None:
            return None
        parts = [f"{name}={value}" for name, value in sorted(view.facets.items())]
        page = f"{home}{self._path[1:]}?{'&'.join([*parts, f'page={view.page}'])}"
        is_late = view.page > 1 and (view.page - 1) * _ON_A_PAGE >= len(self._goods(view))
        return Truth(Scenario.FACETS, page, is_worthless=len(view.facets) > 1 or is_late)

    def entrance(self, number: int) -> str:
        """A choice of one or two properties, as people send each other."""
        names = list(_FACETS)
        draw = hash_int(self._key, number, 1)
        first = names[draw % len(names)]
        second = names[(draw + 1 + (draw >> 8) % (len(names) - 1)) % len(names)]
        chosen = [f"{name}={_FACETS[name][(draw >> 16) % 5]}" for name in (first, second)[: 1 + (draw >> 32) % 2]]
        return f"{self._ground.home_url}{self._path[1:]}?{'&'.join(chosen)}"

    def _item_number(self, url: Url) -> int | None:
        match = self._item.fullmatch(url.path_and_query) if url.host == self._ground.home_name else None
        return int(match[1]) if match and int(match[1]) < GOODS else None

    def _view(self, url: Url) -> _View | None:
        """Read the view that a list's address asks for; None where a part of it is unknown or given twice."""
        if url.host != self._ground.home_name or url.path != self._path:
            return None
        view = _View({}, {}, 1)
        for item in filter(None, url.path_and_query.partition("?")[2].split("&")):
            name, _, value = item.partition("=")
            if name == "page" and _PAGE.fullmatch(value) and view.page == 1:
                view = view._replace(page=int(value))
            elif value in _FACETS.get(name, ()) and name not in view.facets:
                view.facets[name] = value
            elif value in _LOOKS.get(name, ()) and name not in view.looks:
                view.looks[name] = value
            else:
                return None
        return view

    def _goods(self, view: _View) -> list[int]:
        wanted = view.facets.items()
        return [item for item, properties in enumerate(self._properties) if wanted <= properties.items()]

    def _list(self, view: _View, query: str) -> bytes:
        goods = self._goods(view)
        order = view.looks.get("sort")
        if order is not None:
            goods.sort(key=lambda item: hash_int(self._key, item, 20 + _LOOKS["sort"].index(order)))
        shown = goods[(view.page - 1) * _ON_A_PAGE : view.page * _ON_A_PAGE]
        items = [(f"{self._folder}/item-{item}", self._ground.title(hash_int(self._key, item))) for item in shown]
        kept = "&".join(part for part in query.split("&") if part and not part.startswith("page="))
        more = [
            (f"{self._path}?{'&'.join(filter(None, [kept, f'{name}={value}']))}", f"{name} {value}")
            for name, values in (_FACETS | _LOOKS).items()
            if name not in view.facets and name not in view.looks
            for value in values
        ]
        if view.page * _ON_A_PAGE < len(goods):
            more.append((f"{self._path}?{'&'.join(filter(None, [kept, f'page={view.page + 1}']))}", "Next page"))
        chosen = ", ".join(f"{name} {value}" for name, value in view.facets.items())
        told = f"<p>{len(goods)} products{f' with {chosen}' if chosen else ''}, page {view.page}.</p>"
        return self._ground.at_home("All our products", [told, listed(items), "<h2>Narrow it down</h2>", listed(more)])
