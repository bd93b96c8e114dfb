"""An offline world by its name, open while plain code looks at it."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from honeyguide.engine import open_world
from honeyguide.errors import WorldError
from honeyguide.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.worlds import World


@contextmanager
def opened_world(name: str) -> Iterator[World]:
    """A world by its name; offline worlds never suspend, so that one may be used from plain code while it is open.

    WorldError where it cannot be opened or is not offline.
    """
    opening = open_world(settings_from({"crawl": {"world": name}}))
    with asyncio.Runner() as runner:
        world = runner.run(opening.__aenter__())
        try:
            if not world.is_offline:
                raise WorldError(f"world {name} is not offline, so no two crawls of it see the same; try synthetic")
            yield world
        finally:
            runner.run(opening.__aexit__(None, None, None))
