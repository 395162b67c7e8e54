"""Integer totals over trials: what the kernels add to, and what results are made of."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

UNIT = 2.0**-32
"""What the integers of a fixed-point total count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Totals:
    """Sums over trials by round; each last axis of two holds a sum and a sum of squares.

    Attributes
    ----------
    belief : int64 (round, agent or 1, 2); of the quantity that the plan turns into beliefs
    right : int64 (round, agent or 0); number of right answers of each agent, where the kernel counts it
    share : int64 (round, 2); of the number of right answers
    wins : int64 (round, answers + 1); entry m - 1: trials in which the target is one of m answers with most votes; last entry: trials in
        which it wins where a tie goes to the tied answer that the first agent in order gave
    spread : int64 (round, 2); of the share of pairs of agents that disagree, in units of 2**-32
    """

    belief: NDArray[np.int64]
    right: NDArray[np.int64]
    share: NDArray[np.int64]
    wins: NDArray[np.int64]
    spread: NDArray[np.int64]

    @classmethod
    def of_nothing(cls, *, n_rounds: int, n_answers: int, believers: int, counted: int) -> Totals:
        """Zeros for `n_rounds` rounds after round 0."""
        rounds = n_rounds + 1
        return cls(
            belief=np.zeros((rounds, believers, 2), np.int64),
            right=np.zeros((rounds, counted), np.int64),
            share=np.zeros((rounds, 2), np.int64),
            wins=np.zeros((rounds, n_answers + 1), np.int64),
            spread=np.zeros((rounds, 2), np.int64),
        )

    def add(self, other: Totals) -> None:
        """Add another set of totals to this one, in place."""
        for field in fields(self):
            getattr(self, field.name)[...] += getattr(other, field.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Totals):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))


def most_trials(n_agents: int) -> int:
    """How many trials the totals can hold without overflow."""
    return min(2**31 - 1, (2**63 - 1) // max(1, n_agents) ** 2)


def mean_and_sd(total: NDArray[np.int64], squares: NDArray[np.int64], n: int, unit: float) -> tuple[NDArray, NDArray]:
    """Means and standard deviations (divisor n - 1; 0 for one trial) of values whose integers count `unit`.

    `squares` counts ``unit ** 2`` for whole numbers (``unit == 1``) and `unit` for fixed point.
    """
    mean = total * unit / n
    if n == 1:
        return mean, np.zeros_like(mean)
    variance = (squares * unit - n * mean * mean) / (n - 1)
    return mean, np.sqrt(np.maximum(variance, 0.0))
