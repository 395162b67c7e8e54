"""Exact moments of debates in which agents speak one after the other.

In its turn an agent hears the latest vote of everybody it may hear: of this round from those before it, of the last round from those
after it and from itself. Beliefs and latest votes together move linearly, one agent at a time, so their second moments have an exact
recursion. A random order averages the recursion over all orders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from madsim.theory._influence import Influence

_LARGEST_RANDOM = 6


def walk_turns(
    influence: Influence, n_rounds: int, answer: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Mean (agent,) and covariance (agent, agent) of the beliefs with which agents answer, round by round from round 0."""
    n, prior = influence.n_agents, influence.belief(answer)
    orders = [tuple(range(n))]
    if influence.order == "random":
        if n > _LARGEST_RANDOM:
            raise ValueError(
                f"a random order of {n} agents has too many orders, {_LARGEST_RANDOM} agents is the largest panel; "
                "a declared order has no limit"
            )
        orders = list(itertools.permutations(range(n)))
    mass = influence.masses(n_rounds)
    # first and second moments of beliefs, then latest votes
    mean = np.concatenate([prior, prior])
    second = np.outer(mean, mean)
    second[range(n, 2 * n), range(n, 2 * n)] = prior
    yield prior, np.zeros((n, n))
    for update in range(1, n_rounds + 1):
        heard = np.asarray(influence.dense(update)) / mass[update][:, None]
        keep = influence.keep * mass[update - 1] / mass[update]
        anchor = influence.refresh * mass[0] * prior / mass[update]
        after = [_round(order, mean, second, heard, keep, anchor) for order in orders]
        mean = np.mean([one for one, _ in after], axis=0)
        second = np.mean([two for _, two in after], axis=0)
        yield mean[:n], second[:n, :n] - np.outer(mean[:n], mean[:n])


def _round(
    order: tuple[int, ...],
    mean: NDArray[np.float64],
    second: NDArray[np.float64],
    heard: NDArray[np.float64],
    keep: NDArray[np.float64],
    anchor: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The moments after everybody's turn."""
    n = len(order)
    mean, second = mean.copy(), second.copy()
    for agent in order:
        weights = np.concatenate([np.zeros(n), heard[agent]])
        weights[agent] = keep[agent]
        crossed = second @ weights + anchor[agent] * mean
        square = weights @ second @ weights + 2 * anchor[agent] * (weights @ mean) + anchor[agent] ** 2
        belief = weights @ mean + anchor[agent]
        crossed[agent] = square
        crossed[n + agent] = square  # the new vote is right with probability belief, whatever else is known
        for place in (agent, n + agent):
            mean[place] = belief
            second[place, :] = second[:, place] = crossed
        second[n + agent, n + agent] = belief
    return mean, second
