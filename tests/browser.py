"""A Chromium for tests, where there is one."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from honeyguide.fetch.chromium import BROWSERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

needs_chromium = pytest.mark.skipif(
    find_spec("playwright") is None or not any(map(shutil.which, BROWSERS)),
    reason="needs the extra browser and Chromium: pip install '.[browser]', and Chromium from the system",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a Chromium that a test drives as a person would. No event loop may run in this thread meanwhile."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra

    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=os.geteuid() != 0)
        yield browser
        browser.close()
