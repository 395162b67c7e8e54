"""A number with its uncertainty: never one without the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from madsim._core.html import Printed


class Interval(NamedTuple):
    """A lower and an upper end."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Printed):
    """A value, its standard error and the number of independent units behind it.

    A `standard_error` of None means that it cannot be told (one unit only); 0 with ``exact=True`` means that the value carries no
    Monte Carlo error.
    """

    value: float
    standard_error: float | None
    n: int
    exact: bool = False

    @classmethod
    def of_exact(cls, value: float) -> Estimate:
        """A value known without Monte Carlo error."""
        return cls(value=float(value), standard_error=0.0, n=0, exact=True)

    @classmethod
    def of_mean(cls, total: float, total_of_squares: float, n: int) -> Estimate:
        """The mean of `n` independent values from their sum and sum of squares."""
        if n < 1:
            raise ValueError("a mean needs at least one value, got none")
        mean = total / n
        if n == 1:
            return cls(value=mean, standard_error=None, n=1)
        variance = max(0.0, (total_of_squares - n * mean * mean) / (n - 1))
        return cls(value=mean, standard_error=math.sqrt(variance / n), n=n)

    def interval(self, level: float = 0.95) -> Interval | None:
        """The normal interval at `level`; None where the standard error is unknown."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level}")
        if self.standard_error is None:
            return None
        half = NormalDist().inv_cdf((1 + level) / 2) * self.standard_error
        return Interval(self.value - half, self.value + half)

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value:.4f} (exact)"
        if self.standard_error is None:
            return f"{self.value:.4f} (n = {self.n})"
        return f"{self.value:.4f} +- {self.standard_error:.4f} (n = {self.n})"
