"""How near pages and links are to the topic and to its categories, as cosines: Han et al. (2018), section 3.1.

A page is the vector of its main text. A link is the vector of the words of its address, its anchor and its surroundings
written as one text, as Pertejo (2021) does; Han lists the three and does not say how they meet. (`LinkFeatures` takes
the mean of three cosines instead, in which a text without known words counts as 0.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.features import HEAD
from honeyguide.learn.link_words import link_sums
from honeyguide.text import cosines, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Page, Topic
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True, eq=False)
class Relevances:
    """Cosines from -1 to 1, one entry a page or link."""

    topic: NDArray[np.float64]  # (n,)
    categories: NDArray[np.float64]  # (n, c), in the order in which the categories were given

    def __len__(self) -> int:
        return len(self.topic)


class TopicAndCategories:
    """Measures nearness. The same page or link has the same cosines in any batch.

    A category is named by a word or a few ("oncology", "earth science"); one without a known word is 0 for all.
    """

    def __init__(self, topic: Topic, categories: Sequence[str], vectors: WordVectors, head: int = HEAD) -> None:
        self.categories = len(categories)
        self._vectors = vectors
        self._head = min(head, vectors.dimension)
        self._topic = vectors.topic_vector(topic)
        self._category_vectors = [vectors.vector(words_of(category)) for category in categories]

    def of_links(self, candidates: Candidates) -> Relevances:
        """Predictions for the pages that links lead to, from the first `head` numbers of each word vector."""
        return self._measured(link_sums(candidates, self._vectors, self._head))

    def of_page(self, page: Page) -> Relevances:
        """One entry, from the main text and whole vectors."""
        text = self._vectors.look_up(page.words).within(page.main_spans).text_vector()
        return self._measured(text[None, :])

    def _measured(self, texts: NDArray[np.float64]) -> Relevances:
        size = texts.shape[1]
        categories = np.empty((len(texts), len(self._category_vectors)))
        for column, category in enumerate(self._category_vectors):
            categories[:, column] = cosines(texts, category[:size])
        return Relevances(cosines(texts, self._topic[:size]), categories)
