"""What is said where PyTorch or a device is missing."""

from __future__ import annotations

import sys

import pytest

from honeyguide.errors import SettingsError
from honeyguide.learn.deep_q import pytorch


def test_without_pytorch_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SettingsError, match=r"'dqn-fixed': it needs PyTorch; pip install 'honeyguide\[deep\]'"):
        pytorch("dqn-fixed", "cpu")


def test_without_a_cuda_device_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SettingsError, match=r"dqn\.device is 'cuda': PyTorch finds no CUDA device here"):
        pytorch("dqn", "cuda")
