"""What a pilot or a prior says about accuracy and about how much questions differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.transcripts import State, Votes

_MEANS = np.linspace(0.0125, 0.9875, 40)
_KAPPAS = np.geomspace(0.15, 300.0, 30)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RightCounts:
    """Right answers of round 0 by question: int64 (question,) each."""

    right: NDArray[np.int64]
    asked: NDArray[np.int64]


def right_counts(votes: Votes, *, round: int = 0) -> RightCounts:
    """Right answers of a round, put together by question; samples without a target are left out.

    Raises
    ------
    ValueError
        If no sample has a target.
    """
    known = votes.has_target
    if not known.any():
        raise ValueError("no sample has a target, so right and wrong cannot be told")
    asked = votes.state[known, round] != State.NOT_ASKED
    right = (votes.answers[known, round] == 0) & asked
    _, index = np.unique(votes.cluster[known], return_inverse=True)
    right_by, asked_by = (np.bincount(index, weights=part.sum(axis=1)).astype(np.int64) for part in (right, asked))
    return RightCounts(right=readonly(right_by[asked_by > 0]), asked=readonly(asked_by[asked_by > 0]))


def draw_difficulty(counts: RightCounts, n_draws: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Draws of (mean, kappa) of the Beta law of difficulty from its posterior: float64 (draw, 2).

    Beforehand the mean is flat and kappa flat on a logarithmic scale from .15 to 300. The posterior lives on a grid of 40 x 30; draws
    are spread evenly inside the cells of the grid.
    """
    from scipy.special import betaln

    pairs, repeats = np.unique(np.stack([counts.right, counts.asked]), axis=1, return_counts=True)

    def posterior(means: NDArray[np.float64], kappas: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b = (np.outer(part, kappas)[..., None] for part in (means, 1 - means))
        logs = (repeats * (betaln(a + pairs[0], b + pairs[1] - pairs[0]) - betaln(a, b))).sum(axis=2)
        return np.exp(logs - logs.max())

    rough = posterior(_MEANS, _KAPPAS)
    means, kappas = _zoom(_MEANS, rough.sum(axis=1)), np.exp(_zoom(np.log(_KAPPAS), rough.sum(axis=0)))
    fine = posterior(means, kappas)
    cells = generator.choice(fine.size, size=n_draws, p=(fine / fine.sum()).ravel())
    row, column = np.unravel_index(cells, fine.shape)
    inside = generator.random((2, n_draws)) - 0.5
    mean = means[row] + inside[0] * (means[1] - means[0])
    kappa = kappas[column] * (kappas[1] / kappas[0]) ** inside[1]
    return np.stack([np.clip(mean, 1e-3, 1 - 1e-3), kappa], axis=1)


def _zoom(points: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """As many points over the part of the range that holds nearly all of the weight."""
    held = np.flatnonzero(weights > 1e-6 * weights.max())
    low, high = max(held[0] - 1, 0), min(held[-1] + 1, len(points) - 1)
    return np.linspace(points[low], points[high], len(points))
