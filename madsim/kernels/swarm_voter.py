"""Asynchronous weighted voters in lanes: one event a step, rewards integrated out or drawn.

The state is cumulative counts (1 + type, lane), the first row zero: an agent that moves from option a to b takes 1 off the sums between
them, or adds it. An event takes a focal agent, in proportion to counts, and an option, in proportion to weights; both by one uniform
against running sums, without a branch. Running sums are float32: an option nobody holds has weight 0 and a sum equal to its neighbour's,
and a uniform below 1 never reaches the total, so that nothing leaves the lattice. Weights of zero throughout make the event a no-op.

The parts of an event are functions of their own, not inlined: the compiler then vectorises each without checking arrays against each
other.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.normal import cosine, radius, sine
from madsim.kernels.streams import LANES, new_states, next_uniforms24, next_words, seed_lanes
from madsim.kernels.swarm_tally import add_ends, all_absorbed, counts_of, finish_lanes, tally_lanes

_F = np.float32
_ONE, _ZERO = _F(1.0), _F(0.0)
_P1, _P2, _P3 = _F(3.0), _F(15.0), _F(105.0)


@njit(nogil=True, error_model="numpy", cache=True)
def _no_noise(below, mean, heard, total):
    """Running sums of the weights c m, and their total."""
    for lane in range(LANES):
        total[lane] = _ZERO
    for kind in range(heard.shape[0]):
        m = mean[kind]
        for lane in range(LANES):
            c = below[kind + 1, lane] - below[kind, lane]
            total[lane] += _F(c) * m
            heard[kind, lane] = total[lane]


@njit(nogil=True, error_model="numpy", cache=True)
def _integrated(below, mean, variance, shared, heard, scatter, total, spread):
    """Running sums of the weights E[S_b / S] S0 for normal rewards, and their total.

    A weight is c m H - var_b P / S0, with e = V / S0^2, H = 1 + e P, P = 1 + 3 e + 15 e^2 + 105 e^3. `variance` is that of one draw; the
    sum over c holders has c times that, and c^2 times where they share one draw.
    """
    for lane in range(LANES):
        total[lane] = _ZERO
        spread[lane] = _ZERO
    for kind in range(heard.shape[0]):
        m, s = mean[kind], variance[kind]
        for lane in range(LANES):
            c = _F(below[kind + 1, lane] - below[kind, lane])
            total[lane] += c * m
            spread[lane] += s * (c * c if shared else c)
            heard[kind, lane] = total[lane]
            scatter[kind, lane] = spread[lane]
    for lane in range(LANES):
        inverse = _ONE / total[lane]
        e = spread[lane] * inverse * inverse
        p = _ONE + e * (_P1 + e * (_P2 + e * _P3))
        total[lane] = _ONE + e * p
        spread[lane] = p * inverse
    for kind in range(heard.shape[0]):
        for lane in range(LANES):
            heard[kind, lane] = heard[kind, lane] * total[lane] - scatter[kind, lane] * spread[lane]
    last = heard.shape[0] - 1
    for lane in range(LANES):
        total[lane] = heard[last, lane]


@njit(nogil=True, error_model="numpy", cache=True)
def _drawn(below, quality, sd, shared, s0, s1, s2, s3, first, second, heard, total):
    """Running sums of drawn rewards: one clipped normal an option, or the normal sum over its holders (clipping must be negligible)."""
    kinds = heard.shape[0]
    for kind in range(0, kinds, 2):
        next_words(s0, s1, s2, s3, first)
        next_words(s0, s1, s2, s3, second)
        for lane in range(LANES):
            heard[kind, lane] = radius(first[lane]) * cosine(second[lane])
        if kind + 1 < kinds:
            for lane in range(LANES):
                heard[kind + 1, lane] = radius(first[lane]) * sine(second[lane])
    for lane in range(LANES):
        total[lane] = _ZERO
    for kind in range(kinds):
        q = quality[kind]
        for lane in range(LANES):
            c = _F(below[kind + 1, lane] - below[kind, lane])
            z = sd * heard[kind, lane]
            if shared:
                r = min(max(q + z, _ZERO), _ONE) * c
            else:
                r = max(q * c + z * np.sqrt(c), _ZERO)
            total[lane] += r
            heard[kind, lane] = total[lane]


@njit(nogil=True, error_model="numpy", cache=True)
def _settle(below, heard, total, n_agents, event, focal, target, moved, last_move):
    """Event number `event`: the focal agent leaves its option and takes the one picked; `focal` and `target` are uniforms."""
    agents = _F(n_agents)
    for lane in range(LANES):
        focal[lane] = focal[lane] * agents if total[lane] > _ZERO else agents + _ONE
        target[lane] *= total[lane]
        moved[lane] = 0
    for kind in range(heard.shape[0]):
        for lane in range(LANES):
            c = below[kind + 1, lane]
            net = np.int32(target[lane] < heard[kind, lane]) - np.int32(focal[lane] < _F(c))
            below[kind + 1, lane] = c + net
            moved[lane] |= net
    for lane in range(LANES):
        last_move[lane] = event if moved[lane] != 0 else last_move[lane]


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
    below, counts = np.zeros((kinds + 1, LANES), np.int32), np.empty((kinds, LANES), np.int32)
    heard, scatter = np.zeros((kinds, LANES), np.float32), np.zeros((kinds, LANES), np.float32)
    s0, s1, s2, s3 = new_states(LANES)
    first, second = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    focal, target = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    total, spread = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    moved, last_move = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    sd = np.sqrt(variance[0])
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        last_move[:] = 0
        for kind in range(kinds):
            below[kind + 1, :] = start[: kind + 1].sum()
        event = np.int32(0)
        for slot in range(times.shape[0]):
            while event < times[slot]:
                if draw == 0:
                    _no_noise(below, mean, heard, total)
                elif draw == 1:
                    _integrated(below, mean, variance, shared, heard, scatter, total, spread)
                else:
                    _drawn(below, mean, sd, shared, s0, s1, s2, s3, first, second, heard, total)
                next_uniforms24(s0, s1, s2, s3, focal)
                next_uniforms24(s0, s1, s2, s3, target)
                event = np.int32(event + 1)
                _settle(below, heard, total, n_agents, event, focal, target, moved, last_move)
                if event & 63 == 0:
                    counts_of(below, counts)
                    if all_absorbed(counts, kept, n_agents):
                        event = np.int32(max(event, times[-1]))
            counts_of(below, counts)
            tally_lanes(counts, kept, n_agents, slot, sums, squares, paths, begin)
        finish_lanes(counts, kept, n_agents, last_move, absorbed_at, winner, begin)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
