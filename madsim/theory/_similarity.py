"""Open-ended answers: what happens to beliefs when similar answers count in part."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_positive, as_probabilities, readonly


def similarity_drift(belief: ArrayLike, similarity: ArrayLike, mass: float, heard: float) -> NDArray[np.float64]:
    """Change of the mean belief in one round when a vote for answer k counts as ``S[k, j]`` votes for answer j: ``d (p S - p) / (A + d)``.

    `heard` is d, the total weight of the votes heard, `mass` the mass A before the round. Beliefs stay a martingale if and only if
    ``p S = p``.

    Examples
    --------
    >>> leak = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> similarity_drift([0.6, 0.3, 0.1], leak, 5, 5).round(3).tolist()
    [-0.04, 0.005, 0.035]
    """
    p = as_probabilities(belief, name="belief")
    kernel = as_probabilities(similarity, name="similarity")
    if kernel.shape != (len(p), len(p)):
        raise ValueError(f"similarity must be a square of {len(p)} answers, got shape {kernel.shape}")
    start, weight = float(as_positive(mass, name="mass")), float(as_positive(heard, name="heard", allow_zero=True))
    return readonly(weight * (p @ kernel - p) / (start + weight))


def similarity_means(
    belief: ArrayLike, similarity: ArrayLike, mass: float, heard: float, n_rounds: int
) -> NDArray[np.float64]:
    """Mean belief by round and answer, shape (round, answer), when similar answers count in part (equal agents)."""
    means = [as_probabilities(belief, name="belief")]
    for round in range(as_count(n_rounds, name="n_rounds")):
        means.append(means[-1] + similarity_drift(means[-1], similarity, mass + round * heard, heard))
    return readonly(np.array(means))
