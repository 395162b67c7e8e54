"""One test: what it claims and assumes, what came out, how large the effect is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate, Interval
from madsim._core.html import Printed
from madsim.transcripts import clustered_mean

Role = Literal["drift", "hidden", "model", "ceiling", "robustness"]
_NO_FAMILY = ("ceiling", "robustness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Printed):
    """One test of a null hypothesis.

    Attributes
    ----------
    name : of the test
    role : ``"drift"`` and ``"hidden"`` refute the martingale, ``"model"`` a further assumption of the plain debate model;
        ``"robustness"`` repeats another test by other means, ``"ceiling"`` holds the run against a bound that is found, not proved;
        these two have no part in the correction for several tests
    claim : the null hypothesis in words
    given : what is conditioned on
    assumptions : what the test needs beside the null
    statistic, pvalue : of the test
    pvalue_holm : corrected for all tests of the report; None for what has no part in it
    effect : what the statistic measures
    interval : of the effect, at one minus the report's level; None where there is none
    n : independent questions (for permutation tests: question-rounds) behind it
    """

    name: str
    role: Role
    claim: str
    given: str
    assumptions: str
    statistic: float
    pvalue: float
    effect: float
    interval: Interval | None
    n: int
    pvalue_holm: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        plain["interval"] = None if self.interval is None else list(self.interval)
        return plain

    def __str__(self) -> str:
        corrected = "" if self.pvalue_holm is None else f", Holm {self.pvalue_holm:.3g}"
        around = "" if self.interval is None else f" [{self.interval.low:+.4f}, {self.interval.high:+.4f}]"
        return (
            f"{self.name}: effect {self.effect:+.4f}{around}, statistic {self.statistic:.3f}, "
            f"p {self.pvalue:.3g}{corrected} (n = {self.n})"
        )


def t_interval(estimate: Estimate, level: float) -> Interval | None:
    """Student's interval with n - 1 degrees of freedom; None where the standard error is unknown."""
    if estimate.standard_error is None:
        return None
    from scipy.special import stdtrit

    half = float(stdtrit(estimate.n - 1, (1 + level) / 2)) * estimate.standard_error
    return Interval(estimate.value - half, estimate.value + half)


def t_test(
    values: NDArray[np.float64], cluster: NDArray[np.int64], *, tail: Literal["both", "below", "above"] = "both"
) -> tuple[Estimate, float, float]:
    """Mean by question, its t statistic and p-value; values that do not vary around zero have statistic 0 and p-value 1.

    Raises
    ------
    ValueError
        With fewer than two questions.
    """
    estimate = clustered_mean(values, cluster)
    if estimate.standard_error is None:
        raise ValueError("a test by question needs at least two questions, got one")
    return estimate, *t_pvalue(estimate, tail)


def t_pvalue(estimate: Estimate, tail: Literal["both", "below", "above"] = "both") -> tuple[float, float]:
    """Statistic and p-value of an estimate whose standard error is known."""
    from scipy.special import stdtr

    error = estimate.standard_error or 0.0
    if error <= 1e-12:  # rounding: no spread at all
        statistic = 0.0 if abs(estimate.value) <= 1e-12 else math.copysign(math.inf, estimate.value)
    else:
        statistic = estimate.value / error
    df = estimate.n - 1
    if tail == "both":
        return statistic, 1.0 if statistic == 0 else float(2 * stdtr(df, -abs(statistic)))
    return statistic, float(stdtr(df, statistic if tail == "below" else -statistic))


def holm(tests: Sequence[Check]) -> tuple[Check, ...]:
    """The tests with p-values corrected by Holm's step-down method over those that have a part in it."""
    family = sorted((i for i, one in enumerate(tests) if one.role not in _NO_FAMILY), key=lambda i: tests[i].pvalue)
    corrected = list(tests)
    largest = 0.0
    for rank, index in enumerate(family):
        largest = max(largest, min(1.0, (len(family) - rank) * tests[index].pvalue))
        corrected[index] = replace(tests[index], pvalue_holm=largest)
    return tuple(corrected)
