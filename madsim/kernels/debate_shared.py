"""Debates in which everybody adds everybody's answer with one weight: the counts are shared, so a round costs O(agents x answers).

Trials lie innermost, one a lane. All counts are cumulative over answers: ``heard[k]`` is the weight heard so far of the answers 0 to k,
so an answer is at most k where ``u * mass < cumulative[i, k] + heard[k]``, and no branch is needed. Four agents are counted at a time: the
counts are then loaded and stored once for four comparisons.

The parts of a round are functions of their own: the compiler vectorises each with a few checks of which arrays overlap. None of them
slices an array, because a view counts references, which costs as much as the work.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.debate_tally import tally_round
from madsim.kernels.streams import LANES, new_states, next_four24, next_uniforms24, next_uniforms32, seed_lanes


@njit(nogil=True, cache=True, error_model="numpy")
def _point(s0, s1, s2, s3, mass, point):
    """One agent's uniforms times its mass, into `point`, float32 or float64 (lane,)."""
    if point.itemsize == 4:
        next_uniforms24(s0, s1, s2, s3, point)
    else:
        next_uniforms32(s0, s1, s2, s3, point)
    for lane in range(LANES):
        point[lane] *= mass


@njit(nogil=True, cache=True, error_model="numpy")
def _count_four(p0, p1, p2, p3, cumulative, first, heard, counts):
    """Add the answers of the agents `first` to ``first + 3`` to the cumulative `counts`."""
    one, none = counts.dtype.type(1), counts.dtype.type(0)
    for cut in range(counts.shape[0]):
        b0, b1, b2, b3 = (
            cumulative[first, cut],
            cumulative[first + 1, cut],
            cumulative[first + 2, cut],
            cumulative[first + 3, cut],
        )
        for lane in range(LANES):
            so_far = heard[cut, lane]
            count = one if p0[lane] < b0 + so_far else none
            count += one if p1[lane] < b1 + so_far else none
            count += one if p2[lane] < b2 + so_far else none
            count += one if p3[lane] < b3 + so_far else none
            counts[cut, lane] += count


@njit(nogil=True, cache=True, error_model="numpy")
def _count_one(point, cumulative, agent, heard, counts):
    """Add the answers of one agent to the cumulative `counts`."""
    one, none = counts.dtype.type(1), counts.dtype.type(0)
    for cut in range(counts.shape[0]):
        below = cumulative[agent, cut]
        for lane in range(LANES):
            counts[cut, lane] += one if point[lane] < below + heard[cut, lane] else none


@njit(nogil=True, cache=True, error_model="numpy")
def _answer(point, cumulative, agent, heard, given):
    """Write one agent's answers into ``given[agent]``."""
    one, none = given.dtype.type(1), given.dtype.type(0)
    for lane in range(LANES):
        given[agent, lane] = given.dtype.type(heard.shape[0])
    for cut in range(heard.shape[0]):
        below = cumulative[agent, cut]
        for lane in range(LANES):
            given[agent, lane] -= one if point[lane] < below + heard[cut, lane] else none


@njit(nogil=True, cache=True, error_model="numpy")
def _believe(right, n_heard, active, belief, step):
    """Add the share of right answers among those heard, and its square, to ``belief[step, 0]``."""
    unit = 4294967296.0 / n_heard
    total, squares = np.int64(0), np.int64(0)
    for lane in range(active):
        fraction = right[lane] * unit
        total += np.int64(fraction)
        squares += np.int64(fraction * fraction * 2.0**-32)
    belief[step, 0, 0] += total
    belief[step, 0, 1] += squares


@njit(nogil=True, cache=True, error_model="numpy")
def _hear(counts, weight, heard, right):
    """Add a round's counts to what is heard, and its right answers to `right`, float64 (lane,)."""
    for lane in range(LANES):
        right[lane] += counts[0, lane]
    for cut in range(counts.shape[0]):
        for lane in range(LANES):
            heard[cut, lane] += weight * counts[cut, lane]


@njit(nogil=True, cache=True, error_model="numpy")
def debate_shared(key, first_trial, n_trials, cumulative, mass, weight, ties_first, belief, share, wins, spread, votes):
    """Run the trials ``first_trial`` to ``first_trial + n_trials - 1`` and add their statistics.

    Parameters
    ----------
    key : uint64 (2,), see `streams.stream_key`
    cumulative : float32 or float64 (agent, answer - 1); cumulative sums of the concentrations; its type is the arithmetic's
    mass : same type (agent,); sums of the concentrations
    weight : same type; what one answer adds
    ties_first : whether ties go to the tied answer that the first agent in order gave
    belief : int64 (round, 1, 2); adds sum and sum of squares of (answers heard that were right / answers heard), in units of 2**-32
    share, wins, spread : see `debate_tally.tally_round`
    votes : uint8 (trial, round, agent), or of no trial where votes are not kept
    """
    n_agents, n_cuts = cumulative.shape
    real = cumulative.dtype
    s0, s1, s2, s3 = new_states(LANES)
    p0, p1, p2, p3 = np.empty(LANES, real), np.empty(LANES, real), np.empty(LANES, real), np.empty(LANES, real)
    most, tied, agreeing = np.empty(LANES, real), np.empty(LANES, real), np.empty(LANES, real)
    heard, counts = np.empty((n_cuts, LANES), real), np.empty((n_cuts, LANES), real)
    right_so_far = np.empty(LANES, np.float64)
    keep = votes.shape[0] > 0
    store = keep or ties_first
    given = np.zeros((n_agents if store else 1, LANES), real)
    by_four = n_agents - n_agents % 4 if cumulative.itemsize == 4 and not store else 0
    for start in range(0, n_trials, LANES):
        active = min(LANES, n_trials - start)
        seed_lanes(key, first_trial + start, s0, s1, s2, s3)
        heard[:] = 0
        right_so_far[:] = 0
        for step in range(belief.shape[0]):
            if step > 0:
                _believe(right_so_far, n_agents * step, active, belief, step)
            counts[:] = 0
            heard_mass = weight * real.type(n_agents * step)
            for first in range(0, by_four, 4):
                m0, m1 = mass[first] + heard_mass, mass[first + 1] + heard_mass
                m2, m3 = mass[first + 2] + heard_mass, mass[first + 3] + heard_mass
                next_four24(s0, s1, s2, s3, m0, m1, m2, m3, p0, p1, p2, p3)
                _count_four(p0, p1, p2, p3, cumulative, first, heard, counts)
            for agent in range(by_four, n_agents):
                _point(s0, s1, s2, s3, mass[agent] + heard_mass, p0)
                _count_one(p0, cumulative, agent, heard, counts)
                if store:
                    _answer(p0, cumulative, agent, heard, given)
            tally_round(
                counts, n_agents, active, ties_first, given, share[step], wins[step], spread[step], most, tied, agreeing
            )
            if keep:
                for agent in range(n_agents):
                    for lane in range(active):
                        votes[start + lane, step, agent] = np.uint8(given[agent, lane])
            _hear(counts, weight, heard, right_so_far)
