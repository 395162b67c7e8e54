"""Weighted voters agent by agent: rounds or single events, any way of hearing, several votes, acceptance.

Hearing: EVERYBODY, SOME (a few others without replacement), GROUP (disjoint groups, drawn anew every round), GRAPH (neighbours with
weights, and oneself with `self_weight`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.reward_draws import draw_below, draw_reward, pick, quality_now
from madsim.kernels.streams import next_uniform, seed_state
from madsim.kernels.swarm_tally import add_ends, sole_type, tally_one

EVERYBODY, SOME, GROUP, GRAPH = 0, 1, 2, 3
ALWAYS, BY_REWARD, IF_BETTER = 0, 1, 2


@njit(inline="always")
def _sample_others(agent, n_agents, n_heard, stamp, mark, heard, state):
    """Write `n_heard` distinct agents other than `agent` into `heard`: Floyd's method, one word each."""
    others = n_agents - 1
    for position in range(n_heard):
        last = others - n_heard + position
        drawn = draw_below(last + 1, state)
        if stamp[drawn] == mark:
            drawn = last
        stamp[drawn] = mark
        heard[position] = drawn + 1 if drawn >= agent else drawn


@njit(inline="always")
def _majority(weights, total, n_votes, ballots, state):
    """The option with most of `n_votes` draws, ties by one more draw."""
    ballots[:] = 0
    for _ in range(n_votes):
        ballots[pick(weights, total, state)] += 1
    top = ballots.max()
    tied = 0
    for b in range(ballots.shape[0]):
        tied += np.int64(ballots[b] == top)
    skip = draw_below(tied, state) if tied > 1 else 0
    for b in range(ballots.shape[0]):
        if ballots[b] == top:
            if skip == 0:
                return b
            skip -= 1
    return 0


@njit(inline="always")
def _settle(agent, held, rewards, weights, total, heard, loudness, n_heard, n_votes, accept, ballots, state):
    """The option that `agent` holds next, given the reward heard for each option."""
    if total <= 0.0:
        return held[agent]
    if n_votes > 1:
        return _majority(weights, total, n_votes, ballots, state)
    option = pick(weights, total, state)
    if accept == ALWAYS:
        return option
    threshold = next_uniform(state) * weights[option]
    running = 0.0
    reward = 0.0
    for position in range(n_heard):
        other = heard[position]
        if held[other] == option and rewards[other] > 0.0:
            reward = rewards[other]
            running += reward * loudness[position]
            if threshold < running:
                break
    if accept == BY_REWARD:
        taken = next_uniform(state) < reward
    else:
        taken = reward > rewards[agent]
    return option if taken else held[agent]


@njit(inline="always")
def _draw_rewards(held, now, noise, spread, by_option, heard, n_heard, rewards, shared, state):
    """Rewards of the agents heard: their own draws, or one draw an option."""
    if by_option:
        for b in range(now.shape[0]):
            shared[b] = draw_reward(noise, now[b], spread, state)
    for position in range(n_heard):
        other = heard[position]
        rewards[other] = shared[held[other]] if by_option else draw_reward(noise, now[held[other]], spread, state)


@njit(inline="always")
def _sum_heard(held, rewards, heard, loudness, n_heard, weights):
    """Reward heard for every option, and its sum."""
    weights[:] = 0.0
    for position in range(n_heard):
        other = heard[position]
        weights[held[other]] += rewards[other] * loudness[position]
    total = 0.0
    for b in range(weights.shape[0]):
        total += weights[b]
    return total


@njit(inline="always")
def _neighbours(agent, offsets, listed, edge_weights, self_weight, heard, loudness):
    """Write the agents heard on a graph and how loud; returns how many."""
    n_heard = 0
    for edge in range(offsets[agent], offsets[agent + 1]):
        heard[n_heard] = listed[edge]
        loudness[n_heard] = edge_weights[edge]
        n_heard += 1
    if self_weight > 0.0 and n_heard > 0:
        heard[n_heard] = agent
        loudness[n_heard] = self_weight
        n_heard += 1
    return n_heard


