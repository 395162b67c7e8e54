"""Accuracy of votes and debates for given laws of difficulty and given debaters, exactly where everybody hears everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim.graphs import Graph
from madsim.planning._difficulty import LOGITS
from madsim.planning._split import vote_values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """Equally likely versions of the truth.

    Attributes
    ----------
    difficulty : (draw, grid); weights of the difficulties of questions, for votes
    debated : the same for debates; as `difficulty` where nothing tells them apart
    mass, conformity, correction : (draw,); of the debaters, as in `madsim.fit.DebateFit`
    tau_first, tau_last : (draw,); how wrong answers split in round 0, and in the last round of a debate
    n_others : number of wrong options, None for open-ended answers
    """

    difficulty: NDArray[np.float64]
    debated: NDArray[np.float64]
    mass: NDArray[np.float64]
    conformity: NDArray[np.float64]
    correction: NDArray[np.float64]
    tau_first: NDArray[np.float64]
    tau_last: NDArray[np.float64]
    n_others: int | None


def vote_accuracy(draws: Draws, n: int) -> NDArray[np.float64]:
    """Accuracy of a vote of n independent answers, by draw."""
    law = _binomial(n, LOGITS)  # (difficulty, number right)
    return ((draws.difficulty @ law) * _values(n, draws.tau_first, draws.n_others)).sum(axis=1)


def debate_law(
    draws: Draws, n_agents: int, n_rounds: int, graph: Graph | None, *, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Chance of each number of right answers in the last round: float64 (draw, n_agents + 1).

    Exact by dynamic programming over the number of right answers so far where everybody hears everybody, else simulated.
    """
    if graph is None or graph.is_complete:
        return _complete_law(draws, n_agents, n_rounds, _first_law(draws, n_agents))
    return _simulated_law(draws, graph, n_rounds, generator)


def final_vote(law: NDArray[np.float64], draws: Draws) -> NDArray[np.float64]:
    """Accuracy of the last round's plurality vote, by draw."""
    return (law * last_values(draws, law.shape[1] - 1)).sum(axis=1)


def last_values(draws: Draws, n: int) -> NDArray[np.float64]:
    """Accuracy of the last round's plurality vote by draw and number of right answers: (draw, n + 1)."""
    return _values(n, draws.tau_last, draws.n_others)


def final_judge(law: NDArray[np.float64], skill: float) -> NDArray[np.float64]:
    """Accuracy of a judge that finds the right answer with chance `skill` where it is given, else takes a debater's answer at random."""
    share = np.linspace(0.0, 1.0, law.shape[1])
    return law @ np.where(share > 0, skill + (1 - skill) * share, 0.0)


def _values(n: int, taus: NDArray[np.float64], n_others: int | None) -> NDArray[np.float64]:
    distinct, index = np.unique(taus, return_inverse=True)
    return vote_values(n, distinct, n_others)[index.ravel()]


def _binomial(n: int, logit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance of each number of right answers among n: the shape of `logit`, then (n + 1,)."""
    from scipy.special import expit, gammaln

    m = np.arange(n + 1)
    powers = np.empty((2, *np.shape(logit), n + 1))  # of the two chances, by multiplication: one exponential a chance
    powers[..., 0] = 1.0
    up, down = expit(logit), expit(-logit)
    for k in range(n):
        powers[0, ..., k + 1] = powers[0, ..., k] * up
        powers[1, ..., k + 1] = powers[1, ..., k] * down
    choose = np.exp(gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1))
    return choose * powers[0] * powers[1][..., ::-1]


def last_given_first(draws: Draws, n: int, n_rounds: int) -> NDArray[np.float64]:
    """Chance of numbers of right answers where everybody hears everybody: (draw, right in round 0, right in the last round)."""
    first = _first_law(draws, n)
    laws = []
    for number in range(n + 1):
        only = np.zeros_like(first)
        only[..., number] = first[..., number]
        laws.append(_complete_law(draws, n, n_rounds, only))
    return np.stack(laws, axis=1)


def _first_law(draws: Draws, n: int) -> NDArray[np.float64]:
    return _binomial(n, np.broadcast_to(LOGITS, draws.debated.shape))


def _complete_law(draws: Draws, n: int, n_rounds: int, first: NDArray[np.float64]) -> NDArray[np.float64]:
    """From (draw, difficulty, right in round 0) to (draw, right in the last round)."""
    from scipy.special import expit

    now = first
    mass, gamma, delta = (part[:, None, None] for part in (draws.mass, draws.conformity, draws.correction))
    up, down = mass * expit(LOGITS)[:, None], mass * expit(-LOGITS)[:, None]
    heard: NDArray[np.float64] = first
    for t in range(1, n_rounds + 1):
        so_far = np.arange((t - 1) * n + n + 1)
        logit = np.log(up + so_far) - np.log(down + t * n - so_far)
        step = _binomial(n, gamma * logit + delta)  # (draw, difficulty, right so far, right now)
        if t == n_rounds:
            now = np.einsum("dgs,dgsm->dgm", heard, step)
            break
        n_draws, n_difficulties, n_states = heard.shape
        after = np.zeros((n_draws, n_difficulties, n_states + n))
        for number in range(n + 1):
            after[:, :, number : number + n_states] += heard * step[..., number]
        heard = after
    return np.einsum("dg,dgm->dm", draws.debated, now)


def _simulated_law(
    draws: Draws, graph: Graph, n_rounds: int, generator: np.random.Generator, *, debates: int = 2000
) -> NDArray[np.float64]:
    from scipy.special import expit

    n, n_draws = graph.n_agents, len(draws.mass)
    influence = np.eye(n)
    influence[np.repeat(np.arange(n), graph.degrees), graph.heard] = graph.weights
    heard_a_round = influence.sum(axis=1)
    laws = np.empty((n_draws, n + 1))
    for d in range(n_draws):
        theta = expit(LOGITS[generator.choice(len(LOGITS), size=debates, p=draws.debated[d])])[:, None]
        right = generator.random((debates, n)) < theta
        heard = np.zeros((debates, n))
        for t in range(1, n_rounds + 1):
            heard += right @ influence.T
            logit = np.log(draws.mass[d] * theta + heard) - np.log(
                draws.mass[d] * (1 - theta) + t * heard_a_round - heard
            )
            right = generator.random((debates, n)) < expit(draws.conformity[d] * logit + draws.correction[d])
        laws[d] = np.bincount(right.sum(axis=1), minlength=n + 1) / debates
    return laws
