"""The seam: how relevant is this page to the topic?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from honeyguide.errors import JudgeError, VectorsError
from honeyguide.settings import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.model import Evidence, Page, Topic, WordCounts
    from honeyguide.settings import MethodSettings, Settings
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class JudgeIngredients:
    """The parts that a judge is made of; vectors are loaded when it asks for them."""

    settings: Settings
    topic: Topic
    vectors: Callable[[], WordVectors]
    background: Callable[[], Sequence[str]] = tuple  # texts on all kinds of subjects

    def vectors_knowing(self, topic: Topic) -> WordVectors:
        """Return the vectors; VectorsError if no word of the topic is among them."""
        vectors = self.vectors()
        check_topic(vectors, topic, self.settings.chosen_vectors.source)
        return vectors


def check_topic(vectors: WordVectors, topic: Topic, source: str) -> None:
    """VectorsError if what the topic is told by has no vector at all: every page would be equally far from it.

    A topic that is empty is let through, because then nothing is expected to be relevant.
    """
    wanted = replace(topic, unlike=())  # what is not wanted says nothing of what is
    if wanted.is_empty or vectors.topic_vector(wanted).any():
        return
    named = ", ".join(topic.phrases) or topic.like[0]
    raise VectorsError(
        f"no word of the topic {shown(named)} is among the vectors of {source}: name it otherwise, or use other vectors"
    )


class Judge(Protocol):
    """Pure in the page, its topic and the pages seen so far; it never sees the labels that grade a crawl.

    A judge reads the main words of a page and nothing else of it. One that is saved, loaded and shown the later pages
    again is in the same state to the last bit.
    """

    settings_type: ClassVar[type[MethodSettings] | None] = None  # the dataclass of its own settings
    needs_topic: ClassVar[bool] = True  # without a topic, nothing is relevant
    by_words: ClassVar[bool] = False  # it goes by the topic's name and keywords; examples alone are not enough
    is_probability: ClassVar[bool] = False  # relevance is the probability that a person calls the page relevant
    is_yes_or_no: ClassVar[bool] = False  # relevance is 1 or 0 and nothing between, as labels are
    by_page_alone: ClassVar[bool] = False  # it is quickly made and keeps no statistics: any process may judge a page

    shares_all: ClassVar[bool] = False  # all statistics that it keeps add up with those of other shards of a run

    threshold: float  # relevance that makes a page relevant, unless the settings say otherwise

    @classmethod
    def build(cls, given: JudgeIngredients) -> Judge:
        """Make one by the settings. SettingsError where it lacks what it needs: a file, examples, a library."""
        raise JudgeError(f"{cls.__name__} cannot be made from settings ({given.settings.judge.kind})")

    def relevance(self, page: Page) -> float:
        """Return how relevant the page is, from 0 to 1; 0 for a page without words. Changes nothing."""
        ...

    def see(self, page: Page) -> None:
        """Take the page into the statistics of pages seen so far, where the judge keeps any."""
        ...

    def share(self) -> WordCounts | None:
        """Count the pages that this judge itself has seen, for those of other shards; None where it counts none."""
        return None

    def take_shared(self, others: WordCounts) -> None:  # noqa: ARG002
        """From now on know what all others together have seen, in place of what was told of them before."""
        return

    def evidence(self, page: Page) -> Evidence:
        """Return what made the relevance. Changes nothing; may take much longer than judging."""
        ...

    def save(self) -> bytes:
        """The statistics alone, to be loaded by a judge made with the same settings; b"" where there are none."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to saved statistics; JudgeError if they are none."""
        ...


@runtime_checkable
class LearningJudge(Judge, Protocol):
    """A judge that answers about pages teach. `relevance(page)` is that of the page's description.

    Descriptions are kept with the pages, so that all pages can be judged again when it has been taught. It keeps no
    statistics of the pages seen besides what it is taught: `see` does nothing, and it is saved with every lesson.
    """

    description_width: int

    @property
    def is_taught(self) -> bool:
        """Whether answers have taught it; until then its relevances are the first ones."""
        ...

    def describe(self, page: Page) -> NDArray[np.float16]:
        """All that it will ever need of the page: `description_width` numbers. Pure, and no answer changes them."""
        ...

    def relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        """Return the relevance of each page described, a row each; the same in any batch."""
        ...

    def first_relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        """Return the relevances as they would be without any answer."""
        ...

    def teach(self, descriptions: NDArray[np.float16], answers: Sequence[tuple[int, bool]]) -> None:
        """Learn anew from all pages so far and the answers about some: a row's place, and whether it is relevant.

        Forgets what it was taught before; without answers it is as it began.
        """
        ...


class StatelessJudge(Judge):
    """A judge whose opinion does not depend on the pages seen so far."""

    shares_all = True

    def see(self, page: Page) -> None:
        """There is nothing to remember."""

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        if state:
            raise JudgeError(
                f"{len(state):,} bytes of statistics were saved, and this judge keeps none: use the run's own settings"
            )
