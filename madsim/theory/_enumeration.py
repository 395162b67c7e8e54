"""Votes by round on small graphs: the law of everything said so far, carried forward and merged.

Given the concentrations, the votes of a round are independent. What moves a concentration is how often each agent gave each answer while
the same graph was in force, so histories with the same counts are one state. Any graph, order of graphs, weights, priors and fading; the
cost grows with K^N.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from madsim.theory._counts import count_vectors, law_of_unlike
from madsim.theory._influence import Influence

_LARGEST_WORK = 150_000_000
_LARGEST_TABLE = 30_000_000


def is_enumerable(n_agents: int, n_answers: int, lengths: list[int]) -> bool:
    """Whether :func:`states` takes seconds rather than hours; `lengths` are the rounds for which each graph is in force (all but the last
    round need their states spread over votes).
    """
    if n_agents > 40 or prod((length + 1) ** (n_agents * (n_answers - 1)) for length in lengths) > _LARGEST_TABLE:
        return False
    histories = prod(comb(max(0, length - 1) + n_answers - 1, n_answers - 1) ** n_agents for length in lengths[-1:])
    histories *= prod(comb(length + n_answers - 1, n_answers - 1) ** n_agents for length in lengths[:-1])
    return histories * n_answers**n_agents <= _LARGEST_WORK


def graph_lengths(influence: Influence, n_rounds: int) -> list[int]:
    """For how many of the updates each graph is in force; a fading memory tells every update from every other."""
    return [n_rounds] if influence.is_static and influence.keep == 1.0 else [1] * n_rounds


def states(influence: Influence, n_rounds: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Probability (state,) and beliefs (state, agent, answer) of every distinct state, round by round from round 0."""
    n_agents, n_answers = influence.concentration.shape
    lengths = graph_lengths(influence, n_rounds)
    blocks = [(length + 1) ** (n_agents * (n_answers - 1)) for length in lengths]
    codes, law = np.zeros(1, dtype=np.int64), np.ones(1)
    for round in range(n_rounds + 1):
        now = _concentrations(influence, codes, lengths, round)
        belief = now / now.sum(axis=2, keepdims=True)
        yield law, belief
        if round < n_rounds:
            graph = min(round, len(lengths) - 1)
            digits = (lengths[graph] + 1) ** np.arange(n_agents * (n_answers - 1)).reshape(n_agents, n_answers - 1)
            offsets = np.zeros((n_agents, n_answers), dtype=np.int64)
            offsets[:, 1:] = digits * prod(blocks[:graph])
            table = np.zeros(prod(blocks[: graph + 1]))
            _spread_votes(0, codes, law, belief, offsets, table)
            codes = np.flatnonzero(table)
            law = table[codes]


def vote_law(belief: NDArray[np.float64], law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of every count vector of the round's votes, shape (vector,)."""
    n_states, n_agents, n_answers = belief.shape
    total = np.zeros(len(count_vectors(n_agents, n_answers)))
    step = max(1, 4_000_000 // len(total))
    for start in range(0, n_states, step):
        total += law[start : start + step] @ law_of_unlike(belief[start : start + step])
    return total


def profile_law(belief: NDArray[np.float64], law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of every vote profile of the round, in the order of :func:`madsim.theory._counts.profiles`, shape (profile,)."""
    if belief.shape[1] == 0:
        return np.array([law.sum()])
    return np.concatenate([profile_law(belief[:, 1:], law * belief[:, 0, answer]) for answer in range(belief.shape[2])])


def _spread_votes(
    agent: int,
    codes: NDArray[np.int64],
    weight: NDArray[np.float64],
    belief: NDArray[np.float64],
    offsets: NDArray[np.int64],
    table: NDArray[np.float64],
) -> None:
    """Add the probability of every vote of `agent` and those after it to the table of next states."""
    if agent == belief.shape[1]:
        table[codes] += weight  # codes are distinct: the same profile of votes on distinct states
        return
    for answer in range(belief.shape[2]):
        moved = codes + offsets[agent, answer]
        _spread_votes(agent + 1, moved, weight * belief[:, agent, answer], belief, offsets, table)


def _concentrations(
    influence: Influence, codes: NDArray[np.int64], lengths: list[int], round: int
) -> NDArray[np.float64]:
    """The concentrations that the counts in `codes` lead to after `round` updates, shape (state, agent, answer)."""
    n_agents, n_answers = influence.concentration.shape
    faded = influence.keep**round
    prior = (1.0 if influence.anchored else faded) * influence.concentration
    now = np.repeat(prior[None], len(codes), axis=0)
    left = codes
    for graph, length in enumerate(lengths[: max(1, round)] if round else []):
        counts = np.zeros((len(codes), n_agents, n_answers))
        for agent in range(n_agents):
            for answer in range(1, n_answers):
                left, counts[:, agent, answer] = np.divmod(left, length + 1)
        said = round if len(lengths) == 1 else 1
        counts[:, :, 0] = said - counts.sum(axis=2)
        weight = influence.keep ** (round - 1 - graph) if len(lengths) > 1 else 1.0
        now += weight * np.asarray(influence.matrix(graph + 1) @ counts)
    return now
