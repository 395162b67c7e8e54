"""A debate against its control: what moved because of the peers, not because agents were asked again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate, Interval
from madsim._core.html import Printed
from madsim.transcripts import Votes
from madsim.verify._equivalence import Equivalence, equivalence
from madsim.verify._panel import panel_of
from madsim.verify._report import plain_estimate
from madsim.verify._result import t_interval, t_pvalue


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlReport(Printed):
    """The drift of a debate less that of a control on the same questions.

    Attributes
    ----------
    debate, control : drift of each on the questions in common
    effect : the difference, paired by question
    interval : of the difference
    pvalue : of no difference
    equivalence : whether the difference is shown to lie within the tolerance
    n_questions, n_left_out : questions in common; questions that only one of the two has
    """

    debate: Estimate
    control: Estimate
    effect: Estimate
    interval: Interval
    pvalue: float
    equivalence: Equivalence
    n_questions: int
    n_left_out: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {
            **{name: plain_estimate(getattr(self, name)) for name in ("debate", "control", "effect")},
            "interval": list(self.interval),
            "pvalue": self.pvalue,
            "equivalence": self.equivalence.to_dict(),
            "n_questions": self.n_questions,
            "n_left_out": self.n_left_out,
        }

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"debate {self.debate.value:+.4f}, control {self.control.value:+.4f}, difference {self.effect.value:+.4f} "
            f"[{low:+.4f}, {high:+.4f}], p {self.pvalue:.3g} ({self.n_questions} questions in common)"
        )


def check_against_control(debate: Votes, control: Votes, *, delta: float = 0.03, level: float = 0.05) -> ControlReport:
    """Drift of a debate less that of the same agents asked again without peers, paired by question.

    Questions are matched by the names of their samples; where a run asks questions in several epochs (samples ``name#0``, ``name#1``, ...
    of one cluster), by the part before the number.

    Raises
    ------
    ValueError
        If the two share fewer than two questions with a target, or one of them has no round after round 0.
    """
    if debate.n_rounds < 1 or control.n_rounds < 1:
        raise ValueError("debate and control both need at least one round after round 0")
    one, other = _changes(debate), _changes(control)
    shared = [name for name in one if name in other]
    if len(shared) < 2:
        raise ValueError(
            f"debate and control share {len(shared)} questions; at least two are needed. Samples are matched by name: "
            f"{next(iter(one), None)!r} in the debate, {next(iter(other), None)!r} in the control"
        )
    first, second = (np.array([side[name] for name in shared]) for side in (one, other))
    effect = _mean(first - second)
    _, pvalue = t_pvalue(effect)
    interval = t_interval(effect, 1 - level)
    assert interval is not None  # at least two questions
    return ControlReport(
        debate=_mean(first),
        control=_mean(second),
        effect=effect,
        interval=interval,
        pvalue=pvalue,
        equivalence=equivalence(effect, delta=delta, level=level),
        n_questions=len(shared),
        n_left_out=len(one) + len(other) - 2 * len(shared),
    )


def _changes(votes: Votes) -> dict[str, float]:
    """Mean change by question name."""
    panel = panel_of(votes, carry=True)
    found: dict[int, list[float]] = {}
    names: dict[int, list[str]] = {}
    kept = np.flatnonzero(panel.kept).tolist()
    for index, question, value in zip(kept, panel.cluster.tolist(), panel.change().tolist(), strict=True):
        if value == value:
            found.setdefault(question, []).append(value)
            names.setdefault(question, []).append(votes.samples[index])
    numbered = any(len(given) > 1 and _stem(given[0]) == _stem(given[1]) for given in names.values())
    return {
        _stem(given[0]) if numbered else given[0]: sum(found[question]) / len(found[question])
        for question, given in names.items()
    }


def _stem(name: str) -> str:
    """The name without the number of its epoch."""
    head, mark, number = name.rpartition("#")
    return head if mark and number.isdecimal() else name


def _mean(values: NDArray[np.float64]) -> Estimate:
    return Estimate.of_mean(float(values.sum()), float(values @ values), len(values))
