"""maj@n: how right a vote of n answers is, exactly and without bias, from questions with at least n answers each."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count
from madsim._core.estimate import Estimate
from madsim.planning._series import power, times, unit_nodes
from madsim.transcripts import State, Votes, clustered_mean


def maj_at_n(votes: Votes, n: int, *, round: int = 0) -> Estimate:
    """Accuracy of a plurality vote among n of the answers of a round, averaged over all choices of n agents; ties split evenly.

    Unbiased for a vote of n answers drawn like these, without any model. Replies without an answer are drawn too and abstain.

    Parameters
    ----------
    votes
        of a run; samples without a target are left out
    n
        number of answers in the vote, at most the number of agents that were asked
    round
        whose answers; round 0 is the plain vote

    Returns
    -------
    Estimate
        With a standard error over questions.

    Raises
    ------
    ValueError
        If no sample has a target or fewer than n agents were asked somewhere.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> votes = simulate_questions(draw_beliefs(500, accuracy=0.7, kappa=5, rng=1), n_rounds=0, rng=2).votes
    >>> maj_at_n(votes, 1).value < maj_at_n(votes, 3).value < maj_at_n(votes, 5).value
    True
    """
    return clustered_mean(maj_by_sample(votes, n, round=round), votes.cluster)


def maj_by_sample(votes: Votes, n: int, *, round: int = 0) -> NDArray[np.float64]:
    """`maj_at_n` of every sample: float64 (sample,), NaN without a target or without a reply in that round.

    Compared sample by sample with what a debate was worth, the noise of the questions cancels.

    Raises
    ------
    ValueError
        As for `maj_at_n`.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> votes = simulate_questions(draw_beliefs(4, accuracy=0.7, kappa=5, rng=1), n_agents=3, n_rounds=0, rng=2).votes
    >>> maj_by_sample(votes, 3).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    n = as_count(n, name="n", minimum=1)
    number = as_count(round, name="round", maximum=votes.n_rounds)
    if not votes.has_target.any():
        raise ValueError("no sample has a target, so a vote cannot be scored")
    values = np.full(votes.n_samples, np.nan)
    for sample in np.flatnonzero(votes.has_target).tolist():
        asked = votes.state[sample, number] != State.NOT_ASKED
        size = int(asked.sum())
        if size == 0:
            continue
        if size < n:
            raise ValueError(
                f"sample {votes.samples[sample]!r} has {size} answers in round {number}, a vote of {n} needs at least {n}; "
                "forecast() goes beyond"
            )
        answers = votes.answers[sample, number][asked]
        counts = np.bincount(answers[answers >= 0], minlength=1)
        rivals = tuple(sorted(counts[1:][counts[1:] > 0].tolist()))
        values[sample] = _chance(int(counts[0]), rivals, int((answers < 0).sum()), n)
    return values


@lru_cache(maxsize=65536)
def _chance(own: int, rivals: tuple[int, ...], silent: int, n: int) -> float:
    """Expected credit of the target among n of the answers: the hypergeometric form of the exact plurality polynomial.

    Choosing j of c answers has weight C(c, j); u^i integrates to 1 / (i + 1), the target's share in a tie with i others.
    """
    total = 0.0
    for m in range(1, min(own, n) + 1):
        left = n - m
        nodes, weights = unit_nodes(min(len(rivals), left // m) // 2 + 1)
        for u, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            product = _choices(silent, silent, 1.0, left)
            for count in set(rivals):
                product = times(product, power(_choices(count, m, u, left), rivals.count(count), left), left)
            total += comb(own, m) * weight * (float(product[left]) if left < len(product) else 0.0)
    return total / comb(own + sum(rivals) + silent, n)


def _choices(count: int, most: int, worth: float, degree: int) -> NDArray[np.float64]:
    """Ways to choose at most `most` of `count`, by number chosen; choosing exactly `most` counts `worth`."""
    ways = np.array([float(comb(count, j)) for j in range(min(most, degree) + 1)])
    if len(ways) == most + 1:
        ways[-1] *= worth
    return ways
