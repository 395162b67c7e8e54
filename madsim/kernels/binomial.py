"""Binomial and multinomial numbers from the stream of one trial: what many agents who are alike do at once.

Small means by inversion; the rest by transformed rejection (Hoermann 1993, "The generation of binomial random variates", algorithm BTRS).
Both are exact in law up to the resolution of the uniforms.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from madsim.kernels.streams import next_word, seed_state

_SMALL_MEAN = 10.0
_UNIT32, _UNIT53, _TAIL = 2.0**-32, 2.0**-53, 2.0**21


@njit(nogil=True, cache=True, error_model="numpy")
def _invert(n, p, state):
    """By summing chances from 0 up; one uniform of 53 bits. The mean must be small and `p` at most one half."""
    high, low = next_word(state), next_word(state)
    left = (np.float64(high) * _TAIL + np.float64(low >> np.uint32(11))) * _UNIT53
    odds = p / (1.0 - p)
    chance = math.exp(n * math.log1p(-p))
    k = 0
    while left >= chance and k < n:
        left -= chance
        chance *= odds * (n - k) / (k + 1.0)
        k += 1
    return k


@njit(nogil=True, cache=True, error_model="numpy")
def _reject(n, p, state):
    """By transformed rejection; two uniforms a try, 1.15 tries on average. The mean must be at least 10 and `p` at most one half."""
    spread = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    inner = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * spread
    mode = math.floor((n + 1.0) * p)
    log_odds = math.log(p / (1.0 - p))
    top = math.lgamma(mode + 1.0) + math.lgamma(n - mode + 1.0)
    while True:
        u = (np.float64(next_word(state)) + 0.5) * _UNIT32 - 0.5
        v = (np.float64(next_word(state)) + 0.5) * _UNIT32
        edge = 0.5 - abs(u)
        k = math.floor((2.0 * a / edge + b) * u + centre)
        if edge >= 0.07 and v <= inner:
            return np.int64(k)
        if k < 0.0 or k > n:
            continue
        height = math.log(v * alpha / (a / (edge * edge) + b))
        if height <= top - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0) + (k - mode) * log_odds:
            return np.int64(k)


@njit(nogil=True, cache=True, error_model="numpy")
def draw_binomial(n, p, state):
    """How many of `n` independent tries succeed, each with chance `p`; chances outside [0, 1] count as its ends."""
    if n <= 0 or p <= 0.0:
        return np.int64(0)
    if p >= 1.0:
        return np.int64(n)
    less = min(p, 1.0 - p)
    drawn = np.int64(_invert(n, less, state)) if n * less < _SMALL_MEAN else _reject(n, less, state)
    return drawn if less == p else n - drawn


@njit(nogil=True, cache=True, error_model="numpy")
def draw_multinomial(n, weights, counts, state):
    """Write how `n` independent picks fall on the options, in proportion to `weights`, whose sum must be above 0."""
    left = 0.0
    for k in range(weights.shape[0]):
        left += weights[k]
    last = 0
    for k in range(weights.shape[0]):
        counts[k] = 0
        if weights[k] > 0.0:
            last = k
    for k in range(last):
        if n > 0 and weights[k] > 0.0:
            counts[k] = draw_binomial(n, weights[k] / left, state)
            n -= counts[k]
        left -= weights[k]
    counts[last] = n


@njit(nogil=True, cache=True)
def binomials(key, first_trial, n, p, out):
    """One number from each of ``len(out)`` trials' streams; shows the method as it is, for tests."""
    state = np.empty(4, np.uint32)
    for trial in range(out.shape[0]):
        seed_state(key, first_trial + trial, state)
        out[trial] = draw_binomial(n, p, state)
