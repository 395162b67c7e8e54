"""Cross-type learners trial by trial: batches, every noise, moving quality, every baseline. The plain loop beside the lanes.

With rate 1 and the batch mean as baseline the update is x_b = (reward sampled on b) / (all reward sampled): the weights with which the
agents of a synchronous swarm settle. Samples are drawn first and their rewards after, in the order in which that swarm draws, so that the
same stream gives the same path, bit for bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.learner_lanes import AVERAGE, ORACLE, OWN
from madsim.kernels.learner_tally import UNIT
from madsim.kernels.reward_draws import draw_reward, expected_reward, pick, quality_now
from madsim.kernels.streams import seed_state


@njit(nogil=True, cache=True, error_model="numpy")
def learner_batches(
    key,
    first_trial,
    n_trials,
    start,
    rate,
    batch,
    quality,
    interaction,
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
    samples,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies.

    `mean` are expected rewards where quality is constant, read by the oracle. ``samples``
    int32 (trial, time, option): how often each option is drawn in the step that begins at a record time, where it has trials.

    The mean over the batch of rate (r_i / baseline) (e_i - x) is move (h - x), with h the shares of the reward and move the rate times
    the mean reward over the baseline.
    """
    n_options = start.shape[0]
    x, now, heard, expected = np.empty(n_options), np.empty(n_options), np.empty(n_options), np.empty(n_options)
    drawn = np.empty(batch, np.int64)
    counts = np.empty(n_options, np.int64)
    state = np.empty(4, np.uint32)
    last = times[times.shape[0] - 1]
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        x[:] = start
        now[:] = quality
        expected[:] = mean
        average = average_start
        slot = 0
        for step in range(last + 1):
            counts[:] = 0
            if step < last or samples.shape[0] > 0:
                for i in range(batch):
                    drawn[i] = pick(x, 1.0, state)
                    counts[drawn[i]] += 1
            if step == times[slot]:
                for b in range(n_options):
                    sums[slot, b] += np.int64(x[b] * UNIT + 0.5)
                    squares[slot, b] += np.int64(x[b] * x[b] * UNIT + 0.5)
                    if paths.shape[0] > 0:
                        paths[trial, slot, b] = x[b]
                    if samples.shape[0] > 0:
                        samples[trial, slot, b] = counts[b]
                slot += 1
            if step == last:
                break
            if interaction.shape[0] > 0:
                quality_now(quality, interaction, x, now)
                for b in range(n_options):
                    expected[b] = expected_reward(noise, now[b], spread)
            heard[:] = 0.0
            total = 0.0
            for i in range(batch):
                heard[drawn[i]] += draw_reward(noise, now[drawn[i]], spread, state)
            oracle = 0.0
            for b in range(n_options):
                total += heard[b]
                oracle += x[b] * expected[b]
            average += average_rate * (total / batch - average)
            if total <= 0.0:
                continue
            below = 1.0
            if baseline == ORACLE:
                below = oracle
            elif baseline == AVERAGE:
                below = average
            elif baseline == OWN:
                below = total / batch
            move = rate * (total / batch) / below if below > 0.0 else 0.0
            if baseline == OWN:
                move = rate
            if move > 1.0 + 1e-12:
                clipped[0] += 1
            move = min(move, 1.0)
            for b in range(n_options):
                x[b] = (1.0 - move) * x[b] + move * (heard[b] / total)
