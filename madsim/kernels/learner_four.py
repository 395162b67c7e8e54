"""Learners of at most four options, without noise or with clipped normal rewards: a step in two passes, a trial held in registers.

The same steps as `learner_lanes` on the same stream, to the last bit; missing options have probability 0. See `swarm_voter_four` for why.
Random numbers come in a pass of their own: they are 32 bits wide, so that twice as many fit a register as of the probabilities.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.learner_lanes import AVERAGE, ORACLE, OWN
from madsim.kernels.learner_tally import tally_shares
from madsim.kernels.normal import cosine, radius
from madsim.kernels.streams import LANES, SCALE_32, advance, new_states, seed_lanes


@njit(nogil=True, cache=True, error_model="numpy")
def _draw(s0, s1, s2, s3, normal, words, scatter):
    """A word a lane to choose an option by and, where `normal`, a standard normal number in `scatter`, float32 (lane,)."""
    for lane in range(LANES):
        a, b, c, d = s0[lane], s1[lane], s2[lane], s3[lane]
        words[lane], a, b, c, d = advance(a, b, c, d)
        if normal:
            first, a, b, c, d = advance(a, b, c, d)
            second, a, b, c, d = advance(a, b, c, d)
            scatter[lane] = radius(first) * cosine(second)
        s0[lane], s1[lane], s2[lane], s3[lane] = a, b, c, d


@njit(nogil=True, cache=True, error_model="numpy")
def _step(
    words, scatter, x1, x2, x3, x4, average, over, rate, normal, spread, baseline, average_rate, q1, q2, q3, q4, m1, m2,
    m3, m4,
):  # fmt: skip
    """One step in every lane; `q1` to `q4` are qualities, `m1` to `m4` expected rewards."""
    for lane in range(LANES):
        p1, p2, p3, p4 = x1[lane], x2[lane], x3[lane], x4[lane]
        r1 = p1
        r2 = r1 + p2
        r3 = r2 + p3
        r4 = r3 + p4
        expected = m1 * p1
        expected += m2 * p2
        expected += m3 * p3
        expected += m4 * p4
        point = np.float64(words[lane]) * SCALE_32 * r4
        h1 = 1.0 if point < r1 else 0.0
        h2 = 1.0 if (r1 <= point) & (point < r2) else 0.0
        h3 = 1.0 if (r2 <= point) & (point < r3) else 0.0
        h4 = 1.0 if (r3 <= point) & (point < r4) else 0.0
        reward = q1 * h1 + q2 * h2 + q3 * h3 + q4 * h4
        if normal:
            reward = min(max(reward + spread * np.float64(scatter[lane]), 0.0), 1.0)
        average[lane] += average_rate * (reward - average[lane])
        below = expected if baseline == ORACLE else (average[lane] if baseline == AVERAGE else 1.0)
        below = reward if baseline == OWN else below
        step = rate * reward / below if below > 0.0 else 0.0
        over[lane] += 1.0 if step > 1.0 + 1e-12 else 0.0
        step = min(step, 1.0)
        x1[lane] = p1 - step * p1 + step * h1
        x2[lane] = p2 - step * p2 + step * h2
        x3[lane] = p3 - step * p3 + step * h3
        x4[lane] = p4 - step * p4 + step * h4


@njit(nogil=True, cache=True, error_model="numpy")
def learner_steps_four(
    key, first_trial, n_trials, start, rate, quality, mean, normal, spread, baseline, average_rate, average_start, times,
    sums, squares, clipped, paths,
):  # fmt: skip
    """Simulate trials ``first_trial ...`` and add them to the tallies, as in `learner_lanes`; `normal`: whether rewards scatter."""
    n_options = start.shape[0]
    begins, q, m = np.zeros(4), np.zeros(4), np.zeros(4)
    begins[:n_options], q[:n_options], m[:n_options] = start, quality, mean
    s0, s1, s2, s3 = new_states(LANES)
    x = np.empty((4, LANES))
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    words, scatter = np.empty(LANES, np.uint32), np.zeros(LANES, np.float32)
    average, over = np.empty(LANES), np.empty(LANES)
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        x1[:], x2[:], x3[:], x4[:] = begins[0], begins[1], begins[2], begins[3]
        average[:] = average_start
        over[:] = 0.0
        step = 0
        for slot in range(times.shape[0]):
            while step < times[slot]:
                step += 1
                _draw(s0, s1, s2, s3, normal, words, scatter)
                _step(
                    words, scatter, x1, x2, x3, x4, average, over, rate, normal, spread, baseline, average_rate, q[0],
                    q[1], q[2], q[3], m[0], m[1], m[2], m[3],
                )  # fmt: skip
            tally_shares(x, kept, slot, sums, squares, paths, begin)
        for lane in range(kept):
            clipped[0] += np.int64(over[lane])
