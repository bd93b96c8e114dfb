"""Strategies that need PyTorch, from the command line."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from deep_strategies import DEEP

if TYPE_CHECKING:
    from types import ModuleType

    from cli.conftest import Refusal, RunProgram

GEOLOGY = ("--world", "synthetic:seed=5,pages=3000,hosts=25", "--topic", "geology", "--budget", "60")


@pytest.mark.parametrize("strategy", sorted(DEEP))
def test_without_pytorch_a_crawl_by_dqn_is_refused(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    line = refusal("crawl", "run", *GEOLOGY, "--strategy", strategy)
    assert f"crawl.strategy is '{strategy}': it needs PyTorch; pip install 'honeyguide[deep]'" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--device", "gpu"), "dqn.device is 'gpu': choose one of cpu, cuda"),
        (("--set", "dqn.layers=[]"), "dqn.layers is []: give at least one layer, each of 1 to 4096 units"),
        (("--set", "dqn.layers=[64, 0]"), "dqn.layers is [64, 0]: give at least one layer, each of 1 to 4096 units"),
        (("--set", "dqn.layers=[1.5]"), "it must be a list of whole numbers, as in [128, 256]"),
        (("--set", "dqn.target=triple"), "choose one of ordinary, double, clipped-double"),
        (("--set", "dqn.replay=0"), "dqn.replay is 0: it must be at least 1"),
    ],
)
def test_a_network_for_dqn_that_cannot_be_is_refused(refusal: Refusal, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal("crawl", "run", *GEOLOGY, "--strategy", "dqn", *arguments)


class TestWithPytorch:
    @pytest.fixture(autouse=True)
    def torch(self) -> ModuleType:
        module: ModuleType = pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
        return module

    def test_dqn_without_a_cuda_device_is_refused(
        self, refusal: Refusal, torch: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        line = refusal("crawl", "run", *GEOLOGY, "--strategy", "dqn", "--device", "cuda")
        assert "dqn.device is 'cuda': PyTorch finds no CUDA device here; use --device cpu" in line

    def test_dqn_crawls_and_goes_on_later(self, run_program: RunProgram) -> None:
        result = run_program("crawl", "run", *GEOLOGY, "--strategy", "dqn", "--set", "dqn.warm_up=10", "--json")
        assert json.loads(result.stdout)["fetches"] == 60
        result = run_program("resume", "run", "--budget", "+20", "--json")
        assert json.loads(result.stdout)["fetches"] == 80

    def test_dqn_fixed_fetches_no_more_pages_than_it_has_outputs(self, run_program: RunProgram) -> None:
        arguments = ("--strategy", "dqn-fixed", "--set", "dqn.outputs=40", "--set", "dqn.warm_up=10", "--json")
        summary = json.loads(run_program("crawl", "run", *GEOLOGY, *arguments).stdout)
        assert summary["fetches"] <= 40
        assert summary["skipped_links"] > 0
        assert summary["skipped_every_link"]
