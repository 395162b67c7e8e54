"""Statistics of a block of swarms: whole numbers only, so that sums are the same in any order.

Shared arrays, over record times: ``sums`` and ``squares`` int64 (time, type) of the counts, ``absorbed`` int64 (time, type) the number of
trials in which everybody holds one type, ``paths`` int32 (trial, time, type), or of no trial where trajectories are not kept. By trial:
``absorbed_at`` int32 (-1 while nothing is) and ``winner`` int16.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from madsim.kernels.streams import LANES

SMALL = math.isqrt((2**31 - 1) // LANES)
"""Up to this many agents the squares of the counts of a block fit 32 bits."""


@njit(nogil=True, cache=True)
def counts_of(below, counts):
    """Counts, int32 (type, lane), from cumulative counts, int32 (1 + type, lane), whose first row is zero."""
    for kind in range(counts.shape[0]):
        for lane in range(LANES):
            counts[kind, lane] = below[kind + 1, lane] - below[kind, lane]


@njit(nogil=True, cache=True)
def tally_lanes(counts, kept, n_agents, slot, sums, squares, paths, row):
    """Add the first `kept` lanes of `counts`, int32 (type, lane), to record time `slot`; trajectories go to rows from `row` on."""
    for kind in range(counts.shape[0]):
        if n_agents <= SMALL:
            total = np.int32(0)
            square = np.int32(0)
            for lane in range(kept):
                c = counts[kind, lane]
                total += c
                square += c * c
            sums[slot, kind] += total
            squares[slot, kind] += square
        else:
            for lane in range(kept):
                c64 = np.int64(counts[kind, lane])
                sums[slot, kind] += c64
                squares[slot, kind] += c64 * c64
        if paths.shape[0] > 0:
            for lane in range(kept):
                paths[row + lane, slot, kind] = counts[kind, lane]


@njit(nogil=True, cache=True)
def finish_lanes(counts, kept, n_agents, last_move, absorbed_at, winner, row):
    """Write how each kept lane ended; a lane was absorbed by its last move, int32 (lane,)."""
    for lane in range(kept):
        winner[row + lane] = -1
        absorbed_at[row + lane] = -1
        for kind in range(counts.shape[0]):
            if counts[kind, lane] == n_agents:
                winner[row + lane] = kind
                absorbed_at[row + lane] = last_move[lane]


@njit(nogil=True, cache=True)
def add_ends(times, absorbed_at, winner, absorbed):
    """Add the trials absorbed by each record time to ``absorbed``."""
    ends = np.zeros(absorbed.shape, np.int64)
    for trial in range(winner.shape[0]):
        if winner[trial] >= 0:
            slot = np.searchsorted(times, absorbed_at[trial])
            if slot < times.shape[0]:
                ends[slot, winner[trial]] += 1
    for kind in range(absorbed.shape[1]):
        running = np.int64(0)
        for slot in range(absorbed.shape[0]):
            running += ends[slot, kind]
            absorbed[slot, kind] += running


@njit(nogil=True, cache=True)
def all_absorbed(counts, kept, n_agents):
    """Whether every kept lane holds one type only."""
    for lane in range(kept):
        alone = False
        for kind in range(counts.shape[0]):
            alone |= counts[kind, lane] == n_agents
        if not alone:
            return False
    return True


@njit(nogil=True, cache=True)
def tally_one(counts, slot, sums, squares, paths, row):
    """Add one trial's counts, int64 (type,), to record time `slot`."""
    for kind in range(counts.shape[0]):
        c = counts[kind]
        sums[slot, kind] += c
        squares[slot, kind] += c * c
        if paths.shape[0] > 0:
            paths[row, slot, kind] = c


@njit(nogil=True, cache=True)
def sole_type(counts, n_agents):
    """The type that everybody holds, or -1."""
    for kind in range(counts.shape[0]):
        if counts[kind] == n_agents:
            return kind
    return -1
