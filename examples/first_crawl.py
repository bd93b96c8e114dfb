"""A first crawl: 150 fetches of a synthetic web, in process, and the best pages found.

    python examples/first_crawl.py [RUN]

Offline worlds repeat exactly: run it twice and the same pages come in the same order.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import honeyguide

SETTINGS = {
    "topic": {"name": "geology", "keywords": ["rock", "mineral", "fossil"]},
    "crawl": {"world": "synthetic:seed=1,pages=5000", "strategy": "online-ridge"},
    "budget": {"fetches": 150},
}


def main(path: Path) -> None:
    """Crawl into `path`, look at the run, give it a little more to spend, look again."""
    with honeyguide.crawl(path, honeyguide.settings_from(SETTINGS)) as run:
        show(run)
    # Any time later, in any process: what was learned is still there, and nothing is fetched twice.
    honeyguide.resume(path, budget="+50").close()
    with honeyguide.open_run(path) as run:
        show(run)


def show(run: honeyguide.Run) -> None:
    """Print where the run stands and its best pages."""
    progress = run.progress
    print(f"{progress.steps} fetches, {progress.relevant} relevant pages, harvest rate {run.harvest_rate:.0%}")
    for page in run.pages(best_first=True, limit=3):
        print(f"  {page.relevance:.2f}  {page.title}  {page.url}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as folder:
            main(Path(folder) / "run")
