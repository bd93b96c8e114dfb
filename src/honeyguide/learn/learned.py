"""The numbers that a learner hands on to another crawl, by the names of their columns.

They are read from a run, or from a file that `honeyguide learner` wrote. A crawl of another topic may have other
columns. Those of the same name are carried over. What is left of a group, such as the categories of a topic, shares
what is left of that group there; columns that nobody else has begin as in any crawl.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.model.saved_state import load_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_ABOUT: Final = ("strategy", "kind", "columns", "step")
_NUMBERS: Final = "numbers/"
STARTS: Final = Path(__file__).parent / "starts"
"""What learners have in common in many crawls, made by `benchmarks/make_start_weights.py`; by table of settings."""
MOST_BYTES: Final = 30_000_000
"""Of a file; the largest network that can be asked for has about as many."""

WHAT_TO_GIVE: Final = "a run folder, a file of honeyguide learner -o, or shipped"


MEANINGS: Final = "meaning "
"""Begins the names of columns that say something only together."""
COLUMN_WORDS: Final = {
    "always one": "any link at all",
    "cosine of the anchor": "its anchor is near the topic",
    "cosine of the words around": "the words around it are near the topic",
    "cosine of the address": "its address is near the topic",
    "relevance of the page": "it stands on a relevant page",
    "relevance of the page times cosine of the anchor": "its anchor is near the topic, on a relevant page",
    "nearness of a relevant page": "a relevant page is few clicks behind",
    "same host": "it stays on its host",
    "in the main text": "it stands in the main text",
    "has an anchor": "it has an anchor",
    "nearness of a seed": "a seed is few clicks behind",
    "is a seed": "it is a seed",
    "words of the topic": "its anchor or address has words of the topic",
    "rank of the page": "it stands on a page that many link to",
    "greatest relevance of a page that shows it": "the best page that shows it is relevant",
    "relevance of the pages that show it": "the pages that show it are relevant",
    "number of pages that show it": "several pages show it",
}


OTHER_MEANING: Final = "what its words mean otherwise"
PART_OF_SITE: Final = "what its folder and file name earned beyond predictions"
_HAN_WORDS: Final = {
    "topic": "nearness to the topic",
    "parents": "relevance of the pages that show it",
    "relevant parents": "relevance of the relevant pages that show it",
    "class of change": "change of relevance on the way there, as a class",
    "change": "change of relevance on the way there",
    "distance": "clicks from a relevant page",
    "nearness": "nearness of a relevant page",
}
_HAN_SCALES: Final = {
    "five": "in fifths",
    "six": "in fifths, a tenth apart",
    "tenths": "in tenths",
    "halves": "in halves",
}
_HAN_COLUMN: Final = re.compile(r"(page|link): (.*?)(?: in (five|six|tenths|halves))?$")


def in_words(column: str) -> str:
    """Say what a column of a link's row tells, for people."""
    found = _HAN_COLUMN.fullmatch(column)
    if found is None:
        return COLUMN_WORDS.get(column, column)
    of_page, name, scale = found[1] == "page", found[2], found[3]
    words = _HAN_WORDS.get(name, f"nearness to {name}")
    return f"{'the page it stands on' if of_page else 'the link'}: {words}{f', {_HAN_SCALES[scale]}' if scale else ''}"


@dataclass(frozen=True, slots=True, eq=False)
class LearnedWeights:
    """What a run has learned."""

    strategy: str
    kind: str  # a learner can begin with what one of the same kind has learned
    columns: tuple[str, ...]  # what each number of a row says, for people
    numbers: Mapping[str, NDArray[Any]]  # by name; `weights` where a score adds up one for each column
    step: int  # after which they were saved: the run's last if it was stopped, an earlier one if it was killed
    source: str = ""  # the run or file that it was read from

    @property
    def weights(self) -> NDArray[np.float64]:
        """One for each column. StrategyError where the score is no such sum."""
        if "weights" not in self.numbers:
            raise StrategyError(f"{self.strategy} has no weight for each column")
        return self.numbers["weights"]

    def save(self) -> bytes:
        """Write it as a file; `load` reads that."""
        buffer = io.BytesIO()
        about = {name: np.array(getattr(self, name)) for name in _ABOUT}
        numbers = {f"{_NUMBERS}{name}": array for name, array in self.numbers.items()}
        np.savez_compressed(buffer, **about, **numbers)  # type: ignore[arg-type]
        return buffer.getvalue()

    @classmethod
    def load(cls, path: Path) -> LearnedWeights:
        """Read a file. StrategyError where it is none."""
        try:
            if path.exists() and not path.is_file():
                raise ValueError("it is a pipe or a device")  # noqa: TRY301 - told as any other reason
            saved = load_arrays(path.read_bytes(), MOST_BYTES)
            strategy, kind = (str(saved[name].item()) for name in ("strategy", "kind"))
            columns = tuple(str(name) for name in saved["columns"].tolist())
            numbers = {name.removeprefix(_NUMBERS): saved[name] for name in saved if name.startswith(_NUMBERS)}
            step = int(saved["step"].item())
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise StrategyError(
                f"{path} is neither a run nor a file that honeyguide learner -o wrote ({reason}); give {WHAT_TO_GIVE}"
            ) from None
        if not all(array.dtype.kind == "f" and np.isfinite(array).all() for array in numbers.values()):
            raise StrategyError(f"{path} holds what is no finite number; write it again with honeyguide learner -o")
        if len(set(columns)) < len(columns):
            raise StrategyError(f"{path} names a column twice; write it again with honeyguide learner -o")
        return cls(strategy, kind, columns, numbers, step, str(path))

    def refuse_unless(self, kind: str, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """StrategyError where a learner of this kind, with numbers of these shapes, cannot begin with it."""
        if self.kind != kind:
            raise StrategyError(f"{self.source} was learned by {self.kind}, and this crawl needs one of {kind}")
        found = {name: array.shape for name, array in self.numbers.items()}
        if found != dict(shapes):
            raise StrategyError(
                f"{self.source} has other numbers than its columns need; write it again with honeyguide learner -o"
            )


def no_group(column: str) -> str:
    """Every column stands for itself."""
    return column


def carrying(
    theirs: Sequence[str], mine: Sequence[str], group_of: Callable[[str], str] = no_group
) -> NDArray[np.float64]:
    """Return the matrix that makes numbers by my columns of numbers by theirs; a row of zeros takes nothing over.

    A column of the same name is taken over. Of a group, the columns that have no such share evenly the sum of those
    there that have none: a sum over the group keeps its size.
    """
    matrix = np.array([[float(one == other) for other in theirs] for one in mine]).reshape(len(mine), len(theirs))
    new = sorted(np.flatnonzero(~matrix.any(axis=1)).tolist(), key=lambda place: group_of(mine[place]))
    left: list[int] = np.flatnonzero(~matrix.any(axis=0)).tolist()
    for group, places in groupby(new, key=lambda place: group_of(mine[place])):
        sharing = list(places)
        shared = [place for place in left if group_of(theirs[place]) == group]
        matrix[np.ix_(sharing, shared)] = 1.0 / len(sharing)
    return matrix
