"""The change of beliefs and shares over a debate on the complete graph: its drift for unequal agents, its spread for equal ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.arrays import as_count, as_positive


def heterogeneous_drift(belief: ArrayLike, mass: ArrayLike, *, weight: float = 1.0) -> float:
    """Drift of the mean belief in the first round when unequal agents all hear everybody: ``-N w Cov_i(p_i, 1 / (A_i + N w))``.

    The covariance is over agents (divided by N). Mass that goes with being wrong makes the mean rise.

    Examples
    --------
    >>> round(heterogeneous_drift([0.8, 0.6, 0.4], [20, 5, 1]), 4)
    0.0413
    """
    p, start = np.asarray(belief, dtype=np.float64), as_positive(mass, name="mass")
    if p.shape != start.shape or p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"belief must hold one probability an agent, like mass {start.shape}; got {belief!r}")
    n = len(p)
    pull = weight / (start + n * weight)
    return float(-n * (np.mean(p * pull) - p.mean() * pull.mean()))


def sd_of_change(n_agents: int, mass: float, n_rounds: int, mean_variance: float, *, weight: float = 1.0) -> float:
    """Standard deviation, over questions, of the change in the share of right answers from round 0 to the last round.

    Complete graph, equal agents. `mean_variance` is the average of p (1 - p) over questions; with
    ``v_t = v_{t-1} (1 - w^2 N / A_t^2)`` and ``A_t = A + t w N`` the variance is
    ``v_0 / N + v_T / N + (v_0 - v_T) - 2 w v_0 / (A + w N)``.

    Examples
    --------
    >>> round(sd_of_change(5, 2.0, 3, 0.2 * 0.8), 4)
    0.193
    """
    n, start = as_count(n_agents, name="n_agents", minimum=1), float(as_positive(mass, name="mass"))
    rounds = as_count(n_rounds, name="n_rounds", minimum=1)
    if not 0 <= mean_variance <= 0.25:
        raise ValueError(f"mean_variance is an average of p (1 - p) and lies in [0, 1/4], got {mean_variance!r}")
    masses = start + weight * n * np.arange(1, rounds + 1)
    left = mean_variance * float(np.prod(1 - weight**2 * n / masses**2))
    variance = (mean_variance + left) / n + (mean_variance - left) - 2 * weight * mean_variance / (start + weight * n)
    return math.sqrt(max(0.0, variance))
