"""How a reward scatters around the quality of an option: objects that know their own mean, variance and range.

Rewards lie in [0, 1]. Each type gives the moments of one draw for an array of qualities, elementwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFree:
    """The reward is the quality."""

    def mean(self, quality: ArrayLike) -> Array:
        """Expected reward."""
        return _qualities(quality)

    def variance(self, quality: ArrayLike) -> Array:
        """Variance of the reward."""
        return np.zeros_like(_qualities(quality))

    def bounds(self, quality: ArrayLike) -> tuple[Array, Array]:
        """Smallest and largest reward."""
        return _qualities(quality), _qualities(quality)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClippedNormal:
    """Quality plus a normal error, clipped to [0, 1]; near 0 and 1 the mean is therefore not the quality.

    Attributes
    ----------
    sd : standard deviation before clipping, above 0
    """

    sd: float

    def __post_init__(self) -> None:
        _positive(self.sd, "sd")

    def mean(self, quality: ArrayLike) -> Array:
        """Expected reward after clipping."""
        return self._moments(quality)[0]

    def variance(self, quality: ArrayLike) -> Array:
        """Variance of the reward after clipping."""
        first, second = self._moments(quality)
        return np.maximum(second - first * first, 0.0)

    def bounds(self, quality: ArrayLike) -> tuple[Array, Array]:
        """Smallest and largest reward: 0 and 1."""
        return np.zeros_like(_qualities(quality)), np.ones_like(_qualities(quality))

    def _moments(self, quality: ArrayLike) -> tuple[Array, Array]:
        q = _qualities(quality)
        low, high = -q / self.sd, (1 - q) / self.sd
        below, above = _normal_cdf(low), _normal_cdf(-high)
        inside = 1 - below - above
        density_low, density_high = _normal_density(low), _normal_density(high)
        first = q * inside + self.sd * (density_low - density_high) + above
        # the square integrates to (q^2 + sd^2) P(inside) + 2 q sd (f(low) - f(high)) + sd^2 (low f(low) - high f(high))
        edges = self.sd * (q * density_low - (1 + q) * density_high)
        second = (q * q + self.sd**2) * inside + edges + above
        return first, second


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformNoise:
    """Uniform within `half_width` of the quality, which must keep the reward in [0, 1].

    Attributes
    ----------
    half_width : above 0
    """

    half_width: float

    def __post_init__(self) -> None:
        _positive(self.half_width, "half_width")

    def mean(self, quality: ArrayLike) -> Array:
        """Expected reward: the quality."""
        return _qualities(quality)

    def variance(self, quality: ArrayLike) -> Array:
        """Variance of the reward."""
        return np.full_like(_qualities(quality), self.half_width**2 / 3)

    def bounds(self, quality: ArrayLike) -> tuple[Array, Array]:
        """Smallest and largest reward."""
        q = _qualities(quality)
        return q - self.half_width, q + self.half_width


@dataclass(frozen=True, slots=True, kw_only=True)
class BernoulliNoise:
    """Reward 1 with probability equal to the quality, else 0: broadcast or stay silent."""

    def mean(self, quality: ArrayLike) -> Array:
        """Expected reward: the quality."""
        return _qualities(quality)

    def variance(self, quality: ArrayLike) -> Array:
        """Variance of the reward."""
        q = _qualities(quality)
        return q * (1 - q)

    def bounds(self, quality: ArrayLike) -> tuple[Array, Array]:
        """Smallest and largest reward that can occur."""
        q = _qualities(quality)
        return np.where(q < 1, 0.0, 1.0), np.where(q > 0, 1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaNoise:
    """Beta distributed with mean equal to the quality, which must lie strictly between 0 and 1.

    Attributes
    ----------
    mass : a + b of Beta(a, b), above 0; the larger, the less noise
    """

    mass: float

    def __post_init__(self) -> None:
        _positive(self.mass, "mass")

    def mean(self, quality: ArrayLike) -> Array:
        """Expected reward: the quality."""
        return _qualities(quality)

    def variance(self, quality: ArrayLike) -> Array:
        """Variance of the reward."""
        q = _qualities(quality)
        return q * (1 - q) / (self.mass + 1)

    def bounds(self, quality: ArrayLike) -> tuple[Array, Array]:
        """Smallest and largest reward: 0 and 1."""
        return np.zeros_like(_qualities(quality)), np.ones_like(_qualities(quality))


Noise: TypeAlias = NoiseFree | ClippedNormal | UniformNoise | BernoulliNoise | BetaNoise


def check_noise(noise: Noise, qualities: Array) -> None:
    """Refuse qualities at which `noise` would leave [0, 1] or is not defined; `qualities` holds all that can occur."""
    if not isinstance(noise, Noise):
        raise TypeError(
            f"noise must be one of the noise types (NoiseFree(), ClippedNormal(sd=...), ...), got {noise!r}"
        )
    if isinstance(noise, BetaNoise) and ((qualities <= 0) | (qualities >= 1)).any():
        raise ValueError("Beta rewards need qualities strictly between 0 and 1; use NoiseFree() or BernoulliNoise()")
    if isinstance(noise, UniformNoise):
        low, high = noise.bounds(qualities)
        if low.min() < -1e-12 or high.max() > 1 + 1e-12:
            raise ValueError(
                f"uniform rewards would reach from {low.min():g} to {high.max():g}; they must stay in [0, 1], so "
                f"half_width may be at most {min(qualities.min(), 1 - qualities.max()):g}"
            )


def _positive(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be finite and above 0 (NoiseFree() is the limit), got {value!r}")


def _qualities(quality: ArrayLike) -> Array:
    return np.array(quality, dtype=np.float64)


def _normal_density(z: Array) -> Array:
    return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


def _normal_cdf(z: Array) -> Array:
    flat = [0.5 * math.erfc(-value / math.sqrt(2)) for value in np.ravel(z).tolist()]
    return np.array(flat).reshape(np.shape(z))
