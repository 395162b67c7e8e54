"""Drift that may be looked at after every question: a test martingale that is bet against, and the confidence sequence it gives.

Sources: Ville 1939; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting" (the aGRAPA bets);
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, "Time-uniform central limit theory" (the asymptotic sequence).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import readonly
from madsim._core.estimate import Interval
from madsim.verify._panel import Panel

_LARGEST_BET = 0.8
_GRID = np.linspace(-1.0, 1.0, 401)
_PRIOR_VARIANCE = 0.25
_ASYMPTOTIC_FROM = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EProcess:
    """What betting against "no drift" came to, question after question.

    Attributes
    ----------
    path : float64 (question,); the capital after each question, from a start of 1
    low, high : float64 (question,); confidence sequence for the mean change, valid at all times at once
    level : chance that the capital ever reaches 1 / level, or that the sequence ever misses the mean, under the null
    """

    path: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float

    @property
    def rejected_at(self) -> int | None:
        """Number of questions after which the capital first reached 1 / level; None where it never did."""
        reached = self.path >= 1 / self.level
        return int(np.argmax(reached)) + 1 if reached.any() else None

    @property
    def pvalue(self) -> float:
        """One over the largest capital so far: valid at any time of stopping."""
        return min(1.0, 1 / float(self.path.max(initial=1.0)))

    @property
    def interval(self) -> Interval:
        """The confidence sequence after the last question."""
        return Interval(float(self.low[-1]), float(self.high[-1]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form without the paths."""
        return {
            "capital": float(self.path[-1]),
            "largest_capital": float(self.path.max()),
            "rejected_at": self.rejected_at,
            "pvalue": self.pvalue,
            "interval": list(self.interval),
            "n": len(self.path),
        }


def e_process(changes: ArrayLike, *, level: float = 0.05) -> EProcess:
    """Bet against a mean change of zero, question by question in the order in which they came.

    Capital is the mean of two players: one bets on a rise, one on a fall, with bets from the questions seen before
    (mean over second moment, at most .8). Bets are per question and never multiplied over rounds.

    Parameters
    ----------
    changes : (question,) in [-1, 1]; change of the share of right answers
    level : in (0, 1)

    Raises
    ------
    ValueError
        If a change lies outside [-1, 1] or is missing, or there is none.
    """
    values = np.asarray(changes, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"changes must hold one number a question, got shape {values.shape}")
    if not (np.abs(values) <= 1 + 1e-12).all():
        raise ValueError("every change must lie in [-1, 1]")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    bet_mean, bet_square = _seen_before(values)
    path = np.empty(len(values))
    low, high = np.empty(len(values)), np.empty(len(values))
    up, down = np.zeros(len(_GRID)), np.zeros(len(_GRID))
    inside = np.ones(len(_GRID), bool)
    middle = len(_GRID) // 2
    limit = math.log(2 / level)
    with np.errstate(divide="ignore"):  # at the ends of the grid one of the two can never lose
        cap_up, cap_down = _LARGEST_BET / (1 + _GRID), _LARGEST_BET / (1 - _GRID)
    for t, value in enumerate(values):
        lean = bet_mean[t] - _GRID
        bet = lean / (bet_square[t] + lean * lean)
        gap = value - _GRID
        up += np.log1p(np.minimum(np.maximum(bet, 0), cap_up) * gap)
        down += np.log1p(np.maximum(np.minimum(bet, 0), -cap_down) * gap)
        log_capital = np.logaddexp(up, down)  # of twice the capital
        inside &= log_capital < limit
        path[t] = math.exp(min(log_capital[middle], 700.0)) / 2
        kept = np.flatnonzero(inside)
        if len(kept):  # one cell further out on each side: the ends lie between the points of the grid
            low[t] = _GRID[max(kept[0] - 1, 0)]
            high[t] = _GRID[min(kept[-1] + 1, len(_GRID) - 1)]
        else:  # everything is excluded: the last interval that was not empty stands
            low[t], high[t] = low[t - 1], high[t - 1]
    return EProcess(path=readonly(path), low=readonly(low), high=readonly(high), level=level)


def asymptotic_sequence(changes: ArrayLike, *, level: float = 0.05, tuned_for: int = 300) -> tuple[Interval, ...]:
    """Asymptotic confidence sequence of the mean change: one interval for each number of questions from 30 on.

    Narrower than :func:`e_process` but only valid in the limit of many questions; narrowest near `tuned_for` questions.

    Raises
    ------
    ValueError
        With fewer than 30 questions.
    """
    values = np.asarray(changes, dtype=np.float64)
    if len(values) < _ASYMPTOTIC_FROM:
        raise ValueError(f"the asymptotic sequence starts at {_ASYMPTOTIC_FROM} questions, got {len(values)}")
    log_inverse = -2 * math.log(level)
    rho2 = (log_inverse + math.log(log_inverse + 1)) / tuned_for
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    variance = np.maximum(np.cumsum(values**2) / n - mean**2, 0)
    scale = n * rho2 + 1
    half = np.sqrt(variance * 2 * scale / (n**2 * rho2) * np.log(np.sqrt(scale) / level))
    return tuple(Interval(float(m - h), float(m + h)) for m, h in zip(mean, half, strict=True))[_ASYMPTOTIC_FROM - 1 :]


def changes_in_order(panel: Panel) -> NDArray[np.float64]:
    """Mean change of each question, in the order in which the questions first came."""
    change = panel.change()
    known = ~np.isnan(change)
    _, first, index = np.unique(panel.cluster[known], return_index=True, return_inverse=True)
    means = np.bincount(index, weights=change[known]) / np.bincount(index)
    return means[np.argsort(first)]


def _seen_before(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Before each value: running mean (of the earlier ones and one 0), and running variance (of the earlier ones and a prior)."""
    n = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / (n + 1)
    variances = (_PRIOR_VARIANCE + np.cumsum((values - means) ** 2)) / (n + 1)
    return np.concatenate([[0.0], means[:-1]]), np.concatenate([[_PRIOR_VARIANCE], variances[:-1]])
