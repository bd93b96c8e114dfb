"""Text of strangers on a page of ours: shown, never obeyed."""

from __future__ import annotations

import re
from html import escape
from typing import Final

# Control characters, halves of surrogate pairs, and marks that turn the direction of the text after them.
_UNSHOWN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_FOLLOWED: Final = ("http://", "https://")
_REL: Final = "noopener noreferrer nofollow"


def shown(text: str, longest: int = 200) -> str:
    """Text for the inside of an element or of an attribute in quotes; what is too long is cut."""
    plain = " ".join(_UNSHOWN.sub(" ", text).split())
    return escape(plain if len(plain) <= longest else f"{plain[: longest - 1]}…")


def breakable(text: str, longest: int = 200) -> str:
    """As `shown`, and a browser may break the line behind a dot, a slash, a dash or an underscore."""
    return re.sub(r"([./_-])", r"\1<wbr>", shown(text, longest))


def piece(text: str) -> str:
    """A part of a line: as `shown`, but spaces at its ends stay."""
    return escape(_UNSHOWN.sub(" ", text))


def link(url: str, inner: str) -> str:
    """A link around markup of ours. An address that is neither http nor https stays text."""
    if not url.startswith(_FOLLOWED):
        return inner
    return f'<a href="{escape(_UNSHOWN.sub("", url))}" rel="{_REL}">{inner}</a>'
