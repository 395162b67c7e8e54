"""Replicator check: do agents copy each other as replicator dynamics has it, once it is known that they copy at all?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from madsim._core.estimate import Estimate
from madsim._core.html import Printed
from madsim.transcripts import Votes, clustered_mean
from madsim.verify._result import t_pvalue

if TYPE_CHECKING:
    from madsim.fit import ImitationFit

MOST_INNOVATION = 0.10

ReplicatorVerdict = Literal["neutral voter", "selection", "conformity", "anti-conformity", "not imitation", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatorReport(Printed):
    """What the steps from round to round say about imitation.

    Attributes
    ----------
    verdict : ``"not imitation"`` too many answers come out of nowhere; ``"conformity"`` and ``"anti-conformity"`` large camps attract more
        or less than their share (no replicator dynamics); ``"selection"`` right or wrong answers spread better (replicator dynamics with
        fitness); ``"neutral voter"`` neither is found, which is not to say that neither is there; ``"unknown"`` the fit does not tell
    reason : in words
    innovation : share of the answers that nobody gave in the last round, by question
    fit : the imitation model; None where innovation forbids it
    exponent_pvalue, selection_pvalue : of exponent 1 and of selection 0, clustered by question
    """

    verdict: ReplicatorVerdict
    reason: str
    innovation: Estimate
    fit: ImitationFit | None
    exponent_pvalue: float | None
    selection_pvalue: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "innovation": {"value": self.innovation.value, "standard_error": self.innovation.standard_error},
            "fit": None if self.fit is None else self.fit.to_dict(),
            "exponent_pvalue": self.exponent_pvalue,
            "selection_pvalue": self.selection_pvalue,
        }

    def __str__(self) -> str:
        lines = [
            f"imitation: {self.verdict}. {self.reason}",
            f"answers that nobody gave in the last round: {self.innovation}",
        ]
        if self.fit is not None:
            names = ("imitation", "exponent", "selection", "innovation")
            errors = self.fit.errors or (math.nan,) * 4
            lines += [
                f"{name}: {getattr(self.fit, name):.3f} +- {error:.3f}"
                for name, error in zip(names, errors, strict=True)
            ]
        return "\n".join(lines)


def check_replicator(
    votes: Votes, *, level: float = 0.05, most_innovation: float = MOST_INNOVATION
) -> ReplicatorReport:
    """Whether a run behaves like replicator dynamics, with a gate: imitation cannot bring answers that nobody gave.

    Parameters
    ----------
    votes
        of debates in which everybody hears everybody
    level
        of each of the two tests (Holm over both)
    most_innovation
        largest share of new answers at which the imitation model is fitted at all

    Raises
    ------
    ValueError
        If no sample has a target, or there is no step between two answers.
    """
    if not 0 < level < 0.5:
        raise ValueError(f"level must lie between 0 and .5, got {level!r}")
    innovation = innovation_rate(votes)
    if innovation.value > most_innovation:
        reason = (
            f"{innovation.value:.1%} of the answers were given by nobody the round before; imitation cannot bring them."
        )
        return _report("not imitation", reason, innovation)
    from madsim.fit import fit_imitation

    fit = fit_imitation(votes)
    if fit.covariance is None or not fit.converged:
        why = fit.message if not fit.converged else "these steps do not tell exponent and selection apart"
        return _report("unknown", f"The fit does not tell: {why}.", innovation, fit)
    tests = _tests(fit)
    smaller = min(tests)
    exponent_differs, selection_differs = (p < level / 2 or (p < level and smaller < level / 2) for p in tests)  # Holm
    if exponent_differs:
        kind: ReplicatorVerdict = "conformity" if fit.exponent > 1 else "anti-conformity"
        more = "more" if fit.exponent > 1 else "less"
        return _report(
            kind, f"Large camps attract {more} than their share (exponent {fit.exponent:.2f}).", innovation, fit, tests
        )
    if selection_differs:
        which = "Right" if fit.selection > 0 else "Wrong"
        return _report(
            "selection", f"{which} answers spread better (selection {fit.selection:+.2f}).", innovation, fit, tests
        )
    reason = "Neither conformity nor selection is found; that is not to say that there is none."
    return _report("neutral voter", reason, innovation, fit, tests)


def innovation_rate(votes: Votes) -> Estimate:
    """Share of answers that nobody gave in the round before, clustered by question.

    Raises
    ------
    ValueError
        If there is no step between two answers.
    """
    before, after = votes.answers[:, :-1], votes.answers[:, 1:]
    some = np.any(before >= 0, axis=2, keepdims=True) & (after >= 0)
    given = np.zeros(after.shape, dtype=np.bool_)
    for agent in range(votes.n_agents):
        given |= after == before[:, :, agent, None]
    new = some & ~given
    with np.errstate(invalid="ignore"):
        share = np.asarray(new.sum(axis=(1, 2)) / some.sum(axis=(1, 2)), dtype=np.float64)
    if np.isnan(share).all():
        raise ValueError("there is no step from one answer to the next")
    return clustered_mean(share, votes.cluster)


def _tests(fit: ImitationFit) -> tuple[float, float]:
    """p-values of exponent 1 and of selection 0."""
    covariance = fit.covariance
    assert covariance is not None  # asked before

    def pvalue(away: float, index: int) -> float:
        error = math.sqrt(float(covariance[index, index]))
        return t_pvalue(Estimate(value=away, standard_error=error, n=fit.n_questions))[1]

    return pvalue(fit.exponent - 1, 1), pvalue(fit.selection, 2)


def _report(
    verdict: ReplicatorVerdict,
    reason: str,
    innovation: Estimate,
    fit: ImitationFit | None = None,
    tests: tuple[float, float] | None = None,
) -> ReplicatorReport:
    return ReplicatorReport(
        verdict=verdict,
        reason=reason,
        innovation=innovation,
        fit=fit,
        exponent_pvalue=None if tests is None else tests[0],
        selection_pvalue=None if tests is None else tests[1],
    )
