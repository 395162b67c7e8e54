"""Search for the maximum of a likelihood: several starts, bounds, pinned coordinates, profile intervals, honest messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim.fit._likelihood import Objective

_ROUGH = 1e-7
_FLAT = 2e-2  # slope of a log-likelihood per unit that no interval would notice


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """A maximum: log-likelihood, place, whether the search came to rest inside its bounds, and what to know about it."""

    value: float
    vector: NDArray[np.float64]
    converged: bool
    message: str


def maximise(
    objective: Objective,
    starts: Sequence[NDArray[np.float64]],
    *,
    pinned: Mapping[int, float] | None = None,
    tolerance: float = 1e-12,
) -> Found:
    """The highest of the maxima reached from `starts`, with some coordinates held at given values."""
    from scipy.optimize import minimize

    def negative(vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective.value_and_gradient(vector)
        return -value, -gradient

    bounds = list(objective.bounds)
    for index, value in (pinned or {}).items():
        bounds[index] = (value, value)
    low, high = (np.array(ends) for ends in zip(*bounds, strict=True))

    def climb(start: NDArray[np.float64], tolerance: float) -> Any:
        options = {"maxiter": 300, "ftol": tolerance, "gtol": 1e-3, "maxls": 30}
        begin = np.clip(start, low, high)
        return minimize(negative, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)

    best = min((climb(start, _ROUGH) for start in starts), key=lambda one: one.fun).x if len(starts) > 1 else starts[0]
    return _found(objective, climb(best, tolerance).x, low, high)


def covariance_of(objective: Objective, vector: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Inverse curvature at a maximum; None where there is none: the likelihood is flat, or rises towards a bound."""
    curvature = -objective.hessian(vector)
    eigenvalues = np.linalg.eigvalsh(curvature)
    if eigenvalues[0] <= 1e-7 * eigenvalues[-1]:
        return None
    return np.asarray(np.linalg.inv(curvature), dtype=np.float64)


def profile_interval(objective: Objective, best: Found, index: int, *, level: float) -> tuple[float, float]:
    """Ends at which the likelihood, maximised over all else, has fallen by half the chi-square quantile; infinite where it never does."""
    from scipy.optimize import brentq
    from scipy.special import chdtri

    drop = float(chdtri(1, 1 - level)) / 2
    nearest = {float(best.vector[index]): best.vector}

    def above(value: float) -> float:
        start = nearest[min(nearest, key=lambda known: abs(known - value))]
        found = maximise(objective, [start], pinned={index: value}, tolerance=1e-9)
        nearest[value] = found.vector
        return found.value - (best.value - drop)

    ends = []
    for sign, bound in zip((-1, 1), objective.bounds[index], strict=True):
        inside, step = float(best.vector[index]), 0.7
        while True:
            outside = inside + sign * step
            if sign * (outside - bound) >= 0:
                outside = bound
            if outside == inside or (above(outside) >= 0 and outside == bound):
                ends.append(sign * math.inf)
                break
            if above(outside) < 0:
                ends.append(float(brentq(above, inside, outside, xtol=0.02)))  # type: ignore[arg-type]
                break
            inside, step = outside, 2 * step
    return ends[0], ends[1]


def _found(
    objective: Objective, vector: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> Found:
    value, gradient = objective.value_and_gradient(vector)
    below, beyond = vector <= low + 1e-6, vector >= high - 1e-6
    free = ~(below | beyond)
    slope = float(np.abs(gradient[free]).max(initial=0.0))
    open_ends = [
        f"{name} {'falls' if below[i] else 'rises'} without end"
        for i, name in enumerate(objective.names)
        if not free[i] and low[i] < high[i]
    ]
    at_rest = slope < _FLAT * max(1.0, math.sqrt(abs(value)) / 10)
    message = "converged" if at_rest else f"not at rest: the largest slope is {slope:.2g}"
    if open_ends:
        message += f", but the likelihood keeps rising while {' and '.join(open_ends)}"
    return Found(value=value, vector=vector, converged=at_rest and not open_ends, message=message)
