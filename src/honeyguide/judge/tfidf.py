"""Relevance as the cosine of the page's words with the topic's, weighed by how often and how rare they are.

    weight(w, text) = (1 + ln count(w, text)) · idf(w)        idf(w) = ln((1 + N) / (1 + df(w))) + 1

As scikit-learn has it with `sublinear_tf`: N is the number of pages and df(w) the number of those with the word, both
counted with one page more that has every word. The cosine is above 0 exactly where the page has a word of the topic,
which is what Han et al. 2018 call relevant.

Idf comes from the pages seen so far or from a reference collection. A word in no page has the highest idf there is,
ln(1 + N) + 1: Pertejo 2021 gives the same to words his reference collection has not. With idf from the pages seen so
far nothing is known of a page before it comes, which is the leak he warns of in 3.3.2.

Memory is bounded. When more than `MOST_WORDS` words are known, the rarest are dropped until half are left; of equally
rare ones those that were first met earlier go first, and the topic's own never go. A dropped word counts as in no page
until it is met again; the frequency of any word is never overstated.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge.judge import Judge
from honeyguide.model import Evidence, EvidenceRow, WordCounts
from honeyguide.settings import setting
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page, Topic

MOST_WORDS: Final = 500_000
FORMAT: Final = "honeyguide-idf-1"


class DocumentFrequencies:
    """In how many pages each word stands. Invariant: a word that is known stands in one page at least."""

    def __init__(self, always: Iterable[str] = (), most_words: int = MOST_WORDS) -> None:
        self.pages = 0
        self._pages_by_word: Counter[str] = Counter()
        self._always = frozenset(always)  # never dropped
        self._most_words = most_words
        self._others = WordCounts(0, {})  # in other shards of the run

    def __len__(self) -> int:
        return len(self._pages_by_word)

    def of(self, word: str) -> int:
        """In how many pages the word stands, as far as is known."""
        return self._pages_by_word[word] + self._others.words.get(word, 0)

    def add(self, counts: Counter[str]) -> None:
        """Count one page more, of these words. A page without words is none."""
        if counts:
            self.pages += 1
            self._pages_by_word.update(counts.keys())
            if len(self._pages_by_word) > self._most_words:
                self._drop_rarest()

    def idf(self, words: Iterable[str]) -> NDArray[np.float64]:
        """The idf of each word."""
        own, others = self._pages_by_word.get, self._others.words.get
        with_word = np.array([own(word, 0) + others(word, 0) for word in words], dtype=np.float64)
        idf: NDArray[np.float64] = np.log((1 + self.pages + self._others.pages) / (1 + with_word)) + 1
        return idf

    def share(self) -> WordCounts:
        """Return what was counted here, without what others have told."""
        return WordCounts(self.pages, dict(self._pages_by_word))

    def take_shared(self, others: WordCounts) -> None:
        """Know what all others have counted, in place of what was told of them before."""
        self._others = others

    def save(self) -> bytes:
        """All of it, as JSON: also the form of a reference collection. The same history gives the same bytes."""
        counted: dict[str, Any] = {"format": FORMAT, "pages": self.pages, "words": self._pages_by_word}
        if self._others.pages:
            counted["others"] = self._others
        return json.dumps(counted, indent=0).encode()

    def load(self, state: bytes) -> None:
        """Go back to what was saved; JudgeError if it is not that."""
        try:
            self._take(json.loads(state))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise JudgeError(
                f"the saved statistics of the judge are damaged ({error}): restore the run from a copy"
            ) from error

    def write(self, path: Path | str) -> None:
        """Write a reference collection, to be named in the setting `judge.idf`."""
        Path(path).write_bytes(self.save())

    @classmethod
    def read(cls, path: Path | str) -> DocumentFrequencies:
        """Read a reference collection; a SettingsError of one line where it is none."""
        frequencies = cls()
        try:
            frequencies._take(json.loads(Path(path).read_bytes()))
        except OSError as error:
            raise SettingsError([f"judge.idf: cannot read {path}: {error.strerror or error}"]) from None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise SettingsError(
                [f"judge.idf: {path} is no reference collection ({error}): make one with judge.idf_of, or write seen"]
            ) from None
        return frequencies

    def _take(self, saved: dict[str, Any]) -> None:
        if saved["format"] != FORMAT:
            raise ValueError(f"its format is {saved['format']!r} and not {FORMAT!r}")
        counted, others = _checked(saved["pages"], saved["words"]), _checked(*saved.get("others", (0, {})))
        self.pages, self._pages_by_word, self._others = counted.pages, Counter(counted.words), others

    def _drop_rarest(self) -> None:
        kept = self._most_words // 2
        counts = np.fromiter(self._pages_by_word.values(), dtype=np.int64, count=len(self))
        bar = np.partition(counts, -kept)[-kept]  # fewer than so many stand in more pages than this
        common = int((counts > bar).sum())
        tied = [word for word, count in self._pages_by_word.items() if count == bar]
        spared = self._always.union(tied[common - kept :])
        self._pages_by_word = Counter(
            {word: count for word, count in self._pages_by_word.items() if count > bar or word in spared}
        )


def _checked(pages: object, words: dict[str, Any]) -> WordCounts:
    """The counts; ValueError where they are none."""
    if type(pages) is not int or pages < 0:
        raise ValueError(f"it has {pages!r} pages")
    for word, count in words.items():
        if type(count) is not int or not 1 <= count <= pages:
            raise ValueError(f"{word!r} stands in {count!r} of {pages} pages")
    return WordCounts(pages, words)


@dataclass(frozen=True, slots=True)
class IdfSettings:
    """Where the judges that weigh words by their idf have it from."""

    table: ClassVar = "judge"

    idf: str = setting(
        "seen",
        "where idf comes from: seen, the pages crawled so far, or a file that holds a reference collection",
        names_file=lambda value: value not in ("", "seen"),
    )

    def reference(self) -> DocumentFrequencies | None:
        """Read the reference collection; None where idf is learned from the pages seen so far."""
        return None if self.idf == "seen" else DocumentFrequencies.read(self.idf)


class IdfMemory(Judge):
    """A judge's memory when it weighs words by their idf: learned from every page seen, or given once and for all."""

    settings_type = IdfSettings
    shares_all = True

    def __init__(self, topic_words: Iterable[str], reference: DocumentFrequencies | None = None) -> None:
        self._is_learning = reference is None
        self._frequencies = DocumentFrequencies(topic_words) if reference is None else reference
        self._last: tuple[Page | None, Counter[str]] = (None, Counter())

    def see(self, page: Page) -> None:
        if self._is_learning:
            self._frequencies.add(self._counts(page))

    def share(self) -> WordCounts | None:
        return self._frequencies.share() if self._is_learning else None

    def take_shared(self, others: WordCounts) -> None:
        if self._is_learning:
            self._frequencies.take_shared(others)

    def save(self) -> bytes:
        return self._frequencies.save() if self._is_learning else b""

    def load(self, state: bytes) -> None:
        if self._is_learning:
            self._frequencies.load(state)
        elif state:
            raise JudgeError(
                f"{len(state):,} bytes of statistics were saved, and this judge has a reference collection instead: "
                "use the run's own settings"
            )

    def _counts(self, page: Page) -> Counter[str]:
        """Count how often each main word stands on the page. The last answer is kept: a page is seen, then measured."""
        if page is not self._last[0]:
            self._last = page, Counter(page.main_words)
        return self._last[1]


