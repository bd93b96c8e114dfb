"""The part of a host name that somebody registered, and people call a site: `example.co.uk` in `www.example.co.uk`."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from honeyguide.domain.host_pattern import host_pattern
from honeyguide.errors import InvalidUrl

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

    from honeyguide.domain.url import HostKey

_PORT = re.compile(r":\d+$")
_LAST_LABEL_OF_AN_ADDRESS = re.compile(r"\]$|(?:^|\.)\d+$")


@lru_cache(maxsize=65_536)
def registered_domain(host: HostKey) -> str:
    """The registered domain of a host, without port; of an address, or a name without one, the host itself."""
    name = _PORT.sub("", host).rstrip(".")
    if _LAST_LABEL_OF_AN_ADDRESS.search(name):
        return name
    return _public_suffixes().privatesuffix(name) or name


def domain_pattern(text: str) -> re.Pattern[str]:
    """What a host key must match in full to be `text` or a host below it, at any port. InvalidUrl for no domain."""
    if "*" in text or _PORT.search(text):
        raise InvalidUrl(f"not a domain: {text!r}; write it without * and port, as in example.org")
    return re.compile(rf"(?:.+\.)?{host_pattern(text).pattern}")


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - reads a list of 10,000 suffixes

    return PublicSuffixList()
