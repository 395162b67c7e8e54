"""Equivalence: is the drift shown to be small, and what it takes to show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from madsim._core.estimate import Estimate, Interval
from madsim.verify._result import t_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests: the drift is called small only if an interval lies within the tolerance.

    Attributes
    ----------
    delta : tolerance
    interval : of the drift, at confidence 1 - 2 * level; None with one question
    holds : whether the interval lies strictly inside (-delta, delta)
    pvalue : of "the drift is at least delta away from zero"; None with one question
    """

    delta: float
    interval: Interval | None
    holds: bool
    pvalue: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        interval = None if self.interval is None else list(self.interval)
        return {"delta": self.delta, "interval": interval, "holds": self.holds, "pvalue": self.pvalue}


def equivalence(drift: Estimate, *, delta: float, level: float) -> Equivalence:
    """Whether the drift is shown to lie within `delta` of zero, by Student's interval over questions."""
    interval = t_interval(drift, 1 - 2 * level)
    if interval is None:
        return Equivalence(delta=delta, interval=None, holds=False, pvalue=None)
    holds = -delta < interval.low and interval.high < delta
    room = delta - abs(drift.value)
    error = drift.standard_error or 0.0
    if error <= 1e-12:
        pvalue = 0.0 if room > 0 else 1.0
    else:
        from scipy.special import stdtr

        pvalue = float(stdtr(drift.n - 1, -room / error))
    return Equivalence(delta=delta, interval=interval, holds=holds, pvalue=pvalue)


def detectable_drift(drift: Estimate, *, level: float = 0.05, power: float = 0.8) -> float | None:
    """The drift that a test with as many questions as noisy would find with probability `power`; None with one question."""
    if drift.standard_error is None:
        return None
    from scipy.special import stdtrit

    df = drift.n - 1
    return float(stdtrit(df, 1 - level / 2) + stdtrit(df, power)) * drift.standard_error


def questions_needed(variance: float, delta: float, *, level: float = 0.05, power: float = 0.9) -> int:
    """Questions that show a drift of zero to lie within `delta`, with probability `power`.

    Parameters
    ----------
    variance : of a question's change in the share of right answers, over questions (`madsim.theory.sd_of_change` squared, or measured)
    delta : tolerance, above 0

    Examples
    --------
    >>> questions_needed(0.25**2, 0.05)
    271
    """
    from scipy.special import ndtri

    if not (math.isfinite(variance) and variance >= 0):
        raise ValueError(f"variance must be finite and at least 0, got {variance!r}")
    if not (math.isfinite(delta) and delta > 0):
        raise ValueError(f"delta must be above 0, got {delta!r}")
    return max(2, math.ceil(float(ndtri(1 - level) + ndtri((1 + power) / 2)) ** 2 * variance / delta**2))
