"""Where the gain comes from: one thing changed at a time, on the whole world.

Other orders in the place of the basic crawler tell how strong that is; a learner that does not learn tells how much of
the gain the features and the start weights bring; the rest are the parameters of the learner and of its reward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.pertejo2021.discount import with_discount
from honeyguide_lab.reproduce.pertejo2021.plan import ASYNCHRONOUS, BASIC, PROFILE, SYNCHRONOUS
from honeyguide_lab.reproduce.study import Section, Table, vectors_name
from honeyguide_lab.reproduce.trials import Method, Trials, gains, mean
from honeyguide_lab.statistics import paired_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.pertejo2021.plan import OnWorld
    from honeyguide_lab.reproduce.pertejo2021.whole_world import Duel
    from honeyguide_lab.reproduce.study import Cell
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

NO_LEARNING: Final = ASYNCHRONOUS.changed("no learning: weights stay as drawn", lfa__step_size=1e-12)

BASELINES: Final = (
    Method("random", "random", PROFILE),
    Method("breadth-first", "breadth-first", PROFILE, is_chancy=False),
    BASIC,
    Method("best-first, mean of three cosines", "best-first", PROFILE, is_chancy=False),
    Method("online-ridge", "online-ridge", PROFILE, is_chancy=False),
)
CHANGES: Final = (
    ASYNCHRONOUS,
    SYNCHRONOUS,
    NO_LEARNING,
    ASYNCHRONOUS.changed("weights begin at zero", lfa__starts_at="zero"),
    ASYNCHRONOUS.changed("step size 0.01", lfa__step_size=0.01),
    with_discount(0.0),
    with_discount(0.9),
    ASYNCHRONOUS.changed("no exploration", lfa__exploration=0.0, lfa__exploration_end=0.0),
    ASYNCHRONOUS.changed("reward the cosine", judge__reward="pertejo-cosine"),
    ASYNCHRONOUS.changed("reward 1 for the word", judge__reward="hit"),
    ASYNCHRONOUS.changed("Han's two indexes", lfa__features="han"),
    ASYNCHRONOUS.changed("features as they are", lfa__features="continuous"),
    ASYNCHRONOUS.changed("relevant pages end an episode", lfa__ends_at_relevant=True),
    ASYNCHRONOUS.changed("the best next link (Algorithm 1)", lfa__takes_best_next=True),
)
QUICK_CHANGES: Final = (ASYNCHRONOUS, NO_LEARNING)

_EXPLAINED: Final = (
    "One thing changed at a time, on the whole world, for half as many steps as in Table 4.3. *Over basic* is the mean "
    "gain over the topics and trials against the basic crawler, with a bootstrap interval of 95% over both; *labelled* "
    "is the same by the labels. The asynchronous crawler is the one of Table 4.3, of which the first steps are counted "
    "here."
)


_DOES_IT_LEARN: Final = (
    "**Does it learn?** The same crawler with weights that stay as they were drawn, on all topics: it has the same "
    "features and follows the same sum of them, and is taught nothing. What the learner finds beyond that is learned."
)


@dataclass(frozen=True, slots=True)
class Untaught:
    """The crawler that does not learn beside the two of Table 4.3, which went on for longer."""

    duel: Duel
    untaught: Trials


def untaught(world: OnWorld, fought: Sequence[Duel]) -> tuple[Untaught, ...]:
    """For all topics and vectors of Table 4.3, for half the steps."""
    return tuple(Untaught(duel, _tried(world, NO_LEARNING, duel.topic, duel.vectors)) for duel in fought)


@dataclass(frozen=True, slots=True)
class Ablation:
    """A crawler on each of some topics."""

    method: Method
    trials: tuple[Trials, ...]


def ablations(world: OnWorld) -> tuple[Ablation, ...]:
    topics = world.found.topics[: world.sizes.ablated_topics]
    changes = QUICK_CHANGES if world.study.is_quick else CHANGES
    return tuple(
        Ablation(method, tuple(_tried(world, method, topic, world.sources[0]) for topic in topics))
        for method in (*BASELINES, *changes)
    )


def _tried(world: OnWorld, method: Method, topic: StudiedTopic, source: str) -> Trials:
    if method in (ASYNCHRONOUS, BASIC):  # crawled already, for longer and more often
        return world.whole(method, topic, source, trials=world.sizes.trials)
    half = method.changed(f"half of {method.name}")
    trials = world.sizes.fewer_trials if method == NO_LEARNING else world.sizes.ablation_trials
    steps = _half(world.sizes.steps_for(topic.reachable))
    return world.planner.trials(half, topic, source, steps=steps, trials=trials)


def _half(steps: int) -> int:
    return max(1, steps // 2)


def ablations_section(world: OnWorld, tried: Sequence[Ablation], unlearned: Sequence[Untaught]) -> Section:
    basic = next(each for each in tried if each.method == BASIC)
    rows = tuple(_row(each, basic) for each in tried)
    steps = _half(basic.trials[0].steps)
    names = [trials.topic.topic.name for trials in basic.trials]
    table = Table(
        f"ablations-{world.slug}",
        f"One thing changed, {vectors_name(world.sources[0])}",
        ("crawler", *names, "over basic", "from", "to", "labelled", "labelled: from", "labelled: to"),
        rows,
        note=f"Pages with the word, self-graded, after {steps:,} steps. Trials on a topic: "
        f"{world.sizes.ablation_trials}, of the asynchronous crawler {world.sizes.trials}, without learning "
        f"{world.sizes.fewer_trials}.",
    )
    tables = (table, _untaught_table(world, unlearned))
    return Section(f"Why: ablations on {world.name}", (_EXPLAINED, _DOES_IT_LEARN), tables)


def _untaught_table(world: OnWorld, tried: Sequence[Untaught]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for source in dict.fromkeys(each.duel.vectors for each in tried):
        here = [each for each in tried if each.duel.vectors == source]
        crawlers = {
            "no learning": [each.untaught for each in here],
            "asynchronous": [each.duel.asynchronous for each in here],
            "basic": [each.duel.basic for each in here],
        }
        for first, second in (
            ("no learning", "basic"), ("asynchronous", "basic"), ("asynchronous", "no learning"),
        ):  # fmt: skip
            pairs = zip(crawlers[first], crawlers[second], crawlers["basic"], strict=True)
            compared = [(ours, theirs, _half(basic.steps)) for ours, theirs, basic in pairs]
            figures = [
                _interval([_over(ours, theirs, after, grade) for ours, theirs, after in compared])
                for grade in (Trials.found, Trials.labelled)
            ]
            rows.append((vectors_name(source), f"{first} over {second}", *figures[0], *figures[1]))
    return Table(
        f"untaught-{world.slug}",
        "Does it learn?",
        ("vectors", "gain of", "self-graded", "from", "to", "labelled", "labelled: from", "labelled: to"),
        tuple(rows),
        note=f"Means over {len({each.duel.topic.slug for each in tried})} topics and their trials, after half the "
        "steps of Table 4.3; 95% intervals.",
    )


def _over(
    ours: Trials, theirs: Trials, after: int, grade: Callable[[Trials, int], NDArray[np.int64] | None]
) -> list[float]:
    """How much more each trial found than the other crawler's mean; none where there is nothing to compare with."""
    found, needed = grade(ours, after), grade(theirs, after)
    if found is None or needed is None or not needed.any():
        return []
    return [float(each / needed.mean() - 1) for each in found]


def _row(tried: Ablation, basic: Ablation) -> tuple[Cell, ...]:
    found: list[Cell] = []
    by_word: list[list[float]] = []
    by_label: list[list[float]] = []
    for ours, theirs in zip(tried.trials, basic.trials, strict=True):
        after = _half(theirs.steps)
        found.append(mean(ours.found(after)))
        by_word.append(gains(ours.found(after), theirs.found(after)))
        labelled, needed = ours.labelled(after), theirs.labelled(after)
        if labelled is not None and needed is not None:
            by_label.append(gains(labelled, needed))
    return (tried.method.name, *found, *_interval(by_word), *_interval(by_label))


def _interval(gains_by_topic: Sequence[Sequence[float]]) -> tuple[Cell, Cell, Cell]:
    known = [each for each in gains_by_topic if each]
    if not known:
        return None, None, None
    result = paired_difference(known)
    return result.mean, result.low, result.high
