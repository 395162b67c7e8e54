"""Drawing one reward from the stream of one trial."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from madsim.kernels.normal import cosine, radius
from madsim.kernels.streams import next_uniform, next_word

NOISE_FREE, CLIPPED_NORMAL, UNIFORM, BERNOULLI, BETA = 0, 1, 2, 3, 4

_LOWEST = 2.0**-33
_ROOT_HALF = 0.5**0.5
_DENSITY = 0.3989422804014327


@njit(inline="always")
def draw_normal(state):
    """A standard normal number, two words, as float64."""
    first = next_word(state)
    second = next_word(state)
    return np.float64(radius(first) * cosine(second))


@njit(nogil=True, cache=True)
def _draw_log_gamma(shape, state):
    """Logarithm of a gamma variate of scale 1, by the method of Marsaglia and Tsang (2000)."""
    log_boost = 0.0
    if shape < 1.0:
        log_boost = math.log(next_uniform(state) + _LOWEST) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    scale = 1.0 / math.sqrt(9.0 * d)
    while True:
        z = draw_normal(state)
        root = 1.0 + scale * z
        if root <= 0.0:
            continue
        v = root * root * root
        if math.log(next_uniform(state) + _LOWEST) < 0.5 * z * z + d - d * v + d * math.log(v):
            return math.log(d * v) + log_boost


@njit(nogil=True, cache=True)
def _draw_beta(mean, mass, state):
    first = _draw_log_gamma(mean * mass, state)
    second = _draw_log_gamma((1.0 - mean) * mass, state)
    return 1.0 / (1.0 + math.exp(second - first))


@njit(nogil=True, cache=True)
def draw_reward(noise, quality, spread, state):
    """One reward around `quality`; `spread` is the sd, half-width or mass that the kind of noise has."""
    if noise == NOISE_FREE:
        return quality
    if noise == CLIPPED_NORMAL:
        return min(max(quality + spread * draw_normal(state), 0.0), 1.0)
    if noise == UNIFORM:
        return min(max(quality + spread * (2.0 * next_uniform(state) - 1.0), 0.0), 1.0)
    if noise == BERNOULLI:
        return 1.0 if next_uniform(state) < quality else 0.0
    return _draw_beta(quality, spread, state)


@njit(nogil=True, cache=True)
def expected_reward(noise, quality, spread):
    """The mean of :func:`draw_reward`."""
    if noise != CLIPPED_NORMAL:
        return quality
    low, high = -quality / spread, (1.0 - quality) / spread
    below, above = 0.5 * math.erfc(-low * _ROOT_HALF), 0.5 * math.erfc(high * _ROOT_HALF)
    densities = math.exp(-0.5 * low * low) - math.exp(-0.5 * high * high)
    return quality * (1.0 - below - above) + spread * densities * _DENSITY + above


@njit(inline="always")
def pick(weights, total, state):
    """An index in proportion to `weights`, which sum to `total` above 0; one word. Never one of weight 0."""
    threshold = next_uniform(state) * total
    running = 0.0
    chosen = 0
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            chosen = k
            running += weights[k]
            if threshold < running:
                break
    return chosen


@njit(inline="always")
def draw_below(n, state):
    """A whole number from 0 to n - 1; one word."""
    return np.int64((np.uint64(next_word(state)) * np.uint64(n)) >> np.uint64(32))


@njit(inline="always")
def quality_now(quality, interaction, shares, out):
    """Write the qualities at these shares into `out`; `interaction` is (option, option), or of no row where quality is constant."""
    n = quality.shape[0]
    for a in range(n):
        q = quality[a]
        if interaction.shape[0] > 0:
            for b in range(n):
                q += interaction[a, b] * shares[b]
        out[a] = min(max(q, 0.0), 1.0)