@njit(nogil=True, cache=True, error_model="numpy")
def swarm_agents(
    key,
    first_trial,
    n_trials,
    start,
    n_agents,
    rounds,
    random_start,
    by_option,
    hearing,
    size,
    offsets,
    listed,
    edge_weights,
    self_weight,
    n_votes,
    accept,
    quality,
    interaction,
    noise,
    spread,
    times,
    sums,
    squares,
    absorbed,
    absorbed_at,
    winner,
    paths,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `rounds`: everybody decides at once, and a step is a round; else one agent decides, and a step is an event. `start` int64 (option,);
    with `random_start` every agent draws its first option with these shares, else agents are lined up by option.
    """
    n_options = quality.shape[0]
    held, later = np.empty(n_agents, np.int64), np.empty(n_agents, np.int64)
    counts, ballots = np.empty(n_options, np.int64), np.empty(n_options, np.int64)
    weights, now, shares, shared = np.empty(n_options), np.empty(n_options), np.empty(n_options), np.empty(n_options)
    rewards, loudness = np.ones(n_agents), np.ones(n_agents)
    everybody, heard, order = np.arange(n_agents), np.arange(n_agents), np.arange(n_agents)
    stamp = np.full(n_agents, -1, np.int64)
    state = np.empty(4, np.uint32)
    mark = np.int64(0)
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        _begin(start, n_agents, random_start, shares, held, counts, state)
        now[:] = quality
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
                if rounds:
                    _draw_rewards(held, now, noise, spread, by_option, everybody, n_agents, rewards, shared, state)
                    if hearing == EVERYBODY:
                        total = _sum_heard(held, rewards, everybody, loudness, n_agents, weights)
                        if total > 0.0 and accept == ALWAYS:
                            for b in range(n_options):
                                weights[b] /= total
                            total = 1.0
                    elif hearing == GROUP:
                        order[:] = everybody
                        for last in range(n_agents - 1, 0, -1):
                            other = draw_below(last + 1, state)
                            order[last], order[other] = order[other], order[last]
                single = 0 if rounds else draw_below(n_agents, state)
                for agent in range(n_agents if rounds else 1):
                    who = agent if rounds else single
                    n_heard = n_agents
                    if hearing == SOME:
                        n_heard = size
                        mark += 1
                        _sample_others(who, n_agents, size, stamp, mark, heard, state)
                    elif hearing == GRAPH:
                        n_heard = _neighbours(who, offsets, listed, edge_weights, self_weight, heard, loudness)
                    elif hearing == GROUP:
                        n_heard = size
                        who = order[agent]
                        if agent % size == 0:
                            heard[:size] = order[agent : agent + size]
                            total = _sum_heard(held, rewards, heard, loudness, size, weights)
                    if not rounds:
                        _draw_rewards(held, now, noise, spread, by_option, heard, n_heard, rewards, shared, state)
                    if hearing in (SOME, GRAPH) or not rounds:
                        total = _sum_heard(held, rewards, heard, loudness, n_heard, weights)
                    later[who] = _settle(
                        who, held, rewards, weights, total, heard, loudness, n_heard, n_votes, accept, ballots, state
                    )
                if rounds:
                    counts[:] = 0
                    for agent in range(n_agents):
                        held[agent] = later[agent]
                        counts[held[agent]] += 1
                else:
                    counts[held[single]] -= 1
                    held[single] = later[single]
                    counts[held[single]] += 1
                winner[trial] = sole_type(counts, n_agents)
                if winner[trial] >= 0:
                    absorbed_at[trial] = step
            step = max(step, times[slot])
            tally_one(counts, slot, sums, squares, paths, trial)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)


@njit(inline="always")
def _begin(start, n_agents, random_start, shares, held, counts, state):
    counts[:] = 0
    agent = 0
    for b in range(start.shape[0]):
        shares[b] = start[b] / n_agents
        for _ in range(start[b]):
            held[agent] = b
            agent += 1
    for agent in range(n_agents):
        if random_start:
            held[agent] = pick(shares, 1.0, state)
        counts[held[agent]] += 1
