"""Exact moments of debates in which similar answers count in part: beliefs in all answers move together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from madsim.theory._influence import Influence

_LARGEST = 1_500


def walk_similar(
    influence: Influence, n_rounds: int, answer: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Mean (agent,) and covariance (agent, agent) of the beliefs in one answer, round by round from round 0.

    With S the similarity, ``a_i <- a_i + sum_j C_ij S' e(y_j)``: the recursion of the plain debate over (agent, answer) pairs, with
    ``W = diag(A / A') (x) I + (C / A') (x) S'`` and the covariance ``diag(p) - p p'`` of a vote.
    """
    similarity = influence.similarity
    if similarity is None:
        raise TypeError("this recursion needs a similarity")
    n, k = influence.concentration.shape
    if n * k > _LARGEST:
        raise ValueError(
            f"{n} agents with {k} answers that count in part are too many; agents times answers may be {_LARGEST}"
        )
    mass = influence.masses(n_rounds)
    prior = influence.concentration / influence.mass[:, None]
    mean, covariance = prior, np.zeros((n, k, n, k))
    yield mean[:, answer], covariance[:, answer, :, answer]
    for update in range(1, n_rounds + 1):
        push = influence.dense(update) / mass[update][:, None]
        keep = influence.keep * mass[update - 1] / mass[update]
        walk = np.einsum("ij,lk->ikjl", push, similarity)  # (i, k) from (j, l): C_ij S_lk
        walk[range(n), :, range(n), :] += keep[:, None, None] * np.eye(k)
        flat = walk.reshape(n * k, n * k)
        spread = np.zeros((n * k, n * k))
        for agent in range(n):
            expected = covariance[agent, :, agent, :] + np.outer(mean[agent], mean[agent])  # E p p'
            vote = similarity.T @ (np.diag(mean[agent]) - expected) @ similarity
            spread += np.kron(np.outer(push[:, agent], push[:, agent]), vote)
        covariance = (flat @ covariance.reshape(n * k, n * k) @ flat.T + spread).reshape(n, k, n, k)
        refresh = influence.refresh * mass[0] / mass[update]
        mean = (flat @ mean.ravel()).reshape(n, k) + refresh[:, None] * prior
        yield mean[:, answer], covariance[:, answer, :, answer]
