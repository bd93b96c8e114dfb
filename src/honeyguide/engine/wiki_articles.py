"""What a wiki world has to say of a topic, for suggestions: its articles on it, what they link to, their categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.domain import Fetched
from honeyguide.parse import parse
from honeyguide.text import main_text
from honeyguide.topics import Article, Encyclopaedia

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.domain import Url
    from honeyguide.worlds.wiki import WikiWorld

ARTICLES: Final = 3  # read from begin to end
PHRASES: Final = 10  # looked up as titles, the best first
LINKED: Final = 400  # articles looked at by title and categories alone


def articles_on(world: WikiWorld, phrases: Iterable[str], examples: Iterable[Url]) -> Encyclopaedia:
    """The articles that are examples of the topic or bear its phrases as titles, and those they link to."""
    numbers = [number for url in examples if (number := world.number_of(url)) is not None]
    for phrase, _ in zip(phrases, range(PHRASES), strict=False):
        number = world.number_titled(phrase)
        if number is not None and len(numbers) < ARTICLES:
            numbers.append(number)
    urls = [world.url_of(number) for number in dict.fromkeys(numbers)]
    linked = dict.fromkeys(target for url in urls for target in world.links_of(url) if target not in urls)
    about = tuple(_article(world, url, _text(world, url)) for url in urls)
    others = tuple(_article(world, url) for url, _ in zip(linked, range(LINKED), strict=False))
    found = {name for article in (*about, *others) for name in article.categories}
    sizes = {name: pages for name, pages in world.categories() if name in found}
    return Encyclopaedia(about, others, sizes, world.page_count)


def _article(world: WikiWorld, url: Url, text: str = "") -> Article:
    number = world.number_of(url)
    assert number is not None
    return Article(world.title_of(number), world.categories_of(url), text)


def _text(world: WikiWorld, url: Url) -> str:
    outcome = world.answer(url).outcome
    return main_text(parse(url, outcome)) if isinstance(outcome, Fetched) else ""
