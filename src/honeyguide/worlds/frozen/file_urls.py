"""Between file names and URLs: every name has one canonical URL, and from that URL comes the same name.

A name is a path below the folder, parts joined with "/". In its URL each part is percent-encoded where it must be:
`%`, `?`, `#`, blanks, control characters, bytes beyond ASCII. What WHATWG leaves as it stands stays as it stands, so
that the URL is the one that an ordinary link on a page leads to. A name that is not UTF-8 is encoded byte by byte.
"""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from honeyguide.domain import Url

# What stands in a path as it is, besides letters, digits and "-._~".
_LITERAL: Final = "!$&'()*+,/:;=@[]|"


def url_of(name: str, base: Url) -> Url:
    """The canonical URL of a name below `base`, which ends in a slash. InvalidUrl when it gets too long."""
    return Url.parse(base.text + quote_from_bytes(os.fsencode(name), safe=_LITERAL))


def name_of(address: str) -> str | None:
    """The name that the rest of a URL's path below the base stands for; None when no file can be called so.

    Purely a translation: whether there is such a file is for an index to say.
    """
    parts = [unquote_to_bytes(part) for part in address.split("/")]
    if any(b"/" in part or b"\0" in part or part in (b".", b"..") for part in parts):
        return None
    return os.fsdecode(b"/".join(parts))
