"""A Chromium for tests, where there is one."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest

from honeyguide.fetch.chromium import BROWSERS

needs_chromium = pytest.mark.skipif(
    find_spec("playwright") is None or not any(map(shutil.which, BROWSERS)),
    reason="needs the extra browser and Chromium: pip install '.[browser]', and Chromium from the system",
)
