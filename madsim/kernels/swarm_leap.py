"""Large asynchronous swarms by tau-leaping: many events at once, with the chances at the middle of the leap (Gillespie 2001, section V).

A leap of m events holds the chances of an event constant at the counts expected after m / 2 of them. Then the moves are multinomial: who
leaves which option, and what they take. No more leave an option than hold it; the moves beyond are events without effect. Approximate: the
error of a mean share falls with the square of m / agents, but for options that a few agents hold.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.binomial import draw_multinomial
from madsim.kernels.reward_draws import expected_reward, quality_now
from madsim.kernels.streams import seed_state
from madsim.kernels.swarm_tally import add_ends, sole_type, tally_one
from madsim.kernels.swarm_walk import INHIBITION, VOTER


@njit(nogil=True, cache=True, error_model="numpy")
def _adopt(at, mean, variance, weights):
    """Chance with which a voter takes each option, float64 (option,), at real-valued counts; returns whether anything is heard."""
    total, scatter = 0.0, 0.0
    for b in range(weights.shape[0]):
        total += at[b] * mean[b]
        scatter += at[b] * variance[b]
    if total <= 0.0:
        return False
    e = scatter / (total * total)
    p = 1.0 + e * (3.0 + e * (15.0 + e * 105.0))
    whole = 0.0
    for b in range(weights.shape[0]):
        weights[b] = max(at[b] * mean[b] * (1.0 + e * p) - at[b] * variance[b] * p / total, 0.0)
        whole += weights[b]
    for b in range(weights.shape[0]):
        weights[b] /= whole
    return True


@njit(nogil=True, cache=True, error_model="numpy")
def _moves(rule, at, n_agents, mean, variance, weights, chance):
    """Chance that an event turns a holder of one type into another, float64 (from, to), and on the diagonal that nothing changes."""
    kinds = at.shape[0]
    chance[:] = 0.0
    heard = rule != VOTER or _adopt(at, mean, variance, weights)
    for source in range(kinds):
        share = at[source] / n_agents
        moved = 0.0
        if heard:
            for b in range(weights.shape[0]):
                if b == source:
                    continue
                taken = weights[b] if rule == VOTER else at[b] * mean[b] / (n_agents - 1.0)
                target = b if rule != INHIBITION or source == kinds - 1 else kinds - 1
                chance[source, target] += share * taken
                moved += share * taken
        chance[source, source] = max(share - moved, 0.0)


@njit(nogil=True, cache=True, error_model="numpy")
def _middle(counts, chance, half, at):
    """Write into `at` the counts expected after `half` events, none below zero where somebody holds it, zero where nobody does."""
    for kind in range(counts.shape[0]):
        drift = 0.0
        for other in range(counts.shape[0]):
            if other != kind:
                drift += chance[other, kind] - chance[kind, other]
        at[kind] = max(counts[kind] + half * drift, 0.0)


@njit(nogil=True, cache=True, error_model="numpy")
def swarm_leaps(
    key, first_trial, n_trials, start, n_agents, rule, leap, quality, interaction, noise, spread, mean, variance, times,
    sums, squares, absorbed, absorbed_at, winner, paths,
):  # fmt: skip
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `rule` as in `swarm_walk`; `leap` is the most events at once, leaps end at record times. `mean` and `variance` are those of one reward
    where quality is constant; where it moves, the mean follows it and voters must be without noise. ``absorbed_at`` is the end of the leap.
    """
    kinds, n_options = start.shape[0], quality.shape[0]
    counts, moved, left = np.empty(kinds, np.int64), np.empty(kinds * kinds, np.int64), np.empty(kinds, np.int64)
    at, chance = np.empty(kinds), np.empty((kinds, kinds))
    weights, now, shares, expected = np.empty(n_options), np.empty(n_options), np.empty(n_options), np.empty(n_options)
    state = np.empty(4, np.uint32)
    expected[:] = mean
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        counts[:] = start
        event = 0
        winner[trial] = sole_type(counts, n_agents)
        absorbed_at[trial] = 0 if winner[trial] >= 0 else -1
        for slot in range(times.shape[0]):
            while event < times[slot] and winner[trial] < 0:
                size = min(leap, times[slot] - event)
                event += size
                at[:] = counts
                for stage in range(2):
                    if interaction.shape[0] > 0:
                        for b in range(n_options):
                            shares[b] = at[b] / n_agents
                        quality_now(quality, interaction, shares, now)
                        for b in range(n_options):
                            expected[b] = expected_reward(noise, now[b], spread)
                    _moves(rule, at, n_agents, expected, variance, weights, chance)
                    if stage == 0:
                        _middle(counts, chance, 0.5 * size, at)
                draw_multinomial(size, chance.reshape(kinds * kinds), moved, state)
                left[:] = counts
                for source in range(kinds):
                    for target in range(kinds):
                        if source != target:
                            number = min(moved[source * kinds + target], left[source])
                            left[source] -= number
                            counts[source] -= number
                            counts[target] += number
                winner[trial] = sole_type(counts, n_agents)
                if winner[trial] >= 0:
                    absorbed_at[trial] = event
            event = max(event, times[slot])
            tally_one(counts, slot, sums, squares, paths, trial)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
