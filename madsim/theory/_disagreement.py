"""How disagreement falls: exactly on any graph, in closed form on the complete graph, and how far it can fall at all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, as_positive, readonly
from madsim.theory._influence import influence_of
from madsim.theory._moments import walk_moments

if TYPE_CHECKING:
    from madsim.models import DebateModel


def disagreement(model: DebateModel, n_rounds: int | None = None) -> NDArray[np.float64]:
    """Exact probability that two different agents answer differently, averaged over pairs, by round: shape (round,).

    From the mean and covariance of the beliefs in every answer, so on any graph with any weights and priors.

    Raises
    ------
    ValueError
        For a single agent, which has nobody to disagree with, and for models that are not linear.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> disagreement(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 2).round(4).tolist()
    [0.42, 0.3771, 0.364]
    """
    n_rounds = as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds")
    influence = influence_of(model, n_rounds, memory=True)
    n, n_answers = influence.concentration.shape
    if n < 2:
        raise ValueError("disagreement needs at least two agents, this model has one")
    agreement = np.zeros(n_rounds + 1)
    for answer in range(n_answers):
        for round, (mean, covariance) in enumerate(walk_moments(influence, n_rounds, answer)):
            agreement[round] += _off_diagonal_mean(covariance + np.outer(mean, mean))
    return readonly(1 - agreement)


def disagreement_law(n_agents: int, mass: float, n_rounds: int) -> NDArray[np.float64]:
    """Share of the first disagreement that is left in each round on the complete graph with equal agents: shape (round,).

    ``D_t / D_0 = prod_{s=1..t} (1 - N / (A + s N)^2)``, for any number of answers (self weight and peer weight 1).

    Examples
    --------
    >>> disagreement_law(5, 2.0, 2).round(4).tolist()
    [1.0, 0.898, 0.8668]
    """
    n, start = as_count(n_agents, name="n_agents", minimum=1), float(as_positive(mass, name="mass", allow_zero=True))
    s = np.arange(1, as_count(n_rounds, name="n_rounds") + 1)
    return readonly(np.concatenate([[1.0], np.cumprod(1 - n / (start + s * n) ** 2)]))


def disagreement_floor(n_agents: int, n_rounds: int | None = None) -> float:
    """The least share of the first disagreement that can be left, over all masses, on the complete graph with equal agents.

    Disagreement that falls further refutes the plain model without any fit. ``n_rounds=None`` is the limit of endless debate,
    ``sin(pi / sqrt N) / (pi / sqrt N)``. The floor is approached as the mass goes to 0.

    Examples
    --------
    >>> [round(disagreement_floor(5, t), 3) for t in (1, 2, 3)], round(disagreement_floor(5), 3)
    ([0.8, 0.76, 0.743], 0.702)
    """
    n = as_count(n_agents, name="n_agents", minimum=2)
    if n_rounds is not None:
        return float(disagreement_law(n, 0.0, n_rounds)[-1])
    angle = math.pi / math.sqrt(n)
    return math.sin(angle) / angle


def limit_variance(n_agents: int, mass: float, belief: float) -> float:
    """Variance of the belief that an endless debate on the complete graph converges to (equal agents, weights 1).

    ``p (1 - p) (1 - G(x + 1)^2 / (G(x + 1 + n) G(x + 1 - n)))`` with G the gamma function, x = A / N and n = 1 / sqrt N.

    Examples
    --------
    >>> round(limit_variance(1, 2.0, 0.5), 12)  # Polya's urn: Beta(1, 1)
    0.083333333333
    """
    n, start = as_count(n_agents, name="n_agents", minimum=1), float(as_positive(mass, name="mass"))
    if not 0 <= belief <= 1:
        raise ValueError(f"belief must lie in [0, 1], got {belief!r}")
    x, step = start / n + 1, 1 / math.sqrt(n)
    left = math.exp(2 * math.lgamma(x) - math.lgamma(x + step) - math.lgamma(x - step))
    return belief * (1 - belief) * (1 - left)


def _off_diagonal_mean(matrix: NDArray[np.float64]) -> float:
    n = len(matrix)
    return float((matrix.sum() - matrix.trace()) / (n * (n - 1)))
