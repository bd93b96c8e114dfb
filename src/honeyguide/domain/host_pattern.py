"""Hosts named by a pattern, as people write them: `example.org`, `*.example.org`, `localhost:8080`."""

from __future__ import annotations

import re

from honeyguide.domain.url import Url
from honeyguide.errors import InvalidUrl

_PORT = re.compile(r":\d+")
_MORE_THAN_A_HOST = re.compile(r"[/?#@\\\s]|^$")


def host_pattern(text: str) -> re.Pattern[str]:
    """What a host key must match in full: `*` stands for anything, a name without a port for the host at every port.

    Case and international letters are unified as in a URL. Raises `InvalidUrl` for text that is not a host.
    """
    try:
        name = None if _MORE_THAN_A_HOST.search(text) else Url.parse(f"http://{text}/").host
    except InvalidUrl:
        name = None
    if name is None:
        raise InvalidUrl(f"not a host: {text!r}; write its name alone, as in example.org or *.example.org")
    any_port = "" if _PORT.search(name.rpartition("]")[2]) else f"(?:{_PORT.pattern})?"
    return re.compile(".*".join(map(re.escape, name.split("*"))) + any_port)
