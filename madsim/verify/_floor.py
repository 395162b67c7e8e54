"""Disagreement floor: how far the plain model lets disagreement fall, whatever the mass of the agents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from madsim.theory import disagreement_floor
from madsim.verify._panel import Panel
from madsim.verify._result import Check, t_interval, t_test


def disagreement_floor_test(panel: Panel, *, level: float) -> Check:
    """Disagreement of the last round minus the floor's share of that of round 0, one-sided by question; needs no target.

    A negative mean refutes the plain model on the complete graph for every mass at once. Replies without an answer are an answer of
    their own here. Conservative: the floor is only reached as the mass goes to 0.

    Raises
    ------
    ValueError
        If fewer than two questions have two agents, or no round follows round 0.
    """
    if panel.n_rounds < 1:
        raise ValueError("disagreement can only fall where a round follows round 0")
    size = (panel.asked[:, 0] & panel.asked[:, -1]).sum(axis=1)
    floor = np.full(len(size), np.nan)
    for n in np.unique(size[size >= 2]).tolist():
        floor[size == n] = disagreement_floor(n, panel.n_rounds)
    first, last = _disagreement(panel, 0), _disagreement(panel, panel.n_rounds)
    with np.errstate(invalid="ignore"):
        values = last - floor * first
    estimate, statistic, pvalue = t_test(values, panel.cluster, tail="below")
    return Check(
        name="disagreement-floor",
        role="model",
        claim="disagreement falls no further than the plain model allows for any mass",
        given="nothing (mean over questions)",
        assumptions="agents are alike, hear everybody and themselves with equal weight, keep all they heard",
        statistic=statistic,
        pvalue=pvalue,
        effect=estimate.value,
        interval=t_interval(estimate, 1 - level),
        n=estimate.n,
    )


def _disagreement(panel: Panel, number: int) -> NDArray[np.float64]:
    """Chance that two different agents gave different answers, by sample."""
    answers, both = panel.answers[:, number], panel.asked[:, 0] & panel.asked[:, -1]
    n = both.sum(axis=1)
    pairs = np.zeros(len(n), dtype=np.int64)
    for value in np.unique(answers[both]).tolist():
        count = ((answers == value) & both).sum(axis=1)
        pairs += count * (count - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - pairs / (n * (n - 1.0))
