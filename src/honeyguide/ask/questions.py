"""Questions about pages of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.model import Url
    from honeyguide.runs import Snippet


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """Does this page belong to the topic?"""

    url: Url
    title: str
    snippet: Snippet | None  # the part with most words of the topic; None where no body is stored
    text: str  # the main text, as far as it is known
    relevance: float  # by the newest judgement
    step: int  # that brought the page
