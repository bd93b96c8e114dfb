"""What does it cost to judge a page, by each judge?

Run `python benchmarks/judges.py [--pages N] [--json]`. Pages of 3,000 words are put together from the text of the
synthetic web. Each judge sees and measures all of them, as a crawl would have it; the words' vectors are in the cache,
and the rows of a page are looked up once, which a strategy then shares. The peer for tf-idf is scikit-learn's
vectorizer on the same texts, where it is installed. CPU time on one core, the best of three passes.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from honeyguide.domain import Fetched, Page, Topic
from honeyguide.judge import (
    CombinedJudge,
    EmbeddingJudge,
    EmbeddingTfidfJudge,
    Examples,
    KeywordJudge,
    Part,
    RakeJudge,
    TfidfJudge,
    VectorModelJudge,
    fitted_logistic,
    idf_of,
)
from honeyguide.parse import parse
from honeyguide.text import Stems, WordllamaVectors, WordVectors, words_of
from honeyguide.worlds import SyntheticSpec, SyntheticWorld
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.judge import Judge

WORDS = 3000


def long_pages(count: int, world: SyntheticWorld) -> list[Page]:
    """Pages of `WORDS` words each, all of it main text."""
    found: list[Page] = []
    text = ""
    number = 0
    while len(found) < count:
        url = world.url_of(number % world.spec.pages)
        outcome = world.answer(url).outcome
        if isinstance(outcome, Fetched):
            text += " " + parse(url, outcome).text
        words = words_of(text)
        if len(words) >= WORDS:
            found.append(Page(url, "text/html", "utf-8", "", text, tuple(words), ((0, len(words)),), ()))
            text = ""
        number += 17
    return found


def makers(topic: Topic, vectors: WordVectors, pages: list[Page]) -> dict[str, Callable[[], Judge]]:
    half = len(pages) // 2
    examples = Examples(tuple(page.words for page in pages[:half]), tuple(page.words for page in pages[half:]))
    model = fitted_logistic(examples, vectors)
    reference = idf_of(pages)
    return {
        "keyword": lambda: KeywordJudge(topic),
        "keyword by stem": lambda: KeywordJudge(topic, Stems()),
        "tfidf from a reference": lambda: TfidfJudge(topic, reference),
        "tfidf from pages seen": lambda: TfidfJudge(topic),
        "embedding": lambda: EmbeddingJudge(topic, vectors),
        "embedding-tfidf": lambda: EmbeddingTfidfJudge(topic, vectors),
        "rake": lambda: RakeJudge(topic, vectors),
        "classifier from examples": lambda: VectorModelJudge("classifier", model, vectors),
        "embedding + tfidf": lambda: CombinedJudge(
            [Part("embedding", 2, EmbeddingJudge(topic, vectors)), Part("tfidf", 1, TfidfJudge(topic))]
        ),
    }


def ms_a_page(work: Callable[[Page], object], pages: list[Page]) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        for page in pages:
            work(page)
        best = min(best, time.process_time() - started)
    return 1000 * best / len(pages)


def costs(topic: Topic, vectors: WordVectors, pages: list[Page]) -> dict[str, float]:
    found = {"looking up the page alone": ms_a_page(lambda page: vectors.look_up(page.words), pages)}
    for name, make in makers(topic, vectors, pages).items():
        judge = make()

        def see_and_measure(page: Page, judge: Judge = judge) -> float:
            judge.see(page)
            return judge.relevance(page)

        found[name] = ms_a_page(see_and_measure, pages)
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - a peer, where it is installed
    except ImportError:
        return found
    peer = TfidfVectorizer(sublinear_tf=True).fit([page.text for page in pages])
    asked = peer.transform([" ".join(topic.phrases)]).T
    found["scikit-learn's tf-idf, from text"] = ms_a_page(lambda page: peer.transform([page.text]) @ asked, pages)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    world = SyntheticWorld(SyntheticSpec())
    topic = Topic("geology", tuple(world.keywords_for("geology")))
    vectors = WordVectors(WordllamaVectors())
    with threadpool_limits(1, "blas"):
        found = costs(topic, vectors, long_pages(chosen.pages, world))
    if chosen.json:
        print(json.dumps({"machine": machine(), "words": WORDS, "ms_a_page": found}, indent=2))
        return
    print(machine())
    for name, milliseconds in found.items():
        print(f"{name:34} {milliseconds:7.3f} ms {1000 / milliseconds:9,.0f} pages/s")


if __name__ == "__main__":
    main()
