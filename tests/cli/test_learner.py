"""`honeyguide learner`, the profiles of the papers, and the step size of a preset."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import honeyguide
from deep_strategies import HAS_TORCH
from honeyguide.learn import LfaSettings
from honeyguide.settings import load_settings

if TYPE_CHECKING:
    from cli.conftest import Cli, Refusal
    from honeyguide.settings import Settings

SMALL = "--world synthetic:pages=500,hosts=8 --budget 12"
HAN = "--preset geology --profile han2018"


def crawl(cli: Cli, arguments: str, name: str = "run") -> Settings:
    """Crawl and return the settings of the run."""
    cli(f"crawl {name} {SMALL} {arguments}")
    return load_settings(f"{name}/settings.toml")


def test_what_pays_is_said_in_words_saved_and_gone_on_with(cli: Cli) -> None:
    assert "honeyguide learner run" in cli(f"crawl run {SMALL} --topic geology --keyword rock --budget 120")
    first, _, title, *lines = cli("learner run -o learned.npz").splitlines()
    assert first == "online-ridge after step 120"
    assert title == "what a usual difference between two links does to the expected reward"
    assert lines[-1] == "Saved in learned.npz. Begin another crawl with it: --learn-from learned.npz"
    rows = [line.split()[0] for line in lines[: lines.index("")] if re.match(r"  [+±-]", line)]
    effects = [abs(float(row.strip("±"))) for row in rows]
    assert effects
    assert effects == sorted(effects, reverse=True)
    assert any("its anchor is near the topic" in line for line in lines)
    assert not any("meaning 3" in line for line in lines)
    assert any("hosts that answer" in line for line in lines)
    assert any(".5 of " in line for line in lines)
    assert lines.count("a redirect counts as half a page") == 1
    cli(f"crawl next {SMALL} --topic astronomy --keyword star --learn-from learned.npz")
    assert load_settings("next/settings.toml").crawl.learn_from == (str(Path("learned.npz").absolute()),)
    assert cli.json("learner next")["step"] == 12


def test_the_document_has_effects_agreement_and_answers(cli: Cli) -> None:
    cli(f"crawl run {SMALL} --topic geology --keyword rock --budget 120")
    document = cli.json("learner run")
    assert (document["strategy"], document["step"], document["file"]) == ("online-ridge", 120, None)
    for column in document["columns"]:
        if column["weight"] is not None:
            assert column["effect"] == pytest.approx(column["weight"] * column["spread"])
    parts = document["agreement"]
    assert len(parts) == 10
    assert all(before["last_step"] < after["first_step"] for before, after in pairwise(parts))
    with honeyguide.open_run("run") as run:
        steps = [step for step in run.steps() if step.outcome == "fetched"]
        failed = sum(step.outcome == "failed" for step in run.steps())
    assert sum(part["fetches"] for part in parts) == len(steps)
    assert sum(part["came"] * part["fetches"] for part in parts) == pytest.approx(
        sum(step.reward or 0.0 for step in steps)
    )
    assert failed > 0
    assert all(each["pages"] < each["asked"] / 2 for each in document["failing"])
    assert all(each["kind"] == "host" and each["pages"] >= each["asked"] / 2 for each in document["answering"])


def test_weights_of_linear_sarsa_are_said_in_words(cli: Cli) -> None:
    crawl(cli, f"{HAN} --budget 60")
    assert "the link: nearness to the topic, in fifths" in cli("learner run")
    words = [each["words"] for each in cli.json("learner run")["columns"]]
    assert "the page it stands on: nearness to category Earth, in fifths, a tenth apart" in words


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_of_a_network_is_said_how_well_it_foresaw(cli: Cli) -> None:
    crawl(cli, "--topic geology --strategy dqn --budget 30")
    shown = cli("learner run -o network.npz")
    assert "scores are no sums of weights" in shown
    assert "correlation" in shown
    cli(f"crawl next {SMALL} --topic astronomy --strategy dqn --learn-from network.npz")


def test_what_cannot_be_shown_or_begun_with_is_refused_in_one_line(cli: Cli, refusal: Refusal, tmp_path: Path) -> None:
    crawl(cli, "--topic geology --strategy lfa-async")
    crawl(cli, "--topic geology --strategy best-first", name="plain")
    (tmp_path / "there.npz").write_bytes(b"mine")
    again = f"crawl again {SMALL} --topic geology --category Earth"
    assert "there.npz is there already" in refusal("learner run -o there.npz")
    assert "folder/new.npz cannot be written: No such file" in refusal("learner run -o folder/new.npz")
    assert "crawled by best-first, and honeyguide learner does not show" in refusal("learner plain")
    assert "crawled by best-first, and honeyguide learner does not show" in refusal("learner plain -o new.npz")
    assert not (tmp_path / "new.npz").exists()
    assert "learned by linear SARSA" in refusal(f"{again} --learn-from run")
    remedy = "give a run folder, a file of honeyguide learner -o, or shipped"
    os.mkfifo(tmp_path / "pipe")
    for name in ("there.npz", "nowhere.npz", "pipe"):
        message = refusal(f"{again} --learn-from {name}")
        assert "neither a run nor a file" in message
        assert remedy in message
    assert f"a name is empty; {remedy}" in refusal(*again.split(), "--learn-from", "")
    assert "best-first begins with nothing learned before" in refusal(f"{again} --strategy best-first --learn-from run")
    assert "unknown setting lfa.start_weights" in refusal(f"{again} --set lfa.start_weights=run")


@pytest.mark.parametrize("snapshot_every", [200, 1])
def test_weights_that_diverge_end_in_one_line_and_a_run_that_can_be_read(cli: Cli, snapshot_every: int) -> None:
    flags = f"{HAN} --set lfa.step_size=1 --budget 100 --set store.snapshot_every={snapshot_every}"
    cli(f"crawl run {SMALL} {flags}", status=2)
    diverged = re.search(r"diverged at step (\d+): crawl anew with a lower lfa.step_size, now 1", cli.err)
    assert diverged is not None
    assert "Traceback" not in cli.err
    cli("results run")
    learned = honeyguide.learned_weights("run")
    assert f"after step {learned.step}\n" in cli("learner run")
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
