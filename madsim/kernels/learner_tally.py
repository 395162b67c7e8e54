"""Statistics of a block of learners in fixed point: probabilities in units of 2^-32 as whole numbers, the same sums in any order."""

from __future__ import annotations

import numpy as np
from numba import njit

UNIT = 4294967296.0
"""Whole numbers of the tally that make up a probability of 1."""


@njit(nogil=True, cache=True)
def tally_shares(shares, kept, slot, sums, squares, paths, row):
    """Add the first `kept` lanes of `shares`, float64 (option or more, lane), to record time `slot` of ``sums`` and ``squares`` int64.

    ``paths`` float64 (trial, time, option) is written from `row` on, where it has trials.
    """
    for option in range(sums.shape[1]):
        total = np.int64(0)
        square = np.int64(0)
        for lane in range(kept):
            x = shares[option, lane]
            total += np.int64(x * UNIT + 0.5)
            square += np.int64(x * x * UNIT + 0.5)
        sums[slot, option] += total
        squares[slot, option] += square
        if paths.shape[0] > 0:
            for lane in range(kept):
                paths[row + lane, slot, option] = shares[option, lane]
