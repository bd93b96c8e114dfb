"""PyTorch, where it is installed: an extra, heavy, and therefore imported when a deep strategy is made."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

Torch: TypeAlias = Any
"""The module: it is not there for everyone, so its types are not either."""

Tensor: TypeAlias = Any


def pytorch(strategy: str, device: str) -> Torch:
    """The module. SettingsError where it is missing, or where there is no such device."""
    try:
        import torch  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise SettingsError(
            [f"crawl.strategy is {strategy!r}: it needs PyTorch; pip install 'honeyguide[deep]', or choose lfa-sync"]
        ) from None
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingsError(
            ["dqn.device is 'cuda': PyTorch finds no CUDA device here; use --device cpu, or a CUDA build of PyTorch"]
        )
    return torch


@contextmanager
def one_thread(torch: Torch) -> Iterator[None]:
    """Sums that do not depend on how many processors there are. The number of threads is put back afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
