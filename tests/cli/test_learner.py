"""`honeyguide learner`, the profiles of the papers, and the step size of a preset."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import honeyguide
from honeyguide.learn import LfaSettings
from honeyguide.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal
    from honeyguide.settings import Settings

SMALL = "--world synthetic:pages=500,hosts=8 --budget 12"
HAN = "--preset geology --profile han2018"


def crawl(cli: Cli, arguments: str, name: str = "run") -> Settings:
    """Crawl and return the settings of the run."""
    cli(f"crawl {name} {SMALL} {arguments}")
    return load_settings(f"{name}/settings.toml")


def test_weights_are_shown_by_size_saved_and_gone_on_with(cli: Cli) -> None:
    assert "honeyguide learner run" in cli(f"crawl run {SMALL} {HAN}")
    weights = honeyguide.learned_weights("run").weights
    first, *table, last = cli("learner run -o learned.npy").splitlines()
    assert first == "lfa-sync after step 12, lfa.features = han"
    assert last == "Saved in learned.npy. Go on from there with: --set lfa.start_weights=learned.npy"
    shown = [float(line.split()[0]) for line in table]
    assert shown == pytest.approx(sorted(weights, key=lambda weight: -abs(weight)), rel=1e-3)
    assert any(line.endswith("  page: category Earth in five") for line in table)
    assert np.array_equal(np.load("learned.npy"), weights)
    crawl(cli, f"{HAN} --set lfa.start_weights=learned.npy", name="next")
    assert not np.array_equal(honeyguide.learned_weights("next").weights, weights)
    document = cli.json("learner next")
    named = (document["strategy"], document["features"], document["step"], document["file"])
    assert named == ("lfa-sync", "han", 12, None)
    by_column = {entry["column"]: entry["weight"] for entry in document["weights"]}
    learned = honeyguide.learned_weights("next")
    assert [by_column[column] for column in learned.columns] == learned.weights.tolist()


def test_weights_that_do_not_fit_are_refused(cli: Cli, refusal: Refusal, tmp_path: Path) -> None:
    crawl(cli, "--topic geology --strategy lfa-async")
    (tmp_path / "there.npy").write_bytes(b"mine")
    again = f"crawl again {SMALL} --topic geology --category Earth --strategy lfa-sync --set lfa.start_weights="
    assert "there.npy is there already" in refusal("learner run -o there.npy")
    assert "has 14 weights and this crawl needs 18" in refusal(f"{again}run")
    assert "neither a run nor a .npy file" in refusal(f"{again}there.npy")


@pytest.mark.parametrize("snapshot_every", [200, 1])
def test_weights_that_diverge_end_in_one_line_and_a_run_that_can_be_read(cli: Cli, snapshot_every: int) -> None:
    flags = f"{HAN} --set lfa.step_size=1 --budget 100 --set store.snapshot_every={snapshot_every}"
    cli(f"crawl run {SMALL} {flags}", status=2)
    diverged = re.search(r"diverged at step (\d+): crawl anew with a lower lfa.step_size, now 1", cli.err)
    assert diverged is not None
    assert "Traceback" not in cli.err
    cli("results run")
    learned = honeyguide.learned_weights("run")
    assert f"after step {learned.step}," in cli("learner run")
    if snapshot_every == 1:
        assert learned.step == int(diverged[1]) - 1, "the last step before"
        assert 1e3 < np.abs(learned.weights).max() < 1e20
    else:
        assert learned.step == 0
        assert not learned.weights.any()


def test_a_papers_profile_goes_under_the_users_settings(cli: Cli) -> None:
    flags = "--preset olympics --profile pertejo2021 --strategy lfa-sync --set lfa.discount=0.5"
    settings = crawl(cli, flags)
    lfa = settings.of(LfaSettings)
    assert (settings.crawl.strategy, settings.crawl.concurrency) == ("lfa-sync", 1)
    assert (settings.judge.kind, settings.judge.relevant_when) == ("embedding-tfidf", "word")
    assert (lfa.features, lfa.starts_at, lfa.draws, lfa.discount) == ("pertejo", "uniform", "link", 0.5)
    assert (lfa.ends_at_relevant, lfa.learns_without_links) == (False, False)
    assert lfa.step_size == 0.001, "the topic's own is Han's"
    assert settings.topic.categories == ("Sports",)


@pytest.mark.parametrize(
    ("flags", "step_size"),
    [
        ("--profile han2018", 0.0005),
        ("--strategy lfa-async", 0.0005),
        ("--profile pertejo2021", 0.001),
        ("--config own.toml --strategy lfa-async", 0.001),
        ("--profile han2018 --set lfa.step_size=0.001", 0.001),
    ],
)
def test_the_step_size_of_a_preset_is_hans(cli: Cli, tmp_path: Path, flags: str, step_size: float) -> None:
    """Pertejo has one for all topics (4.3), and whoever writes down their own keeps it."""
    (tmp_path / "own.toml").write_text("[lfa]\nstep_size = 0.001\n")
    assert crawl(cli, f"--preset fiction {flags}").of(LfaSettings).step_size == step_size
