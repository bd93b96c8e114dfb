"""A small crawl with its bodies kept in one way or another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import honeyguide

if TYPE_CHECKING:
    from pathlib import Path


def archived_run(path: Path, archive: str, archive_file_megabytes: float = 1000.0) -> Path:
    """Sixty fetches of a synthetic web; the same every time but for where bodies are kept."""
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"world": "synthetic:pages=300,hosts=6", "strategy": "breadth-first", "workers": 0},
            "judge": {"kind": "keyword", "threshold": 0.001},
            "budget": {"fetches": 60},
            "store": {"archive": archive, "archive_file_megabytes": archive_file_megabytes},
        }
    )
    honeyguide.crawl(path, settings).close()
    return path
