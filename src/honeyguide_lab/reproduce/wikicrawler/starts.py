"""Where the crawls begin: the document's articles, or the nearest that a wiki has; pages of a synthetic web."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.world_graph import opened_world
from honeyguide.errors import WorldError
from honeyguide.model import Fetched, Url
from honeyguide.worlds.synthetic import SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from honeyguide_lab.reproduce.wikicrawler.published import TOPICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide_lab.reproduce.study import StudiedWorld
    from honeyguide_lab.reproduce.wikicrawler.published import PublishedTopic

SYNTHETIC_TOPICS: Final = 3


@dataclass(frozen=True, slots=True)
class TopicStart:
    """A topic to crawl, and the page to begin at."""

    topic: str
    keywords: tuple[str, ...]
    seed_url: Url
    published: PublishedTopic | None = None  # whose topic it is
    stands_for: str = ""  # the document's seed, where the wiki lacks it


@dataclass(frozen=True, slots=True)
class Starts:
    """All that can be begun in a world, and why not more."""

    found: tuple[TopicStart, ...]
    left_out: tuple[str, ...] = ()


def starts_in(studied: StudiedWorld) -> Starts:
    """The topics of a world. WorldError where it is neither a wiki nor a synthetic web."""
    with opened_world(studied.name) as world:
        if isinstance(world, WikiWorld):
            return _articles(world, studied.name)
        if isinstance(world, SyntheticWorld):
            return Starts(tuple(_synthetic_pages(world)))
    raise WorldError(f"world {studied.name} has no topics to begin with; give wiki:PATH or synthetic[:SPEC]")


def _articles(wiki: WikiWorld, name: str) -> Starts:
    found, left_out = [], []
    for topic in TOPICS:
        url = _first_present(wiki, (topic.seed_title, *topic.substitutes))
        if url is None:
            left_out.append(
                f"{topic.name} on `{name}`: the wiki has neither {topic.seed_title} nor an article near it."
            )
            continue
        is_seed = url == _first_present(wiki, (topic.seed_title,))
        found.append(TopicStart(topic.name, topic.keywords, url, topic, "" if is_seed else topic.seed_title))
    return Starts(tuple(found), tuple(left_out))


def _first_present(wiki: WikiWorld, titles: tuple[str, ...]) -> Url | None:
    """The first of these articles that the wiki has, with links on it."""
    numbers = (wiki.number_titled(title) for title in titles)
    urls = (wiki.url_of(number) for number in numbers if number is not None)
    return next((url for url in urls if wiki.links_of(url)), None)


def _synthetic_pages(web: SyntheticWorld) -> Iterator[TopicStart]:
    """The first page of each of the first topics that can be had."""
    for topic in web.topic_names[:SYNTHETIC_TOPICS]:
        pages = map(web.url_of, range(web.spec.pages))
        had = (url for url in pages if web.topic_of(url) == topic and isinstance(web.answer(url).outcome, Fetched))
        for url in islice(had, 1):
            yield TopicStart(topic, web.keywords_for(topic), url)
