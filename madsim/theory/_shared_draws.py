"""What one reward draw shared by all holders of an option does to a weighted voter: a bias that size does not cure."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_probabilities
from madsim.models import Noise
from madsim.theory._swarm_adoption import adoption

Array = NDArray[np.float64]


def voter_drift(
    shares: ArrayLike, quality: ArrayLike, noise: Noise, *, rewards: Literal["agent", "option"], n_agents: int
) -> Array:
    """Exact expected change of the shares of an asynchronous weighted voter, in units of N events, shape (option,).

    Parameters
    ----------
    shares
        Shape (option,); must be whole agents, shares times `n_agents`.
    quality, noise, rewards, n_agents
        As in the model.

    Raises
    ------
    ValueError
        If the shares are not whole numbers of agents.
    """
    x = as_probabilities(shares, name="shares")
    q = np.asarray(quality, dtype=np.float64)
    counts = np.rint(x * n_agents).astype(np.int64)
    if np.abs(counts - x * n_agents).max() > 1e-6:
        raise ValueError(f"shares must be whole numbers of {n_agents} agents, got {(x * n_agents).tolist()}")
    probability, silent = adoption(counts[None], q[None], noise, rewards)
    return probability[0] - (1 - silent[0]) * x


def shared_draw_drift(shares: ArrayLike, quality: ArrayLike, noise: Noise) -> Array:
    """The same drift for shared draws and small noise: x_b [q_b / v - 1 - x_b s_b^2 / v^2 + q_b sum_l x_l^2 s_l^2 / v^3].

    `quality` are the expected rewards; the number of agents does not appear, which is the point.
    """
    x = as_probabilities(shares, name="shares")
    q = noise.mean(quality)
    variance = noise.variance(quality)
    v = float(x @ q)
    return x * (q / v - 1 - x * variance / v**2 + q * float(x**2 @ variance) / v**3)
