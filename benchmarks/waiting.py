"""What does a fetch bring where one good host has to rest, alone in scope and with four poor ones beside it?

`python benchmarks/waiting.py [--budget 100] [--delay 0.2] [--topic geology] [--offline]`

The hosts are some of a synthetic web, served over HTTP on this machine: the one with the most pages about the topic,
and four large ones with few. Relevance is told by the labels (a perfect judge), so that only the choice of links
differs. Each crawl is run with `crawl.hurry` at 0.02, the default, at 0 (time does not count) and at 1 (never wait).
`--offline` asks the same web in simulated time; `--whole` crawls three whole webs in simulated time, with the default
judge and every `crawl.hurry` of `HURRIES`.
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

    from honeyguide.crawler import CrawlOptions
    from honeyguide.runs import Progress
    from honeyguide.settings import Settings

SPEC: Final = "seed=4,pages=8000,hosts=24,robots_share=0,crawl_delay_share=0"
POOR: Final = 4
HURRIES: Final = (0.0, 0.02, 0.2, 1.0)
WHOLE: Final = (  # web, pause in seconds, fetches
    ("seed=4,pages=8000,hosts=24", 0.0, 300),
    ("seed=4,pages=8000,hosts=24", 1.0, 300),
    ("seed=7,pages=20000,hosts=300", 1.0, 600),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=100, metavar="FETCHES")
    parser.add_argument("--delay", type=float, default=0.2, metavar="SECONDS", help="pause of each host")
    parser.add_argument("--topic", default="geology")
    parser.add_argument("--offline", action="store_true", help="in simulated time")
    parser.add_argument("--whole", action="store_true", help="three whole webs, in simulated time")
    given = parser.parse_args()
    print(machine())
    if given.whole:
        _crawl_whole_webs()
        return
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    urls = [web.url_of(page) for page in range(web.spec.pages)]
    on_topic = {url.text for url in urls if web.topic_of(url) == given.topic}
    pages = Counter(url.host for url in urls)
    found = Counter(url.host for url in urls if url.text in on_topic)
    if not found:
        parser.error(f"no page of this web is about {given.topic}: try geology, opera or astronomy")
    good = max(found, key=lambda host: (found[host], host))
    poor = sorted(pages, key=lambda host: (found[host] / pages[host], -pages[host]))[:POOR]
    print(f"{good}: {found[good]} of {pages[good]} pages about {given.topic}; beside it", end=" ")
    print(", ".join(f"{host} ({found[host]} of {pages[host]})" for host in poor))
    print(f"{'hurry':>8}  {'hosts':>5}  {'relevant':>8}  {'fetches':>7}  {'per fetch':>9}  {'seconds':>7}")
    for hurry in (0.02, 0.0, 1.0):
        for hosts in ([good], [good, *poor]):
            settings = _settings(given, web.keywords_for(given.topic), hosts, hurry)
            began = perf_counter()
            done = _crawl(settings, PerfectJudge(on_topic))
            seconds = done.spent_seconds if given.offline else perf_counter() - began
            share = done.relevant / max(1, done.fetches)
            shown = f"{hurry:g}"
            print(f"{shown:>8}  {len(hosts):5}  {done.relevant:8}  {done.fetches:7}  {share:9.3f}  {seconds:7.1f}")


def _crawl_whole_webs() -> None:
    """Print relevant pages and simulated seconds of two topics, for every web and `crawl.hurry`."""
    print(f"{'web':32} {'pause':>5} {'fetches':>7} {'hurry':>5}  relevant pages in seconds: geology, astronomy")
    for spec, delay_s, fetches in WHOLE:
        web = SyntheticWorld(SyntheticSpec.parse(spec))
        for hurry in HURRIES:
            done = [
                _crawl(
                    settings_from(
                        {
                            "topic": {"name": topic, "keywords": list(web.keywords_for(topic))},
                            "crawl": {"world": f"synthetic:{spec}", "hurry": hurry},
                            "budget": {"fetches": fetches},
                            "politeness": {"delay_s": delay_s},
                        }
                    )
                )
                for topic in ("geology", "astronomy")
            ]
            shown = ", ".join(f"{each.relevant} in {each.spent_seconds:.0f}" for each in done)
            print(f"{spec:32} {delay_s:5g} {fetches:7} {hurry:5g}  {shown}", flush=True)


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


def _crawl(settings: Settings, judge: PerfectJudge | None = None) -> Progress:
    options: CrawlOptions = {} if judge is None else {"judge": judge}
    with (
        tempfile.TemporaryDirectory() as folder,
        honeyguide.crawl(Path(folder) / "run", settings, **options) as run,
    ):
        return run.progress


if __name__ == "__main__":
    main()
