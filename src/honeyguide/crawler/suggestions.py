"""Make a topic of one line into one with keywords and categories, with the help of a wiki where there is one."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypedDict

from honeyguide.crawler.named_pages import NamedPages, read_examples
from honeyguide.crawler.start import refuse_in_running_loop
from honeyguide.errors import SettingsError
from honeyguide.model import Fetched, Topic, Url
from honeyguide.parse import parse
from honeyguide.settings import Settings, validate, with_overrides
from honeyguide.text import WordllamaVectors, WordVectors, main_text, open_vectors
from honeyguide.topic import WikiArticle, WikiArticles, suggest, topic_file
from honeyguide.topic.examples import is_reference, is_url, refuse_file_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    from honeyguide.topic import Suggestion
    from honeyguide.topic.suggesting import LookUp
    from honeyguide.worlds.wiki import WikiWorld

ARTICLES: Final = 3  # read from begin to end
PHRASES: Final = 10  # looked up as titles, the best first
LINKED: Final = 400  # articles looked at by title and categories alone


def articles_on(world: WikiWorld, phrases: Iterable[str], examples: Iterable[Url]) -> WikiArticles:
    """Return the articles that are examples of the topic or bear its phrases as titles, and those they link to."""
    numbers = [number for url in examples if (number := world.number_of(url)) is not None]
    for phrase, _ in zip(phrases, range(PHRASES), strict=False):
        number = world.number_titled(phrase)
        if number is not None and len(numbers) < ARTICLES:
            numbers.append(number)
    urls = [world.url_of(number) for number in dict.fromkeys(numbers)]
    linked = dict.fromkeys(target for url in urls for target in world.links_of(url) if target not in urls)
    about = tuple(_describe_article(world, url, _read_text(world, url)) for url in urls)
    others = tuple(_describe_article(world, url) for url, _ in zip(linked, range(LINKED), strict=False))
    found = {name for article in (*about, *others) for name in article.categories}
    sizes = {name: pages for name, pages in world.categories() if name in found}
    return WikiArticles(about, others, sizes, world.page_count)


def _describe_article(world: WikiWorld, url: Url, text: str = "") -> WikiArticle:
    number = world.number_of(url)
    assert number is not None
    return WikiArticle(world.title_of(number), world.categories_of(url), text)


def _read_text(world: WikiWorld, url: Url) -> str:
    outcome = world.answer(url).outcome
    return main_text(parse(url, outcome)) if isinstance(outcome, Fetched) else ""


@dataclass(frozen=True, slots=True)
class SuggestedTopic:
    """A topic as it was given, with what was found for it, best first."""

    name: str
    keywords: tuple[Suggestion, ...]
    categories: tuple[Suggestion, ...]
    like: tuple[str, ...] = ()  # as they were given: a text, @FILE or a URL
    unlike: tuple[str, ...] = ()

    def to_toml(self) -> str:
        """Return a topic file, with the score and origin of each suggestion beside it.

        Keywords are comments: taken unread, they rank pages worse than the name alone.
        """
        notes = {each.text: f"{each.score:.2f} {each.origin}" for each in (*self.categories, *self.keywords)}
        topic = {
            "name": self.name,
            "keywords": [keyword.text for keyword in self.keywords],
            "like": self.like,
            "unlike": self.unlike,
            "categories": [category.text for category in self.categories],
        }
        fields = {name: value for name, value in topic.items() if value or name == "name"}
        return topic_file(fields, notes=notes, offered=("keywords",))


class SuggestionOptions(TypedDict, total=False):
    """The options of `suggest_topic`."""

    like: Sequence[str]  # examples: texts, @FILE or URLs, as in the settings
    unlike: Sequence[str]
    world: str  # where URLs are looked up; of wiki:PATH the articles on the topic and their categories are used as well
    keywords: int  # how many at most, 15 if not said
    categories: int  # how many at most, 5 if not said
    settings: Settings  # for how pages are fetched, the language, and which word vectors are used


def suggest_topic(name: str = "", **options: Unpack[SuggestionOptions]) -> SuggestedTopic:
    """Propose keywords and categories for a topic given as a sentence, by examples, or both.

    `name` may also be `@FILE` or a URL, and is then one more example. Raises `SettingsError` if nothing is given or an
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
    async with NamedPages(settings) as pages:
        texts, titles = await read_examples({"like": like, "unlike": unlike}, pages)
    topic = Topic(name, like=tuple(texts["like"]), unlike=tuple(texts["unlike"]))
    if topic.is_empty:
        raise SettingsError(["there is no topic to find words for: give a sentence, or an example with --like"])
    chosen = settings.chosen_vectors
    source = open_vectors(chosen.source, chosen.cache_path)
    with _open_look_up(settings, like) as look_up:
        found = suggest(
            topic,
            WordVectors(source),
            # Most of what wordllama has as words are pieces of words.
            vocabulary=None if isinstance(source, WordllamaVectors) else source,
            look_up=look_up,
            keywords=options.get("keywords", 15),
            categories=options.get("categories", 5),
            language=settings.judge.language,
        )
    return SuggestedTopic(
        name or next(filter(None, titles["like"]), ""), found.keywords, found.categories, like, unlike
    )


@contextmanager
def _open_look_up(settings: Settings, like: Sequence[str]) -> Iterator[LookUp | None]:
    """Open a way to look phrases up in the wiki that the settings name; None where they name another world."""
    kind, _, path = settings.crawl.world.partition(":")
    if kind != "wiki":
        yield None
        return
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    with WikiWorld.open(path, settings) as wiki:
        yield partial(articles_on, wiki, examples=[Url.parse(example) for example in like if is_url(example)])
