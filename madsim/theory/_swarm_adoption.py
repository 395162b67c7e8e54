"""The exact chance that a weighted voter settles on each option, random rewards integrated out.

With S_b the reward heard for option b and S their sum, E[S_b / S] = integral over l > 0 of E[S_b exp(-l S)]. Rewards are independent, so
the integrand is a product of one-draw transforms, and a double-exponential rule gives the integral to about 1e-10. The transforms come from
Gauss rules of the reward: exact to rounding where rewards keep away from zero, to about 1e-6 where a density reaches it. A draw of nothing
but zeros is a defined no-op: the agent keeps its option.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from madsim.models import BernoulliNoise, BetaNoise, ClippedNormal, Noise, NoiseFree, UniformNoise

Array = NDArray[np.float64]

_CHUNK = 20_000
_BETA_NODES = 24


def adoption(counts: NDArray[np.int64], quality: Array, noise: Noise, rewards: str) -> tuple[Array, Array]:
    """Chance of settling on each option, and of hearing nothing.

    Parameters
    ----------
    counts
        Holders of each option, shape (state, option).
    quality
        Qualities in each state, shape (state, option).
    noise, rewards
        As in the model.

    Returns
    -------
    probability : ndarray (state, option)
    silent : ndarray (state,)
        Chance that all rewards are zero. Rows of `probability` sum to 1 minus this.
    """
    if isinstance(noise, NoiseFree):
        heard = counts * quality
        total = heard.sum(axis=1)
        probability = heard / np.where(total > 0, total, 1.0)[:, None]
        return probability, (total <= 0).astype(np.float64)
    parts = [
        _integrated(counts[at : at + _CHUNK], quality[at : at + _CHUNK], noise, rewards)
        for at in range(0, len(counts), _CHUNK)
    ]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _integrated(counts: NDArray[np.int64], quality: Array, noise: Noise, rewards: str) -> tuple[Array, Array]:
    values, weights = reward_rule(noise, quality)
    scale = np.maximum((counts * (values * weights).sum(axis=-1)).sum(axis=1), 1e-12)
    abscissae, steps = _double_exponential()
    held = counts > 0
    shared = rewards == "option"
    probability = np.zeros(quality.shape)
    for point, step in zip(abscissae, steps, strict=True):
        at = point / scale
        argument = at[:, None] * (counts if shared else 1)
        decay = weights * np.exp(-argument[..., None] * values)
        transform = np.where(held, decay.sum(axis=-1), 1.0)
        weighted = (decay * values).sum(axis=-1)
        power = held.astype(np.int64) if shared else counts
        with np.errstate(divide="ignore"):
            log_all = (power * np.log(transform)).sum(axis=1)
        others = np.exp(log_all[:, None] - np.log(np.maximum(transform, 1e-300)))
        probability += np.where(held, counts * weighted * others, 0.0) * (step / scale)[:, None]
    nothing = (weights * (values == 0)).sum(axis=-1)
    silent = np.where(held, nothing ** (1 if shared else counts), 1.0).prod(axis=1)
    total = probability.sum(axis=1)
    worst = float(np.abs(total + silent - 1).max())
    if not worst <= 1e-8:
        raise ValueError(
            f"the adoption chances could not be integrated (error {worst:.1g}); simulate this swarm instead"
        )
    return probability * np.where(total > 0, (1 - silent) / np.where(total > 0, total, 1.0), 0.0)[:, None], silent


def reward_rule(noise: Noise, quality: Array) -> tuple[Array, Array]:
    """Values and weights, shape (..., node), whose weighted sums are expectations of smooth functions of one reward."""
    q = np.asarray(quality, dtype=np.float64)[..., None]
    if isinstance(noise, NoiseFree):
        return q, np.ones_like(q)
    if isinstance(noise, BernoulliNoise):
        return np.concatenate([0 * q, 0 * q + 1], axis=-1), np.concatenate([1 - q, q], axis=-1)
    if isinstance(noise, UniformNoise):
        nodes, weights = _legendre(24)
        return q + noise.half_width * nodes, np.broadcast_to(weights / 2, (*q.shape[:-1], len(weights)))
    if isinstance(noise, BetaNoise):
        return _beta_rule(noise, q)
    return _clipped_rule(noise, q)


def _clipped_rule(noise: ClippedNormal, q: Array) -> tuple[Array, Array]:
    from scipy.special import ndtr

    nodes, weights = _legendre(48)
    low, high = np.maximum(-q / noise.sd, -9.0), np.minimum((1 - q) / noise.sd, 9.0)
    z = low + (high - low) * (nodes + 1) / 2
    inside = weights * (high - low) / 2 * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    below, above = ndtr(-q / noise.sd), ndtr(-(1 - q) / noise.sd)
    values = np.concatenate([0 * q, (q + noise.sd * z).clip(0.0, 1.0), 0 * q + 1], axis=-1)
    return values, np.concatenate([below, inside, above], axis=-1)


def _beta_rule(noise: BetaNoise, q: Array) -> tuple[Array, Array]:
    unique, back = np.unique(q, return_inverse=True)
    rules = [_gauss_beta(noise.mass * mean, noise.mass * (1 - mean)) for mean in unique.tolist()]
    values, weights = (np.array(part) for part in zip(*rules, strict=True))
    shape = (*q.shape[:-1], _BETA_NODES)
    return values[back.ravel()].reshape(shape), weights[back.ravel()].reshape(shape)


def _gauss_beta(a: float, b: float) -> tuple[Array, Array]:
    """Gauss rule of the Beta(a, b) law on [0, 1]: eigenvalues of the matrix of the Jacobi recurrence (Golub and Welsch, 1969)."""
    k = np.arange(1, _BETA_NODES, dtype=np.float64)
    total = 2 * k + a + b - 2
    diagonal = np.concatenate([[(a - b) / (a + b)], (a - b) * (a + b - 2) / (total * (total + 2))])
    squares = 4 * k * (k + b - 1) * (k + a - 1) / (total**2 * (total + 1))
    # the factor (k + a + b - 2) / (total - 1) is 1 for k = 1, also where both are 0
    ratio = np.ones_like(k)
    ratio[1:] = (k[1:] + a + b - 2) / (total[1:] - 1)
    off = np.sqrt(squares * ratio)
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))
    return ((nodes + 1) / 2).clip(0.0, 1.0), vectors[0] ** 2


@lru_cache(maxsize=8)
def _legendre(n: int) -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(n)


@lru_cache(maxsize=1)
def _double_exponential() -> tuple[Array, Array]:
    """Points and steps of the exp-sinh rule on (0, infinity) for integrands that decay on the scale 1."""
    t = np.arange(-4.6, 3.6001, 1 / 24)
    points = np.exp(np.pi / 2 * np.sinh(t))
    return points, points * np.pi / 2 * np.cosh(t) / 24
