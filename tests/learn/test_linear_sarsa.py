"""Linear SARSA: the update on numbers worked out by hand, the rules around it, and what it keeps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import StrategyError
from honeyguide.learn import FeatureStyle, Ingredients, LfaSettings, LinearSarsa, Mode, Scale, TopicAndCategories
from honeyguide.learn.han_features import columns
from honeyguide.learn.linear_sarsa import row_width, updated
from honeyguide.model import (
    Candidates,
    Decision,
    LinkContext,
    Origin,
    ParentRules,
    ParentStats,
    Rows,
    Topic,
    Transition,
)
from honeyguide.settings import settings_from
from pages import HERE, candidates_of, link_at, page_of, sighting_of
from vectors_by_hand import compass_vectors

HAN = LfaSettings()
PERTEJO = LfaSettings(discount=0.3, ends_at_relevant=False, learns_without_links=False, draws="link")
WEIGHTS, ROW = np.array([0.5, -0.25]), np.array([2.0, 4.0])  # worth 2 x 0.5 - 4 x 0.25 = 0


@pytest.mark.parametrize(
    ("settings", "mode", "reward", "next_value", "after"),
    [
        # Relevant page: α (30 - 0) = 0.03 times the row.
        (HAN, Mode.SYNCHRONOUS, 30, None, [0.56, -0.13]),
        (PERTEJO, Mode.ASYNCHRONOUS, 30, None, [0.56, -0.13]),
        (HAN, Mode.MODERATED, 30, None, [0.56, -0.13]),
        # Otherwise: δ = -1 + 0.9 x 10 - 0 = 8, so 0.008 times the row.
        (HAN, Mode.SYNCHRONOUS, -1, 10, [0.516, -0.218]),
        (replace(HAN, step_size=0.0005), Mode.SYNCHRONOUS, -1, 10, [0.508, -0.234]),
        # Pertejo: δ = -1 + 0.3 x 10 - 0 = 2.
        (PERTEJO, Mode.ASYNCHRONOUS, -1, 10, [0.504, -0.242]),
        # Equation 4: -1 + 0.9 x (10 - 8) - 0 = 0.8.
        (HAN, Mode.MODERATED, -1, 10, [0.5016, -0.2468]),
        (HAN, Mode.SYNCHRONOUS, 0, 0, [0.5, -0.25]),
    ],
)
def test_an_update_by_hand(
    settings: LfaSettings, mode: Mode, reward: float, next_value: float | None, after: list[float]
) -> None:
    assert updated(WEIGHTS, ROW, reward, next_value, settings, mode) == pytest.approx(np.array(after), rel=1e-12)
    assert WEIGHTS.tolist() == [0.5, -0.25], "the weights given are left as they were"


def test_an_update_from_a_value_that_is_not_zero() -> None:
    """The value is 1 + 3 = 4; δ = -1 + 0.9 x 2 - 4 = -3.2; moderated: -1 + 0.9 x (2 + 3.2) - 4 = -0.32."""
    weights, row = np.array([1.0, 1.0]), np.array([1.0, 3.0])
    assert updated(weights, row, -1, 2, HAN, Mode.SYNCHRONOUS) == pytest.approx(np.array([0.9968, 0.9904]))
    assert updated(weights, row, -1, 2, HAN, Mode.MODERATED) == pytest.approx(np.array([0.99968, 0.99904]))


numbers = st.floats(-50, 50)


@given(
    weights=st.lists(numbers, min_size=3, max_size=3),
    row=st.lists(st.integers(0, 9), min_size=3, max_size=3),
    reward=numbers,
    next_value=st.none() | numbers,
    discount=st.floats(0, 1),
)
def test_moderated_is_a_smaller_step_wherever_a_value_follows_and_only_there(
    weights: list[float], row: list[int], reward: float, next_value: float | None, discount: float
) -> None:
    """Han 3.3: the same effect as reducing the step size by 1 - γ."""
    told = np.array(weights), np.array(row, dtype=float), reward, next_value
    settings = LfaSettings(discount=discount)
    smaller = replace(settings, step_size=settings.step_size * (1 if next_value is None else 1 - discount))
    moderated = updated(*told, settings, Mode.MODERATED)
    assert moderated == pytest.approx(updated(*told, smaller, Mode.ASYNCHRONOUS), abs=1e-9)


def learner(
    rules: LfaSettings = HAN,
    start: float = 0.0,
    scale: Scale = Scale.CONTINUOUS,
    categories: tuple[str, ...] = ("east",),
    seed: int = 1,
    mode: Mode = Mode.SYNCHRONOUS,
) -> LinearSarsa:
    style = FeatureStyle(scale)
    nearness = TopicAndCategories(Topic("north"), categories, compass_vectors())
    weights = np.full(row_width(style, len(categories)), start)
    return LinearSarsa(nearness, style, rules, weights, np.random.default_rng(seed), mode)


def rows_of(strategy: LinearSarsa, *first_numbers: float) -> Rows:
    """Rows that are zero but for the first number."""
    rows = np.zeros((len(first_numbers), strategy.row_width), dtype=np.float16)
    rows[:, 0] = first_numbers
    return rows


def told(row: float, reward: float, *following: float, is_relevant: bool = False) -> Transition:
    """A transition over rows of one number that counts; the weight of that number is 1 before it."""
    rows = rows_of(learner(), row, *following)
    return Transition(1, HERE, rows[0], reward, 0.5, is_relevant, rows[1:])


@pytest.mark.parametrize(
    ("rules", "transition", "after"),
    [
        # A relevant page ends the episode for Han: 1 + 0.001 x (30 - 2) x 2; for Pertejo it does not: + 0.3 x 4.
        (HAN, told(2, 30, 3, 4, is_relevant=True), 1.056),
        (PERTEJO, told(2, 30, 3, 4, is_relevant=True), 1.0584),
        # Any other is followed by the best of its links: 1 + 0.001 x (-1 + 0.9 x 4 - 2) x 2.
        (HAN, told(2, -1, 3, 4), 1.0012),
        # Without links, a page is worth its reward: 1 + 0.001 x (-1 - 2) x 2; Pertejo learns nothing from it.
        (HAN, told(2, -1), 0.994),
        (PERTEJO, told(2, -1), 1.0),
        (PERTEJO, told(2, 30, is_relevant=True), 1.0),
        (replace(PERTEJO, ends_at_relevant=True), told(2, 30, is_relevant=True), 1.056),
    ],
)
def test_what_a_page_teaches(rules: LfaSettings, transition: Transition, after: float) -> None:
    strategy = learner(replace(rules, exploration=0.0), start=1.0)
    strategy.learn(transition)
    assert strategy.learned[0] == pytest.approx(after, rel=1e-12)
    assert strategy.learned[1:].tolist() == [1.0] * (strategy.row_width - 1)


def after_following(rules: LfaSettings, seed: int) -> float:
    strategy = learner(rules, start=1.0, seed=seed)
    strategy.learn(told(1, 0, 1, 2, 3, 4))
    return float(strategy.learned[0])


def test_the_next_link_is_drawn_at_random_as_often_as_told_and_then_evenly() -> None:
    by_value = {round(1 + 0.001 * (0.9 * value - 1), 9): value for value in (1, 2, 3, 4)}
    drawn = Counter(by_value[round(after_following(replace(HAN, exploration=0.8), seed), 9)] for seed in range(900))
    assert [drawn[value] / 900 for value in (1, 2, 3, 4)] == pytest.approx([0.2, 0.2, 0.2, 0.4], abs=0.06)


def test_where_the_best_next_link_is_the_target_chance_has_no_part() -> None:
    rules = replace(HAN, exploration=1.0, takes_best_next=True)
    assert [after_following(rules, seed) for seed in range(9)] == pytest.approx([1 + 0.001 * (0.9 * 4 - 1)] * 9)


@pytest.mark.parametrize(
    ("mode", "is_all_scored_again"),
    [(Mode.SYNCHRONOUS, True), (Mode.ASYNCHRONOUS, False), (Mode.MODERATED, False)],
)
def test_only_the_synchronous_mode_has_everything_scored_again(mode: Mode, is_all_scored_again: bool) -> None:
    strategy = learner(mode=mode)
    assert strategy.learn(told(2, 30)) is is_all_scored_again
    assert strategy.learn(told(0, 30)) is False, "a row of zeros changes nothing"


def test_a_seed_is_worth_nothing_and_teaches_nothing() -> None:
    strategy = learner(start=1.0)
    rows = strategy.describe(candidates_of(sighting_of("http://seed.test/", "north")))
    assert not rows.any()
    strategy.learn(Transition(1, HERE, rows[0], 30.0, 1.0, True, rows[:0]))
    assert (strategy.learned == 1.0).all()
    assert strategy.score(rows).tolist() == [0.0]


def context_of(strategy: LinearSarsa, text: str, links: int, parents: ParentStats | None = None) -> LinkContext:
    nobody = ParentStats(np.zeros(1, int), np.zeros(1), np.zeros(1), np.zeros(1), np.full(1, 9))
    state = strategy.describe_page(page_of(text), is_relevant=False, parents=nobody)
    of_links = ParentStats(
        np.ones(links, int), np.full(links, 0.5), np.zeros(links), np.full(links, 0.5), np.full(links, 9)
    )
    return LinkContext(state, parents or of_links, np.arange(links))


def test_a_row_is_the_page_and_then_the_link() -> None:
    """Page: upper, 0.8 of the topic north and 0.6 of the category east. Links: east and nothing at all."""
    strategy = learner()
    page = page_of("upper upper east upper")
    candidates = Candidates.on_page(
        page,
        [link_at("http://x.test/", 2, 3)],
        Origin(HERE.host, 0.5, 0, 0),
        context=context_of(strategy, "upper", 1),
    )
    row = strategy.describe(candidates)[0].astype(float)
    named = dict(zip(columns(FeatureStyle(Scale.CONTINUOUS), ["east"]), row.tolist(), strict=True))
    assert named["page: topic"] == pytest.approx(0.8, abs=1e-3)
    assert named["page: category east"] == pytest.approx(0.6, abs=1e-3)
    assert (named["page: change"], named["page: distance"]) == (0.0, 9.0)
    # east upper upper upper: (1 + 3 x 0.75, 3) normalised
    assert named["link: topic"] == pytest.approx(3 / np.hypot(3.25, 3), abs=1e-3)
    assert named["link: category east"] == pytest.approx(3.25 / np.hypot(3.25, 3), abs=1e-3)
    assert (named["link: parents"], named["link: relevant parents"]) == (0.5, 0.0)


@pytest.mark.parametrize("scale", Scale)
@given(data=st.data(), count=st.integers(1, 6))
def test_a_row_and_its_value_do_not_depend_on_the_batch(scale: Scale, data: st.DataObject, count: int) -> None:
    strategy = learner(scale=scale, start=0.1)
    page = page_of("upper north unknown east south west upper east")
    cosines = st.lists(st.floats(-1, 1), min_size=count, max_size=count).map(np.array)
    starts = data.draw(st.lists(st.integers(0, 7), min_size=count, max_size=count))
    relevance, relevant, smoothed = data.draw(cosines), data.draw(cosines), data.draw(cosines)
    parents = ParentStats(np.ones(count, int), relevance, relevant, smoothed, np.full(count, 3))
    context = context_of(strategy, "upper", count, parents)

    def described(places: list[int]) -> Rows:
        some = ParentStats(
            parents.count[places], relevance[places], relevant[places], smoothed[places], parents.distance[places]
        )
        links = [link_at(f"http://x.test/{place}", starts[place], starts[place] + 1) for place in places]
        origin = Origin(HERE.host, 0.5, 0, 0)
        return strategy.describe(Candidates.on_page(page, links, origin, context=replace(context, parents=some)))

    rows = described(list(range(count)))
    order = data.draw(st.permutations(range(count)))
    assert np.array_equal(described(order), rows[order])
    assert np.array_equal(np.concatenate([described([place]) for place in range(count)]), rows)
    assert np.array_equal(np.concatenate([strategy.score(row[None]) for row in rows]), strategy.score(rows))


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("categories", [(), ("east", "west"), ("unknown",)])
def test_pages_without_a_known_word_are_described_in_finite_numbers(scale: Scale, categories: tuple[str, ...]) -> None:
    strategy = learner(scale=scale, categories=categories)
    for text in ("", "nothing known here", "north"):
        page = page_of(text)
        links = [link_at("http://x.test/", 0, min(1, len(page.words)))]
        context = context_of(strategy, text, 1)
        origin = Origin(HERE.host, 0.0, 0, 0)
        rows = strategy.describe(Candidates.on_page(page, links, origin, context=context))
        assert rows.shape == (1, strategy.row_width)
        strategy.learn(Transition(1, HERE, rows[0], 30.0, 1.0, False, rows))
        assert np.isfinite(strategy.score(rows)).all()
    empty = Candidates.on_page(page_of(""), [], Origin(HERE.host, 0.0, 0, 0), context=context_of(strategy, "", 0))
    assert strategy.describe(empty).shape == (0, strategy.row_width)


def test_weights_that_grow_without_bound_are_told_and_not_kept() -> None:
    strategy = learner(replace(HAN, step_size=1.0), start=2e19)
    with pytest.raises(StrategyError, match=r"diverged at step 1: .*lower lfa\.step_size, now 1"):
        strategy.learn(told(9, 30))
    assert (strategy.learned == 2e19).all()


def test_saved_in_the_middle_a_learner_goes_on_as_if_nothing_had_happened() -> None:
    """The random next actions and the schedule too."""
    rules = replace(HAN, exploration=1.0, exploration_end=0.0, exploration_steps=20)
    one, other = learner(rules, start=0.3), learner(rules, seed=99)
    choice = Decision(HERE, rows_of(one, 0.0)[0], is_skipped=False)
    lessons = [told(float(place % 3 + 1), -1, 1, 5, 9) for place in range(20)]
    for lesson in lessons[:10]:
        one.notice(choice)
        one.learn(lesson)
    other.load(one.save())
    for lesson in lessons[10:]:
        for strategy in (one, other):
            strategy.notice(choice)
            strategy.learn(lesson)
    assert one.save() == other.save()


@pytest.mark.parametrize("state", [b"", b"nonsense", learner(categories=()).save()])
def test_what_is_no_saved_state_is_refused_and_changes_nothing(state: bytes) -> None:
    strategy = learner(start=0.25)
    before = strategy.save()
    with pytest.raises(StrategyError, match="saved state of linear SARSA"):
        strategy.load(state)
    assert strategy.save() == before


def test_weights_to_start_with_must_fit_the_rows() -> None:
    nearness = TopicAndCategories(Topic("north"), (), compass_vectors())
    with pytest.raises(StrategyError, match="3 weights to start with, where rows have 8 numbers"):
        LinearSarsa(nearness, FeatureStyle(Scale.PERTEJO), HAN, np.zeros(3), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("start", "end", "steps", "shares"),
    [
        (0.1, 0.1, 0, {0: 0.1, 5000: 0.1}),
        (0.3, 0.1, 100, {0: 0.3, 25: 0.25, 50: 0.2, 100: 0.1, 101: 0.1, 10**6: 0.1}),
        (0.1, 0.3, 10, {0: 0.1, 5: 0.2, 10: 0.3, 11: 0.3}),
        (0.3, 0.1, 0, {0: 0.3, 10**6: 0.3}),
    ],
)
def test_exploration_is_constant_or_changes_in_a_straight_line(
    start: float, end: float, steps: int, shares: dict[int, float]
) -> None:
    settings = LfaSettings(exploration=start, exploration_end=end, exploration_steps=steps)
    assert {choices: settings.exploration_after(choices) for choices in shares} == pytest.approx(shares)


def test_exploration_follows_the_choices_made() -> None:
    strategy, chance = (
        learner(replace(HAN, exploration=1.0, exploration_end=0.0, exploration_steps=10)),
        np.random.default_rng(2),
    )
    assert all(strategy.explores(chance) for _ in range(50))
    for _ in range(10):
        strategy.notice(Decision(HERE, rows_of(strategy, 0.0)[0], is_skipped=False))
    assert not any(strategy.explores(chance) for _ in range(50))


def built(strategy: str, **lfa: object) -> LinearSarsa:
    settings = settings_from({"crawl": {"strategy": strategy, "seed": lfa.pop("seed", 0)}, "lfa": lfa})
    return LinearSarsa.build(Ingredients(settings, Topic("north"), compass_vectors))


def test_a_strategys_name_is_its_mode_and_the_settings_are_the_learners() -> None:
    names = ("lfa-sync", "lfa-async", "lfa-moderated")
    assert [built(name).mode for name in names] == [Mode.SYNCHRONOUS, Mode.ASYNCHRONOUS, Mode.MODERATED]
    assert built("lfa-sync", step_size=0.25, draws="link").settings == replace(HAN, step_size=0.25, draws="link")
    assert (built("lfa-sync").draws_rows, built("lfa-sync", draws="link").draws_rows) == (True, False)


def test_smoothing_changes_and_the_farthest_distance_are_as_set() -> None:
    """Han 4: β, δ1 and δ2 and the cap of the distance."""
    told = {"smoothing": 1.0, "small_change": 0.0, "large_change": 0.05, "farthest": 3}
    page = page_of("north north east")
    parents = ParentStats(
        np.array([1]), np.zeros(1), np.zeros(1), smoothed=np.array([0.5]), distance=np.array([3], dtype=np.int64)
    )

    def end_of_state(**settings: object) -> list[float]:
        strategy = built("lfa-sync", **settings)
        return strategy.describe_page(page, is_relevant=False, parents=parents)[-2:].tolist()

    assert built("lfa-sync", **told).parent_rules == ParentRules(smoothing=1.0, farthest=3)
    assert end_of_state(**told) == [2, 3], "a large increase, as far away as can be"
    assert end_of_state(**told | {"large_change": 0.9}) == [1, 3]
    assert end_of_state(small_change=0.9, large_change=0.9) == [0, 4]


def test_features_and_the_start_are_as_set() -> None:
    assert built("lfa-sync", features="han").row_width != built("lfa-sync", features="pertejo").row_width
    zero, drawn, other = (
        built("lfa-sync", starts_at=start, seed=seed).learned
        for start, seed in (("zero", 1), ("uniform", 1), ("uniform", 2))
    )
    assert not zero.any()
    assert ((drawn > 0) & (drawn < 1)).all()
    assert not np.array_equal(drawn, other)
