"""Debates on any graph, with any weights: each agent keeps the answers that it heard, so a round costs O((agents + edges) x answers).

Trials lie innermost, one a lane; counts are cumulative over answers, as in `debate_shared`, whose draws these are in the same order.
Agent i has heard ``common[i]`` of everybody's answers (0 where nobody is heard by all) and ``weights[e]`` of the answers of agent
``heard_agent[e]`` for the edges e of its row. Edges, cuts and agents are worked four at a time, padded with ones that change nothing: what
the four share is loaded and stored once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.debate_tally import tally_round
from madsim.kernels.streams import new_states, next_uniforms24, next_uniforms32, seed_lanes

TOGETHER = 4


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
    s0, s1, s2, s3 = new_states(lanes)
    point = np.empty(lanes, real)
    scratch = np.empty((n_cuts, lanes), real)
    heard = np.empty((n_agents, n_cuts, lanes), real)
    everybody = np.empty((n_cuts, lanes), real)
    counts = np.empty((n_cuts, lanes), real)
    given = np.zeros((n_agents, lanes), real)
    most, tied, agreeing = np.empty(lanes, real), np.empty(lanes, real), np.empty(lanes, real)
    index, value = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, real)
    for start in range(0, n_trials, lanes):
        active = min(lanes, n_trials - start)
        seed_lanes(key, first_trial + start, s0, s1, s2, s3)
        everybody[:] = 0
        heard[:] = 0
        for step in range(belief.shape[0]):
            if step > 0:
                rows = offsets[graph_of_round[step]]
                for agent in range(n_agents):
                    for first in range(rows[agent], rows[agent + 1], TOGETHER):
                        index[:] = agent  # edges past the last one weigh nothing
                        value[:] = none
                        for place in range(min(TOGETHER, rows[agent + 1] - first)):
                            index[place] = heard_agent[first + place]
                            value[place] = weights[first + place]
                        i0, i1, i2, i3 = index[0], index[1], index[2], index[3]
                        v0, v1, v2, v3 = value[0], value[1], value[2], value[3]
                        for cut in range(n_cuts):
                            limit = real.type(cut)
                            for lane in range(lanes):
                                total = heard[agent, cut, lane]
                                total += v0 if given[i0, lane] <= limit else none
                                total += v1 if given[i1, lane] <= limit else none
                                total += v2 if given[i2, lane] <= limit else none
                                total += v3 if given[i3, lane] <= limit else none
                                heard[agent, cut, lane] = total
                if shared:
                    for cut in range(n_cuts):
                        for lane in range(lanes):
                            everybody[cut, lane] += counts[cut, lane]
            for agent in range(n_agents):
                total_mass, share_of_all = mass[step, agent], common[agent]
                evidence = heard[agent]
                if shared:
                    for cut in range(n_cuts):
                        for lane in range(lanes):
                            scratch[cut, lane] = heard[agent, cut, lane] + share_of_all * everybody[cut, lane]
                    evidence = scratch
                if step > 0:
                    right, squares = np.int64(0), np.int64(0)
                    if whole:
                        for lane in range(active):
                            number = np.int64(evidence[0, lane])
                            right += number
                            squares += number * number
                    else:
                        unit = 4294967296.0 / np.float64(total_mass)
                        for lane in range(active):
                            fraction = np.float64(evidence[0, lane] + cumulative[agent, 0]) * unit
                            right += np.int64(fraction)
                            squares += np.int64(fraction * fraction * 2.0**-32)
                    belief[step, agent, 0] += right
                    belief[step, agent, 1] += squares
                if single:
                    next_uniforms24(s0, s1, s2, s3, point)
                else:
                    next_uniforms32(s0, s1, s2, s3, point)
                for lane in range(lanes):
                    point[lane] *= total_mass
                for first in range(0, n_cuts, TOGETHER):
                    index[:] = first  # cuts past the last one are never reached
                    value[:] = np.inf
                    for place in range(min(TOGETHER, n_cuts - first)):
                        index[place] = first + place
                        value[place] = cumulative[agent, first + place]
                    i0, i1, i2, i3 = index[0], index[1], index[2], index[3]
                    v0, v1, v2, v3 = value[0], value[1], value[2], value[3]
                    for lane in range(lanes):
                        above = one if point[lane] >= v0 + evidence[i0, lane] else none
                        above += one if point[lane] >= v1 + evidence[i1, lane] else none
                        above += one if point[lane] >= v2 + evidence[i2, lane] else none
                        above += one if point[lane] >= v3 + evidence[i3, lane] else none
                        given[agent, lane] = above if first == 0 else given[agent, lane] + above
            counts[:] = 0
            for first in range(0, n_agents, TOGETHER):
                together = min(TOGETHER, n_agents - first)
                for cut in range(n_cuts):
                    value[:] = -one  # agents past the last one are never counted
                    value[:together] = cut
                    v0, v1, v2, v3 = value[0], value[1], value[2], value[3]
                    for place in range(TOGETHER):
                        index[place] = min(first + place, n_agents - 1)
                    i1, i2, i3 = index[1], index[2], index[3]
                    for lane in range(lanes):
                        count = one if given[first, lane] <= v0 else none
                        count += one if given[i1, lane] <= v1 else none
                        count += one if given[i2, lane] <= v2 else none
                        count += one if given[i3, lane] <= v3 else none
                        counts[cut, lane] += count
            tally_round(
                counts, n_agents, active, ties_first, given, share[step], wins[step], spread[step], most, tied, agreeing
            )
            if votes.shape[0] > 0:
                for agent in range(n_agents):
                    for lane in range(active):
                        votes[start + lane, step, agent] = np.uint8(given[agent, lane])
