"""Debates on any graph, with any weights: each agent keeps the answers that it heard, so a round costs O((agents + edges) x answers).

Trials lie innermost, one a lane; counts are cumulative over answers, as in `debate_shared`, whose draws these are in the same order.
Agent i has heard ``common[i]`` of everybody's answers (0 where nobody is heard by all) and ``weights[e]`` of the answers of agent
``heard_agent[e]`` for the edges e of its row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.debate_tally import tally_round
from madsim.kernels.streams import next_uniforms24, next_uniforms32, seed_lanes


@njit(nogil=True, cache=True, error_model="numpy")
def debate_sparse(
    key, first_trial, n_trials, lanes, cumulative, mass, common, graph_of_round, offsets, heard_agent, weights, whole,
    ties_first, belief, share, wins, spread, votes,
):  # fmt: skip
    """Run the trials ``first_trial`` to ``first_trial + n_trials - 1`` and add their statistics.

    Parameters
    ----------
    key : uint64 (2,), see `streams.stream_key`
    lanes : trials in one block; results do not depend on it
    cumulative : float32 or float64 (agent, answer - 1); cumulative sums of the concentrations; its type is the arithmetic's
    mass : same type (round, agent); sums of the concentrations in each round
    common : same type (agent,)
    graph_of_round : int64 (round,); the row of `offsets` that leads to a round, its first entry unused
    offsets : int64 (graph, agent + 1); row i of a graph occupies ``offsets[graph, i]:offsets[graph, i + 1]``
    heard_agent : int64 (edge,)
    weights : same type as `cumulative` (edge,)
    whole : whether all weights and `common` are whole numbers, so that `belief` is exact
    ties_first : whether ties go to the tied answer that the first agent in order gave
    belief : int64 (round, agent, 2); adds sum and sum of squares of the weight heard of right answers where `whole`, else of the
        belief in the target in units of 2**-32
    share, wins, spread : see `debate_tally.tally_round`
    votes : uint8 (trial, round, agent), or of no trial where votes are not kept
    """
    n_agents, n_cuts = cumulative.shape
    real = cumulative.dtype
    one, none = real.type(1), real.type(0)
    single = cumulative.itemsize == 4
    shared = False
    for agent in range(n_agents):
        shared = shared or common[agent] != none
    s0, s1, s2, s3 = (
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
    )
    point = np.empty(lanes, real)
    below = np.empty(lanes, real)
    heard = np.empty((n_agents, n_cuts, lanes), real)
    everybody = np.empty((n_cuts, lanes), real)
    counts = np.empty((n_cuts, lanes), real)
    given = np.zeros((n_agents, lanes), real)
    for start in range(0, n_trials, lanes):
        active = min(lanes, n_trials - start)
        seed_lanes(key, first_trial + start, s0, s1, s2, s3)
        everybody[:] = 0
        heard[:] = 0
        for step in range(belief.shape[0]):
            if step > 0:
                rows = offsets[graph_of_round[step]]
                for agent in range(n_agents):
                    for edge in range(rows[agent], rows[agent + 1]):
                        other, weight = heard_agent[edge], weights[edge]
                        for cut in range(n_cuts):
                            for lane in range(lanes):
                                heard[agent, cut, lane] += weight if given[other, lane] <= real.type(cut) else none
                if shared:
                    for cut in range(n_cuts):
                        for lane in range(lanes):
                            everybody[cut, lane] += counts[cut, lane]
            counts[:] = 0
            for agent in range(n_agents):
                total_mass, share_of_all = mass[step, agent], common[agent]
                if step > 0:
                    total, squares = np.int64(0), np.int64(0)
                    if whole:
                        for lane in range(active):
                            right = np.int64(heard[agent, 0, lane] + share_of_all * everybody[0, lane])
                            total += right
                            squares += right * right
                    else:
                        unit = 4294967296.0 / np.float64(total_mass)
                        for lane in range(active):
                            right = heard[agent, 0, lane] + share_of_all * everybody[0, lane] + cumulative[agent, 0]
                            fraction = np.float64(right) * unit
                            total += np.int64(fraction)
                            squares += np.int64(fraction * fraction * 2.0**-32)
                    belief[step, agent, 0] += total
                    belief[step, agent, 1] += squares
                if single:
                    next_uniforms24(s0, s1, s2, s3, point)
                else:
                    next_uniforms32(s0, s1, s2, s3, point)
                for lane in range(lanes):
                    point[lane] *= total_mass
                given[agent] = 0
                for cut in range(n_cuts):
                    own = cumulative[agent, cut]
                    if shared:
                        for lane in range(lanes):
                            below[lane] = own + share_of_all * everybody[cut, lane] + heard[agent, cut, lane]
                    else:
                        for lane in range(lanes):
                            below[lane] = own + heard[agent, cut, lane]
                    for lane in range(lanes):
                        at_most = one if point[lane] < below[lane] else none
                        counts[cut, lane] += at_most
                        given[agent, lane] += one - at_most
            tally_round(counts, n_agents, active, ties_first, given, share[step], wins[step], spread[step])
            if votes.shape[0] > 0:
                for agent in range(n_agents):
                    for lane in range(active):
                        votes[start + lane, step, agent] = np.uint8(given[agent, lane])
