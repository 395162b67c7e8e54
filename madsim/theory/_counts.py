"""Count vectors: every way in which n votes fall on K answers, in one fixed order, and the laws over them."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly

Ties: TypeAlias = Literal["random", "fail", "first"]


def as_ties(ties: str) -> Ties:
    """One of the three tie rules.

    ``"random"``: one of the tied answers with equal chance; ``"fail"``: no answer; ``"first"``: of the tied answers the one that an agent
    earliest in declared order gave. Among agents who are alike the last has the same law as ``"random"``: given the counts every order of
    the votes is equally likely, and tied answers have equally many.
    """
    for known in get_args(Ties):
        if ties == known:
            return known
    raise ValueError(f"ties must be 'random', 'fail' or 'first', got {ties!r}")


def n_count_vectors(n: int, n_answers: int) -> int:
    """How many ways there are to spread n votes over the answers."""
    return comb(n + n_answers - 1, n_answers - 1)


@lru_cache(maxsize=16)
def count_vectors(n: int, n_answers: int) -> NDArray[np.int64]:
    """All count vectors in lexicographic order, shape (vector, answer)."""
    left, columns = np.array([n], dtype=np.int64), []
    for _ in range(n_answers - 1):
        sizes = left + 1  # an answer can have 0 to all of the votes that are left
        first = np.repeat(sizes.cumsum() - sizes, sizes)
        value = np.arange(len(first)) - first
        columns = [np.repeat(column, sizes) for column in columns]
        columns.append(value)
        left = np.repeat(left, sizes) - value
    return readonly(np.stack([*columns, left], axis=1))


def rank(counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Row of each count vector (last axis, summing to n) in :func:`count_vectors`."""
    n_answers = counts.shape[-1]
    table = _table(n, n_answers)
    left = np.full(counts.shape[:-1], n, dtype=np.int64)
    position = np.zeros(counts.shape[:-1], dtype=np.int64)
    for answer in range(n_answers - 1):
        after = left - counts[..., answer]
        parts = n_answers - answer
        position += table[left, parts] - table[after, parts]
        left = after
    return position


@lru_cache(maxsize=64)
def _table(n: int, n_answers: int) -> NDArray[np.int64]:
    """``[r, j]``: number of ways to spread r votes over j answers."""
    return readonly(
        np.array(
            [[comb(r + j - 1, j - 1) if j else 0 for j in range(n_answers + 1)] for r in range(n + 1)], dtype=np.int64
        )
    )


def winner_shares(counts: NDArray[np.int64], ties: Ties) -> NDArray[np.float64]:
    """How much of the vote each answer wins, same shape as `counts`; rows sum to 1, or to 0 for a tie that fails.

    Counts do not tell who voted first: ``"first"`` is taken as ``"random"``, which is right for agents who are alike.
    """
    leading = counts == counts.max(axis=-1, keepdims=True)
    tied = leading.sum(axis=-1, keepdims=True)
    return (leading & (tied == 1)).astype(np.float64) if ties == "fail" else leading / tied


def winners_in_order(votes: NDArray[np.int64], n_answers: int) -> NDArray[np.int64]:
    """The winner of every vote profile (profile, agent) when ties go to the tied answer that was given first."""
    counts = (votes[:, :, None] == np.arange(n_answers)).sum(axis=1)
    is_tied = counts == counts.max(axis=1, keepdims=True)
    gave_tied = np.take_along_axis(is_tied, votes, axis=1)
    return np.take_along_axis(votes, gave_tied.argmax(axis=1)[:, None], axis=1)[:, 0]


def profiles(n_agents: int, n_answers: int) -> NDArray[np.int64]:
    """Every way in which the agents can vote, shape (profile, agent)."""
    return np.indices((n_answers,) * n_agents).reshape(n_agents, -1).T.astype(np.int64)


@lru_cache(maxsize=16)
def log_multinomial(n: int, n_answers: int) -> NDArray[np.float64]:
    """Logarithm of the multinomial coefficient of every count vector."""
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    return readonly(log_factorial[n] - log_factorial[count_vectors(n, n_answers)].sum(axis=1))


def law_of_alike(p: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Law of the counts of n votes drawn alike: `p` (state, answer), result (state, vector)."""
    n_answers = p.shape[-1]
    with np.errstate(divide="ignore"):
        log_p = np.log(p).clip(min=-1e4)  # exp(-1e4) is 0, and 0 * -1e4 is not NaN
    law = np.exp(log_p @ count_vectors(n, n_answers).T + log_multinomial(n, n_answers))
    return law / law.sum(axis=-1, keepdims=True)


def law_of_unlike(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Law of the counts of independent votes with their own probabilities: `p` (state, voter, answer), result (state, vector)."""
    n_states, n_voters, n_answers = p.shape
    law = np.ones((n_states, 1))
    unit = np.eye(n_answers, dtype=np.int64)
    for voter in range(n_voters):
        grown = np.zeros((n_states, n_count_vectors(voter + 1, n_answers)))
        before = count_vectors(voter, n_answers)
        for answer in range(n_answers):
            grown[:, rank(before + unit[answer], voter + 1)] += law * p[:, voter, answer, None]
        law = grown
    return law
