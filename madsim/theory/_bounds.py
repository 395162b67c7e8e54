"""Lower bounds on the probability of a right vote, sharpest first, and how many voters each asks for.

All of them hold whatever a tie does. ``theorem1`` and ``theorem1a`` are those of Choi, Zhu and Li, "Debate or Vote" (arXiv 2508.17536).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.arrays import as_count, as_probabilities
from madsim.theory._counts import Ties
from madsim.theory._plurality import plurality

Bound = Literal["chernoff", "hoeffding", "l2", "l2_simple", "theorem1", "theorem1a"]

_MOST_VOTERS = 20_000
_ROUNDING = 1e-12  # probabilities are divided by their sum, so that .5 may come out above itself


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBounds:
    """Lower bounds on P(the target wins); None where a bound does not apply. Values below 0 say nothing and are given as 0.

    Attributes
    ----------
    chernoff : ``1 - sum_j (1 - (sqrt p_0 - sqrt p_j)^2)^N``; any N, needs p_0 above every other
    hoeffding : ``1 - sum_j exp(-N (p_0 - p_j)^2 / 2)``; as above
    l2 : ``1 - exp(-N (D / sqrt 2 - sqrt((1 - sum p^2) / N))^2)`` with D the margin over the runner-up; needs a positive bracket
    l2_simple : the same with ``1 / sqrt N`` in place of the second term
    theorem1 : ``1 - exp(-N (D / sqrt K - 1 / sqrt N)^2)``; needs N > K / D^2
    theorem1a : ``1 - exp(-2 N (p_0 - 1/2)^2)``; needs p_0 > 1/2
    """

    chernoff: float | None
    hoeffding: float | None
    l2: float | None
    l2_simple: float | None
    theorem1: float | None
    theorem1a: float | None


def vote_bounds(p: ArrayLike, n_voters: int) -> VoteBounds:
    """Lower bounds on the probability that answer 0 wins a plurality vote among `n_voters` equal voters.

    Examples
    --------
    >>> bounds = vote_bounds([0.5, 0.2, 0.2, 0.1], 100)
    >>> round(bounds.l2, 3), round(bounds.l2_simple, 3), round(bounds.theorem1, 3)
    (0.82, 0.716, 0.221)
    """
    probabilities = as_probabilities(p, name="p")
    if probabilities.ndim != 1 or len(probabilities) < 2:
        raise ValueError(f"p must hold the probabilities of at least two answers, got shape {probabilities.shape}")
    n = as_count(n_voters, name="n_voters", minimum=1)
    first, rivals = float(probabilities[0]), probabilities[1:]
    margin = first - float(rivals.max())
    if margin <= 0:
        return VoteBounds(chernoff=None, hoeffding=None, l2=None, l2_simple=None, theorem1=None, theorem1a=None)
    spread = math.sqrt(max(0.0, 1 - float(probabilities @ probabilities)) / n)
    n_answers = len(probabilities)
    return VoteBounds(
        chernoff=_floor(1 - float(((1 - (math.sqrt(first) - np.sqrt(rivals)) ** 2) ** n).sum())),
        hoeffding=_floor(1 - float(np.exp(-n * (first - rivals) ** 2 / 2).sum())),
        l2=_squared(n, margin / math.sqrt(2) - spread),
        l2_simple=_squared(n, margin / math.sqrt(2) - 1 / math.sqrt(n)),
        theorem1=_squared(n, margin / math.sqrt(n_answers) - 1 / math.sqrt(n)),
        theorem1a=-math.expm1(-2 * n * (first - 0.5) ** 2) if first - 0.5 > _ROUNDING else None,
    )


def voters_needed(
    p: ArrayLike, probability: float, *, by: Bound | Literal["exact"] = "exact", ties: Ties = "random"
) -> int:
    """The smallest number of voters for which the exact probability (or a lower bound) reaches `probability`.

    Raises
    ------
    ValueError
        If answer 0 is not the most likely one, or more than 20 000 voters would be needed.

    Examples
    --------
    >>> [voters_needed([0.5, 0.3, 0.2], 0.95, by=name) for name in ("exact", "chernoff", "theorem1")]
    [54, 117, 560]
    """
    probabilities = as_probabilities(p, name="p")
    if not 0 < probability < 1:
        raise ValueError(f"probability must lie between 0 and 1, got {probability!r}")
    if len(probabilities) > 1 and probabilities[0] <= probabilities[1:].max():
        raise ValueError("more voters do not help: answer 0 is not the most likely answer")
    name = "chernoff" if by == "exact" else by

    def bound(n: int) -> float:
        value = getattr(vote_bounds(probabilities, n), name)
        return -1.0 if value is None else value

    low, high = 0, 1
    while bound(high) < probability:  # every bound grows with n once it applies
        low, high = high, 2 * high
        if low > _MOST_VOTERS:
            raise ValueError(
                f"more than {_MOST_VOTERS} voters would be needed by the bound {name!r}; the margin is too small"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) >= probability else (middle, high)
    if by != "exact":
        return high
    return next(n for n in range(1, high + 1) if plurality(probabilities, n, ties=ties) >= probability)


def _floor(bound: float) -> float:
    return max(0.0, bound)


def _squared(n: int, bracket: float) -> float | None:
    return -math.expm1(-n * bracket**2) if bracket > 1e-12 else None  # 0 but for rounding: does not apply
