"""The exact probability that an answer wins a vote.

For equal voters the counts are multinomial. Conditioning on the count m of the answer and writing the other counts as Poisson variables
given their total, the probability under fair ties is::

    N! sum_m P(X_0 = m) int_0^1 [z^(N-m)] prod_{k>0} (E_{<m}(p_k z) + u (p_k z)^m / m!) du

with E_{<m} the exponential series cut before m; u^j integrates to 1/(j+1), the share of an answer that ties with j others. The integrand
is a polynomial in u, so a few Gauss-Legendre nodes are exact. u = 0 gives ties that fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_probabilities
from madsim.theory._counts import (
    Ties,
    as_ties,
    count_vectors,
    law_of_unlike,
    n_count_vectors,
    profiles,
    winner_shares,
    winners_in_order,
)

MOST_VOTERS = 200_000
_LARGEST_LAW = 500_000


def plurality(p: ArrayLike, n_voters: int, *, ties: Ties = "random", answer: int = 0) -> float:
    """Exact probability that an answer wins a plurality vote among equal, independent voters.

    Parameters
    ----------
    p
        Probability of each answer, shape (answer,).
    n_voters
        Number of voters, at least 1.
    ties
        ``"random"``: one of the tied answers with equal chance; ``"fail"``: a tie elects nobody; ``"first"``: the tied answer that a voter
        earliest in order gave, which among equal voters has the same probability as ``"random"``.
    answer
        Whose probability of winning; 0 is the target.

    Returns
    -------
    float
        With an absolute error below 1e-12.

    Examples
    --------
    >>> round(plurality([0.8, 0.2], 5), 4)
    0.9421
    >>> [round(plurality([0.5, 0.2, 0.2, 0.1], 5, ties=rule), 3) for rule in ("fail", "random")]
    [0.56, 0.665]
    """
    probabilities = as_probabilities(p, name="p")
    if probabilities.ndim != 1:
        raise ValueError(f"p must have one axis (answer), got shape {probabilities.shape}")
    n = as_count(n_voters, name="n_voters", minimum=1, maximum=MOST_VOTERS)
    answer = as_count(answer, name="answer", maximum=len(probabilities) - 1)
    rule = as_ties(ties)
    rivals = [float(q) for q in np.delete(probabilities, answer)]
    if not any(rivals):
        return 1.0
    scale = _poisson_weight_at_mean(n)
    own = _Weights(n * float(probabilities[answer]), n)
    total = 0.0
    for m in range(max(1, own.low), own.high + 1):
        if m * len(probabilities) >= n:
            total += own.at(m) * _others_below(rivals, rule, n, m)
    return min(1.0, total / scale)


def plurality_of_unequal(p: ArrayLike, *, ties: Ties = "random", answer: int = 0) -> float:
    """Exact probability that an answer wins a plurality vote among independent voters with their own probabilities.

    Parameters
    ----------
    p
        Probability of each answer for each voter, shape (voter, answer).
    ties, answer
        As for :func:`plurality`.

    Raises
    ------
    ValueError
        If there are more than half a million count vectors (or vote profiles, where order matters); the largest number of voters is named.

    Examples
    --------
    >>> round(plurality_of_unequal([[0.9, 0.1], [0.6, 0.4], [0.6, 0.4]]), 3)
    0.792
    """
    probabilities = as_probabilities(p, name="p")
    if probabilities.ndim != 2:
        raise ValueError(f"p must have the axes (voter, answer), got shape {probabilities.shape}")
    n, n_answers = probabilities.shape
    as_count(n, name="number of voters", minimum=1)
    answer = as_count(answer, name="answer", maximum=n_answers - 1)
    rule = as_ties(ties)
    if rule == "first":
        _require(lambda size: n_answers**size <= _LARGEST_LAW, n, n_answers)
        votes = profiles(n, n_answers)
        chances = np.ones(len(votes))
        for voter in range(n):
            chances *= probabilities[voter, votes[:, voter]]
        return float(chances @ (winners_in_order(votes, n_answers) == answer))
    _require(lambda size: n_count_vectors(size, n_answers) <= _LARGEST_LAW, n, n_answers)
    law = law_of_unlike(probabilities[None])[0]
    return float(law @ winner_shares(count_vectors(n, n_answers), rule)[:, answer])


def _require(is_feasible: Callable[[int], bool], n_voters: int, n_answers: int) -> None:
    if is_feasible(n_voters):
        return
    largest = next(size for size in range(n_voters, -1, -1) if is_feasible(size))
    raise ValueError(
        f"{n_voters} unequal voters over {n_answers} answers have too many outcomes; {largest} voters is the largest feasible size"
    )


def mean_plurality(p: ArrayLike, n_voters: int, *, weights: ArrayLike | None = None, ties: Ties = "random") -> float:
    """Exact probability of a right vote averaged over questions of different difficulty.

    One probability for all questions would be wrong: the vote is not linear in it. `p` has the axes (question, answer); `weights` are the
    questions' shares, equal by default.
    """
    probabilities = as_probabilities(p, name="p")
    if probabilities.ndim != 2:
        raise ValueError(f"p must have the axes (question, answer), got shape {probabilities.shape}")
    n = len(probabilities)
    shares = as_probabilities(np.full(n, 1 / n) if weights is None else weights, name="weights")
    if shares.shape != (n,):
        raise ValueError(f"weights must have shape ({n},), got {shares.shape}")
    return float(sum(w * plurality(row, n_voters, ties=ties) for w, row in zip(shares, probabilities, strict=True)))


def _others_below(rivals: list[float], ties: Ties, n: int, m: int) -> float:
    """Poissonised weight of the rivals sharing n - m votes with at most m each; an answer tied with j others is worth 1 / (j + 1), or 0."""
    left = n - m
    nodes, weights = (np.zeros(1), np.ones(1)) if ties == "fail" else _gauss(min(len(rivals), left // m) // 2 + 1)
    total = 0.0
    for u, weight in zip(nodes, weights, strict=True):
        powers = [(_factor(p, float(u), n, m), rivals.count(p)) for p in sorted(set(rivals))]
        total += weight * _coefficient(powers, left)
    return float(total)


class _Series:
    """A polynomial with coefficients from degree `low` on."""

    __slots__ = ("low", "values")

    def __init__(self, low: int, values: NDArray[np.float64]) -> None:
        self.low = low
        self.values = values

    def times(self, other: _Series, degree: int) -> _Series:
        """The product, cut after `degree`."""
        low = self.low + other.low
        keep = max(0, degree - low + 1)
        if keep == 0 or len(self.values) == 0 or len(other.values) == 0:
            return _Series(low, np.zeros(0))
        return _Series(low, np.convolve(self.values[:keep], other.values[:keep])[:keep])


def _factor(p: float, worth: float, n: int, m: int) -> _Series:
    weights = _weights(n * p, n)
    values = weights.values[: max(0, m + 1 - weights.low)].copy()
    if len(values) == m + 1 - weights.low and len(values):
        values[-1] *= worth
    return _Series(weights.low, values)


def _coefficient(powers: list[tuple[_Series, int]], degree: int) -> float:
    """Coefficient at `degree` of the product of the series to their powers."""
    product = _Series(0, np.ones(1))
    for series, times in sorted(powers, key=lambda item: len(item[0].values) * item[1]):
        square, left = series, times
        while left:
            if left & 1:
                product = product.times(square, degree)
            left >>= 1
            if left:
                square = square.times(square, degree)
    index = degree - product.low
    return float(product.values[index]) if 0 <= index < len(product.values) else 0.0


class _Weights:
    """Poisson weights around their mean; what is left out is below 1e-20 in total."""

    __slots__ = ("high", "low", "values")

    def __init__(self, mean: float, n: int) -> None:
        reach = 10 * math.sqrt(mean) + 45
        self.low = max(0, math.floor(mean - reach))
        self.high = min(n, math.ceil(mean + reach))
        mode = min(max(int(mean), self.low), self.high)
        up = np.cumprod(mean / np.arange(mode + 1, math.ceil(mean + reach) + 1))
        down = np.cumprod(np.arange(mode, self.low, -1) / mean)[::-1] if mode > self.low else np.zeros(0)
        total = down.sum() + 1 + up.sum()
        self.values = np.concatenate([down, [1.0], up])[: self.high - self.low + 1] / total

    def at(self, count: int) -> float:
        return float(self.values[count - self.low])


@lru_cache(maxsize=256)
def _weights(mean: float, n: int) -> _Weights:
    return _Weights(mean, n)


@lru_cache(maxsize=64)
def _gauss(n_nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (nodes + 1) / 2, weights / 2


def _poisson_weight_at_mean(n: int) -> float:
    """P(Poisson(n) = n), to machine precision."""
    if n <= 20:
        return n**n / math.factorial(n) * math.exp(-n)
    series = 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5) - 1 / (1680 * n**7)
    return math.exp(-series) / math.sqrt(2 * math.pi * n)
