"""Without gymnasium there is nothing to test here: every file is skipped, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

try:
    import gymnasium  # noqa: F401 - to see whether it can be
except ModuleNotFoundError:
    IS_MISSING = True
else:
    IS_MISSING = False


class SkippedFile(pytest.Module):
    """A test file that is not even imported."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        pytest.skip("gymnasium is not installed: pip install 'honeyguide[gym]'", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Let pytest read a file as usual, or skip it as a whole."""
    return SkippedFile.from_parent(parent, path=module_path) if IS_MISSING else None
