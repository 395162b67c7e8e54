"""What the lane kernels count in each round; all integers, so that sums come out the same in any order."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def tally_round(counts, n_agents, active, ties_first, given, share, wins, spread, most, tied, agreeing):
    """Add one round of the first `active` lanes.

    Parameters
    ----------
    counts : float (answer - 1, lane); how many agents gave an answer of at most k
    n_agents : number of agents
    active : lanes that count
    ties_first : whether to fill the last entry of `wins`
    given : float (agent, lane), the answers, read only where `ties_first`
    share : int64 (2,); adds sum and sum of squares of the number of right answers
    wins : int64 (answer + 1,); entry m - 1 adds the trials in which the target is one of m answers with most votes; the last entry adds
        those in which it wins when a tie goes to the tied answer that the first agent in order gave
    spread : int64 (2,); adds sum and sum of squares, in units of 2**-32, of the share of pairs of agents that disagree
    most, tied, agreeing : scratch like ``counts[0]``; to make them here would double the cost
    """
    n_cuts, lanes = counts.shape
    everybody = counts.dtype.type(n_agents)
    one = counts.dtype.type(1)
    for lane in range(lanes):
        votes = counts[0, lane]
        most[lane] = votes
        tied[lane] = one
        agreeing[lane] = votes * votes
    for cut in range(1, n_cuts + 1):
        for lane in range(lanes):
            upper = counts[cut, lane] if cut < n_cuts else everybody
            votes = upper - counts[cut - 1, lane]
            agreeing[lane] += votes * votes
            same = tied[lane] + one if votes == most[lane] else tied[lane]
            tied[lane] = one if votes > most[lane] else same
            most[lane] = max(most[lane], votes)
    total, squares = np.int64(0), np.int64(0)
    for lane in range(active):
        votes = np.int64(counts[0, lane])
        total += votes
        squares += votes * votes
    share[0] += total
    share[1] += squares
    for lane in range(lanes):
        tied[lane] = tied[lane] if counts[0, lane] == most[lane] else -tied[lane]
    for among in range(1, n_cuts + 2):
        number = np.int32(0)
        for lane in range(active):
            number += np.int32(tied[lane] == among)
        wins[among - 1] += number
    if n_agents > 1:
        unit = 4294967296.0 / (np.float64(n_agents) * np.float64(n_agents - 1))
        square = np.float64(n_agents) * np.float64(n_agents)
        total, squares = np.int64(0), np.int64(0)
        for lane in range(active):
            fraction = (square - agreeing[lane]) * unit
            total += np.int64(fraction)
            squares += np.int64(fraction * fraction * 2.0**-32)
        spread[0] += total
        spread[1] += squares
    if ties_first:
        for lane in range(active):
            if tied[lane] == 1:
                wins[n_cuts + 1] += 1
            elif tied[lane] > 1:
                agent = 0
                while not _leads(np.int64(given[agent, lane]), counts, lane, everybody, most[lane]):
                    agent += 1
                wins[n_cuts + 1] += given[agent, lane] == 0


@njit(inline="always")
def _leads(answer, counts, lane, everybody, most):
    """Whether `answer` has the most votes in a lane."""
    upper = counts[answer, lane] if answer < counts.shape[0] else everybody
    lower = counts[answer - 1, lane] if answer > 0 else most - most
    return upper - lower == most
