"""Cross and Maynard-Cross learners in lanes: one sample a step, constant quality.

A step draws an option in proportion to x (float64, 32-bit uniform), a reward, and moves x towards the option by rate r / baseline.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.learner_tally import tally_shares
from madsim.kernels.normal import cosine, radius
from madsim.kernels.reward_draws import BERNOULLI, CLIPPED_NORMAL, UNIFORM
from madsim.kernels.streams import LANES, SCALE_32, new_states, next_uniforms32, next_words, seed_lanes

NO_BASELINE, ORACLE, AVERAGE, OWN = 0, 1, 2, 3


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_rewards(noise, spread, reward, s0, s1, s2, s3, first, second):
    """Turn the expected qualities in `reward` into rewards, in place."""
    if noise == CLIPPED_NORMAL:
        next_words(s0, s1, s2, s3, first)
        next_words(s0, s1, s2, s3, second)
        for lane in range(LANES):
            z = np.float64(radius(first[lane]) * cosine(second[lane]))
            reward[lane] = min(max(reward[lane] + spread * z, 0.0), 1.0)
    elif noise == UNIFORM:
        next_words(s0, s1, s2, s3, first)
        for lane in range(LANES):
            reward[lane] = min(
                max(reward[lane] + spread * (2.0 * (np.float64(first[lane]) * SCALE_32) - 1.0), 0.0), 1.0
            )
    elif noise == BERNOULLI:
        next_words(s0, s1, s2, s3, first)
        for lane in range(LANES):
            reward[lane] = 1.0 if np.float64(first[lane]) * SCALE_32 < reward[lane] else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _choose(x, mean, quality, uniform, running, base, chosen, reward):
    """Mark the option drawn; write its quality into `reward` and the expected reward at x into `base`."""
    for lane in range(LANES):
        running[lane] = 0.0
        base[lane] = 0.0
    for option in range(x.shape[0]):
        m = mean[option]
        for lane in range(LANES):
            running[lane] += x[option, lane]
            base[lane] += m * x[option, lane]
    for lane in range(LANES):
        uniform[lane] *= running[lane]  # the sum is 1 but for rounding: the last option held closes the interval
        running[lane] = 0.0
        reward[lane] = 0.0
    for option in range(x.shape[0]):
        q = quality[option]
        for lane in range(LANES):
            before = running[lane]
            running[lane] = before + x[option, lane]
            hit = 1.0 if (before <= uniform[lane]) & (uniform[lane] < running[lane]) else 0.0
            chosen[option, lane] = hit
            reward[lane] += q * hit


@njit(nogil=True, cache=True, error_model="numpy")
def _move(x, rate, baseline, average_rate, average, base, chosen, reward, over):
    """x += rate (reward / baseline) (e - x), at most to the edge; `over` counts the steps shortened."""
    for lane in range(LANES):
        r = reward[lane]
        average[lane] += average_rate * (r - average[lane])
        below = base[lane] if baseline == ORACLE else (average[lane] if baseline == AVERAGE else 1.0)
        below = r if baseline == OWN else below
        step = rate * r / below if below > 0.0 else 0.0
        over[lane] += np.int64(step > 1.0 + 1e-12)
        base[lane] = min(step, 1.0)
    for option in range(x.shape[0]):
        for lane in range(LANES):
            x[option, lane] = x[option, lane] - base[lane] * x[option, lane] + base[lane] * chosen[option, lane]


@njit(nogil=True, cache=True, error_model="numpy")
def learner_steps(
    key,
    first_trial,
    n_trials,
    start,
    rate,
    quality,
    mean,
    noise,
    spread,
    baseline,
    average_rate,
    average_start,
    times,
    sums,
    squares,
    clipped,
    paths,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies.

    `mean` are expected rewards (for the oracle); ``clipped`` int64 (1,) counts steps shortened to the edge of the simplex.
    """
    n_options = start.shape[0]
    x = np.empty((n_options, LANES))
    chosen = np.empty((n_options, LANES))
    s0, s1, s2, s3 = new_states(LANES)
    first, second = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    uniform, running, reward, base, average = (
        np.empty(LANES),
        np.empty(LANES),
        np.empty(LANES),
        np.empty(LANES),
        np.empty(LANES),
    )
    over = np.empty(LANES, np.int64)
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        for option in range(n_options):
            x[option, :] = start[option]
        average[:] = average_start
        over[:] = 0
        step = 0
        for slot in range(times.shape[0]):
            while step < times[slot]:
                step += 1
                next_uniforms32(s0, s1, s2, s3, uniform)
                _choose(x, mean, quality, uniform, running, base, chosen, reward)
                _draw_rewards(noise, spread, reward, s0, s1, s2, s3, first, second)
                _move(x, rate, baseline, average_rate, average, base, chosen, reward, over)
            tally_shares(x, kept, slot, sums, squares, paths, begin)
        for lane in range(kept):
            clipped[0] += over[lane]
