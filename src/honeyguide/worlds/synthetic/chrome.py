"""What every page of a host has around its text: navigation, sidebar and footer, the same on the whole site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.worlds.synthetic.hashing import hash_int

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.addressing import AddressBook
    from honeyguide.worlds.synthetic.layout import Layout
    from honeyguide.worlds.synthetic.traits import TraitTable

_SIDEBAR_LINKS = 4


def document(title: str, before: str, main: str, after: str) -> bytes:
    """A whole HTML document: the main part between what a site has around it."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n'
        f"<body>\n{before}\n<main>\n<h1>{title}</h1>\n{main}\n</main>\n{after}\n</body>\n</html>\n"
    ).encode()


class Chrome:
    """Wraps a page's own markup in its host's. Keeps two strings per host that has been asked for."""

    def __init__(self, layout: Layout, traits: TraitTable, addresses: AddressBook) -> None:
        self._layout = layout
        self._traits = traits
        self._addresses = addresses
        self._around: dict[int, tuple[str, str]] = {}
        self._doors: dict[int, str] = {}

    def wrap(self, host: int, title: str, main: str) -> bytes:
        """A whole HTML document."""
        around = self._around.get(host)
        if around is None:
            around = self._around[host] = self._build(host)
        before, after = around
        return document(title, before, main, after)

    def show_door(self, host: int, path: str, label: str) -> None:
        """Have the navigation of a host show one more link, on every page of it from now on."""
        self._doors[host] = f'<a href="{path}">{label}</a>'
        self._around.pop(host, None)

    def _build(self, host: int) -> tuple[str, str]:
        site = self._layout.hosts[host]
        name = site.name.partition(".")[0].rstrip("0123456789").replace("-", " ").title()
        entries = [f'<a href="/">{name}</a>']
        entries += [f'<a href="/{section}/">{section.title()}</a>' for section in site.sections]
        entries += filter(None, [self._doors.get(host, "")])
        before = f"<header>\n<nav>{' '.join(entries)}</nav>\n</header>"
        portal = self._addresses.home(hash_int(host) % self._layout.spec.portals)
        footer = f'<footer><p>{name}. Listed at <a href="{portal}">the portal</a>. All rights reserved.</p></footer>'
        return before, f"{self._sidebar(host)}\n{footer}"

    def _sidebar(self, host: int) -> str:
        """The site's most popular pages, by number alone, as sidebars go."""
        clusters = self._layout.open_by_host.members(host)[:_SIDEBAR_LINKS]
        heads = np.asarray(clusters * self._layout.spec.cluster_pages)
        if not len(heads):
            return ""
        urls = self._addresses.pages(self._traits.of(heads))
        items = "".join(f'<li><a href="{url}">Popular {place}</a></li>' for place, url in enumerate(urls, 1))
        return f"<aside><h2>Most read</h2><ul>{items}</ul></aside>"
