"""From tests to one word and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madsim._core.estimate import Estimate
from madsim.verify._anytime import EProcess
from madsim.verify._equivalence import Equivalence
from madsim.verify._readable import Reading
from madsim.verify._report import Verdict
from madsim.verify._result import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict, why, which tests reject, and what to keep in mind."""

    verdict: Verdict
    reasons: tuple[str, ...]
    refuted: tuple[str, ...]
    warnings: tuple[str, ...]


def decide(
    *,
    reading: Reading,
    tests: Sequence[Check],
    bets: EProcess | None,
    flat: Equivalence | None,
    drift: Estimate | None,
    moved: float | None,
    apart: str | None,
    level: float,
) -> Decision:
    """Unreadable before drift before vacuous before equivalent before inconclusive.

    Tests of further assumptions of the plain model never make drift; they are named in a warning. `apart` says why there is no drift
    although samples have targets.
    """
    rejecting = [one for one in tests if one.pvalue_holm is not None and one.pvalue_holm < level]
    refuted = tuple(one.name for one in rejecting)
    beyond = [one for one in rejecting if one.role == "model"]
    beyond += [one for one in tests if one.role == "ceiling" and one.pvalue < level]
    warnings = tuple(f"not the plain model: {one.name} rejects that {one.claim} (p {one.pvalue:.2g})" for one in beyond)

    def decision(verdict: Verdict, *reasons: str) -> Decision:
        return Decision(verdict=verdict, reasons=reasons, refuted=refuted, warnings=warnings)

    if reading.unreadable:
        return decision("unreadable", *reading.unreadable)
    against = [_against(one) for one in rejecting if one.role in ("drift", "hidden")]
    if bets is not None and bets.rejected_at is not None:
        against.append(
            f"Betting on drift multiplied its capital by {bets.path.max():.3g} "
            f"(first beyond {1 / level:.3g} after {bets.rejected_at} questions)."
        )
    if against:
        small = flat is not None and flat.holds and any(one.role == "drift" for one in rejecting)
        return decision("drift", *against, *(["The drift lies within the tolerance all the same."] if small else []))
    if drift is None or flat is None:
        why = "no sample has a target" if apart is None else apart
        return decision("inconclusive", f"Drift from wrong to right cannot be told: {why}.")
    if moved is not None and moved < flat.delta:
        return decision(
            "vacuous",
            f"Only {moved:.1%} of the agents were right in one of the first and last round alone, "
            f"so no drift beyond {flat.delta:g} was possible.",
        )
    if flat.interval is None:
        return decision("inconclusive", "There is one question only.")
    around = f"[{flat.interval.low:+.3f}, {flat.interval.high:+.3f}]"
    if flat.holds:
        return decision(
            "equivalent", f"The drift is {drift.value:+.3f}; its interval {around} lies within {flat.delta:g} of zero."
        )
    return decision(
        "inconclusive",
        f"The drift of {drift.value:+.3f} is not told from zero, and its interval {around} reaches beyond {flat.delta:g}: "
        "not shown to be flat either.",
    )


def _against(one: Check) -> str:
    if one.role == "drift":
        return f"The share of right answers moves by {one.effect:+.3f} on average (Holm p {one.pvalue_holm:.2g})."
    return (
        f"Changes {'go with' if one.effect > 0 else 'go against'} the majority, question by question "
        f"({one.name}, Holm p {one.pvalue_holm:.2g})."
    )
