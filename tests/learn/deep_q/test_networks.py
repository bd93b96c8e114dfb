"""Networks in PyTorch, against the arithmetic that values waiting links and against numbers by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.learn.deep_q import DqnSettings, pytorch
from honeyguide.learn.deep_q.fixed import NEVER, PageNetwork, PageValuation
from honeyguide.learn.deep_q.networks import (
    ADVANTAGE,
    DIGITS,
    Beside,
    Network,
    RowShape,
    Valuation,
    baseline,
    digits_of,
    fresh,
)
from honeyguide.learn.deep_q.training import Experience, StateLinks, Trainer, clipped_double, double, ordinary

if TYPE_CHECKING:
    from honeyguide.model import Rows

pytest.importorskip("torch", reason="needs PyTorch, the extra deep")

PAIR = RowShape(2, 5, np.array([1, 0.5, 0.25, 1, 1], dtype=np.float32))
FIXED = RowShape(2, 2 + DIGITS, np.array([1, 0.5], dtype=np.float32), outputs=40)
RULES = DqnSettings(layers=(7, 9))


def network_of(shape: RowShape, rules: DqnSettings, seed: int = 1) -> Network:
    towers = fresh(shape, rules, np.random.default_rng(seed))
    kind = PageNetwork if shape.outputs else Network
    return kind(pytorch("dqn", "cpu"), shape, rules, towers)


def pair_rows(count: int, states: int = 3) -> Rows:
    chance = np.random.default_rng(4)
    rows = chance.integers(0, 10, (count, 5)).astype(np.float16)
    rows[:, :2] = (np.arange(count) % states)[:, None]
    return rows


def fixed_rows(count: int) -> Rows:
    return np.concatenate((pair_rows(count)[:, :2], digits_of(np.arange(count) % FIXED.outputs)), axis=1)


@pytest.mark.parametrize("dueling", ["none", "mean", "max"])
def test_links_are_valued_as_pytorch_would(dueling: str) -> None:
    rows = pair_rows(60)
    network = network_of(PAIR, replace(RULES, dueling=dueling))
    valuation = Valuation(PAIR, dueling, network.arrays())
    links, beside = StateLinks(2, 5), None
    if dueling != "none":
        groups = [rows[rows[:, 0] == state][:12] for state in range(3)]
        for group in groups:
            links.add(group)
        valuation.meet(links.states(), links)
        counts = np.array([len(group) for group in groups])
        beside = Beside(np.concatenate(groups), counts, rows[:, 0].astype(np.int64))
    assert valuation.values(rows) == pytest.approx(network.values(rows, beside).detach().numpy(), abs=1e-4)


@pytest.mark.parametrize("dueling", ["none", "mean", "max"])
def test_an_output_a_page_is_measured_from_all_outputs(dueling: str) -> None:
    rows = fixed_rows(60)
    network = network_of(FIXED, replace(RULES, dueling=dueling))
    towers = network.arrays()
    activity = rows[:, :2].astype(np.float64) * FIXED.scale
    for layer in range(2):
        activity = np.tanh(activity @ towers[f"{ADVANTAGE}.{layer}.weights"] + towers[f"{ADVANTAGE}.{layer}.bias"])
    outputs = activity @ towers[f"{ADVANTAGE}.2.weights"].T + towers[f"{ADVANTAGE}.2.bias"]
    assert outputs.shape[1] == FIXED.outputs + (dueling != "none"), "V(s) is one output more"
    if dueling != "none":
        taken_off = outputs[:, :-1].mean(axis=1) if dueling == "mean" else outputs[:, :-1].max(axis=1)
        outputs = outputs[:, :-1] + (outputs[:, -1] - taken_off)[:, None]
    chosen = outputs[np.arange(60), FIXED.which(rows)]
    assert network.values(rows, None).detach().numpy() == pytest.approx(chosen, abs=1e-4)
    assert PageValuation(FIXED, dueling, towers).values(rows) == pytest.approx(chosen, abs=1e-4)
    by_page = network.values_by_page([rows[:1], rows[1:5]], None)
    assert np.stack(by_page) == pytest.approx(outputs[:2], abs=1e-4), "every output, whatever the page links to"


@pytest.mark.parametrize("dueling", ["mean", "max"])
def test_a_dueling_value_by_hand(dueling: str) -> None:
    rows = pair_rows(6, states=2)
    network = network_of(PAIR, replace(RULES, dueling=dueling))
    plain = Valuation(PAIR, "none", network.arrays()).values(rows)  # the advantages
    links = StateLinks(2, 5)
    links.add(rows[0::2])
    links.add(rows[1::2])
    duel = Valuation(PAIR, dueling, network.arrays())
    duel.meet(links.states(), links)
    for group in (slice(0, None, 2), slice(1, None, 2)):
        above = duel.values(rows[group]) - (plain[group] - baseline(plain[group], dueling))
        assert above == pytest.approx([above[0]] * 3)  # V(s), the same for all links of a state
        best = duel.values(rows[group]).max()
        assert (best == pytest.approx(above[0])) == (dueling == "max")


def test_a_state_never_told_of_gives_its_own_value() -> None:
    network = network_of(PAIR, replace(RULES, dueling="mean"))
    values = Valuation(PAIR, "mean", network.arrays()).values(pair_rows(6, states=1))
    assert values.tolist() == [values[0]] * 6


def test_a_fixed_network_has_no_value_for_links_beyond_it() -> None:
    rows = np.concatenate((np.ones((2, 2), dtype=np.float16), digits_of(np.array([39, 40]))), axis=1)
    seed = np.zeros((1, 5), dtype=np.float16)
    values = PageValuation(FIXED, "none", network_of(FIXED, RULES).arrays()).values(np.concatenate((rows, seed)))
    assert NEVER < values[0] < 100
    assert values[1:].tolist() == [NEVER, 0.0]


def test_a_target_network_follows_slowly() -> None:
    one, two = network_of(PAIR, RULES, seed=1), network_of(PAIR, RULES, seed=2)
    before, goal = one.arrays(), two.arrays()
    one.follow(two, 0.25)
    for name, array in one.arrays().items():
        assert array == pytest.approx(0.75 * before[name] + 0.25 * goal[name], abs=1e-6)


def test_dropped_units_are_made_up_for() -> None:
    rules = replace(RULES, dropout=0.5)
    network, rows = network_of(PAIR, rules), pair_rows(4)
    chance = np.random.default_rng(1)
    drawn = np.stack([network.values(rows, None, chance).detach().numpy() for _ in range(3000)])
    assert drawn.std(axis=0).min() > 0.01
    assert drawn.mean(axis=0) == pytest.approx(network.values(rows, None).detach().numpy(), abs=0.05)


def trainer_of(rules: DqnSettings, shape: RowShape = PAIR) -> Trainer:
    return Trainer(pytorch("dqn", "cpu"), shape, rules, np.random.default_rng(1))


@pytest.mark.parametrize("rule", ["ordinary", "double", "clipped-double"])
def test_targets_are_those_of_the_rule(rule: str) -> None:
    trainer = trainer_of(replace(RULES, target=rule, learning_rate=0.05, discount=0.5))
    rows, found = pair_rows(3), [pair_rows(9)[2:7], pair_rows(20)[12:], pair_rows(1)[:0]]
    batch = [Experience(row, float(number), each) for number, (row, each) in enumerate(zip(rows, found, strict=True))]
    for _ in range(20):
        trainer.train(batch, None)  # so that networks and targets differ
    arrays = trainer.arrays()

    def values(kind: str, number: int, links: Rows) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        towers = {
            name.removeprefix(f"{kind}.{number}."): array
            for name, array in arrays.items()
            if name.startswith(f"{kind}.{number}.")
        }
        return Valuation(PAIR, "none", towers).values(links)

    def following(links: Rows) -> float:
        by_online, by_target = values("online", 0, links), values("target", 0, links)
        match rule:
            case "ordinary":
                return ordinary(by_target)
            case "double":
                return double(by_online, by_target)
            case _:
                return clipped_double(by_online, by_target, values("target", 1, links))

    expected = [number + 0.5 * following(links) for number, links in enumerate(found[:2])]
    assert trainer.targets(batch, None) == pytest.approx([*expected, 2.0], abs=1e-4)


def test_the_first_step_of_adam_moves_every_parameter_by_the_learning_rate_downhill() -> None:
    rules = replace(RULES, loss="squared", learning_rate=0.01)
    trainer = trainer_of(rules)
    row = np.ones(5, dtype=np.float16)
    before = trainer.towers()
    value = Valuation(PAIR, "none", before).values(row[None])[0]
    trainer.train([Experience(row, value + 1.0, np.empty((0, 5), dtype=np.float16))], None)
    after = trainer.towers()
    # The error is -1, so the output's bias rises; Adam's first step is the learning rate whatever the gradient.
    assert after["advantage.2.bias"] - before["advantage.2.bias"] == pytest.approx([0.01], abs=1e-6)
    moved = np.concatenate([np.abs(after[name] - before[name]).ravel() for name in before])
    assert moved[moved > 1e-4] == pytest.approx(np.full((moved > 1e-4).sum(), 0.01), abs=1e-4)
    assert Valuation(PAIR, "none", after).values(row[None])[0] > value


def test_an_output_penalty_draws_values_towards_zero() -> None:
    row, none = np.ones(5, dtype=np.float16), np.empty((0, 5), dtype=np.float16)
    values = []
    for penalty in (0.0, 1.0):
        trainer = trainer_of(replace(RULES, loss="squared", learning_rate=0.02, output_penalty=penalty))
        for _ in range(200):
            trainer.train([Experience(row, 5.0, none)], None)
        values.append(Valuation(PAIR, "none", trainer.towers()).values(row[None])[0])
    assert values == pytest.approx([5.0, 2.5], abs=0.05)  # (q - 5)² + q² is least there


def test_a_huber_loss_minds_one_wild_reward_less() -> None:
    row, none = np.ones(5, dtype=np.float16), np.empty((0, 5), dtype=np.float16)
    rewards = [0.0] * 9 + [100.0]
    learned = {}
    for loss in ("squared", "huber"):
        trainer = trainer_of(replace(RULES, loss=loss, learning_rate=0.02))
        for _ in range(400):
            trainer.train([Experience(row, reward, none) for reward in rewards], None)
        learned[loss] = Valuation(PAIR, "none", trainer.towers()).values(row[None])[0]
    # The mean is 10; a step of at most 1 for the wild one is balanced by nine of 1/9.
    assert learned["squared"] == pytest.approx(10.0, abs=0.5)
    assert learned["huber"] == pytest.approx(1 / 9, abs=0.05)
