"""Pertejo's own values, as docs/deep-q.md has them, are settings that can be run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from honeyguide.settings import TopicSettings, settings_from, validate, with_overrides

DOCUMENT = Path(__file__).parents[3] / "docs" / "deep-q.md"


def test_the_documented_values_are_settings_and_are_pertejos() -> None:
    (values,) = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    settings = with_overrides(settings_from(tomllib.loads(values)), {"topic.name": "geology"})
    validate(settings)
    dqn = settings.dqn
    assert settings.topic == TopicSettings("geology")
    assert settings.budget.fetches == 2 * dqn.training_steps == 10_000
    assert (dqn.layers, dqn.dropout, dqn.replay, dqn.output_penalty) == ((128, 256), 0.5, 50_000, 0.01)
    assert (dqn.exploration, dqn.exploration_test, dqn.discount, dqn.target_share) == (0.3, 0.1, 0.3, 0.01)
