"""What a strategy knows of links, in numbers: one row a link, kept while it waits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Row: TypeAlias = NDArray[np.float16]
"""A row of half-precision numbers: a million links of 44 numbers take 88 MB."""

Rows: TypeAlias = NDArray[np.float16]
"""Rows under one another: shape (links, width)."""


def weighted_sums(rows: NDArray[np.floating], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of rows and weights; equal rows give bit-equal sums whatever the batch.

    Rows that are kept in double precision give the same sums sooner.
    """
    # Not `rows @ weights`: BLAS adds up a row differently at the end of a batch than in its middle.
    sums: NDArray[np.float64] = np.einsum("ij,j->i", np.ascontiguousarray(rows, np.float64), weights, optimize=False)
    return sums
