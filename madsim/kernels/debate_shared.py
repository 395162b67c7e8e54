"""Debates in which everybody adds everybody's answer with one weight: the counts are shared, so a round costs O(agents x answers).

Trials lie innermost, one a lane. All counts are cumulative over answers: ``heard[k]`` is the weight heard so far of the answers 0 to k,
so an answer is at most k where ``u * mass < cumulative[i, k] + heard[k]``, and no branch is needed. Four agents are counted at a time: the
counts are then loaded and stored once for four comparisons.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.debate_tally import tally_round
from madsim.kernels.streams import LANES, next_uniforms24, next_uniforms32, seed_lanes

TOGETHER = 4


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
    one, none = real.type(1), real.type(0)
    single = cumulative.itemsize == 4
    s0, s1, s2, s3 = (
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
    )
    points = np.zeros((TOGETHER, LANES), real)
    below = np.empty(TOGETHER, real)
    heard = np.empty((n_cuts, LANES), real)
    counts = np.empty((n_cuts, LANES), real)
    right_so_far = np.empty(LANES, np.float64)
    keep = votes.shape[0] > 0
    store = keep or ties_first
    given = np.zeros((n_agents if store else 1, LANES), real)
    for start in range(0, n_trials, LANES):
        active = min(LANES, n_trials - start)
        seed_lanes(key, first_trial + start, s0, s1, s2, s3)
        heard[:] = 0
        right_so_far[:] = 0
        for step in range(belief.shape[0]):
            if step > 0:
                unit = 4294967296.0 / (n_agents * step)
                total, squares = np.int64(0), np.int64(0)
                for lane in range(active):
                    fraction = right_so_far[lane] * unit
                    total += np.int64(fraction)
                    squares += np.int64(fraction * fraction * 2.0**-32)
                belief[step, 0, 0] += total
                belief[step, 0, 1] += squares
            counts[:] = 0
            heard_mass = weight * real.type(n_agents * step)
            for first in range(0, n_agents, TOGETHER):
                together = min(TOGETHER, n_agents - first)
                for place in range(together):
                    if single:
                        next_uniforms24(s0, s1, s2, s3, points[place])
                    else:
                        next_uniforms32(s0, s1, s2, s3, points[place])
                    total_mass = mass[first + place] + heard_mass
                    for lane in range(LANES):
                        points[place, lane] *= total_mass
                for cut in range(n_cuts):
                    below[:] = -heard_mass - one  # agents past the last one are never counted
                    for place in range(together):
                        below[place] = cumulative[first + place, cut]
                    b0, b1, b2, b3 = below[0], below[1], below[2], below[3]
                    for lane in range(LANES):
                        so_far = heard[cut, lane]
                        count = one if points[0, lane] < b0 + so_far else none
                        count += one if points[1, lane] < b1 + so_far else none
                        count += one if points[2, lane] < b2 + so_far else none
                        count += one if points[3, lane] < b3 + so_far else none
                        counts[cut, lane] += count
                if store:
                    for place in range(together):
                        agent = first + place
                        given[agent] = n_cuts
                        for cut in range(n_cuts):
                            own = cumulative[agent, cut]
                            for lane in range(LANES):
                                given[agent, lane] -= one if points[place, lane] < own + heard[cut, lane] else none
            tally_round(counts, n_agents, active, ties_first, given, share[step], wins[step], spread[step])
            if keep:
                for agent in range(n_agents):
                    for lane in range(active):
                        votes[start + lane, step, agent] = np.uint8(given[agent, lane])
            for lane in range(LANES):
                right_so_far[lane] += counts[0, lane]
            for cut in range(n_cuts):
                for lane in range(LANES):
                    heard[cut, lane] += weight * counts[cut, lane]
