"""Weights of a mixture over a fixed grid by maximum likelihood.

Source: Wang 2007, "On fast computation of the non-parametric maximum likelihood estimate of a mixing distribution" (constrained Newton
steps by non-negative least squares).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SUM_ROW = 1e3


def best_weights(
    log_likelihoods: NDArray[np.float64],
    repeats: NDArray[np.float64],
    start: NDArray[np.float64],
    *,
    tolerance: float = 1e-9,
) -> NDArray[np.float64]:
    """Non-negative weights, summing to one, under which rows of observations are likeliest.

    Parameters
    ----------
    log_likelihoods : (observation, grid)
    repeats : (observation,); how often each came
    start : (grid,); weights to start from
    tolerance : largest share of the log-likelihood's slope, per observation, left at the end

    Returns
    -------
    float64 (grid,)
    """
    from scipy.optimize import nnls

    likelihoods = np.exp(log_likelihoods - log_likelihoods.max(axis=1, keepdims=True))
    total = repeats.sum()
    roots = np.sqrt(repeats)
    weights = 0.99 * start + 0.01 / len(start)
    value = float(repeats @ np.log(likelihoods @ weights))
    for _ in range(100):
        mixed = likelihoods @ weights
        slope = (repeats / mixed) @ likelihoods / total
        if slope.max() < 1 + tolerance:
            break
        matrix = np.vstack(
            [roots[:, None] * likelihoods / mixed[:, None], np.full(len(weights), _SUM_ROW * total**0.5)]
        )
        target = np.append(2 * roots, _SUM_ROW * total**0.5)
        aim, _ = nnls(matrix, target, maxiter=30 * len(weights))
        aim /= aim.sum()
        for halving in range(30):
            trial = weights + (aim - weights) / 2**halving
            reached = float(repeats @ np.log(np.maximum(likelihoods @ trial, 1e-300)))
            if reached > value:
                break
        else:
            break
        gained, weights, value = reached - value, trial, reached
        if gained < 1e-11 * max(1.0, abs(value)):
            break
    return weights
