"""A process that prepares pages for a crawl: `python -m honeyguide.crawler.page_worker SOCKET`.

Over the socket it gets a `Recipe`, then one page after another, and sends each back in the order they came. It ends
when the socket is closed, so it does not outlive the crawl, however that ends.
"""

from __future__ import annotations

import gc
import pickle
import socket
import sys
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from honeyguide.crawler.build import Builder
from honeyguide.crawler.preparing import (
    LENGTH,
    OBJECTS_BETWEEN_COLLECTIONS,
    READY,
    Preparation,
    Prepared,
    framed,
    shipped,
)
from honeyguide.errors import HoneyguideError
from honeyguide.runs import body_packer
from honeyguide.text import WordVectors

if TYPE_CHECKING:
    from typing import BinaryIO

    from honeyguide.crawler.preparing import Recipe


def main(descriptor: int) -> None:
    """Prepare pages until nobody wants any more."""
    with socket.socket(fileno=descriptor) as line, line.makefile("rb") as incoming, line.makefile("wb") as outgoing:
        recipe = _receive(incoming)
        if recipe is None:
            return
        with threadpool_limits(1, "blas"):
            try:
                preparation = _preparation(recipe)
            except HoneyguideError:
                sys.exit(1)  # the crawl is made of the same parts, and says what is wrong with them
            _send(outgoing, (READY, None))
            gc.freeze()
            gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
            while (task := _receive(incoming)) is not None:
                number, url, fetched = task
                prepared = preparation.prepare(url, fetched)
                _send(outgoing, (number, shipped(prepared) if isinstance(prepared, Prepared) else prepared))


def _preparation(recipe: Recipe) -> Preparation:
    builder = Builder(recipe.settings, None if recipe.source is None else WordVectors(recipe.source))
    judge = builder.judge() if recipe.judges else None
    return Preparation(builder.parser(), judge, body_packer(), is_guarded=builder.is_guarded)


def _receive(incoming: BinaryIO) -> Any:  # noqa: ANN401 - whatever was sent; None at the end
    head = incoming.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return pickle.loads(incoming.read(LENGTH.unpack(head)[0]))  # noqa: S301 - from the process that started this one


def _send(outgoing: BinaryIO, message: object) -> None:
    outgoing.write(framed(message))
    outgoing.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
