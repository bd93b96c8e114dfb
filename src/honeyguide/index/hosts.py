"""Hosts as people write them."""

from __future__ import annotations

from honeyguide.domain import Url
from honeyguide.errors import InvalidUrl, QueryError


def host_name(text: str) -> str:
    """A host as the index has it, however it is spelled. QueryError for an address, or for nothing."""
    name = text.strip().rstrip("/")
    if not name or "/" in name:
        raise QueryError(f"{text!r} is not a host: give its name alone, as in example.org")
    try:
        return str(Url.parse(f"http://{name}/").host)
    except InvalidUrl:
        return name.lower()
