"""Asynchronous swarms trial by trial: every rule, noise and moving quality, on counts alone. The plain loop beside the lanes."""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.reward_draws import draw_below, draw_reward, pick, quality_now
from madsim.kernels.streams import next_uniform, seed_state
from madsim.kernels.swarm_tally import add_ends, sole_type, tally_one

VOTER, IMITATION, INHIBITION = 0, 1, 2
BY_AGENT, BY_OPTION, BY_MOMENTS = 0, 1, 2


@njit(inline="always")
def _hear_all(counts, quality, noise, spread, draws, mean, variance, weights, state):
    """Reward heard for every option; returns its sum."""
    total = 0.0
    n = quality.shape[0]
    if draws == BY_MOMENTS:
        scatter = 0.0
        for b in range(n):
            total += counts[b] * mean[b]
            scatter += counts[b] * variance[b]
        if total <= 0.0:
            return 0.0
        e = scatter / (total * total)
        p = 1.0 + e * (3.0 + e * (15.0 + e * 105.0))
        whole = 0.0
        for b in range(n):
            weights[b] = max(counts[b] * mean[b] * (1.0 + e * p) - counts[b] * variance[b] * p / total, 0.0)
            whole += weights[b]
        return whole
    for b in range(n):
        heard = 0.0
        if counts[b] > 0 and (draws == BY_OPTION or noise == 0):
            heard = counts[b] * draw_reward(noise, quality[b], spread, state)
        elif counts[b] > 0:
            for _ in range(counts[b]):
                heard += draw_reward(noise, quality[b], spread, state)
        weights[b] = heard
        total += heard
    return total


@njit(inline="always")
def _holder(index, counts):
    """The type of agent number `index` when agents are lined up by type."""
    kind = 0
    while index >= counts[kind]:
        index -= counts[kind]
        kind += 1
    return kind


@njit(nogil=True, cache=True, error_model="numpy")
def swarm_events(
    key,
    first_trial,
    n_trials,
    start,
    n_agents,
    rule,
    draws,
    quality,
    interaction,
    noise,
    spread,
    mean,
    variance,
    times,
    sums,
    squares,
    absorbed,
    absorbed_at,
    winner,
    paths,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `start` int64 (type,), with rule INHIBITION the uncommitted last; `quality` float64 (option,); `mean` and `variance` of one reward,
    read with draws BY_MOMENTS only; an event whose rewards are all zero changes nothing.
    """
    kinds = start.shape[0]
    n_options = quality.shape[0]
    counts = np.empty(kinds, np.int64)
    weights, now, shares = np.empty(n_options), np.empty(n_options), np.empty(n_options)
    state = np.empty(4, np.uint32)
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        counts[:] = start
        now[:] = quality
        event = 0
        winner[trial] = sole_type(counts, n_agents)
        absorbed_at[trial] = 0 if winner[trial] >= 0 else -1
        for slot in range(times.shape[0]):
            while event < times[slot] and winner[trial] < 0:
                if interaction.shape[0] > 0:
                    for b in range(n_options):
                        shares[b] = counts[b] / n_agents
                    quality_now(quality, interaction, shares, now)
                event += 1
                source = _holder(draw_below(n_agents, state), counts)
                target = source
                if rule == VOTER:
                    total = _hear_all(counts, now, noise, spread, draws, mean, variance, weights, state)
                    if total > 0.0:
                        target = pick(weights, total, state)
                else:
                    counts[source] -= 1
                    met = _holder(draw_below(n_agents - 1, state), counts)
                    counts[source] += 1
                    if met < n_options and met != source:
                        speaks = next_uniform(state) < draw_reward(noise, now[met], spread, state)
                        if speaks and (rule == IMITATION or source == n_options):
                            target = met
                        elif speaks:
                            target = n_options
                counts[source] -= 1
                counts[target] += 1
                if counts[target] == n_agents:
                    winner[trial] = target
                    absorbed_at[trial] = event
            event = max(event, times[slot])
            tally_one(counts, slot, sums, squares, paths, trial)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
