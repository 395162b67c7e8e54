"""Drift by difficulty without the bias of looking at the same answers twice.

Sorting questions by a run's own round-0 answers and then looking at the change mixes in regression to the mean. With repeats of each
question, difficulty comes from the other repeats (cross-fitting).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim.transcripts import Votes, clustered_mean
from madsim.verify._panel import panel_of
from madsim.verify._report import plain_estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class DifficultyBin:
    """Debates on questions of similar difficulty.

    Attributes
    ----------
    low, high : share right in round 0 of the other repeats, from `low` (included) to `high` (excluded, but 1 belongs to the last bin)
    drift : of the debates in the bin, clustered by question; None where there are none
    n_debates : how many
    """

    low: float
    high: float
    drift: Estimate | None
    n_debates: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        drift = None if self.drift is None else plain_estimate(self.drift)
        return {"low": self.low, "high": self.high, "drift": drift, "n_debates": self.n_debates}


def drift_by_difficulty(
    votes: Votes, *, edges: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)
) -> tuple[DifficultyBin, ...]:
    """Drift of questions by their difficulty as the other repeats of the question show it.

    Raises
    ------
    ValueError
        If no question has two debates, no sample has a target, no round follows round 0, or the edges do not rise from 0 to 1.
    """
    ends = np.asarray(edges, dtype=np.float64)
    if len(ends) < 2 or (np.diff(ends) <= 0).any() or ends[0] != 0 or ends[-1] != 1:
        raise ValueError(f"edges must rise from 0 to 1, got {list(edges)}")
    if votes.n_rounds < 1:
        raise ValueError("drift shows only in rounds after round 0")
    panel = panel_of(votes, carry=True)
    known = panel.has_target
    change, first, cluster = panel.change()[known], panel.share()[known, 0], panel.cluster[known]
    others = _mean_of_others(first, cluster)
    if np.isnan(others).all():
        raise ValueError("difficulty comes from the other debates on a question; no question with a target has two")
    place = np.clip(np.searchsorted(ends, others, side="right") - 1, 0, len(ends) - 2)
    bins = []
    for k in range(len(ends) - 1):
        inside = (place == k) & ~np.isnan(others)
        drift = clustered_mean(change[inside], cluster[inside]) if inside.any() else None
        bins.append(
            DifficultyBin(low=float(ends[k]), high=float(ends[k + 1]), drift=drift, n_debates=int(inside.sum()))
        )
    return tuple(bins)


def _mean_of_others(values: NDArray[np.float64], cluster: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each value the mean of the other values of its cluster, NaN where it is alone."""
    _, index = np.unique(cluster, return_inverse=True)
    total, size = np.bincount(index, weights=values), np.bincount(index)
    with np.errstate(invalid="ignore"):
        return np.where(size[index] > 1, (total[index] - values) / (size[index] - 1), np.nan)
