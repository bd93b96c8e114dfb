"""Keywords of pages that are near popular search words: Lim (2016), section 7.3.3 and the tuples of 6.2.2.

His breadth-first code writes, for each page, the keywords with every search word whose similarity is 2/3 or more. The
file we write has the shape that his text describes: a list of pages, each an address and an object of keywords, each
of which has an object of search words and similarities. (His own file is no JSON once it has more than one page: the
code writes two commas in a row. Its empty strings and its Python lists inside strings are left out.) His modified
depth-first code prints a tuple (score, search word, keyword, URL) for each similarity between 3/5 and 4/5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler import Builder
from honeyguide.judge import RakeJudge, RakeSettings
from honeyguide.model import Fetched, Topic
from honeyguide.runs import open_run
from honeyguide.text import cosine, words_of
from honeyguide_lab.crawl_task import shared_vectors
from honeyguide_lab.reproduce.lim2016.exploration import QUEUE, STACK
from honeyguide_lab.reproduce.lim2016.published import BETWEEN, SEARCH_WORDS, SIMILAR_FROM, SIMILARITIES
from honeyguide_lab.reproduce.study import Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.model import KeywordMatch, Page
    from honeyguide.text import WordVectors
    from honeyguide_lab.reproduce.lim2016.exploration import Explored
    from honeyguide_lab.reproduce.lim2016.measured_crawl import MeasuredCrawl
    from honeyguide_lab.reproduce.study import StudiedWorld

PAGES: Final = 5
_DIGITS: Final = 6
_EXPLAINED: Final = (
    "Keywords by RAKE, as they stand on the page, with the search words they are near to. Lim's sample is one page of "
    "Wikipedia, with word2vec and a list of search words that is gone; ours has other pages, other vectors and "
    f"{len(SEARCH_WORDS)} search words of our own (`search_words.py`)."
)
_NONE: Final = " There is none: every keyword of these pages is farther from all search words, or nearer to one."
_NONE_ON_SYNTHETIC: Final = (
    " A synthetic web is written in the words of its own topics, not in those people search for."
)


def similarity_section(explored: Sequence[Explored]) -> tuple[Section, dict[str, Any]]:
    """The section, and the JSON files by name."""
    vectors = shared_vectors(explored[0].crawl_by_strategy[QUEUE].settings.chosen_vectors)
    documents, tables = {}, [_published_pairs(vectors)]
    counts = []
    for each in explored:
        by_queue = list(_first_pages(each.crawl_by_strategy[QUEUE]))
        by_stack = list(_first_pages(each.crawl_by_strategy[STACK]))
        document = similarity_document(by_queue, vectors)
        documents[f"similarity-{each.world.slug}"] = document
        tables.append(tuples_table(each, by_stack, vectors))
        keywords = sum(len(near_by_keyword) for _, near_by_keyword in document)
        counts.append(
            f"`similarity-{each.world.slug}.json` has {keywords:,} keywords of the first {len(by_queue)} pages that "
            f"breadth-first fetched on `{each.world.name}`."
        )
    text = (_EXPLAINED, " ".join(counts))
    return Section("Keywords and search words (7.3.3)", text, tuple(tables)), documents


def similarity_document(pages: Sequence[Page], vectors: WordVectors) -> list[Any]:
    """Address and keywords of each page, best keywords first; keywords that are near nothing are left out."""
    judge = _judge(vectors, RakeSettings(lower=SIMILAR_FROM))
    return [[page.url.text, _near_by_keyword(judge.matches(page))] for page in pages]


def _near_by_keyword(matches: Sequence[KeywordMatch]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for match in matches:
        found.setdefault(match.keyword, {})[match.search] = round(match.score, _DIGITS)
    return found


def tuples_table(explored: Explored, pages: Sequence[Page], vectors: WordVectors) -> Table:
    """The tuples of his modified depth-first code; where there are none, with the reason."""
    lower, upper = BETWEEN
    judge = _judge(vectors, RakeSettings(lower=lower, upper=upper))
    rows = tuple(
        (round(match.score, _DIGITS), match.search, match.keyword, match.url.text)
        for page in pages
        for match in judge.matches(page)
    )
    return Table(
        f"tuples-{explored.world.slug}",
        f"What modified depth-first lists on {explored.world.name}",
        ("score", "search word", "keyword", "URL"),
        rows,
        note=f"Of its first {len(pages)} pages: similarities above 3/5 and below 4/5."
        + ("" if rows else _why_none(explored.world)),
        most_shown=10,
    )


def _why_none(world: StudiedWorld) -> str:
    return _NONE + (_NONE_ON_SYNTHETIC if world.kind == "synthetic" else "")


def _published_pairs(vectors: WordVectors) -> Table:
    """The pairs of his sample under our vectors."""
    rows = tuple(
        (keyword, search, round(_similarity(keyword, search, vectors), _DIGITS), published)
        for keyword, search, published in SIMILARITIES
    )
    return Table(
        "similarities",
        "The pairs of Lim's sample",
        ("keyword", "search word", "ours", "published"),
        rows,
        note="Ours are cosines of sums of word vectors, and other vectors than his, for which 2/3 was not chosen. How "
        "he makes a phrase's similarity of word2vec is not printed. The names of people in his sample are left out.",
    )


def _similarity(one: str, other: str, vectors: WordVectors) -> float:
    sums = []
    for phrase in (one, other):
        rows = vectors.look_up(tuple(words_of(phrase)))
        sums.append(rows.table[rows.numbers].astype(float).sum(axis=0))
    return cosine(*sums)


def _judge(vectors: WordVectors, rules: RakeSettings) -> RakeJudge:
    return RakeJudge(Topic("", SEARCH_WORDS), vectors, rules)


def _first_pages(crawl: MeasuredCrawl) -> Iterator[Page]:
    """The first pages of a crawl, read again as they came."""
    parse = Builder(crawl.settings, shared_vectors(crawl.settings.chosen_vectors)).parts().parse
    with open_run(crawl.run) as run:
        answers = run.recorded_answers()
        for page in run.pages(limit=PAGES):
            answer = answers.answer(page.url)
            if answer is not None and isinstance(answer.outcome, Fetched):
                yield parse(page.url, answer.outcome)
