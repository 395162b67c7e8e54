"""Asynchronous weighted voters of at most four options: an event in one pass, everything about a trial in registers.

The same events as `swarm_voter` on the same stream, to the last bit, for rewards without noise or integrated out. With a fixed number of
options the compiler holds counts and weights in registers, which is twice as fast as going through memory once for every step of the sum;
missing options weigh nothing and are held by nobody. ``b1, b2, b3`` float32 (lane,) are how many agents hold option 0, 0 or 1, 0 to 2;
whole numbers, exact below 2**24.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.streams import LANES, advance, new_states, seed_lanes, unit24
from madsim.kernels.swarm_tally import SMALL, add_ends, all_absorbed, finish_lanes, tally_lanes

_F = np.float32
_ONE, _ZERO = _F(1.0), _F(0.0)
_P1, _P2, _P3 = _F(3.0), _F(15.0), _F(105.0)


@njit(nogil=True, cache=True, error_model="numpy")
def _event(
    s0, s1, s2, s3, b1, b2, b3, last_move, event, n_agents, shared, m1, m2, m3, m4, v1, v2, v3, v4
):  # fmt: skip
    """Event number `event` in every lane; `m1` to `m4` are mean rewards, `v1` to `v4` the variances of one draw."""
    agents = _F(n_agents)
    for lane in range(LANES):
        a, b, c, d = s0[lane], s1[lane], s2[lane], s3[lane]
        word, a, b, c, d = advance(a, b, c, d)
        focal = unit24(word)
        word, a, b, c, d = advance(a, b, c, d)
        target = unit24(word)
        s0[lane], s1[lane], s2[lane], s3[lane] = a, b, c, d
        c1, c12, c123 = b1[lane], b2[lane], b3[lane]
        c2, c3, c4 = c12 - c1, c123 - c12, agents - c123
        h1 = c1 * m1
        h2 = h1 + c2 * m2
        h3 = h2 + c3 * m3
        total = h3 + c4 * m4
        w1 = v1 * (c1 * c1 if shared else c1)
        w2 = w1 + v2 * (c2 * c2 if shared else c2)
        w3 = w2 + v3 * (c3 * c3 if shared else c3)
        spread = w3 + v4 * (c4 * c4 if shared else c4)
        inverse = _ONE / total
        e = spread * inverse * inverse
        p = _ONE + e * (_P1 + e * (_P2 + e * _P3))
        high, low = _ONE + e * p, p * inverse
        total = total * high - spread * low
        focal = focal * agents if total > _ZERO else agents + _ONE
        target *= total
        n1 = (_ONE if target < h1 * high - w1 * low else _ZERO) - (_ONE if focal < c1 else _ZERO)
        n2 = (_ONE if target < h2 * high - w2 * low else _ZERO) - (_ONE if focal < c12 else _ZERO)
        n3 = (_ONE if target < h3 * high - w3 * low else _ZERO) - (_ONE if focal < c123 else _ZERO)
        b1[lane], b2[lane], b3[lane] = c1 + n1, c12 + n2, c123 + n3
        last_move[lane] = event if n1 * n1 + n2 * n2 + n3 * n3 > _ZERO else last_move[lane]


@njit(nogil=True, cache=True)
def _tally(b1, b2, b3, kept, n_agents, slot, sums, squares):
    """Add the first `kept` lanes to record time `slot`; counts must be small enough for 32-bit sums of squares."""
    agents = _F(n_agents)
    t1, t2, t3, t4 = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
    q1, q2, q3, q4 = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
    for lane in range(kept):
        c1, c2 = np.int32(b1[lane]), np.int32(b2[lane] - b1[lane])
        c3, c4 = np.int32(b3[lane] - b2[lane]), np.int32(agents - b3[lane])
        t1, t2, t3, t4 = np.int32(t1 + c1), np.int32(t2 + c2), np.int32(t3 + c3), np.int32(t4 + c4)
        q1, q2 = np.int32(q1 + c1 * c1), np.int32(q2 + c2 * c2)
        q3, q4 = np.int32(q3 + c3 * c3), np.int32(q4 + c4 * c4)
    total, square = (t1, t2, t3, t4), (q1, q2, q3, q4)
    for kind in range(sums.shape[1]):
        sums[slot, kind] += total[kind]
        squares[slot, kind] += square[kind]


@njit(nogil=True, cache=True)
def _counts(b1, b2, b3, n_agents, counts):
    """Counts, int32 (option, lane), of the options that there are."""
    for lane in range(LANES):
        held = (b1[lane], b2[lane] - b1[lane], b3[lane] - b2[lane], _F(n_agents) - b3[lane])
        for kind in range(counts.shape[0]):
            counts[kind, lane] = np.int32(held[kind])


@njit(nogil=True, cache=True, error_model="numpy")
def voter_events_four(
    key, first_trial, n_trials, start, n_agents, shared, mean, variance, times, sums, squares, absorbed, absorbed_at,
    winner, paths,
):  # fmt: skip
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `start` int32 (option,), `mean` and `variance` float32 (option,), of at most four options; `variance` zero: no noise.
    """
    kinds = start.shape[0]
    held, m, v = np.zeros(4, np.float32), np.zeros(4, np.float32), np.zeros(4, np.float32)
    held[:kinds], m[:kinds], v[:kinds] = start, mean, variance
    s0, s1, s2, s3 = new_states(LANES)
    b1, b2, b3 = np.empty(LANES, np.float32), np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    last_move, counts = np.empty(LANES, np.int32), np.empty((kinds, LANES), np.int32)
    quick = paths.shape[0] == 0 and n_agents <= SMALL
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        last_move[:] = 0
        b1[:], b2[:], b3[:] = held[0], held[0] + held[1], held[0] + held[1] + held[2]
        event = np.int32(0)
        for slot in range(times.shape[0]):
            while event < times[slot]:
                event = np.int32(event + 1)
                _event(
                    s0, s1, s2, s3, b1, b2, b3, last_move, event, n_agents, shared, m[0], m[1], m[2], m[3], v[0], v[1],
                    v[2], v[3],
                )  # fmt: skip
                if event & 63 == 0:
                    _counts(b1, b2, b3, n_agents, counts)
                    if all_absorbed(counts, kept, n_agents):
                        event = np.int32(max(event, times[-1]))
            if quick:
                _tally(b1, b2, b3, kept, n_agents, slot, sums, squares)
            else:
                _counts(b1, b2, b3, n_agents, counts)
                tally_lanes(counts, kept, n_agents, slot, sums, squares, paths, begin)
        _counts(b1, b2, b3, n_agents, counts)
        finish_lanes(counts, kept, n_agents, last_move, absorbed_at, winner, begin)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
