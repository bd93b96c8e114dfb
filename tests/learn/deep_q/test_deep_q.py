"""Deep Q-learning as a strategy: what it learns, that it repeats, and what it keeps."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import SettingsError, StrategyError
from honeyguide.learn.deep_q import DeepQ, DqnSettings, pytorch
from honeyguide.learn.deep_q.networks import digits_of
from honeyguide.model import Decision
from honeyguide.settings import Settings, validate, with_overrides
from learn.deep_q.deep_worlds import (
    BEST,
    GAMMA,
    ROW_WIDTH,
    STATE_WIDTH,
    VALUES,
    every_row,
    learner,
    policy_of,
    random_walks,
    return_of,
    row_of,
    transition_of,
)
from pages import HERE

if TYPE_CHECKING:
    from types import ModuleType

RULES = DqnSettings(layers=(16,), discount=GAMMA, learning_rate=0.01, target_share=0.1, warm_up=20, refresh_every=1)
DUELINGS = ("none", "mean", "max")
# The plainest, and the one with the most to it; all pairs are thorough.
SAMPLE = [("ordinary", "none"), ("clipped-double", "max")]
VARIANTS = [
    pytest.param(
        replace(RULES, target=target, dueling=dueling),
        id=f"{target}-{dueling}",
        marks=[] if (target, dueling) in SAMPLE else [pytest.mark.thorough],
    )
    for target in ("ordinary", "double", "clipped-double")
    for dueling in DUELINGS
]


@pytest.fixture(autouse=True)
def torch() -> ModuleType:
    module: ModuleType = pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    return module


def taught(rules: DqnSettings, steps: int, seed: int = 1) -> DeepQ:
    strategy = learner(rules, seed)
    for transition in random_walks(steps):
        strategy.learn(transition)
    return strategy


def saved_and_loaded(strategy: DeepQ, rules: DqnSettings) -> DeepQ:
    other = learner(rules, seed=99)
    other.load(strategy.save())
    return other


class TestLearning:
    @pytest.mark.parametrize("rules", VARIANTS)
    def test_it_finds_the_best_policy_and_its_values(self, rules: DqnSettings) -> None:
        strategy = taught(rules, 400)
        assert policy_of(strategy) == BEST
        by_chance = np.mean([0.5, 0.9 * 1.0, 0.5, 0.9 * -1.0])  # each of two links, then each of two
        assert return_of(policy_of(strategy)) == pytest.approx(0.9)
        assert by_chance < 0.9
        scores = strategy.score(np.stack(list(every_row().values())))
        assert dict(zip(every_row(), scores, strict=True)) == pytest.approx(VALUES, abs=0.12)

    def test_a_relevant_page_ends_an_episode_where_that_is_the_rule(self) -> None:
        learned = {}
        for ends in (False, True):
            strategy = learner(replace(RULES, ends_at_relevant=ends))
            first, second = row_of(1, 0, 1, 0), row_of(0, 1, 1, 0)
            for _ in range(250):
                strategy.learn(transition_of(first, 1.0, [second], is_relevant=True))
                strategy.learn(transition_of(second, 1.0, []))
            learned[ends] = strategy.score(first[None])[0]
        assert learned[True] == pytest.approx(1.0, abs=0.1)
        assert learned[False] == pytest.approx(1.9, abs=0.1)

    def test_nothing_is_learned_in_a_test_without_learning(self) -> None:
        phases = {"exploration": 0.3, "exploration_test": 0.1, "training_steps": 50, "learns_in_test": False}
        strategy = learner(replace(RULES, **phases))  # type: ignore[arg-type]
        scores = []
        for number, transition in enumerate(random_walks(100)):
            strategy.notice(Decision(HERE, transition.row, is_skipped=False))
            has_changed = strategy.learn(transition)
            assert has_changed == (RULES.warm_up - 1 <= number < 49)
            scores.append(strategy.score(transition.row[None]).tolist())
        explored = np.mean([strategy.explores(np.random.default_rng(seed)) for seed in range(3000)])
        assert explored == pytest.approx(0.1, abs=0.02)

    def test_values_change_only_when_learning_says_so(self) -> None:
        strategy = learner(replace(RULES, refresh_every=4, dueling="mean"))
        rows = np.stack(list(every_row().values()))
        for transition in random_walks(20):  # so that all states are known
            strategy.learn(transition)
        for transition in random_walks(60, seed=1):
            before = strategy.score(rows)
            assert strategy.learn(transition) == (not np.array_equal(before, strategy.score(rows)))

    def test_links_that_wait_keep_their_values_where_that_is_the_rule(self) -> None:
        strategy = learner(replace(RULES, mode="asynchronous"))
        said = [strategy.learn(transition) for transition in random_walks(60)]
        assert not any(said)
        assert not np.array_equal(
            strategy.score(every_row()["way"][None]), learner(RULES).score(every_row()["way"][None])
        )

    @settings(deadline=None, max_examples=6)
    @given(seed=st.integers(0, 1000), dueling=st.sampled_from(DUELINGS), data=st.data())
    def test_equal_rows_have_bit_equal_values_in_any_batch(self, seed: int, dueling: str, data: st.DataObject) -> None:
        strategy = taught(replace(RULES, dueling=dueling), 40, seed)
        rows = np.random.default_rng(seed).integers(0, 3, (50, ROW_WIDTH)).astype(np.float16)
        rows[:4] = np.stack(list(every_row().values()))
        scores = strategy.score(rows)
        order = data.draw(st.permutations(range(50)))
        assert np.array_equal(strategy.score(rows[order]), scores[order])
        assert np.array_equal(np.concatenate([strategy.score(row[None]) for row in rows]), scores)


class TestRepeating:
    @pytest.mark.parametrize("rules", VARIANTS)
    def test_a_seed_repeats_to_the_last_bit(self, rules: DqnSettings) -> None:
        rules = replace(rules, dropout=0.3)
        one, two, other = taught(rules, 80), taught(rules, 80), taught(rules, 80, seed=2)
        assert one.save() == two.save()
        assert not np.array_equal(one.score(every_row()["way"][None]), other.score(every_row()["way"][None]))

    @pytest.mark.parametrize("rules", VARIANTS)
    @pytest.mark.parametrize("stopped_after", [pytest.param(0, marks=pytest.mark.thorough), 45])
    def test_a_state_brought_back_goes_on_as_if_nothing_had_happened(
        self, rules: DqnSettings, stopped_after: int
    ) -> None:
        rules = replace(rules, dropout=0.3, refresh_every=3, replay=30)
        one = learner(rules)
        walks = list(random_walks(90))
        for transition in walks[:stopped_after]:
            one.notice(Decision(HERE, transition.row, is_skipped=False))
            one.learn(transition)
        two = saved_and_loaded(one, rules)
        rows = np.stack(list(every_row().values()))
        assert np.array_equal(one.score(rows), two.score(rows))
        for transition in walks[stopped_after:]:
            assert one.learn(transition) == two.learn(transition)
            assert np.array_equal(one.score(rows), two.score(rows))
        assert one.save() == two.save()

    def test_pytorch_is_left_as_it_was(self, torch: ModuleType) -> None:
        state, threads = torch.random.get_rng_state(), torch.get_num_threads()
        taught(replace(RULES, dropout=0.5), 40)
        assert torch.equal(torch.random.get_rng_state(), state)
        assert torch.get_num_threads() == threads

    def test_the_number_of_threads_changes_nothing(self, torch: ModuleType) -> None:
        threads = torch.get_num_threads()
        saved = []
        try:
            for number in (1, 4):
                torch.set_num_threads(number)
                saved.append(taught(replace(RULES, layers=(64, 64), batch=256), 40).save())
        finally:
            torch.set_num_threads(threads)
        assert saved[0] == saved[1]

    def test_what_is_no_saved_state_is_refused(self) -> None:
        strategy = learner(RULES)
        state = taught(RULES, 40).save()
        for nonsense in (b"", b"nonsense", state[: len(state) // 2]):
            with pytest.raises(StrategyError, match="not a saved state of deep Q-learning"):
                strategy.load(nonsense)

    @pytest.mark.parametrize(
        "other",
        [
            replace(RULES, layers=(15,)),
            replace(RULES, layers=(16, 16)),
            replace(RULES, dueling="max"),
            replace(RULES, target="clipped-double"),
        ],
    )
    def test_a_state_of_other_settings_is_refused(self, other: DqnSettings) -> None:
        with pytest.raises(StrategyError, match="not a saved state of deep Q-learning with these settings"):
            learner(other).load(taught(RULES, 40).save())


class TestAwkwardInput:
    def test_zeros_no_links_and_a_single_page_give_numbers(self) -> None:
        for dueling in DUELINGS:
            strategy = learner(replace(RULES, dueling=dueling, warm_up=1))
            nothing = row_of(*[0] * ROW_WIDTH)
            for _ in range(30):
                strategy.learn(transition_of(nothing, 0.0, []))
                strategy.learn(transition_of(nothing, 0.0, [nothing]))
            assert np.isfinite(strategy.score(nothing[None])).all()
            assert strategy.score(nothing[None][:0]).shape == (0,)

    def test_values_that_run_away_are_told_of(self) -> None:
        strategy = learner(replace(RULES, warm_up=1, loss="squared"))
        with pytest.raises(StrategyError, match=r"lower dqn.learning_rate, now 0.01, or dqn.discount, now 0.9"):
            strategy.learn(transition_of(row_of(1, 1, 1, 1), 1e300, []))

    def test_the_largest_half_precision_numbers_do_no_harm(self) -> None:
        strategy = learner(replace(RULES, warm_up=1))
        huge = row_of(*[65504] * ROW_WIDTH)
        for _ in range(20):
            strategy.learn(transition_of(huge, 1.0, [-huge, huge]))
        assert np.isfinite(strategy.score(np.stack((huge, -huge)))).all()

    def test_a_row_that_the_engine_writes_over_later_is_remembered_as_it_was(self) -> None:
        rules = replace(RULES, warm_up=1)
        one, two = learner(rules), learner(rules)
        for transition in random_walks(20):
            one.learn(transition)
            passing = replace(transition, row=transition.row.copy(), next_rows=transition.next_rows.copy())
            two.learn(passing)
            passing.row[:] = 7
            passing.next_rows[:] = 7
        assert one.save() == two.save()


class TestFixedOutputs:
    def rows(self, *outputs: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
        states = np.ones((len(outputs), STATE_WIDTH), dtype=np.float16)
        return np.concatenate((states, digits_of(np.array(outputs))), axis=1)

    def test_links_beyond_the_outputs_are_skipped_and_seeds_are_not(self) -> None:
        strategy = learner(RULES, outputs=10)
        chance = np.random.default_rng(1)
        inside, outside = self.rows(9, 10)
        seed = np.zeros_like(inside)
        assert strategy.skip(HERE, inside, chance) is None
        assert strategy.skip(HERE, seed, chance) is None
        skipped = strategy.skip(HERE, outside, chance)
        assert skipped is not None
        assert skipped.reason == "beyond the 10 outputs of the network"

    def test_the_target_is_the_best_of_all_outputs_whatever_the_page_links_to(self) -> None:
        # Output 2 is worth 1 wherever it is asked for, and the page that output 1 leads to does not link to it.
        rules = replace(RULES, target="ordinary", discount=0.5, target_share=0.5)
        strategy, other = learner(rules, outputs=3), learner(rules, outputs=3)
        link, paying, plain, outside = self.rows(1, 2, 0, 3)
        for _ in range(300):
            for told, links in ((strategy, [plain]), (other, [outside, plain])):
                told.learn(transition_of(paying, 1.0, []))
                told.learn(transition_of(plain, 0.0, []))
                told.learn(transition_of(link, 0.0, links))
        assert strategy.score(np.stack((link, paying, plain))) == pytest.approx([0.5, 1.0, 0.0], abs=0.1)
        outputs = self.rows(0, 1, 2)
        assert strategy.score(outputs).tolist() == other.score(outputs).tolist(), "which links it has does not count"

    def test_a_link_to_no_page_of_the_world_is_skipped(self) -> None:
        skipped = learner(RULES, outputs=10).skip(HERE, self.rows(10**12)[0], np.random.default_rng(1))
        assert skipped is not None
        assert skipped.reason == "no page of the world"

    def test_what_one_page_paid_says_nothing_of_another(self) -> None:
        # Why the form fails: forty links of the same kind paid, and the next one of the kind is worth no more for it.
        rules = replace(RULES, discount=0.0)
        fixed, pair = learner(rules, outputs=100), learner(rules)
        paying, other = row_of(1, 1, 1, 0), row_of(1, 1, 0, 1)
        for number in range(200):
            fixed.learn(transition_of(self.rows(number % 40)[0], 1.0, []))
            pair.learn(transition_of(paying, 1.0, []))
            pair.learn(transition_of(other, -1.0, []))
        fresh_links = fixed.score(self.rows(*range(40, 100)))
        assert fixed.score(self.rows(*range(40))) == pytest.approx(np.ones(40), abs=0.3)
        assert np.abs(fresh_links.mean() - 1) > 0.5
        assert pair.score(np.stack((paying, other))) == pytest.approx([1, -1], abs=0.2)

    def test_it_repeats_when_brought_back(self) -> None:
        for dueling in DUELINGS:
            rules = replace(RULES, dueling=dueling)
            one, two = learner(rules, outputs=30), learner(rules, seed=5, outputs=30)
            for number in range(40):
                one.learn(transition_of(self.rows(number % 35)[0], 0.5, [self.rows(3)[0], self.rows(32)[0]]))
            two.load(one.save())
            for number in range(20):
                told = transition_of(self.rows(number)[0], 1.0, [self.rows(4)[0]])
                one.learn(told)
                two.learn(told)
            assert one.save() == two.save()
            assert np.isfinite(one.score(self.rows(*range(40)))).all()


def test_a_cuda_device_learns_as_well_and_its_state_can_be_loaded_anywhere(torch: ModuleType) -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    rules = replace(RULES, target="clipped-double", dueling="mean", device="cuda")
    strategy = learner(rules)
    for transition in random_walks(700):
        strategy.learn(transition)
    assert policy_of(strategy) == BEST
    rows = np.stack(list(every_row().values()))
    assert np.array_equal(saved_and_loaded(strategy, replace(rules, device="cpu")).score(rows), strategy.score(rows))


def test_pertejo_trains_with_more_exploration_and_tests_with_less() -> None:
    phases = DqnSettings(exploration=0.3, exploration_test=0.1, training_steps=5000, learns_in_test=False)
    assert [phases.exploration_after(choices) for choices in (0, 4999, 5000, 9999)] == [0.3, 0.3, 0.1, 0.1]
    assert [phases.learns_after(choices) for choices in (0, 4999, 5000)] == [True, True, False]
    assert replace(phases, learns_in_test=True).learns_after(5001)
    endless = replace(phases, training_steps=0)
    assert [endless.exploration_after(choices) for choices in (0, 10**6)] == [0.3, 0.3]
    assert endless.learns_after(10**6)


def test_the_profile_has_pertejos_own_values_and_can_be_run() -> None:
    settings = with_overrides(Settings(), {"crawl.profile": "pertejo2021-dqn", "topic.name": "geology"})
    validate(settings)
    dqn = settings.of(DqnSettings)
    assert settings.budget.fetches == 2 * dqn.training_steps == 10_000
    assert (dqn.layers, dqn.dropout, dqn.replay, dqn.output_penalty) == ((128, 256), 0.5, 50_000, 0.0)
    assert (dqn.exploration, dqn.exploration_test, dqn.discount, dqn.target_share) == (0.3, 0.1, 0.3, 0.01)
    assert not dqn.learns_in_test


def test_without_pytorch_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SettingsError, match=r"'dqn-fixed': it needs PyTorch; pip install .*\[deep\]'"):
        pytorch("dqn-fixed", "cpu")


def test_without_a_cuda_device_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, torch: ModuleType) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SettingsError, match=r"dqn\.device is 'cuda': PyTorch finds no CUDA device here"):
        pytorch("dqn", "cuda")
