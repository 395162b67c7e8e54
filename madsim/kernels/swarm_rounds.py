"""Synchronous swarms in which everybody is heard, on counts alone: a round costs O(options), not O(agents).

Given the rewards heard, all agents take an option independently with the same chances: the next counts are one multinomial draw. Rewards of
agents of one option enter only through their sum: a binomial for rewards of 0 or 1, a normal where clipping is negligible (NORMAL_SUMS),
nothing to draw without noise or where they share one draw, else one draw an agent.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from madsim.kernels.binomial import draw_binomial, draw_multinomial
from madsim.kernels.reward_draws import BERNOULLI, NOISE_FREE, draw_normal, draw_reward, quality_now
from madsim.kernels.streams import seed_state
from madsim.kernels.swarm_tally import add_ends, sole_type, tally_one

BY_AGENT, BY_OPTION, NORMAL_SUMS = 0, 1, 2


@njit(nogil=True, cache=True, error_model="numpy")
def _hear(count, draws, noise, quality, spread, state):
    """The sum of the rewards of `count` agents of one option."""
    if count == 0:
        return 0.0
    if draws == BY_OPTION or noise == NOISE_FREE:
        return count * draw_reward(noise, quality, spread, state)
    if noise == BERNOULLI:
        return np.float64(draw_binomial(count, quality, state))
    if draws == NORMAL_SUMS:
        return max(count * quality + spread * math.sqrt(count) * draw_normal(state), 0.0)
    heard = 0.0
    for _ in range(count):
        heard += draw_reward(noise, quality, spread, state)
    return heard


@njit(nogil=True, cache=True, error_model="numpy")
def swarm_rounds(
    key, first_trial, n_trials, start, n_agents, random_start, draws, quality, interaction, noise, spread, times, sums,
    squares, absorbed, absorbed_at, winner, paths,
):  # fmt: skip
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `start` int64 (option,); with `random_start` the first counts are drawn with these shares. A round in which no reward is heard changes
    nothing.
    """
    n_options = quality.shape[0]
    counts = np.empty(n_options, np.int64)
    weights, now, shares = np.empty(n_options), np.empty(n_options), np.empty(n_options)
    state = np.empty(4, np.uint32)
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        counts[:] = start
        now[:] = quality
        if random_start:
            weights[:] = start
            draw_multinomial(n_agents, weights, counts, state)
        step = 0
        winner[trial] = sole_type(counts, n_agents)
        absorbed_at[trial] = 0 if winner[trial] >= 0 else -1
        for slot in range(times.shape[0]):
            while step < times[slot] and winner[trial] < 0:
                step += 1
                if interaction.shape[0] > 0:
                    for b in range(n_options):
                        shares[b] = counts[b] / n_agents
                    quality_now(quality, interaction, shares, now)
                total = 0.0
                for b in range(n_options):
                    weights[b] = _hear(counts[b], draws, noise, now[b], spread, state)
                    total += weights[b]
                if total > 0.0:
                    draw_multinomial(n_agents, weights, counts, state)
                    winner[trial] = sole_type(counts, n_agents)
                    if winner[trial] >= 0:
                        absorbed_at[trial] = step
            step = max(step, times[slot])
            tally_one(counts, slot, sums, squares, paths, trial)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
