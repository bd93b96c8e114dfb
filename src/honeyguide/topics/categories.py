"""Categories for a topic: subjects that it lies near to, those above them, and those beside them.

Han et al. (2018) had an expert choose categories for every topic, and leave choosing them without one open (section 6).
What the expert chose were wider subjects: Literature and Arts for poetry. So a subject hands its score on to the wider
ones, a little less at each step, and the topic itself is never its own category. Places that are left go to subjects
that lie near those found: Oceanography for coral reefs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from honeyguide.text import cosine
from honeyguide.topics.suggestion import Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.topics.focus import Focus
    from honeyguide.topics.gist import Gist
    from honeyguide.topics.matches import Match
    from honeyguide.topics.phrases import PhraseReader

HANDED_ON: Final = 0.85  # of a subject's score, to the next wider one
SIBLINGS: Final = 2  # subjects of one wider subject that may be suggested for their own sake
LEAST_SCORE: Final = 0.15
LEAST_SHARE: Final = 0.45  # of the best score
LEAST_BESIDE: Final = 0.25  # cosine with the focus
NO_KIN: Final = 0.7  # what the cosine is worth where no wider subject holds both

_NEAR: Final = "near the topic"


def from_subjects(gist: Gist, focus: Focus, matches: Sequence[Match], reader: PhraseReader) -> list[Suggestion]:
    """Shipped subjects for a topic, best first; none where nothing fits."""
    if not focus.fitting:
        return []
    near = _handed_on(matches)
    floor = max(LEAST_SCORE, LEAST_SHARE * max(suggestion.score for suggestion in near.values()))
    found = {name: suggestion for name, suggestion in near.items() if suggestion.score >= floor}
    lowest = min((suggestion.score for suggestion in found.values()), default=0.0)
    beside = [suggestion for suggestion in _beside(focus, matches, lowest) if suggestion.text not in found]
    holder_by_name = {match.subject.name: match.subject.wider[:1] for match in matches}
    chosen: list[Suggestion] = []
    siblings: Counter[tuple[str, ...]] = Counter()
    for suggestion in sorted((*found.values(), *beside), key=lambda each: (-each.score, each.text)):
        if is_no_wider(suggestion.text, gist, reader):
            continue
        if not suggestion.origin.startswith("wider"):
            siblings[holder_by_name[suggestion.text]] += 1
            if siblings[holder_by_name[suggestion.text]] > SIBLINGS:
                continue
        chosen.append(suggestion)
    return chosen


def is_no_wider(name: str, gist: Gist, reader: PhraseReader) -> bool:
    """Whether a category's name says what the topic's name says, or the same and more: Olympic Games for Olympics.

    A name of two things, such as Knitting and sewing, is wider than either.
    """
    return bool(gist.name_stems) and " and " not in name and reader.content_stems(name) >= gist.name_stems


def _handed_on(matches: Iterable[Match]) -> dict[str, Suggestion]:
    """The best score of every subject, its own or handed on from a narrower one."""
    best: dict[str, Suggestion] = {}
    for match in matches:
        score = match.score
        for steps, name in enumerate((match.subject.name, *match.subject.wider)):
            if name not in best or best[name].score < score:
                origin = _NEAR if steps == 0 else f"wider than {match.subject.name}"
                best[name] = Suggestion(name, score, origin)
            score *= HANDED_ON
    return best


def _beside(focus: Focus, matches: Iterable[Match], below: float) -> Iterator[Suggestion]:
    """Subjects that lie near the focus, with scores that put them behind those found for the topic itself."""
    nearest = focus.fitting[0].subject
    for match in matches:
        near = cosine(match.direction, focus.vector)
        if not set(match.subject.wider) & set(nearest.wider):
            near *= NO_KIN
        if near >= LEAST_BESIDE:
            yield Suggestion(match.subject.name, near * below, f"beside {nearest.name}")
