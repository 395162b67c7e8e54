"""Asynchronous weighted voters in lanes: one event a step, rewards integrated out or drawn.

The state is integer counts (type, lane). An event takes a focal agent, in proportion to counts, and an option, in proportion to weights;
both by one uniform against running sums, without a branch. Thresholds are float32: an option nobody holds has weight 0 and a running sum
equal to its neighbour's, and a uniform below 1 never reaches the total, so that nothing leaves the lattice. Weights of zero throughout
make the event a no-op.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.normal import cosine, radius, sine
from madsim.kernels.streams import LANES, next_uniforms24, next_words, seed_lanes
from madsim.kernels.swarm_tally import all_absorbed, finish_lanes, tally_lanes

_F = np.float32
_ONE, _ZERO = _F(1.0), _F(0.0)
_P1, _P2, _P3 = _F(3.0), _F(15.0), _F(105.0)


@njit(inline="always")
def _no_noise(counts, mean, weights):
    """Weights c m."""
    for kind in range(counts.shape[0]):
        m = mean[kind]
        for lane in range(LANES):
            weights[kind, lane] = _F(counts[kind, lane]) * m


@njit(inline="always")
def _integrated(counts, mean, variance, shared, weights, total, spread):
    """Weights E[S_b / S] S0 for normal rewards: (c m H - var_b P / S0), with e = V / S0^2, H = 1 + e P, P = 1 + 3 e + 15 e^2 + 105 e^3.

    `variance` is that of one draw; the sum over c holders has c times that, and c^2 times where they share one draw.
    """
    for lane in range(LANES):
        total[lane] = _ZERO
        spread[lane] = _ZERO
    for kind in range(counts.shape[0]):
        m, s = mean[kind], variance[kind]
        for lane in range(LANES):
            c = _F(counts[kind, lane])
            total[lane] += c * m
            spread[lane] += s * (c * c if shared else c)
    for lane in range(LANES):
        inverse = _ONE / total[lane]
        e = spread[lane] * inverse * inverse
        p = _ONE + e * (_P1 + e * (_P2 + e * _P3))
        total[lane] = _ONE + e * p
        spread[lane] = p * inverse
    for kind in range(counts.shape[0]):
        m, s = mean[kind], variance[kind]
        for lane in range(LANES):
            c = _F(counts[kind, lane])
            weights[kind, lane] = c * m * total[lane] - s * (c * c if shared else c) * spread[lane]


@njit(inline="always")
def _drawn(counts, quality, sd, shared, s0, s1, s2, s3, first, second, weights):
    """Weights from drawn rewards: one clipped normal an option, or the normal sum over its holders (clipping must be negligible)."""
    kinds = counts.shape[0]
    for kind in range(0, kinds, 2):
        next_words(s0, s1, s2, s3, first)
        next_words(s0, s1, s2, s3, second)
        for lane in range(LANES):
            weights[kind, lane] = radius(first[lane]) * cosine(second[lane])
        if kind + 1 < kinds:
            for lane in range(LANES):
                weights[kind + 1, lane] = radius(first[lane]) * sine(second[lane])
    for kind in range(kinds):
        q = quality[kind]
        for lane in range(LANES):
            c = _F(counts[kind, lane])
            z = sd * weights[kind, lane]
            if shared:
                r = min(max(q + z, _ZERO), _ONE) * c
            else:
                r = max(q * c + z * np.sqrt(c), _ZERO)
            weights[kind, lane] = r


@njit(inline="always")
def _settle(counts, weights, n_agents, uniform_focal, uniform_target, running, behind, hit_target, hit_focal, alive):
    """One event: the focal agent leaves its option and takes the one picked."""
    kinds = counts.shape[0]
    for lane in range(LANES):
        running[lane] = _ZERO
    for kind in range(kinds):
        for lane in range(LANES):
            running[lane] += weights[kind, lane]
    agents = _F(n_agents)
    for lane in range(LANES):
        heard = running[lane] > _ZERO
        uniform_focal[lane] = uniform_focal[lane] * agents if heard else agents + _ONE
        uniform_target[lane] = uniform_target[lane] * running[lane]
        running[lane] = _ZERO
        behind[lane] = _ZERO
        hit_target[lane] = 0
        hit_focal[lane] = 0
    for lane in range(LANES):
        alive[lane] += 1
    for kind in range(kinds):
        for lane in range(LANES):
            c = counts[kind, lane]
            alive[lane] -= np.int32(c == n_agents)
            running[lane] += weights[kind, lane]
            behind[lane] += _F(c)
            target = np.int32(uniform_target[lane] < running[lane])
            focal = np.int32(uniform_focal[lane] < behind[lane])
            counts[kind, lane] = c + (target - hit_target[lane]) - (focal - hit_focal[lane])
            hit_target[lane] = target
            hit_focal[lane] = focal


@njit(nogil=True, cache=True, error_model="numpy")
def voter_events(
    key,
    first_trial,
    n_trials,
    start,
    n_agents,
    draw,
    shared,
    mean,
    variance,
    times,
    sums,
    squares,
    absorbed,
    absorbed_at,
    winner,
    paths,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `start` int32 (option,); `draw` 0: `mean` alone, 1: rewards integrated out with `variance`, 2: rewards drawn around `mean` with
    standard deviation ``sqrt(variance)``; `times` int64, ascending; arrays by trial start at `first_trial`.
    """
    kinds = start.shape[0]
    counts = np.empty((kinds, LANES), np.int32)
    weights = np.zeros((kinds, LANES), np.float32)
    s0, s1, s2, s3 = (
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
        np.empty(LANES, np.uint32),
    )
    first, second = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    focal, target = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    running, behind = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    hit_target, hit_focal = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    alive = np.empty(LANES, np.int32)
    sd = np.sqrt(variance[0])
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        alive[:] = 0
        for kind in range(kinds):
            counts[kind, :] = start[kind]
        event = 0
        for slot in range(times.shape[0]):
            while event < times[slot]:
                if draw == 0:
                    _no_noise(counts, mean, weights)
                elif draw == 1:
                    _integrated(counts, mean, variance, shared, weights, running, behind)
                else:
                    _drawn(counts, mean, sd, shared, s0, s1, s2, s3, first, second, weights)
                next_uniforms24(s0, s1, s2, s3, focal)
                next_uniforms24(s0, s1, s2, s3, target)
                _settle(counts, weights, n_agents, focal, target, running, behind, hit_target, hit_focal, alive)
                event += 1
                if event & 63 == 0 and all_absorbed(counts, kept, n_agents):
                    event = max(event, times[-1])
            tally_lanes(counts, kept, n_agents, slot, sums, squares, absorbed, paths, begin)
        finish_lanes(counts, kept, n_agents, alive, absorbed_at, winner, begin)
