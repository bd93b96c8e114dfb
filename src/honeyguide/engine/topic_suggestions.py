"""A topic of one line, made into one with keywords and categories."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from honeyguide.domain import Topic, Url
from honeyguide.engine.examples import is_reference, read_example, refuse_file_name
from honeyguide.engine.named_pages import NamedPages, is_url
from honeyguide.engine.run import refuse_in_running_loop
from honeyguide.errors import PageError, SettingsError, WorldError
from honeyguide.settings import Settings, topic_file, validate, with_overrides
from honeyguide.text import WordllamaVectors, WordVectors, open_vectors
from honeyguide.topics import suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack

    from honeyguide.topics import Suggestion
    from honeyguide.topics.suggesting import LookUp


@dataclass(frozen=True, slots=True)
class SuggestedTopic:
    """A topic as it was told, with what was found for it, best first."""

    name: str
    keywords: tuple[Suggestion, ...]
    categories: tuple[Suggestion, ...]
    like: tuple[str, ...] = ()  # as they were given: a text, @FILE or a URL
    unlike: tuple[str, ...] = ()

    def to_toml(self) -> str:
        """A topic file, with the score and origin of each suggestion beside it."""
        notes = {each.text: f"{each.score:.2f} {each.origin}" for each in (*self.categories, *self.keywords)}
        topic = {
            "name": self.name,
            "keywords": [keyword.text for keyword in self.keywords],
            "like": self.like,
            "unlike": self.unlike,
            "categories": [category.text for category in self.categories],
        }
        return topic_file({name: value for name, value in topic.items() if value or name == "name"}, notes=notes)


class SuggestionOptions(TypedDict, total=False):
    """What suggestions may be asked for with, besides a sentence."""

    like: Sequence[str]  # examples: texts, @FILE or URLs, as in the settings
    unlike: Sequence[str]
    world: str  # where URLs are looked up; of wiki:PATH the articles on the topic and their categories are used as well
    keywords: int  # how many at most, 15 if not said
    categories: int  # how many at most, 5 if not said
    settings: Settings  # for how pages are fetched, and which word vectors are used


def suggest_topic(name: str = "", **options: Unpack[SuggestionOptions]) -> SuggestedTopic:
    """Propose keywords and categories for a topic told in a sentence, by examples, or both.

    `name` may also be `@FILE` or a URL, and is then one more example. Raises `SettingsError` if nothing is told or an
    example cannot be read. Inside a running event loop, as in a notebook, await `suggest_topic_async` instead.
    """
    refuse_in_running_loop("suggest_topic_async")
    return asyncio.run(suggest_topic_async(name, **options))


async def suggest_topic_async(name: str = "", **options: Unpack[SuggestionOptions]) -> SuggestedTopic:
    """As `suggest_topic`, for callers with an event loop of their own."""
    like, unlike = tuple(options.get("like", ())), tuple(options.get("unlike", ()))
    world = {"crawl.world": options.get("world"), "crawl.strategy": "breadth-first"}
    settings = with_overrides(options.get("settings", Settings()), world)
    validate(settings)
    if is_reference(name):
        like, name = (name, *like), ""
    refuse_file_name(name)
    topic, title = await _read(name, like, unlike, settings)
    if topic.is_empty:
        raise SettingsError(["there is no topic to find words for: give a sentence, or an example with --like"])
    source = open_vectors(settings.vectors.source, settings.vectors.cache_path)
    with _look_up(settings, like) as look_up:
        found = suggest(
            topic,
            WordVectors(source),
            # Most of what the bundled vectors have as words are pieces of words.
            vocabulary=None if isinstance(source, WordllamaVectors) else source,
            look_up=look_up,
            keywords=options.get("keywords", 15),
            categories=options.get("categories", 5),
        )
    return SuggestedTopic(name or title, found.keywords, found.categories, like, unlike)


async def _read(name: str, like: Sequence[str], unlike: Sequence[str], settings: Settings) -> tuple[Topic, str]:
    """The topic with the texts of its examples, and the title of the first of them that has one."""
    texts: dict[str, list[str]] = {"like": [], "unlike": []}
    mistakes: list[str] = []
    title = ""
    async with NamedPages(settings) as pages:
        for kind, examples in (("like", like), ("unlike", unlike)):
            for example in examples:
                try:
                    read = await read_example(example, pages)
                except PageError as error:
                    mistakes.append(str(error))
                    continue
                texts[kind].append(read.text)
                title = title or (read.title if kind == "like" else "")
    if mistakes:
        raise SettingsError(mistakes)
    return Topic(name, like=tuple(texts["like"]), unlike=tuple(texts["unlike"])), title


@contextmanager
def _look_up(settings: Settings, like: Sequence[str]) -> Iterator[LookUp | None]:
    """A way to look phrases up in the wiki that the settings name; None where they name another world."""
    kind, _, path = settings.crawl.world.partition(":")
    if kind != "wiki":
        yield None
        return
    from honeyguide.engine.wiki_articles import articles_on  # noqa: PLC0415
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    if not path:
        raise WorldError("--world wiki names no folder; write wiki:PATH, and make it with honeyguide wiki build")
    with WikiWorld(path) as wiki:
        yield partial(articles_on, wiki, examples=[Url.parse(example) for example in like if is_url(example)])
