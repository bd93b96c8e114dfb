"""XML from strangers, read as a stream of elements. What it could be bombed with is refused, not expanded.

No entity may be declared, nothing outside the document is asked for, and elements nest only so deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Mapping

DEEPEST: Final = 64
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"


class XmlTrouble(Exception):  # noqa: N818 - reads as a statement about the document
    """A document that cannot or will not be read; says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element as it begins: its name and attributes without namespaces, and `xml:base` where it has one."""

    name: str
    attributes: Mapping[str, str]
    base: str = ""


class Reader(Protocol):
    """Told of a document from its beginning to its end."""

    def begin(self, element: Element) -> None:
        """An element begins."""
        ...

    def text(self, characters: str) -> None:
        """Text inside the innermost element; one text may come in pieces."""
        ...

    def end(self) -> None:
        """The innermost element ends."""
        ...


def read_xml(text: str, reader: Reader) -> None:
    """Tell `reader` of a document. XmlTrouble where it is not well-formed, or not harmless."""
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise XmlTrouble(f"its elements nest deeper than {DEEPEST}")
        plain = {_local(key): value for key, value in attributes.items() if key != _BASE}
        reader.begin(Element(_local(name), plain, attributes.get(_BASE, "")))

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end()

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_outside
    parser.buffer_text = True
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - by position only
    except expat.ExpatError as error:
        raise XmlTrouble(f"it is not well-formed XML: {expat.ErrorString(error.code)} in line {error.lineno}") from None


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_entity(*_declared: object) -> None:
    raise XmlTrouble("it declares entities, which are not expanded here")


def _refuse_outside(*_referred: object) -> int:
    raise XmlTrouble("it refers to something outside itself")
