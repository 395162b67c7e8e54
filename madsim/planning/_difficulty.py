"""What a pilot or a prior says about accuracy and about how much questions differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.transcripts import State, Votes

STEPS = np.linspace(-3.8, 3.8, 81)
LOGITS = np.sinh(
    STEPS
)  # of difficulties: fine around even chances, out to where no count can tell a chance from 0 or 1

_PARTICLES, _MOVES = 1000, 4
_LOG_KAPPA = (0.0, math.log(1000.0))


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


def beta_weights(mean: NDArray[np.float64], kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of Beta laws with these means and concentrations on the grid of difficulties: (law, grid)."""
    up, down = -np.logaddexp(0, -LOGITS), -np.logaddexp(0, LOGITS)
    a, b = (mean * kappa)[:, None], ((1 - mean) * kappa)[:, None]
    logs = a * up + b * down + np.log(np.cosh(STEPS))
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def draw_difficulty(counts: RightCounts, n_draws: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Laws of difficulty drawn from their posterior, as weights on the grid: float64 (draw, grid).

    A law is a mixture of two Beta laws: one Beta law alone would be sure about what larger votes are worth where questions fall into
    easy and hard ones, which a few answers each do not show. Beforehand the weight and both means are flat, both concentrations flat on a
    logarithmic scale from 1 to 1000. Particles are led from there to the posterior through tempered likelihoods, with Metropolis moves.
    """
    from scipy.special import betaln

    pairs, repeats = np.unique(np.stack([counts.right, counts.asked]), axis=1, return_counts=True)
    right, wrong = pairs[0], pairs[1] - pairs[0]

    def log_likelihood(laws: NDArray[np.float64]) -> NDArray[np.float64]:
        weight, parts = laws[:, :1], []
        for mean, log_kappa in ((laws[:, 1:2], laws[:, 3:4]), (laws[:, 2:3], laws[:, 4:5])):
            kappa = np.exp(log_kappa)
            a, b = mean * kappa, (1 - mean) * kappa
            parts.append(betaln(a + right, b + wrong) - betaln(a, b))
        return np.logaddexp(np.log(weight) + parts[0], np.log1p(-weight) + parts[1]) @ repeats

    laws = _tempered(log_likelihood, generator)
    chosen = laws[generator.integers(0, len(laws), n_draws)]
    first, second = (beta_weights(chosen[:, i], np.exp(chosen[:, i + 2])) for i in (1, 2))
    return chosen[:, :1] * first + (1 - chosen[:, :1]) * second


def _tempered(
    log_likelihood: Callable[[NDArray[np.float64]], NDArray[np.float64]], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Particles (weight, mean, mean, log kappa, log kappa) from the posterior, by sequential Monte Carlo."""
    edge = 1e-4
    low = np.array([edge, edge, edge, _LOG_KAPPA[0], _LOG_KAPPA[0]])
    high = np.array([1 - edge, 1 - edge, 1 - edge, _LOG_KAPPA[1], _LOG_KAPPA[1]])
    laws = generator.uniform(low, high, (_PARTICLES, 5))
    heights = log_likelihood(laws)
    power, scale = 0.0, 0.6
    while power < 1:
        step = _next_power(heights, power)
        weights = np.exp((step - power) * (heights - heights.max()))
        points = (np.arange(_PARTICLES) + generator.random()) / _PARTICLES
        kept = np.minimum(np.searchsorted(np.cumsum(weights / weights.sum()), points), _PARTICLES - 1)
        laws, heights, power = laws[kept], heights[kept], step
        for _ in range(_MOVES):
            # moves along differences of particles need no covariance and follow the posterior's shape
            one, other = generator.permutation(_PARTICLES), generator.permutation(_PARTICLES)
            jitter = generator.normal(0, 0.02, laws.shape) * (high - low)
            trial = laws + scale * (laws[one] - laws[other]) + scale * jitter
            swapped = generator.random(_PARTICLES) < 0.1  # the two parts have no order
            trial[swapped] = np.column_stack([1 - laws[swapped, 0], laws[swapped][:, [2, 1, 4, 3]]])
            inside = ((trial > low) & (trial < high)).all(axis=1)
            reached = np.full(_PARTICLES, -np.inf)
            reached[inside] = log_likelihood(trial[inside])
            accepted = np.log(generator.random(_PARTICLES)) < power * (reached - heights)
            laws[accepted], heights[accepted] = trial[accepted], reached[accepted]
            scale = min(1.5, max(0.05, scale * (1.15 if accepted.mean() > 0.25 else 0.85)))
    return laws


def _next_power(heights: NDArray[np.float64], power: float) -> float:
    """The next power of the likelihood: the largest that leaves half of the particles effective."""

    def effective(step: float) -> float:
        weights = np.exp((step - power) * (heights - heights.max()))
        return float(weights.sum() ** 2 / (weights**2).sum())

    if effective(1.0) >= _PARTICLES / 2:
        return 1.0
    low, high = power, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if effective(middle) >= _PARTICLES / 2 else (low, middle)
    return max(low, power + 1e-9)
