"""Cross-inhibition: mean field, rest points and their stability."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_positive, readonly
from madsim.theory._replicator import integrate

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPoint:
    """A state in which the mean field stands still.

    Attributes
    ----------
    shares : float64 (option,); the rest of the swarm is uncommitted
    eigenvalues : complex128 (option,); of the linearised mean field, largest real part first
    """

    shares: Array
    eigenvalues: NDArray[np.complex128]

    @property
    def stable(self) -> bool:
        """Whether every small disturbance dies out."""
        return bool(self.eigenvalues[0].real < 0)


def cross_inhibition_field(shares: ArrayLike, quality: ArrayLike) -> Array:
    """Rate of change x_a (q_a u - sum over b != a of q_b x_b), u the share of the uncommitted, shape (option,)."""
    x, q = np.asarray(shares), np.asarray(quality)
    spoken = q * x
    return x * (q * (1 - x.sum()) - (spoken.sum() - spoken))


def cross_inhibition_path(initial: ArrayLike, quality: ArrayLike, times: ArrayLike) -> Array:
    """Shares of the options under the mean field, shape (time, option); the rest is uncommitted.

    Parameters
    ----------
    initial
        Shares at time 0, shape (option,); may sum to less than 1.
    quality
        Shape (option,).
    times
        In units of N events, shape (time,).
    """
    x = as_positive(initial, name="initial", allow_zero=True)
    q = _quality(quality)
    if x.shape != q.shape or x.sum() > 1 + 1e-9:
        raise ValueError(f"initial must hold {len(q)} shares that sum to at most 1, got {x.tolist()}")
    t = as_positive(np.atleast_1d(np.asarray(times, dtype=np.float64)), name="times", allow_zero=True)
    return integrate(lambda y: cross_inhibition_field(y, q), x, t)


def cross_inhibition_rest_points(quality: ArrayLike) -> tuple[RestPoint, ...]:
    """All rest points of the mean field, those with the fewest options held first.

    Among the options S held all x_a = V / q_a - u, which with u = 1 - sum x and V = sum q x is linear: one point a set at most.

    Raises
    ------
    ValueError
        For more than 12 options (4096 sets), or a quality of 0, which never speaks.
    """
    q = _quality(quality)
    if len(q) > 12 or (q <= 0).any():
        raise ValueError(f"rest points need 1 to 12 options of quality above 0, got {q.tolist()}")
    points = [RestPoint(shares=readonly(np.zeros(len(q))), eigenvalues=_eigenvalues(np.zeros(len(q)), q))]
    for size in range(1, len(q) + 1):
        for held in combinations(range(len(q)), size):
            some = q[list(held)]
            # x_a = V / q_a - u; summed: 1 - u = V sum(1 / q) - m u, and V = sum q x = m V - u sum(q)
            system = np.array([[(1 / some).sum(), 1.0 - size], [size - 1.0, -some.sum()]])
            spoken, uncommitted = np.linalg.solve(system, np.array([1.0, 0.0]))
            x = spoken / some - uncommitted
            if (x > 1e-12).all() and uncommitted > -1e-12:
                shares = np.zeros(len(q))
                shares[list(held)] = x
                points.append(RestPoint(shares=readonly(shares), eigenvalues=_eigenvalues(shares, q)))
    return tuple(points)


def _quality(quality: ArrayLike) -> Array:
    q = as_positive(quality, name="quality", allow_zero=True)
    if q.ndim != 1 or not len(q):
        raise ValueError(f"quality must hold one number an option, got shape {q.shape}")
    return q


def _eigenvalues(x: Array, q: Array) -> NDArray[np.complex128]:
    growth = q * (1 - x.sum()) - ((q * x).sum() - q * x)
    # d/dx_b of x_a g_a: g_a on the diagonal, and x_a times (-q_a - q_b for b != a, -q_a for b = a)
    jacobian = np.diag(growth) - x[:, None] * (q[:, None] + q[None, :])
    jacobian[np.diag_indices(len(q))] += x * q
    values = np.linalg.eigvals(jacobian).astype(np.complex128)
    return readonly(values[np.argsort(-values.real)])
