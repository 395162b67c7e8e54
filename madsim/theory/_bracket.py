"""How far debate can move the vote away from the majority of round 0."""

from __future__ import annotations

import math
from math import comb

from madsim._core.arrays import as_count


def bracket_width(n_agents: int) -> float:
    """How far debate can move the vote at most: ``max_p |p - g(p)|``, g(p) the majority of N voters with two answers (fair ties).

    On the complete graph with two answers the vote has always been found to move monotonically from the majority value g(p) towards the
    single agent's value p and to stay between them (checked exactly, not proved). For odd N the maximum lies where g'(p) = 1; even
    N have the majority function of N - 1.

    Examples
    --------
    >>> [round(bracket_width(n), 3) for n in (3, 5, 7)]
    [0.096, 0.147, 0.18]
    """
    n = as_count(n_agents, name="n_agents", minimum=1)
    n -= 1 - n % 2
    if n == 1:
        return 0.0
    half = (n - 1) // 2
    variance = math.exp(-(math.log(n) + math.log(comb(n - 1, half))) / half)  # p (1 - p) where g'(p) = 1
    p = (1 + math.sqrt(1 - 4 * variance)) / 2
    majority = math.fsum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(half + 1, n + 1))
    return majority - p
