"""Collecting vote against debate question by question, with the right to stop at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.estimate import Interval
from madsim.verify import EProcess, e_process


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequentialComparison:
    """Where a comparison that may stop at any time stands.

    Attributes
    ----------
    verdict : ``"debate"`` (better than the vote by more than the margin), ``"vote"`` (debate does not gain the margin), ``"go on"``
    interval : of the mean gain, valid at any time
    n : questions so far
    bets : the bets and the confidence sequence behind it
    """

    verdict: Literal["debate", "vote", "go on"]
    interval: Interval
    n: int
    bets: EProcess


def compare_any_time(gains: ArrayLike, *, margin: float = 0.0, level: float = 0.05) -> SequentialComparison:
    """Debate's gain over an equally dear vote, question by question, judged so that stopping when it looks good is no cheating.

    Parameters
    ----------
    gains : (question,) in [-1, 1]; debate right minus vote right (fractions where ties were split), in order of collection
    margin : gain that would make debate worth it
    level : chance of a wrong verdict, however often one looks

    Examples
    --------
    >>> compare_any_time([0.0, 0.0, 1.0]).verdict
    'go on'
    """
    if not -1 < margin < 1:
        raise ValueError(f"margin must lie between -1 and 1, got {margin!r}")
    bets = e_process(np.asarray(gains, dtype=np.float64), level=level)
    low, high = bets.interval
    verdict: Literal["debate", "vote", "go on"] = "debate" if low > margin else "vote" if high < margin else "go on"
    return SequentialComparison(verdict=verdict, interval=bets.interval, n=len(bets.path), bets=bets)
