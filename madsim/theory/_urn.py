"""Votes by round where everybody hears everybody alike: dynamic programming over the shared urn.

When all agents add the same weight for every vote, their own included, what they added up to round t is one count vector of the t N votes
cast so far. It is a Markov chain: given it, the votes of the next round are independent with known probabilities. Walking its law forward
gives the law of the votes in every round without a random number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim.theory._counts import count_vectors, law_of_alike, law_of_unlike, n_count_vectors, rank

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST_WORK = 300_000_000
_CHUNK = 4_000_000


def urn_work(n_agents: int, n_answers: int, n_rounds: int, alike: bool) -> int:
    """Number of elementary operations of :func:`urn_expectations`, to within a small factor."""
    states = sum(n_count_vectors(round * n_agents, n_answers) for round in range(n_rounds + 1))
    return states * n_count_vectors(n_agents, n_answers) * (1 if alike else n_agents)


def is_feasible(n_agents: int, n_answers: int, n_rounds: int, alike: bool) -> bool:
    """Whether :func:`urn_expectations` takes seconds rather than hours."""
    return urn_work(n_agents, n_answers, n_rounds, alike) <= _LARGEST_WORK


def largest_feasible_panel(n_answers: int, n_rounds: int, alike: bool) -> int:
    """The largest number of agents for which the law of the votes is feasible."""
    low, high = 0, 1
    while is_feasible(high, n_answers, n_rounds, alike):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_feasible(middle, n_answers, n_rounds, alike) else (low, middle)
    return low


def urn_expectations(
    concentration: NDArray[np.float64],
    weight: float,
    n_rounds: int,
    value: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Expected value, by round, of a function of the round's vote counts.

    Parameters
    ----------
    concentration
        Of every agent before round 0, shape (agent, answer).
    weight
        What one vote, anybody's, adds to the concentration of every agent.
    value
        Function of count vectors (vector, answer) that returns values (vector, ...).

    Returns
    -------
    ndarray
        Shape (round, ...), round 0 first.
    """
    n_agents, n_answers = concentration.shape
    alike = bool((concentration == concentration[0]).all())
    outcomes = count_vectors(n_agents, n_answers)
    values = value(outcomes)
    law = np.ones(1)
    expectations = []
    for round in range(n_rounds + 1):
        states = count_vectors(round * n_agents, n_answers)
        last = round == n_rounds
        grown = np.zeros(0 if last else n_count_vectors((round + 1) * n_agents, n_answers))
        expected = np.zeros(values.shape[1:])
        step = max(1, _CHUNK // len(outcomes))
        for start in range(0, len(states), step):
            chunk = states[start : start + step]
            joint = law[start : start + step, None] * _votes_given(
                concentration, weight * chunk.astype(np.float64), alike
            )
            expected += np.tensordot(joint.sum(axis=0), values, axes=1)
            if not last:
                for column, outcome in enumerate(outcomes):
                    # distinct states plus one outcome are distinct states, so plain indexing adds every term
                    grown[rank(chunk + outcome, (round + 1) * n_agents)] += joint[:, column]
        expectations.append(expected)
        law = grown
    return np.array(expectations)


def _votes_given(concentration: NDArray[np.float64], heard: NDArray[np.float64], alike: bool) -> NDArray[np.float64]:
    """Law of the round's counts in every state: shape (state, outcome)."""
    if alike:
        now = concentration[0] + heard
        return law_of_alike(now / now.sum(axis=1, keepdims=True), len(concentration))
    now = concentration[None] + heard[:, None, :]
    return law_of_unlike(now / now.sum(axis=2, keepdims=True))
