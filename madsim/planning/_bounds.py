"""What a vote larger than the pilot can be worth at all, whatever the law of the questions' difficulty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Interval
from madsim.planning._difficulty import RightCounts
from madsim.planning._split import WrongSplit, vote_value

_GRID = (1 - np.cos(np.linspace(0, np.pi, 161))) / 2  # finer near 0 and 1


def vote_bounds_from_pilot(counts: RightCounts, split: WrongSplit, n: int, *, level: float = 0.95) -> Interval:
    """Lowest and highest accuracy of a vote of n answers over all laws of difficulty that the pilot's counts allow.

    The chance of each number of right answers, among questions with the same number of answers, must lie in its exact binomial interval;
    the intervals hold together with probability `level` (Bonferroni). Two linear programs over a grid of difficulties give the bounds.
    How wrong answers split is taken from the middle part of its posterior at both ends.

    Raises
    ------
    ValueError
        If the counts allow no law at all on the grid.
    """
    from scipy.optimize import linprog
    from scipy.special import betaincinv, gammaln

    rows: list[NDArray[np.float64]] = []
    low: list[float] = []
    high: list[float] = []
    sizes = np.unique(counts.asked).tolist()
    tail = (1 - level) / 2 / sum(size + 1 for size in sizes)
    for size in sizes:
        right = counts.right[counts.asked == size]
        total = len(right)
        for k in range(size + 1):
            seen = int((right == k).sum())
            choose = gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1)
            rows.append(np.exp(choose) * _GRID**k * (1 - _GRID) ** (size - k))
            low.append(float(betaincinv(seen, total - seen + 1, tail)) if seen else 0.0)
            high.append(float(betaincinv(seen + 1, total - seen, 1 - tail)) if seen < total else 1.0)
    matrix = np.vstack([rows, -np.asarray(rows)])
    limits = np.concatenate([high, -np.asarray(low)])
    ends = []
    order = np.cumsum(split.weights)
    agreeing = float(split.tau[min(int(np.searchsorted(order, 0.025)), len(order) - 1)])
    scattered = float(split.tau[min(int(np.searchsorted(order, 0.975)), len(order) - 1)])
    for sign, tau in ((1.0, agreeing), (-1.0, scattered)):
        worth = _worth(n, vote_value(n, tau=tau, n_others=split.n_others))
        found = linprog(
            sign * worth,
            A_ub=matrix,
            b_ub=limits,
            A_eq=np.ones((1, len(_GRID))),
            b_eq=[1.0],
            bounds=(0, None),
            method="highs",
        )
        if found.status != 0:
            raise ValueError(f"no law of difficulty fits the pilot's counts: {found.message}")
        ends.append(sign * float(found.fun))
    return Interval(max(0.0, min(ends)), min(1.0, max(ends)))


def _worth(n: int, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracy of a vote of n by difficulty."""
    from scipy.special import gammaln, xlog1py, xlogy

    m = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    law = np.exp(logs + xlogy(m, _GRID[:, None]) + xlog1py(n - m, -_GRID[:, None]))
    return law @ value
