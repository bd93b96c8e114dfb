"""Responses that only announce another (100 Continue, 103 Early Hints), of which a host may send but a few.

The HTTP library reads on past any number of them. A host that sends nothing else would keep a core busy until the time
for its answer is up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage

if TYPE_CHECKING:
    import asyncio

    from aiohttp import StreamReader
    from aiohttp.http import RawResponseMessage

MOST: Final = 20
_SWITCHING_PROTOCOLS: Final = 101  # the last that comes


def few_interim_responses(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    """The library's end of a connection, which gives an answer up that is announced once too often."""
    return _FewInterimResponses(loop)


class _FewInterimResponses(ResponseHandler):
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._interim = 0

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, payload = await super().read()
        is_interim = 100 <= message.code < 200 and message.code != _SWITCHING_PROTOCOLS
        self._interim = self._interim + 1 if is_interim else 0
        if self._interim > MOST:
            raise BadHttpMessage(f"over {MOST} interim responses and no other")
        return message, payload
