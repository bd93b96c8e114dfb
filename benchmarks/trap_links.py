"""Sites that have to prove themselves: met through a few links from little hosts, beside an honest web that goes on.

Seeds are trusted. So the seeds are made-up hosts of a few pages, each with one link to the front page of the site; the
first has links to the entry pages of a synthetic web, too. What a guard lets wait is not fetched then: there is always
something else to fetch.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler import crawl
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Url
from honeyguide.settings import settings_from
from honeyguide.worlds.frozen import open_site
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from trap_runs import guard_table, vectors
from trap_sites import SiteGrade, Sites, graded, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.worlds import World

_BESIDE_SITE: Final = "pages=1000,hosts=40,mean_links=4"
_BESIDE_WIKI: Final = "pages=4000,hosts=60,mean_links=4"
"""The honest webs that are there to be crawled instead."""

_MORE: Final = 500  # fetches than a site has pages: it is there to be had, and half of the web beside it is
_WIKI_BUDGET: Final = 500
_PAGES: Final = 6  # of a little host
_WORDS: Final = (
    "garden", "bread", "river", "window", "letter", "summer", "kitchen", "winter", "market", "school", "forest",
    "music", "paper", "morning", "bridge", "harbour", "table", "evening", "village", "corner", "apple", "engine",
    "candle", "button", "ribbon", "pepper", "travel", "weather", "stories", "neighbour",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Met:
    """A site to be met, with what is looked for in it."""

    name: str
    host: str
    topic: str
    keywords: tuple[str, ...]
    budget: int
    beside: str  # spec of the synthetic web beside it
    folder: Path
    is_wiki: bool

    def open(self) -> World:
        return WikiWorld(self.folder) if self.is_wiki else open_site(f"{self.folder}@http://{self.host}/")


class LittleHosts:
    """Hosts of a few pages that refer to one another. The front page of each refers to some pages elsewhere as well."""

    is_offline = True
    writes_pages = False

    def __init__(self, links_by_host: dict[str, Sequence[Url]], anchor: str) -> None:
        self._links_by_host = links_by_host
        self._anchor = anchor

    async def fetch(self, url: Url) -> Answer:
        paths = ["/", *[f"/{number}" for number in range(1, _PAGES)]]
        if url.path_and_query not in paths:
            return Answer(Failed(FailureReason.HTTP_STATUS, "no such page", status=404), elapsed_s=0.01)
        words = random.Random(url.text).choices(_WORDS, k=120)
        links = [(path, "page") for path in paths if path != url.path]
        if url.path == "/":
            links += [(target.text, self._anchor) for target in self._links_by_host[url.host]]
        anchors = " ".join(f'<a href="{escape(target)}">{escape(text)}</a>' for target, text in links)
        body = f"<html><title>{words[0]} {words[1]}</title><body><p>{' '.join(words)}</p>{anchors}</body></html>"
        return Answer(Fetched(200, "text/html", body.encode()), elapsed_s=0.01)

    def entry_urls(self) -> Sequence[Url]:
        return [Url.parse(f"http://{host}/") for host in self._links_by_host]

    async def close(self) -> None:
        """Nothing is open."""


def sites_to_meet(folders: Sequence[Path]) -> list[Met]:
    """Folders of HTML."""
    return [
        Met(label(folder), f"site{number}.test", "data structures", ("list", "index", "query"),
            sum(1 for _ in folder.rglob("*.html")) + _MORE, _BESIDE_SITE, folder, is_wiki=False)
        for number, folder in enumerate(folders)
    ]  # fmt: skip


def wiki_to_meet(world: Path) -> Met:
    opened = WikiWorld(world)
    host = opened.entry_urls()[0].host
    opened.shut()
    return Met(
        f"wiki {world.name}", host, "war", ("war", "army", "battle"), _WIKI_BUDGET, _BESIDE_WIKI, world, is_wiki=True
    )


def compare_linked(
    sites: Sequence[Met], links: Sequence[int], arms: Sequence[str], strategies: Sequence[str]
) -> Iterator[SiteGrade]:
    """Each site met through so many links, by each strategy, with and without guard."""
    for site in sites:
        beside = SyntheticWorld(SyntheticSpec.parse(site.beside))
        for strategy in strategies:
            for number in links:
                for arm in arms:
                    yield _crawled(site, number, strategy, arm, beside)


def _crawled(site: Met, links: int, strategy: str, arm: str, beside: SyntheticWorld) -> SiteGrade:
    met = site.open()
    front = met.entry_urls()[0]
    little: dict[str, Sequence[Url]] = {f"little{number}.test": [front] for number in range(links)}
    little["little0.test"] = [front, *beside.entry_urls()]
    hosts = LittleHosts(little, " ".join(site.keywords))
    worlds: dict[str, World] = {site.host: met, **dict.fromkeys(little, hosts)}
    settings = settings_from(
        {
            "topic": {"name": site.topic, "keywords": list(site.keywords)},
            "crawl": {"world": "synthetic", "strategy": strategy, "concurrency": 1},
            "budget": {"fetches": site.budget},
            "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
        }
        | guard_table(arm)
    )
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        around: Any = {"world": Sites(worlds, hosts.entry_urls(), beside), "vectors": vectors()}
        with crawl(Path(folder) / "run", settings, **around) as done:
            told = f"{site.name}, {links} link{'s' * (links != 1)}"
            return graded(done, {site.host: told}, strategy, arm, time.perf_counter() - started)[0]
