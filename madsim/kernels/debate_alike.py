"""Debates of many agents who are all alike and hear everybody, on counts alone: a round costs O(answers), not O(agents x answers).

All agents share one concentration, so the answers of a round are one multinomial draw from it. Exact in law; single agents are not told
apart. The tallies are those of `debate_shared`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.binomial import draw_multinomial
from madsim.kernels.streams import seed_state

_UNIT = 4294967296.0


@njit(nogil=True, cache=True, error_model="numpy")
def debate_alike(key, first_trial, n_trials, concentration, n_agents, weight, belief, share, wins, spread):
    """Run the trials ``first_trial`` to ``first_trial + n_trials - 1`` and add their statistics.

    Parameters
    ----------
    key : uint64 (2,), see `streams.stream_key`
    concentration : float64 (answer,), of every agent before round 0
    n_agents : number of agents, at least 2
    weight : what one answer adds
    belief : int64 (round, 1, 2); adds sum and sum of squares of (answers heard that were right / answers heard), in units of 2**-32
    share, wins, spread : see `debate_tally.tally_round`
    """
    n_answers = concentration.shape[0]
    now, counts = np.empty(n_answers), np.empty(n_answers, np.int64)
    state = np.empty(4, np.uint32)
    square, pairs = np.float64(n_agents) * n_agents, np.float64(n_agents) * (n_agents - 1)
    for trial in range(n_trials):
        seed_state(key, first_trial + trial, state)
        now[:] = concentration
        right = 0
        for step in range(belief.shape[0]):
            if step > 0:
                fraction = right * (_UNIT / (np.float64(n_agents) * step))
                belief[step, 0, 0] += np.int64(fraction)
                belief[step, 0, 1] += np.int64(fraction * fraction * 2.0**-32)
            draw_multinomial(n_agents, now, counts, state)
            most, tied, agreeing = np.int64(-1), 0, 0.0
            for answer in range(n_answers):
                votes = counts[answer]
                now[answer] += weight * votes
                agreeing += np.float64(votes) * votes
                if votes > most:
                    most, tied = votes, 1
                elif votes == most:
                    tied += 1
            right += counts[0]
            share[step, 0] += counts[0]
            share[step, 1] += counts[0] * counts[0]
            if counts[0] == most:
                wins[step, tied - 1] += 1
            apart = (square - agreeing) * (_UNIT / pairs)
            spread[step, 0] += np.int64(apart)
            spread[step, 1] += np.int64(apart * apart * 2.0**-32)
