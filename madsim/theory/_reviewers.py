"""What is still wrong after several reviewers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def residual_error(error: float, detection: ArrayLike, *, correlation: float = 0.0) -> float:
    """Share of outputs still wrong after reviewers who each catch an error with some probability.

    Parameters
    ----------
    error
        Share wrong before review.
    detection
        Probability that each reviewer catches an error, shape (reviewer,).
    correlation
        Correlation between the misses of two reviewers. 0: independent reviewers, ``error * prod(1 - p)``. Above 0: misses share a cause
        (beta-binomial), and `detection` must be the same for all.

    Examples
    --------
    >>> round(residual_error(0.2, [0.7, 0.7]), 4), round(residual_error(0.2, [0.7, 0.7], correlation=0.3), 4)
    (0.018, 0.0306)
    """
    caught = np.atleast_1d(np.asarray(detection, dtype=np.float64))
    if not 0 <= error <= 1:
        raise ValueError(f"error must lie in [0, 1], got {error!r}")
    if caught.ndim != 1 or not ((caught >= 0) & (caught <= 1)).all():
        raise ValueError(f"detection must hold probabilities, one a reviewer; got {detection!r}")
    if not 0 <= correlation <= 1:
        raise ValueError(f"correlation must lie in [0, 1], got {correlation!r}")
    if correlation == 0 or len(caught) == 0:
        return float(error * np.prod(1 - caught))
    if (caught != caught[0]).any():
        raise ValueError("correlated reviewers must have the same probability of detection")
    missed = 1 - float(caught[0])
    left = float(error) * missed
    for reviewer in range(1, len(caught)):
        # chance of a further miss after `reviewer` misses in a row, Beta prior with intra-class correlation
        left *= (missed * (1 - correlation) + reviewer * correlation) / (1 - correlation + reviewer * correlation)
    return left
