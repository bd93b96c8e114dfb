"""`honeyguide learner`, the profiles of the papers, and the step size of a preset."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.learn import LfaSettings
from honeyguide.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal
    from honeyguide.settings import Settings

SMALL = ("--world", "synthetic:pages=500,hosts=8", "--budget", "12")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def crawled(tmp_path: Path, *arguments: str, name: str = "run") -> Settings:
    assert main(["crawl", name, *SMALL, *arguments]) == 0
    return load_settings(tmp_path / name / "settings.toml")


def test_what_was_learned_is_shown_by_size_saved_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawled(tmp_path, "--preset", "geology", "--profile", "han2018")
    assert "honeyguide learner run" in capsys.readouterr().out
    weights = honeyguide.learned_weights("run").weights
    assert main(["learner", "run", "-o", "learned.npy"]) == 0
    first, *table, last = capsys.readouterr().out.splitlines()
    assert first == "lfa-sync after step 12, lfa.features = han"
    assert last == "Saved in learned.npy. Go on from there with: --set lfa.start_weights=learned.npy"
    shown = [float(line.split()[0]) for line in table]
    assert shown == pytest.approx(sorted(weights, key=lambda weight: -abs(weight)), rel=1e-3)
    assert any(line.endswith("  page: category Earth in five") for line in table)
    assert np.array_equal(np.load("learned.npy"), weights)
    crawled(
        tmp_path, "--preset", "geology", "--profile", "han2018", "--set", "lfa.start_weights=learned.npy", name="next"
    )
    assert not np.array_equal(honeyguide.learned_weights("next").weights, weights)
    capsys.readouterr()
    assert main(["learner", "next", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["strategy"], document["features"], document["step"], document["file"]) == (
        "lfa-sync",
        "han",
        12,
        None,
    )
    by_column = {entry["column"]: entry["weight"] for entry in document["weights"]}
    learned = honeyguide.learned_weights("next")
    assert [by_column[column] for column in learned.columns] == learned.weights.tolist()


def test_runs_and_files_that_will_not_do_are_refused_in_one_line(
    tmp_path: Path, refusal: Refusal, capfd: pytest.CaptureFixture[str]
) -> None:
    crawled(tmp_path, "--topic", "geology", "--strategy", "lfa-async")
    crawled(tmp_path, "--strategy", "breadth-first", name="blind")
    (tmp_path / "there.npy").write_bytes(b"mine")
    capfd.readouterr()
    again = ("crawl", "again", *SMALL, "--topic", "geology", "--category", "Earth", "--strategy", "lfa-sync")
    assert "blind: it was crawled by breadth-first" in refusal("learner", "blind")
    assert "there.npy is there already" in refusal("learner", "run", "-o", "there.npy")
    assert "missing" in refusal("learner", "missing")
    assert "has 14 weights and this crawl needs 18" in refusal(*again, "--set", "lfa.start_weights=run")
    assert "neither a run nor a .npy file" in refusal(*again, "--set", "lfa.start_weights=there.npy")


@pytest.mark.parametrize("snapshot_every", [200, 1])
def test_weights_that_diverge_end_in_one_line_and_a_run_that_can_be_read(
    capsys: pytest.CaptureFixture[str], snapshot_every: int
) -> None:
    flags = ("--preset", "geology", "--profile", "han2018", "--set", "lfa.step_size=1", "--budget", "100")
    assert main(["crawl", "run", *SMALL, *flags, "--set", f"store.snapshot_every={snapshot_every}"]) == 2
    err = capsys.readouterr().err
    told = re.search(r"diverged at step (\d+): crawl anew with a lower lfa.step_size, now 1", err)
    assert told is not None
    assert "Traceback" not in err
    assert main(["results", "run"]) == 0
    capsys.readouterr()
    assert main(["learner", "run"]) == 0
    learned = honeyguide.learned_weights("run")
    assert f"after step {learned.step}," in capsys.readouterr().out
    if snapshot_every == 1:
        assert learned.step == int(told[1]) - 1, "the last step before"
        assert 1e3 < np.abs(learned.weights).max() < 1e20
    else:
        assert learned.step == 0
        assert not learned.weights.any()


def test_a_papers_profile_goes_under_what_the_user_sets(tmp_path: Path) -> None:
    settings = crawled(
        tmp_path, "--preset", "olympics", "--profile", "pertejo2021", "--strategy", "lfa-sync",
        "--set", "lfa.discount=0.5",
    )  # fmt: skip
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
        (("--profile", "han2018"), 0.0005),
        (("--strategy", "lfa-async"), 0.0005),
        (("--profile", "pertejo2021"), 0.001),
        (("--config", "own.toml", "--strategy", "lfa-async"), 0.001),
    ],
)
def test_the_step_size_of_a_preset_is_hans(tmp_path: Path, flags: tuple[str, ...], step_size: float) -> None:
    """Pertejo has one for all topics (4.3), and whoever writes down their own keeps it."""
    (tmp_path / "own.toml").write_text("[lfa]\nstep_size = 0.001\n")
    assert crawled(tmp_path, "--preset", "fiction", *flags).of(LfaSettings).step_size == step_size


def test_a_step_size_of_ones_own_goes_over_that_of_a_preset(tmp_path: Path) -> None:
    settings = crawled(tmp_path, "--preset", "fiction", "--profile", "han2018", "--set", "lfa.step_size=0.001")
    assert settings.of(LfaSettings).step_size == 0.001
    assert (settings.crawl.strategy, settings.judge.reward) == ("lfa-sync", "han2018")
