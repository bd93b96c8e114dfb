"""Words: the unit in which text is compared, and in which a link's place on its page is counted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain import Url

# Letters and digits of any script, with inner apostrophes ("don't"); underscores separate.
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_URL_WORD = re.compile(r"[^\W\d_]+")
_ESCAPED = re.compile(r"%[0-9A-F]{2}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_URL_NOISE = frozenset({"html", "htm", "php", "asp", "aspx", "jsp", "index", "com", "org", "net"})


def words_of(text: str) -> list[str]:
    """The lower-cased words of `text`, in order."""
    return WORD.findall(text.lower())


def words_of_url(url: Url) -> tuple[str, ...]:
    """The words a person reads in an address: host and path, without scheme, numbers and file endings."""
    return _words_of_address(url.text)


@lru_cache(maxsize=8192)  # a site's menu is on every page of it; texts are found faster than URLs
def _words_of_address(text: str) -> tuple[str, ...]:
    readable = text[text.index("//") + 2 :].removeprefix("www.")
    if "%" in readable:
        readable = _ESCAPED.sub(" ", readable)
    lowered = readable.lower()
    if lowered != readable:
        lowered = _CAMEL.sub(" ", readable).lower()
    return tuple(word for word in _URL_WORD.findall(lowered) if word not in _URL_NOISE)
