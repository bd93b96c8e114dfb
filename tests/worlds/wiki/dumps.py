"""Small dumps written by hand, in any version of the export format, and the worlds made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from honeyguide.model import Fetched, Page, Url
from honeyguide.parse import parse
from honeyguide.worlds.wiki import WikiWorld, build_wiki

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOME = "https://en.wiki.test/wiki/"
NAMESPACES = {-2: "Media", 1: "Talk", 4: "Wikitest", 6: "Bild", 10: "Template", 14: "Kategorie"}


@dataclass(frozen=True, slots=True)
class Written:
    """A page to be written into a dump."""

    title: str
    text: str
    namespace: int = 0
    redirect: str = ""


def dump_xml(
    pages: Sequence[Written],
    *,
    version: str = "0.10",
    case: str = "first-letter",
    base: str = f"{HOME}Main_Page",
    namespaces: Mapping[int, str] = NAMESPACES,
) -> bytes:
    """A whole dump. Versions before 0.5 say neither namespace nor redirect."""
    is_old = float(version.removeprefix("0.")) < 5
    parts = [
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="en">',
        f"<siteinfo><sitename>Test</sitename><base>{base}</base><case>{case}</case><namespaces>",
        '<namespace key="0" />',
        *(f'<namespace key="{key}">{escape(name)}</namespace>' for key, name in namespaces.items()),
        "</namespaces></siteinfo>",
    ]
    for number, page in enumerate(pages, 1):
        newer = "" if is_old else f"<ns>{page.namespace}</ns>"
        redirect = f"<redirect title={quoteattr(page.redirect)} />" if page.redirect and not is_old else ""
        parts.append(
            f"<page><title>{escape(page.title)}</title>{newer}<id>{number}</id>{redirect}<revision><id>900</id>"
            f'<contributor><username>Someone</username><id>7</id></contributor><text xml:space="preserve">'
            f"{escape(page.text)}</text></revision></page>"
        )
    return "\n".join([*parts, "</mediawiki>\n"]).encode()


def write_dump(path: Path, pages: Sequence[Written], **how: Any) -> Path:
    path.write_bytes(dump_xml(pages, **how))
    return path


def world_of(folder: Path, pages: Sequence[Written], **how: Any) -> WikiWorld:
    build_wiki(write_dump(folder / "dump.xml", pages, **how), folder / "world")
    return WikiWorld(folder / "world")


def url(title: str) -> Url:
    return Url.parse(HOME + title)


def page_at(world: WikiWorld, title: str) -> Page:
    outcome = world.answer(url(title)).outcome
    assert isinstance(outcome, Fetched)
    return parse(url(title), outcome)


def linked_titles(world: WikiWorld, title: str) -> list[str]:
    """What a page links to, as a crawler finds it; checked against what the world says for grading."""
    found = [link.target.text.removeprefix(HOME) for link in page_at(world, title).links]
    assert sorted(found) == sorted(target.text.removeprefix(HOME) for target in world.links_of(url(title)))
    return found
