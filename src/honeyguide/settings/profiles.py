"""The settings that a profile brings along: they go under whatever the user has set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.settings.schema import SETTINGS_BY_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.settings.schema import Settings

VALUES_BY_PROFILE: Final[Mapping[str, Mapping[str, Any]]] = {
    "wikipedia": {"politeness.pause_every": 10},
    # Han et al. 2018, section 4 and Algorithm 1: one page after the other. The [lfa] defaults are theirs.
    "han2018": {
        "crawl.strategy": "lfa-sync",
        "crawl.concurrency": 1,
        "judge.kind": "embedding",
        "judge.relevant_when": "word",
        "judge.reward": "han2018",
    },
    # Pertejo 2021, 3.8, 4.3 and his program.
    "pertejo2021": {
        "crawl.strategy": "lfa-async",
        "crawl.concurrency": 1,
        "judge.kind": "embedding-tfidf",
        "judge.relevant_when": "word",
        "judge.reward": "pertejo-code",
        "lfa.features": "pertejo",
        "lfa.step_size": 0.001,  # over that of a preset
        "lfa.discount": 0.3,
        "lfa.starts_at": "uniform",
        "lfa.ends_at_relevant": False,
        "lfa.learns_without_links": False,
        "lfa.draws": "link",
    },
    # The same, 2.6, 3.7 and 4.3: deep Q-learning, 5,000 steps to train and 5,000 to test. Values of
    # his that are not here are the defaults; --strategy dqn-fixed has it with an output a page, as he had it.
    # The penalty of his last layer is not here: keras-rl puts another layer in its place where networks duel.
    "pertejo2021-dqn": {
        "crawl.strategy": "dqn",
        "crawl.concurrency": 1,
        "budget.fetches": 10_000,
        "store.snapshot_every": 1000,
        "judge.kind": "embedding-tfidf",
        "judge.relevant_when": "word",
        "judge.reward": "pertejo-30-20-10",
        "dqn.layers": (128, 256),
        "dqn.dropout": 0.5,
        "dqn.dueling": "mean",
        "dqn.loss": "squared",
        "dqn.inputs": "raw",
        "dqn.mode": "asynchronous",
        "dqn.refresh_every": 1,
        "dqn.exploration": 0.3,
        "dqn.exploration_test": 0.1,
        "dqn.training_steps": 5000,
        "dqn.learns_in_test": False,
        "dqn.draws": "link",
        "dqn.outputs": 32_000,
    },
    # Web Crawler: Loop detection, F and G: signatures, a window of 500 pages or a day, a threshold, importance, and
    # links that wait by the number of links to their page (5b), of equals the first (breadth-first).
    "loop-detection": {
        "crawl.strategy": "in-links",
        "in_links.counted": "page",
        "guard.rules": (),
    },
}
"""By dotted key. How pages are read under wikipedia is not a setting; see `parse/links.py`."""


def with_profile(base: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` to be laid over `base`, with those of the profile that they name.

    A value that stands here, was laid over `base` by its key, or is not the default, was set by somebody and stays.
    """
    named = values.get("crawl.profile")
    brought = VALUES_BY_PROFILE.get(named, {}) if isinstance(named, str) else {}
    unset = {key: value for key, value in brought.items() if key not in base.set_keys and _is_default(base, key)}
    return {**unset, **values}


def _is_default(settings: Settings, key: str) -> bool:
    setting = SETTINGS_BY_KEY[key]
    return bool(setting.value_in(settings) == setting.default)
