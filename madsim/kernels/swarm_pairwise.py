"""Swarms in which one agent meets one other, in lanes: imitation of success and cross-inhibition.

Only the chance that the other's reward speaks matters, which is its mean: rewards are integrated out exactly, whatever their noise.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from madsim.kernels.streams import LANES, new_states, next_uniforms24, seed_lanes
from madsim.kernels.swarm_tally import add_ends, all_absorbed, finish_lanes, tally_lanes

_F = np.float32
_ONE, _ZERO = _F(1.0), _F(0.0)


@njit(nogil=True, error_model="numpy", cache=True)
def _meet(counts, mean, n_options, inhibit, n_agents, focal, target, running, behind, met, hit_focal, hit_met, spoken):
    """One event; `focal` and `target` are uniforms, scaled to agents and to the n - 1 others in place."""
    kinds = counts.shape[0]
    agents, others = _F(n_agents), _F(n_agents - 1)
    for lane in range(LANES):
        focal[lane] *= agents
        target[lane] *= others
        running[lane] = _ZERO
        behind[lane] = _ZERO
        hit_focal[lane] = 0
        hit_met[lane] = 0
        spoken[lane] = 0
    for kind in range(kinds):
        speaks = mean[kind] if kind < n_options else _ZERO
        for lane in range(LANES):
            c = counts[kind, lane]
            behind[lane] += _F(c)
            hit = np.int32(focal[lane] < behind[lane])
            own = hit - hit_focal[lane]
            hit_focal[lane] = hit
            running[lane] += _F(c - own) * speaks
            hit = np.int32(target[lane] < running[lane])
            other = hit - hit_met[lane]
            hit_met[lane] = hit
            met[kind, lane] = other - 2 * own  # 1 heard, -2 focal, -1 both
            spoken[lane] |= np.int32(other != 0) & np.int32(own == 0)
    if not inhibit:
        for kind in range(kinds):
            for lane in range(LANES):
                m = met[kind, lane]
                counts[kind, lane] += spoken[lane] * (np.int32(m == 1) - np.int32(m == -2))
        return
    last = kinds - 1
    for lane in range(LANES):
        # `spoken`: an option other than the listener's own was heard. An uncommitted listener adopts, any other gives up its option.
        uncommitted = np.int32(met[last, lane] == -2) & spoken[lane]
        hit_focal[lane] = uncommitted
        counts[last, lane] += spoken[lane] - 2 * uncommitted
    for kind in range(last):
        for lane in range(LANES):
            m = met[kind, lane]
            adopted = np.int32(m == 1) & hit_focal[lane]
            counts[kind, lane] += adopted - (np.int32(m == -2) & spoken[lane])


@njit(nogil=True, cache=True)
def _note_moves(spoken, event, last_move):
    """An event changes something exactly where another option was heard."""
    for lane in range(LANES):
        last_move[lane] = event if spoken[lane] != 0 else last_move[lane]


@njit(nogil=True, cache=True, error_model="numpy")
def pairwise_events(
    key,
    first_trial,
    n_trials,
    start,
    n_agents,
    inhibit,
    mean,
    times,
    sums,
    squares,
    absorbed,
    absorbed_at,
    winner,
    paths,
):
    """Simulate trials ``first_trial ...`` and add them to the tallies of :mod:`madsim.kernels.swarm_tally`.

    `start` int32 (type,), with `inhibit` the uncommitted last; `mean` float32 (option,), expected rewards.
    """
    kinds = start.shape[0]
    n_options = mean.shape[0]
    counts, met = np.empty((kinds, LANES), np.int32), np.empty((kinds, LANES), np.int32)
    s0, s1, s2, s3 = new_states(LANES)
    focal, target = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    running, behind = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    hit_focal, hit_met = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    spoken, last_move = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    for begin in range(0, n_trials, LANES):
        kept = min(LANES, n_trials - begin)
        seed_lanes(key, first_trial + begin, s0, s1, s2, s3)
        last_move[:] = 0
        for kind in range(kinds):
            counts[kind, :] = start[kind]
        event = np.int32(0)
        for slot in range(times.shape[0]):
            while event < times[slot]:
                next_uniforms24(s0, s1, s2, s3, focal)
                next_uniforms24(s0, s1, s2, s3, target)
                _meet(
                    counts,
                    mean,
                    n_options,
                    inhibit,
                    n_agents,
                    focal,
                    target,
                    running,
                    behind,
                    met,
                    hit_focal,
                    hit_met,
                    spoken,
                )
                event = np.int32(event + 1)
                _note_moves(spoken, event, last_move)
                if event & 63 == 0 and all_absorbed(counts, kept, n_agents):
                    event = np.int32(max(event, times[-1]))
            tally_lanes(counts, kept, n_agents, slot, sums, squares, paths, begin)
        finish_lanes(counts, kept, n_agents, last_move, absorbed_at, winner, begin)
    add_ends(times, absorbed_at[:n_trials], winner[:n_trials], absorbed)
