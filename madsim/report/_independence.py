"""How far the agents' first errors go together, and how many independent voters the panel is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim.transcripts import State, Votes

_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """Correlation of errors between two agents in round 0.

    Attributes
    ----------
    correlation : 0 for agents that err independently of each other, 1 for agents that err on the same questions
    voters : ``N / (1 + (N - 1) correlation)``, the independent voters whose share right would vary as much; None where the
        correlation is so negative that no number of them would
    """

    correlation: Estimate
    voters: float | None


def independence(votes: Votes) -> Independence | None:
    """Mean correlation of being wrong in round 0 over pairs of agents; None where no pair varies.

    An unreadable answer is an error. For agents alike this is ``Var(p_q) / (mu (1 - mu))`` with p_q the chance to be right on
    question q: unequal difficulty and a shared bias look the same here, and hurt a vote in the same way. The standard error is a
    jackknife over questions.
    """
    known = votes.has_target
    asked = (votes.state[known, 0] != State.NOT_ASKED).astype(np.float64)
    wrong = asked * ~votes.right[known, 0]
    order = np.argsort(votes.cluster[known], kind="stable")
    asked, wrong, cluster = asked[order], wrong[order], votes.cluster[known][order]
    total = np.stack([asked.T @ asked, wrong.T @ asked, asked.T @ wrong, wrong.T @ wrong])
    value = _mean_correlation(total)
    if np.isnan(value):
        return None
    without = np.concatenate([_mean_correlation(total[:, None] - part) for part in _questions(asked, wrong, cluster)])
    q = len(without)
    error = None
    if q > 1 and np.isfinite(without).all():
        error = float(np.sqrt((q - 1) / q * ((without - without.mean()) ** 2).sum()))
    size = 1 + (votes.n_agents - 1) * float(value)
    return Independence(
        correlation=Estimate(value=float(value), standard_error=error, n=q),
        voters=votes.n_agents / size if size > 0 else None,
    )


def _questions(
    asked: NDArray[np.float64], wrong: NDArray[np.float64], cluster: NDArray[np.int64]
) -> Iterator[NDArray[np.float64]]:
    """The four sums over pairs for each question, (sum, question, agent, agent), some questions at a time."""
    starts = np.flatnonzero(np.diff(cluster, prepend=cluster[:1] - 1))
    ends = np.append(starts[1:], len(cluster))
    step = max(1, _CELLS // asked.shape[1] ** 2)
    for first in range(0, len(starts), step):
        some = slice(first, first + step)
        rows = slice(starts[first], ends[some][-1])
        a, w = asked[rows], wrong[rows]
        pairs = [x[:, :, None] * y[:, None, :] for x, y in ((a, a), (w, a), (a, w), (w, w))]
        yield np.stack([np.add.reduceat(one, starts[some] - starts[first], axis=0) for one in pairs])


def _mean_correlation(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over pairs of agents, from the sums (both asked, first wrong, second wrong, both wrong); NaN where no pair varies."""
    i, j = np.triu_indices(sums.shape[-1], k=1)
    n, x, y, both = sums[..., i, j]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = x * (n - x) * y * (n - y)
        each = np.where(spread > 0.5, (n * both - x * y) / np.sqrt(np.maximum(spread, 0.5)), np.nan)
        varied = (~np.isnan(each)).sum(axis=-1)
        return np.nansum(each, axis=-1) / varied
