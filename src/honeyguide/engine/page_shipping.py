"""A prepared page in few pieces, because many small objects take longer to hand to another process than to make.

Words, addresses and anchors are joined to one text each. None of them has a line end in it: white space in the text of
a page is folded, and a URL is written without.
"""

from __future__ import annotations

import pickle
import struct
from array import array
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from honeyguide.domain import Link, Occurrence, Url
from honeyguide.engine.preparing import Prepared
from honeyguide.guard import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTH: Final = struct.Struct("!Q")
"""Stands before every message, and says how many bytes it has."""

READY: Final = -1
"""Number of the message by which a worker says that it is ready for pages."""

_NO_REL: frozenset[str] = frozenset()
_occurrence = partial(tuple.__new__, Occurrence)


def framed(message: object) -> bytes:
    """A message as it is sent."""
    pickled = pickle.dumps(message, protocol=5)
    return LENGTH.pack(len(pickled)) + pickled


def shipped(prepared: Prepared) -> tuple[Any, ...]:
    """Pieces that are quick to pickle."""
    page = prepared.page
    links = page.links
    places = list(chain.from_iterable(link.occurrences for link in links))
    anchors, starts, ends, in_main = zip(*places, strict=True) if places else ((), (), (), ())
    rels = {number: link.rel for number, link in enumerate(links) if link.rel}
    return (
        replace(page, words=(), links=()),
        _joined(page.words),
        _joined([link.target.text for link in links]),
        _joined(anchors),
        array("I", map(len, [link.occurrences for link in links])).tobytes(),
        array("I", starts).tobytes(),
        array("I", ends).tobytes(),
        bytes(in_main),
        rels,
        prepared.verdict,
        prepared.packed_body,
        None if prepared.fingerprint is None else prepared.fingerprint.pack(),
        prepared.parse_s,
        prepared.judge_s,
    )


def received(pieces: tuple[Any, ...]) -> Prepared:
    """What was shipped."""
    page, words, targets, anchors, counts, starts, ends, in_main, rels, verdict, *rest = pieces
    packed_body, packed_print, *took = rest
    places = list(
        map(_occurrence, zip(_split(anchors), _numbers(starts), _numbers(ends), map(bool, in_main), strict=True))
    )
    borders = pairwise(accumulate(_numbers(counts), initial=0))
    links = tuple(
        Link(Url(target), page.url, tuple(places[first:last]), rels.get(number, _NO_REL) if rels else _NO_REL)
        for number, (target, (first, last)) in enumerate(zip(_split(targets), borders, strict=True))
    )
    fingerprint = None if packed_print is None else Fingerprint.unpack(packed_print)
    return Prepared(replace(page, words=tuple(_split(words)), links=links), verdict, packed_body, fingerprint, *took)


def _joined(texts: Sequence[str]) -> str | None:
    return "\n".join(texts) if texts else None


def _split(joined: str | None) -> list[str]:
    return [] if joined is None else joined.split("\n")


def _numbers(packed: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(packed)
    return numbers
