"""How far the agents' first errors go together, and how many independent voters the panel is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from madsim._core.estimate import Estimate
from madsim.transcripts import State, Votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """Correlation of errors between two agents in round 0.

    Attributes
    ----------
    correlation : 0 for agents that err independently of each other, 1 for agents that err on the same questions
    voters : ``N / (1 + (N - 1) correlation)``, the independent voters with the same variance of the share right; None where that
        cannot be told
    """

    correlation: Estimate
    voters: float | None


def independence(votes: Votes) -> Independence | None:
    """The correlation of errors in round 0, over questions; None where no two agents were asked or all were equally right.

    For agents alike it is ``Var(p_q) / (mu (1 - mu))`` with p_q the chance to be right on question q: unequal difficulty and a shared
    bias look the same here, and hurt a vote in the same way. An unreadable answer is an error. The standard error is a jackknife over
    questions.
    """
    asked = (votes.state[:, 0] != State.NOT_ASKED) & votes.has_target[:, None]
    right = votes.right[:, 0] & asked
    number, hits = asked.sum(axis=1).astype(float), right.sum(axis=1).astype(float)
    _, cluster = np.unique(votes.cluster, return_inverse=True)
    sums = np.array(
        [np.bincount(cluster, weights=column) for column in (number, hits, number * (number - 1), hits * (hits - 1))]
    )
    sums = sums[:, sums[2] > 0]
    q = sums.shape[1]
    if not q:
        return None
    value = _correlation(sums.sum(axis=1))
    if not np.isfinite(value):
        return None
    error = None
    if q > 1:
        without = _correlation(sums.sum(axis=1)[:, None] - sums)
        if np.isfinite(without).all():
            error = float(np.sqrt((q - 1) / q * ((without - without.mean()) ** 2).sum()))
    size = 1 + (votes.n_agents - 1) * float(value)
    return Independence(
        correlation=Estimate(value=float(value), standard_error=error, n=q),
        voters=votes.n_agents / size if size > 0 else None,
    )


def _correlation(sums: np.ndarray) -> np.ndarray:
    """From the totals (asked, right, ordered pairs, ordered pairs both right)."""
    asked, right, pairs, both = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = right / asked
        return (both / pairs - mean**2) / (mean * (1 - mean))
