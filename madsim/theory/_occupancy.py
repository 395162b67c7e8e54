"""Votes by round on the complete graph when an agent's own vote weighs differently: how many agents said the answer how often.

With two answers, equal agents and constant weights, an agent's belief depends on how often it said the answer itself and how often all did.
So the numbers of agents by own count form a Markov chain.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from madsim.theory._counts import Ties, count_vectors, rank, winner_shares

_LARGEST_WORK = 20_000_000


def occupancy_work(n_agents: int, n_rounds: int) -> int:
    """Number of (state, outcome) pairs, an upper bound."""
    return sum(comb(n_agents + round, round) * comb(n_agents + round + 1, round + 1) for round in range(n_rounds + 1))


def is_feasible(n_agents: int, n_rounds: int) -> bool:
    """Whether :func:`vote_by_round` takes seconds rather than hours."""
    return occupancy_work(n_agents, n_rounds) <= _LARGEST_WORK


def largest_feasible_panel(n_rounds: int) -> int:
    """The largest number of agents for which it is."""
    n = 1
    while is_feasible(n + 1, n_rounds):
        n += 1
    return n


def vote_by_round(
    concentration: NDArray[np.float64],
    self_weight: float,
    peer_weight: float,
    n_agents: int,
    n_rounds: int,
    ties: Ties,
    answer: int,
) -> NDArray[np.float64]:
    """Probability that `answer` (0 or 1) wins in each round, shape (round,)."""
    wins = winner_shares(np.array([[n_agents - k, k] for k in range(n_agents + 1)]), ties)[
        :, answer
    ]  # k votes for answer 1
    law = np.ones(1)
    won = []
    for round in range(n_rounds + 1):
        states = count_vectors(n_agents, round + 1)  # (state, own votes for answer 1)
        own = np.arange(round + 1)
        total = states @ own
        mass = concentration.sum() + round * (self_weight + peer_weight * (n_agents - 1))
        said = concentration[1] + self_weight * own + peer_weight * (total[:, None] - own)
        belief = said / mass  # (state, own count)
        grown = np.zeros(len(count_vectors(n_agents, round + 2)))
        expected = 0.0
        for state, probability, p in zip(states, law, belief, strict=True):
            counts, chance = _moves(state, p)
            expected += probability * (chance @ wins[counts @ np.arange(round + 2) - state @ own])
            if round < n_rounds:
                np.add.at(grown, rank(counts, n_agents), probability * chance)
        won.append(float(expected))
        law = grown
    return np.array(won)


def _moves(state: NDArray[np.int64], p: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every next state and its probability when agents with own count s move to s + 1 with probability ``p[s]``."""
    counts = np.zeros((1, len(state) + 1), dtype=np.int64)
    chance = np.ones(1)
    for own, agents in enumerate(state):
        if agents == 0:
            continue
        up = np.arange(agents + 1)
        law = np.array([comb(int(agents), k) for k in range(agents + 1)]) * p[own] ** up * (1 - p[own]) ** (agents - up)
        counts = np.repeat(counts, agents + 1, axis=0)
        moved = np.tile(up, len(chance))
        counts[:, own] += agents - moved
        counts[:, own + 1] += moved
        chance = (chance[:, None] * law).ravel()
    return counts, chance
