"""A process that prepares pages for a crawl: `python -P page_worker.py SOCKET PARENT`.

Over the socket it gets a `Recipe`, then one page after another, and sends each back in the order they came. It ends
when the socket is closed; on Linux the system ends it with the crawl, also in the middle of a page. A page that takes
more processor time than it may ends the process by SIGPROF, whatever code it is in. Where its markup is not bounded
that comes soon, and the crawl has it read again with bounds. Before a hook sees a page it says so, and the crawl ends
it when the hook takes too long.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

# Have the system end this process with the one that started it: before the imports below, which take seconds.
if __name__ == "__main__" and sys.platform == "linux":
    _PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(sys.argv[2]):  # it ended before we asked
        sys.exit(1)

import gc
import pickle
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from honeyguide.crawler.build import Builder, beside_encoder
from honeyguide.crawler.preparing import (
    FIRST_DEADLINE_S,
    IN_HOOK,
    LENGTH,
    OBJECTS_BETWEEN_COLLECTIONS,
    READY,
    Preparation,
    Prepared,
    Unreadable,
    framed,
    shipped,
)
from honeyguide.errors import HoneyguideError
from honeyguide.registry import STRATEGIES
from honeyguide.runs import body_packer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from honeyguide.crawler.preparing import Recipe
    from honeyguide.learn import Strategy
    from honeyguide.model import Fetched, Url


def main(descriptor: int) -> None:
    """Prepare pages until nobody wants any more."""
    with socket.socket(fileno=descriptor) as line, line.makefile("rb") as incoming, line.makefile("wb") as outgoing:
        recipe = _receive(incoming)
        if recipe is None:
            return
        limits = recipe.settings.parse
        with threadpool_limits(1, "blas"):
            try:
                preparation, hook = _preparation(recipe), _hook(recipe, outgoing)
            except HoneyguideError:
                sys.exit(1)  # the crawl is made of the same parts, and says what is wrong with them
            _send(outgoing, framed((READY, None)))
            gc.freeze()
            gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
            _limit_memory(limits.max_memory_megabytes * 1_000_000)
            while (task := _receive(incoming)) is not None:
                *page, bounds_markup = task
                _end_after(limits.deadline_s if bounds_markup else min(FIRST_DEADLINE_S, limits.deadline_s))
                answer = _answer(preparation, hook, *page, bounds_markup=bounds_markup)
                _end_after(0)
                _send(outgoing, answer)


def _answer(
    preparation: Preparation,
    hook: Callable[..., Prepared | Unreadable] | None,
    number: int,
    url: Url,
    fetched: Fetched,
    *,
    bounds_markup: bool,
) -> bytes:
    try:
        prepared = preparation.prepare(url, fetched, bounds_markup=bounds_markup)
        if hook is not None and isinstance(prepared, Prepared):
            signal.setitimer(signal.ITIMER_PROF, 0)  # it has a limit of its own
            prepared = hook(prepared, fetched)
        return framed((number, shipped(prepared) if isinstance(prepared, Prepared) else prepared))
    except MemoryError:
        return framed((number, Unreadable("MemoryError: what was made of it is too large to hand over")))


def _hook(recipe: Recipe, outgoing: BinaryIO) -> Callable[..., Prepared | Unreadable] | None:
    name = recipe.settings.crawl.on_page
    if not recipe.hook and not name:
        return None
    from honeyguide.crawler.hooks import hooked, load_hook  # noqa: PLC0415 - few crawls have one

    hook = pickle.loads(recipe.hook) if recipe.hook else load_hook(name)  # noqa: S301 - from the process that started us

    def show(prepared: Prepared, fetched: Fetched) -> Prepared | Unreadable:
        _send(outgoing, framed((IN_HOOK, None)))
        return hooked(hook, prepared, fetched)

    return show


def _end_after(processor_s: float) -> None:
    """Have the system end this process after so much more processor time; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, processor_s)


def _limit_memory(further_bytes: int) -> None:
    """Let this process take on only so much more memory than it has."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - POSIX alone has it

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + further_bytes
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _preparation(recipe: Recipe) -> Preparation:
    source, settings = recipe.source, recipe.settings
    builder = Builder(settings, None if source is None else beside_encoder(source, settings.vectors))
    judge = builder.judge() if recipe.judges else None
    encoder = builder.vectors.encoder if settings.vectors.encoder else None
    return Preparation(
        builder.parser(),
        judge,
        body_packer(),
        is_guarded=builder.is_guarded,
        encoder=encoder,
        window_words=builder.settings.parse.window_words,
        strategy=_strategy(builder) if recipe.judges and encoder is None else None,
        parse_unbounded=builder.parser(bounds_markup=False),
    )


def _strategy(builder: Builder) -> Strategy | None:
    """Make the strategy of the crawl, where it describes links ahead. With the judge's vectors, which are loaded."""
    if not STRATEGIES[builder.settings.crawl.strategy].describes_ahead:
        return None
    strategy = builder.strategy(is_restored=True)
    return strategy if strategy.describes_ahead else None


def _receive(incoming: BinaryIO) -> Any:  # noqa: ANN401 - whatever was sent; None at the end
    head = incoming.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return pickle.loads(incoming.read(LENGTH.unpack(head)[0]))  # noqa: S301 - from the process that started this one


def _send(outgoing: BinaryIO, message: bytes) -> None:
    outgoing.write(message)
    outgoing.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
