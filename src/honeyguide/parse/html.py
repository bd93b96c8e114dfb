"""HTML to text with markers: the tree is built, searched and read in C; only what was found is looked at here.

What the tree would cost too much to build of, `markup_cost` has cut off before.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from honeyguide.model import Cap
from honeyguide.parse.boilerplate import CANDIDATES, Boilerplate, ancestors_of, menus_beside_text
from honeyguide.parse.directives import Said
from honeyguide.parse.marked_text import ASIDE_END, ASIDE_START, LINK_END, LINK_START, has_markers, without_markers
from honeyguide.parse.markup_cost import affordable_part

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# What no reader sees as text of the page. Every tag costs time on every page, so rare harmless ones stay.
_INVISIBLE = "script, style, noscript, svg, math, iframe, noframes"
# Inline elements do not end a word, as in H<sub>2</sub>O; every other tag does. Each that is tried takes time, so those
# with the same beginning stand together, and the commonest stand first. They are: a, abbr, acronym, b, bdi, bdo, big,
# cite, code, data, del, dfn, em, font, i, ins, kbd, mark, nobr, q, rb, ruby, s, samp, small, span, strike, strong, sub,
# sup, time, tt, u, var, wbr.
_INLINE = (
    "span|code|a(?:bbr|cronym)?|b(?:d[io]|ig)?|cite|d(?:ata|el|fn)|em|font|i(?:ns)?|kbd|mark|nobr|q|r(?:b|uby)"
    "|s(?:amp|mall|tr(?:ike|ong)|u[bp])?|t(?:ime|t)|u|var|wbr"
)
# Behind white space it need not be told.
WORD_ENDING_TAG = re.compile(rf"<(?<!\s<)(?!/?+(?:{_INLINE}|{_INLINE.upper()})[\s/>]|!--)")
_TITLE_AND_BASE = "title, base[href]"
_NAMES = frozenset({"title", "base"})
_SAID = (
    'meta[name="robots" i], meta[name^="tdm-" i], meta[http-equiv="refresh" i]:not([name]), '
    'link[rel~="canonical" i][href]'
)
_SAFE_AGENT = re.compile(r"[\w.-]+")
_MARKED = f"a[href], area[href], a[href] img[alt], {CANDIDATES}"
_LINK_TAGS = frozenset({"a", "area"})
_SOFT_HYPHEN = "\xad"
_LONGEST_POLICY = 1000
_LONGEST_NAME = 40  # of an element in a tag path


class Anchor(NamedTuple):
    """A link as it is written: nothing resolved, nothing checked."""

    href: str
    rel: str
    tag_path: str = ""  # elements around it, outermost first, where they are asked for


class HtmlDocument(NamedTuple):
    """The visible part of a document. `marked_text` has one pair of link markers for each of `anchors`, in order."""

    title: str
    base_href: str  # "" where there is none
    marked_text: str
    anchors: list[Anchor]
    said: Said = Said()  # what the head asks of crawlers
    cut_by: frozenset[Cap] = frozenset()  # of links and markup


def read_html(
    html: str,
    max_links: int,
    *,
    from_first_paragraph: bool = False,
    tag_paths: bool = False,
    agent: str = "",
    bounds_markup: bool = True,
) -> HtmlDocument:
    """Read a document, however broken; of its body all, or what begins with the first `<p>`.

    Only the first `max_links` links are read, with their tag paths where these are asked for. `agent` is the name by
    which a page may address us. Without `bounds_markup` a page that is made for it can take the parser minutes.
    """
    affordable = affordable_part(html) if bounds_markup else html
    read = partial(
        _read, agent=agent, max_links=max_links, from_first_paragraph=from_first_paragraph, tag_paths=tag_paths
    )
    document, marker_count = read(affordable)
    if not has_markers(document.marked_text, marker_count):
        clean = without_markers(affordable)
        document, _ = read(affordable_part(clean) if bounds_markup else clean)  # a marker may have stood inside a tag
    return document if affordable is html else document._replace(cut_by=document.cut_by | {Cap.MARKUP})


def _read(
    html: str, agent: str, max_links: int, *, from_first_paragraph: bool, tag_paths: bool
) -> tuple[HtmlDocument, int]:
    """Return the document, and how many markers were put into its text."""
    tree = LexborHTMLParser(WORD_ENDING_TAG.sub(" <", html))
    title, base_href = _title_and_base(_names_in_what_is_seen(tree))
    said = _said(tree.head, agent)
    if tree.body is None or (from_first_paragraph and not cut_before_first_paragraph(tree.body)):
        return HtmlDocument(title, base_href, "", [], said), 0
    anchors, boilerplate, has_more = _mark(tree.body, max_links, TagPaths() if tag_paths else None)
    text = tree.body.text()
    bracket_count = len(anchors) + len(boilerplate.elements)
    if boilerplate.main_elements:
        text = f"{ASIDE_START}{text}{ASIDE_END}"
        bracket_count += 1 + len(boilerplate.main_elements)
    elif menus := menus_beside_text(tree.body, len(anchors), len(text)):
        for menu in menus:
            _bracket(menu, ASIDE_START, ASIDE_END)
        text = tree.body.text()
        bracket_count += len(menus)
    cut_by = frozenset({Cap.LINKS} if has_more else ())
    return HtmlDocument(title, base_href, text.replace(_SOFT_HYPHEN, ""), anchors, said, cut_by), 2 * bracket_count


def cut_before_first_paragraph(body: LexborNode) -> bool:
    """Take out what stands before the first `<p>`; False, and nothing is changed, where there is none."""
    node = body.css_first("p")
    if node is None:
        return False
    while node is not None and node.tag != "body":
        while (before := node.prev) is not None:
            before.remove()
        node = node.parent
        if node is not None and node.tag == "a" and "href" in node.attributes:
            del node.attrs["href"]  # the paragraph stands inside a link, which begins before it
    return True


def _mark(body: LexborNode, max_links: int, paths: TagPaths | None) -> tuple[list[Anchor], Boilerplate, bool]:
    """Bracket the links, the boilerplate, and what is not boilerplate although all around it is.

    The last value says whether there are more links than are bracketed.
    """
    anchors: list[Anchor] = []
    images = []
    boilerplate = Boilerplate()
    has_more = False
    for node in body.css(_MARKED):
        tag, attributes = node.tag, node.attributes
        if tag in _LINK_TAGS:
            if len(anchors) == max_links:
                has_more = True
                continue
            path = "" if paths is None else paths.of(node)
            anchors.append(Anchor(attributes["href"] or "", attributes.get("rel") or "", path))
            node.insert_before(LINK_START)
            node.insert_after(LINK_END)
            if tag == "area":
                node.insert_after(attributes.get("alt") or "")
        elif tag == "img":
            images.append((node, attributes["alt"] or ""))
        else:
            boilerplate.look_at(node, tag, attributes)
    _show_images(images)
    for node in boilerplate.elements:
        _bracket(node, ASIDE_START, ASIDE_END)
    for node in boilerplate.main_elements:
        _bracket(node, ASIDE_END, ASIDE_START)
    return anchors, boilerplate, has_more


class TagPaths:
    """Tells the elements around links, each with its id and classes. Links beside one another have the same."""

    def __init__(self) -> None:
        self._path_by_parent: dict[int, str] = {}

    def of(self, link: LexborNode) -> str:
        """Return the path to a link, outermost first; of a very deep one the inner part."""
        parent = link.parent
        if parent is None:
            return ""
        path = self._path_by_parent.get(parent.mem_id)
        if path is None:
            around = [_named(element) for element in ancestors_of(link) if element.tag != "-document"]
            path = self._path_by_parent[parent.mem_id] = " ".join(reversed(around))
        return path


def _named(element: LexborNode) -> str:
    attributes = element.attributes
    named, classes = attributes.get("id"), attributes.get("class")
    text = (element.tag or "") + (f"#{named}" if named else "") + (f".{classes}" if classes else "")
    return ".".join(text.split())[:_LONGEST_NAME]


def _bracket(node: LexborNode, start: str, end: str) -> None:
    node.insert_before(start)
    node.insert_after(end)


def _show_images(images: list[tuple[LexborNode, str]]) -> None:
    """Write the alternative text of an image where it is all the text that its link has."""
    links_looked_at = set()
    for image, alternative in images:
        link = next((above for above in ancestors_of(image) if above.tag == "a"), None)
        if link is not None and link.mem_id not in links_looked_at and alternative.strip():
            links_looked_at.add(link.mem_id)
            if not link.text().strip():
                image.insert_after(alternative)


def _names_in_what_is_seen(tree: LexborHTMLParser) -> list[LexborNode]:
    """Take out what no reader sees, and find what names the page and its base in the rest."""
    names = []
    for node in tree.css(f"{_INVISIBLE}, {_TITLE_AND_BASE}"):
        if node.tag in _NAMES:
            names.append(node)
        else:
            node.decompose(recursive=False)
    # Elsewhere they may have stood in what was taken out, as titles of drawings do.
    in_head = all(name.parent is not None and name.parent.tag == "head" for name in names)
    return names if in_head else tree.css(_TITLE_AND_BASE)


def _title_and_base(names: list[LexborNode]) -> tuple[str, str]:
    """Return the first of each. A title that strayed into the body is taken out, because it is not text."""
    title = base_href = None
    for node in names:
        if node.tag == "base":
            base_href = base_href or node.attributes["href"]
            continue
        title = title or " ".join(node.text().split())
        node.decompose()
    return title or "", base_href or ""


def _said(head: LexborNode | None, agent: str) -> Said:
    """Return what the head asks of crawlers. What strayed into the body may be anybody's, and is not heard."""
    refresh = ""
    robots: list[str] = []
    tdm: list[str] = []
    tdm_policy = ""
    canonicals: set[str] = set()
    by_name = f', meta[name="{agent}" i]' if _SAFE_AGENT.fullmatch(agent) else ""
    for node in [] if head is None else head.css(_SAID + by_name):
        attributes = node.attributes
        if node.tag == "link":
            canonicals.add(attributes["href"] or "")
        elif (name := (attributes.get("name") or "").lower()).startswith("tdm-"):
            content = attributes.get("content") or ""
            if name == "tdm-reservation":
                tdm.append(content)
            elif name == "tdm-policy":
                tdm_policy = tdm_policy or content[:_LONGEST_POLICY]
        elif "name" in attributes:
            robots.append(attributes.get("content") or "")
        else:
            refresh = refresh or attributes.get("content") or ""
    return Said(robots, canonicals.pop() if len(canonicals) == 1 else "", refresh, tdm, tdm_policy)
