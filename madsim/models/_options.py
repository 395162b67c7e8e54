"""Options with a quality, constant or moving with the population: what swarms and learners share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import readonly
from madsim._core.canonical import canonical_json
from madsim.models._noise import Noise, check_noise

Array = NDArray[np.float64]


def check_options(quality: ArrayLike, interaction: ArrayLike | None, noise: Noise) -> tuple[Array, Array | None]:
    """Quality and interaction as read-only arrays, refused where a quality can leave [0, 1]."""
    q = _numbers(quality, "quality")
    if q.ndim != 1 or len(q) < 1:
        raise ValueError(f"quality must hold one number an option, got shape {q.shape}")
    if (q < 0).any() or (q > 1).any():
        raise ValueError(f"qualities must lie in [0, 1], got {q.min():g} to {q.max():g}")
    matrix = None
    if interaction is not None:
        matrix = _numbers(interaction, "interaction")
        if matrix.shape != (len(q), len(q)):
            raise ValueError(f"interaction must have shape {(len(q), len(q))} (option, option), got {matrix.shape}")
    possible = corner_qualities(q, matrix)
    if (possible < -1e-12).any() or (possible > 1 + 1e-12).any():
        raise ValueError(
            f"with this interaction a quality reaches from {possible.min():g} to {possible.max():g} as shares move; it must "
            "stay in [0, 1]"
        )
    check_noise(noise, possible)
    return readonly(q), None if matrix is None else readonly(matrix)


def corner_qualities(quality: Array, interaction: Array | None) -> Array:
    """Qualities where everybody holds one option, shape (option held, option): their extremes bound all that can occur."""
    if interaction is None:
        return quality[None, :]
    return quality[None, :] + interaction.T


def quality_at(quality: Array, interaction: Array | None, shares: ArrayLike) -> Array:
    """Quality of every option in a population with these shares (last axis: option)."""
    x = np.asarray(shares, dtype=np.float64)
    return np.broadcast_to(quality, x.shape) if interaction is None else quality + x @ interaction.T


def congestion(cost: ArrayLike) -> Array:
    """The interaction in which an option loses quality in proportion to its own share.

    Parameters
    ----------
    cost
        Quality lost by each option when everybody holds it, shape (option,).

    Returns
    -------
    ndarray
        The matrix for ``interaction=``, shape (option, option).
    """
    return -np.diag(_numbers(cost, "cost"))


class Described:
    """Equality, hash and plain form from the description itself."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        raise TypeError(f"{type(self).__name__} has no plain form")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Described):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(canonical_json(self.to_dict()))


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers in a regular array, got {values!r}") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; found NaN or infinity")
    return array
