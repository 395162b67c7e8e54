"""What a forecast holds: each option with its interval and cost, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Interval
from madsim.planning._option import Cost, Option

if TYPE_CHECKING:
    import pandas

Verdict = Literal["debate", "vote", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OptionForecast:
    """What one option is expected to give.

    Attributes
    ----------
    option : the option
    accuracy, interval : mean and 95 % interval over questions like the pilot's
    draws : float64 (draw,); equally likely values of the accuracy, of which these are the mean and the middle part
    cost : of one question
    equal_cost_vote : the largest vote that costs no more (for a vote itself)
    gain, gain_interval : accuracy minus that vote's; None for votes
    better : probability that the gain exceeds the margin; None for votes
    bounds : lowest and highest accuracy over all laws of difficulty that a pilot allows; None without one, and for debates
    counted : unbiased estimate from the pilot's answers alone, for votes no larger than its panel: value and 95 % interval
    on_front : whether no other option is both at least as cheap (in tokens where nothing has a price) and at least as accurate
    """

    option: Option
    accuracy: float
    interval: Interval
    draws: NDArray[np.float64]
    cost: Cost
    equal_cost_vote: int
    gain: float | None
    gain_interval: Interval | None
    better: float | None
    bounds: Interval | None
    counted: tuple[float, Interval] | None
    on_front: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""

        def ends(interval: Interval | None) -> list[float] | None:
            return None if interval is None else list(interval)

        counted = None if self.counted is None else {"value": self.counted[0], "interval": list(self.counted[1])}
        return {
            "option": str(self.option),
            "accuracy": self.accuracy,
            "interval": ends(self.interval),
            "calls": self.cost.calls,
            "tokens": self.cost.tokens,
            "cost": self.cost.money,
            "equal_cost_vote": self.equal_cost_vote,
            "gain": self.gain,
            "gain_interval": ends(self.gain_interval),
            "better": self.better,
            "bounds": ends(self.bounds),
            "counted": counted,
            "on_front": self.on_front,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The forecast of several options.

    Attributes
    ----------
    options : in the order asked for
    verdict : ``"debate"`` some debate beats the vote of equal cost by the margin with probability .95; ``"vote"`` every debate fails to
        with probability .95; ``"undecided"`` otherwise, and where there is no debate among the options
    reason : in words
    questions_needed : further pilot questions after which the closest comparison would be decided, None where decided or not to be told
    margin : gain that makes debate worth it
    basis : where the numbers come from
    warnings : what to keep in mind
    """

    options: tuple[OptionForecast, ...]
    verdict: Verdict
    reason: str
    questions_needed: int | None
    margin: float
    basis: str
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {
            "options": [one.to_dict() for one in self.options],
            "verdict": self.verdict,
            "reason": self.reason,
            "questions_needed": self.questions_needed,
            "margin": self.margin,
            "basis": self.basis,
            "warnings": list(self.warnings),
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """One row an option: accuracy, interval, calls, tokens, cost, gain over the vote of equal cost with its interval.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        return dataframe(self._rows())

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, and the options with their intervals and costs."""
        from madsim._core.tables import shown

        return shown(self._rows(), caption=f"verdict: {self.verdict}. {self.reason} ({self.basis})")

    def _rows(self) -> list[dict[str, Any]]:
        from madsim._core.tables import ends, finite

        return [
            {
                "option": str(one.option),
                "accuracy": one.accuracy,
                "low": one.interval.low,
                "high": one.interval.high,
                "calls": one.cost.calls,
                "tokens": one.cost.tokens,
                "cost": one.cost.money,
                "equal_cost_vote": one.equal_cost_vote,
                "gain": finite(one.gain),
                "gain_low": ends(one.gain_interval)[0],
                "gain_high": ends(one.gain_interval)[1],
                "better": finite(one.better),
                "on_front": one.on_front,
            }
            for one in self.options
        ]

    def __str__(self) -> str:
        lines = [f"verdict: {self.verdict}. {self.reason}", self.basis]
        for one in self.options:
            text = f"{one.option}: {one.accuracy:.3f} [{one.interval.low:.3f}, {one.interval.high:.3f}], "
            text += f"{one.cost.calls} calls, {one.cost.tokens:.0f} tokens, {one.cost.money:.3g} money a question"
            if one.gain is not None and one.gain_interval is not None:
                low, high = one.gain_interval
                text += f"; against vote:{one.equal_cost_vote} {one.gain:+.3f} [{low:+.3f}, {high:+.3f}]"
            if one.bounds is not None:
                text += f"; any law of difficulty: [{one.bounds.low:.3f}, {one.bounds.high:.3f}]"
            lines.append(text + (" *" if one.on_front else ""))
        lines.append("*: no other option is as cheap and as accurate")
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])