def idf_of(pages: Iterable[Page]) -> DocumentFrequencies:
    """The frequencies of words in the main texts of a collection; `write` keeps them for the setting `judge.idf`."""
    frequencies = DocumentFrequencies()
    for page in pages:
        frequencies.add(Counter(page.main_words))
    return frequencies


class TfidfJudge(IdfMemory):
    """Cosine of the tf-idf vectors of main text and topic; the topic's text is its name and keywords."""

    # Looked at once on 3,000 encyclopaedia articles and four topics: reached by up to three articles in a hundred.
    threshold = 0.04
    by_words = True

    @classmethod
    def build(cls, given: JudgeIngredients) -> TfidfJudge:
        return cls(given.topic, given.settings.of(IdfSettings).reference())

    def __init__(self, topic: Topic, reference: DocumentFrequencies | None = None) -> None:
        self._topic = Counter(word for phrase in topic.phrases for word in words_of(phrase))
        super().__init__(self._topic, reference)

    def relevance(self, page: Page) -> float:
        return min(1.0, float(self._shares(self._counts(page)).sum()))

    def evidence(self, page: Page) -> Evidence:
        """The topic's words that the page has, and what each adds to the cosine."""
        counts = self._counts(page)
        shares = self._shares(counts)
        found = [
            EvidenceRow(word, word, 1.0, share, counts[word])
            for word, share in zip(self._topic, shares.tolist(), strict=True)
            if share > 0
        ]
        rows = tuple(sorted(found, key=lambda row: -row.contribution))
        return Evidence("tfidf", min(1.0, float(shares.sum())), self.threshold, rows)

    def _shares(self, counts: Counter[str]) -> NDArray[np.float64]:
        """Return what each of the topic's words adds to the cosine of a text with these counts."""
        asked = _weights(self._topic.values(), self._frequencies.idf(self._topic))
        if self._topic.keys().isdisjoint(counts):
            return np.zeros(len(asked))
        text = _weights(counts.values(), self._frequencies.idf(counts))
        has = _weights([counts[word] for word in self._topic], self._frequencies.idf(self._topic))
        shares: NDArray[np.float64] = asked * has / math.sqrt((text * text).sum() * (asked * asked).sum())
        return shares


def _weights(counts: Iterable[int], idf: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of words that stand so often in a text; 0 where they do not."""
    often = np.fromiter(counts, dtype=np.float64, count=len(idf))
    weights: NDArray[np.float64] = np.where(often > 0, 1 + np.log(np.maximum(often, 1)), 0.0) * idf
    return weights
