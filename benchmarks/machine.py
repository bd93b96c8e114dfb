"""What the figures were measured on."""

from __future__ import annotations

import os
import platform

import numpy as np


def machine() -> dict[str, str]:
    """The parts of a machine and its software that figures depend on."""
    return {
        "cores": str(os.cpu_count()),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": f"{os.getloadavg()[0]:.1f}",
    }
