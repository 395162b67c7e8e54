"""What a check of a run came to: scores, tests, equivalence and a verdict in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from madsim._core.estimate import Estimate
from madsim.transcripts import Flips
from madsim.verify._anytime import EProcess
from madsim.verify._equivalence import Equivalence
from madsim.verify._moments import Null
from madsim.verify._result import Check

if TYPE_CHECKING:
    import pandas

Verdict = Literal["drift", "equivalent", "inconclusive", "vacuous", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckReport:
    """Whether a run's answers behave as a martingale would, with everything needed to judge the answer.

    Attributes
    ----------
    verdict : ``"drift"`` the martingale is refuted; ``"equivalent"`` the mean drift is shown to lie within the tolerance;
        ``"inconclusive"`` neither; ``"vacuous"`` too few answers move between right and wrong for any drift beyond the tolerance;
        ``"unreadable"`` the run cannot tell (unreadable replies changed, or debates stopped early)
    reasons : why, in words
    null : ``"belief"`` (answers are draws from beliefs that are a martingale) or ``"share"`` (the shares of the answers are one)
    quantity, given : what is tested, and on what it is conditioned
    level, delta : of the tests; tolerance of the equivalence
    source : of the votes
    n_questions, n_debates, n_short : questions and debates tested, debates left out because a round is missing
    n_agents, n_rounds : size of the panel, rounds after round 0
    early_stopping : whether debates stopped early (told, recorded or recognised)
    accuracy_by_round, vote_by_round : None where no sample has a target
    unparsed_by_round, disagreement_by_round : share of replies without a readable answer; chance that two agents differ
    flips : who changed what between consecutive rounds; None where no sample has a target
    moved : share of agents right in exactly one of first and last round: the largest drift that was possible
    drift : mean change in the share of right answers from the first to the last round
    complete_cases : the same over debates in which every reply could be read; given where the unreadable ones changed by 2 points or more
    equivalence : of the drift
    detectable_drift : what a test would have found with probability .8
    questions_needed : questions that would show a drift of zero to lie within the tolerance with probability .9
    tests : those that were made
    skipped : those that were not, with the reason
    refuted : names of the tests of the family that reject at `level` after Holm's correction
    anytime : the bets against no drift, where they were asked for
    warnings : what to keep in mind
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    null: Null
    quantity: str
    given: str
    level: float
    delta: float
    source: str
    n_questions: int
    n_debates: int
    n_short: int
    n_agents: int
    n_rounds: int
    early_stopping: bool | None
    accuracy_by_round: tuple[Estimate, ...] | None
    vote_by_round: tuple[Estimate, ...] | None
    unparsed_by_round: tuple[float, ...]
    disagreement_by_round: tuple[Estimate, ...]
    flips: Flips | None
    moved: float | None
    drift: Estimate | None
    complete_cases: Estimate | None
    equivalence: Equivalence | None
    detectable_drift: float | None
    questions_needed: int | None
    tests: tuple[Check, ...]
    skipped: dict[str, str]
    refuted: tuple[str, ...]
    anytime: EProcess | None
    warnings: tuple[str, ...]

    def test(self, name: str) -> Check:
        """The test of that name.

        Raises
        ------
        ValueError
            If it was not made, with the reason.
        """
        for one in self.tests:
            if one.name == name:
                return one
        made = ", ".join(test.name for test in self.tests) or "none"
        raise ValueError(f"no test {name!r} here ({self.skipped.get(name, 'unknown name')}); made were: {made}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""

        def by_round(scores: tuple[Estimate, ...] | None) -> list[dict[str, Any]] | None:
            return None if scores is None else [plain_estimate(one) for one in scores]

        names = (
            "verdict", "null", "quantity", "given", "level", "delta", "source", "n_questions", "n_debates", "n_short",
            "n_agents", "n_rounds", "early_stopping", "moved", "detectable_drift", "questions_needed", "skipped",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in names},
            "reasons": list(self.reasons),
            "warnings": list(self.warnings),
            "refuted": list(self.refuted),
            "accuracy_by_round": by_round(self.accuracy_by_round),
            "vote_by_round": by_round(self.vote_by_round),
            "disagreement_by_round": by_round(self.disagreement_by_round),
            "unparsed_by_round": [None if math.isnan(share) else share for share in self.unparsed_by_round],
            "flips": None if self.flips is None else self.flips.to_dict(),
            "drift": None if self.drift is None else plain_estimate(self.drift),
            "complete_cases": None if self.complete_cases is None else plain_estimate(self.complete_cases),
            "equivalence": None if self.equivalence is None else self.equivalence.to_dict(),
            "tests": [_finite(one.to_dict()) for one in self.tests],
            "anytime": None if self.anytime is None else self.anytime.to_dict(),
        }

    def __str__(self) -> str:
        lines = [
            f"verdict: {self.verdict}. {' '.join(self.reasons)}",
            f"null: {self.quantity}; given {self.given}",
            f"{self.n_questions} questions, {self.n_debates} debates, {self.n_agents} agents, {self.n_rounds} rounds after round 0",
        ]
        lines += _score_lines(self)
        if self.drift is not None:
            lines.append(f"drift: {self.drift}")
        if self.equivalence is not None and self.equivalence.interval is not None:
            low, high = self.equivalence.interval
            lines.append(
                f"{1 - 2 * self.level:.0%} interval [{low:+.4f}, {high:+.4f}] against a tolerance of {self.delta:g}"
            )
        if self.complete_cases is not None:
            lines.append(f"drift where every reply could be read: {self.complete_cases}")
        if self.detectable_drift is not None:
            lines.append(f"detectable drift (power .8): {self.detectable_drift:.4f}")
        if self.questions_needed is not None:
            lines.append(f"questions needed to show no drift beyond {self.delta:g} (power .9): {self.questions_needed}")
        if self.flips is not None and self.flips.moved is not None:
            lines.append(f"changed answers: {self.flips.moved:.1%} of {self.flips.total} pairs of replies")
        lines += [f"test {one}" for one in self.tests]
        lines += [f"not made: {name}: {reason}" for name, reason in self.skipped.items()]
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a test: name, role, claim, statistic, p-values, effect with its interval, questions.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe, ends, finite

        names = ("test", "role", "claim", "statistic", "pvalue", "pvalue_holm", "effect", "low", "high", "n")
        rows = [
            (one.name, one.role, one.claim, one.statistic, one.pvalue, finite(one.pvalue_holm), one.effect, *ends(one.interval), one.n)
            for one in self.tests
        ]  # fmt: skip
        columns = zip(*rows, strict=True) if rows else ([] for _ in names)
        return dataframe({name: list(column) for name, column in zip(names, columns, strict=True)})

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict with its reasons, and the tests."""
        from madsim._core.html import table

        rows = [
            [
                one.name,
                one.claim,
                f"{one.effect:+.4f}",
                "" if one.interval is None else f"{one.interval.low:+.4f} to {one.interval.high:+.4f}",
                f"{one.pvalue:.3g}",
                "" if one.pvalue_holm is None else f"{one.pvalue_holm:.3g}",
            ]
            for one in self.tests
        ]
        caption = f"verdict: {self.verdict}. {' '.join(self.reasons)}"
        return table(["test", "null hypothesis", "effect", "interval", "p", "p, Holm"], rows, caption=caption)


def plain_estimate(estimate: Estimate) -> dict[str, Any]:
    """An estimate with its 95 % interval as JSON; None where there is no number."""
    interval = estimate.interval()
    return {
        "value": None if math.isnan(estimate.value) else estimate.value,
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "interval": None if interval is None else list(interval),
    }


def _score_lines(report: CheckReport) -> list[str]:
    scores = {
        "accuracy": report.accuracy_by_round,
        "vote": report.vote_by_round,
        "disagreement": report.disagreement_by_round,
    }
    lines = [
        f"{name} by round: {' '.join('-' if math.isnan(one.value) else f'{one.value:.4f}' for one in found)}"
        for name, found in scores.items()
        if found is not None
    ]
    return [*lines, f"no readable answer by round: {' '.join(f'{share:.1%}' for share in report.unparsed_by_round)}"]


def _finite(plain: dict[str, Any]) -> dict[str, Any]:
    """Infinite statistics (an effect without any spread) as None: JSON has no infinity."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in plain.items()
    }
