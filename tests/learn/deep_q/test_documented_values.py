"""The profile pertejo2021-dqn has Pertejo's own values."""

from __future__ import annotations

from dataclasses import replace

from honeyguide.learn.deep_q import DqnSettings
from honeyguide.settings import Settings, validate, with_overrides

TOPIC = {"topic.name": "geology"}


def by_profile() -> Settings:
    settings = with_overrides(Settings(), {"crawl.profile": "pertejo2021-dqn", **TOPIC})
    return replace(settings, crawl=replace(settings.crawl, profile=""))


def test_the_values_are_pertejos_and_can_be_run() -> None:
    settings = by_profile()
    validate(settings)
    dqn = settings.of(DqnSettings)
    assert settings.budget.fetches == 2 * dqn.training_steps == 10_000
    assert (dqn.layers, dqn.dropout, dqn.replay, dqn.output_penalty) == ((128, 256), 0.5, 50_000, 0.01)
    assert (dqn.exploration, dqn.exploration_test, dqn.discount, dqn.target_share) == (0.3, 0.1, 0.3, 0.01)
    assert not dqn.learns_in_test
