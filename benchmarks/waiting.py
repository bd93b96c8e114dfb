"""What does a fetch bring where one good host has to rest, alone in scope and with four poor ones beside it?

`python benchmarks/waiting.py [--budget 100] [--delay 0.2] [--topic geology] [--offline]`

The hosts are some of a synthetic web, served over HTTP on this machine: the one with the most pages about the topic,
and four large ones with few. Relevance is told by the labels (a perfect judge), so that only the choice of links
differs. Each crawl is run with `crawl.hurry` at 0.02, the default, at 0 (time does not count) and at 1 (never wait).
`--offline` asks the same web in simulated time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import honeyguide
from honeyguide.settings import settings_from, with_overrides
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.crawl_task import PerfectJudge
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.runs import Progress
    from honeyguide.settings import Settings

SPEC: Final = "seed=4,pages=8000,hosts=24,robots_share=0,crawl_delay_share=0"
POOR: Final = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=100, metavar="FETCHES")
    parser.add_argument("--delay", type=float, default=0.2, metavar="SECONDS", help="pause of each host")
    parser.add_argument("--topic", default="geology")
    parser.add_argument("--offline", action="store_true", help="in simulated time")
    given = parser.parse_args()
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    urls = [web.url_of(page) for page in range(web.spec.pages)]
    on_topic = {url.text for url in urls if web.topic_of(url) == given.topic}
    pages = Counter(url.host for url in urls)
    found = Counter(url.host for url in urls if url.text in on_topic)
    if not found:
        parser.error(f"no page of this web is about {given.topic}: try geology, opera or astronomy")
    good = max(found, key=lambda host: (found[host], host))
    poor = sorted(pages, key=lambda host: (found[host] / pages[host], -pages[host]))[:POOR]
    print(machine())
    print(f"{good}: {found[good]} of {pages[good]} pages about {given.topic}; beside it", end=" ")
    print(", ".join(f"{host} ({found[host]} of {pages[host]})" for host in poor))
    print(f"{'hurry':>8}  {'hosts':>5}  {'relevant':>8}  {'fetches':>7}  {'per fetch':>9}  {'seconds':>7}")
    for hurry in (0.02, 0.0, 1.0):
        for hosts in ([good], [good, *poor]):
            settings = _settings(given, web.keywords_for(given.topic), hosts, hurry)
            began = perf_counter()
            done = _crawl(settings, on_topic)
            seconds = done.spent_seconds if given.offline else perf_counter() - began
            share = done.relevant / max(1, done.fetches)
            shown = f"{hurry:g}"
            print(f"{shown:>8}  {len(hosts):5}  {done.relevant:8}  {done.fetches:7}  {share:9.3f}  {seconds:7.1f}")


def _settings(given: argparse.Namespace, keywords: tuple[str, ...], hosts: Sequence[str], hurry: float) -> Settings:
    world = "synthetic" if given.offline else "synthetic+http"
    settings = settings_from(
        {
            "topic": {"name": given.topic, "keywords": list(keywords)},
            "crawl": {"world": f"{world}:{SPEC}", "seed_urls": [f"http://{host}/" for host in hosts]},
            "scope": {"allow_hosts": list(hosts)},
            "budget": {"fetches": given.budget},
            "politeness": {"delay_s": given.delay},
        }
    )
    return with_overrides(settings, {"crawl.hurry": hurry})


def _crawl(settings: Settings, on_topic: set[str]) -> Progress:
    with (
        tempfile.TemporaryDirectory() as folder,
        honeyguide.crawl(Path(folder) / "run", settings, judge=PerfectJudge(on_topic)) as run,
    ):
        return run.progress


if __name__ == "__main__":
    main()
