"""The check: does debate move the answers, or only shuffle them?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.estimate import Estimate
from madsim._core.rng import RNG
from madsim.transcripts import (
    State,
    Votes,
    accuracy_by_round,
    clustered_mean,
    disagreement_by_round,
    flips,
    recognise_early_stopping,
    unparsed_by_round,
    vote_by_round,
)
from madsim.verify._anytime import changes_in_order, e_process
from madsim.verify._ceiling import vote_ceiling_test
from madsim.verify._drift import drift_test, sign_flip_test
from madsim.verify._equivalence import Equivalence, detectable_drift, equivalence, questions_needed
from madsim.verify._floor import disagreement_floor_test
from madsim.verify._held_out import held_out_answers, share_right
from madsim.verify._moments import Null, held_out_moment_test, lag_moment_test, plurality_drift_test
from madsim.verify._panel import Panel, panel_of
from madsim.verify._permutation import common_belief_test
from madsim.verify._readable import PARSE_NOTED, Reading, read_conditions
from madsim.verify._report import CheckReport
from madsim.verify._result import Check, holm
from madsim.verify._verdict import decide

_QUANTITIES: dict[Null, str] = {
    "belief": "beliefs are a martingale and answers are drawn from them, so the expected share of right answers never moves",
    "share": "shares of answers are a martingale (agents copy answers at random)",
}


def check(
    votes: Votes,
    *,
    null: Null = "belief",
    delta: float = 0.03,
    level: float = 0.05,
    early_stopping: bool | None = None,
    held_out: ArrayLike | Votes | None = None,
    anytime: bool = False,
    rng: RNG = 0,
) -> CheckReport:
    """Test a run against the martingale that it is said to be, with a verdict that also tells "shown to be flat" from "cannot tell".

    Parameters
    ----------
    votes
        of a simulated or a real run; the questions, not the agents, are the independent units
    null
        ``"belief"``: latent beliefs are a martingale and answers are draws from them (Dirichlet-multinomial debate); ``"share"``: the
        shares of the answers themselves are (neutral voter model). Only under the latter may debates stop early
    delta
        tolerance: a drift within it counts as none
    level
        of the tests; the equivalence interval has confidence 1 - 2 * level
    early_stopping
        whether debates could stop before the last round; by default what the run records, else what its votes show
    held_out
        round-0 answers that no debater saw: an array (sample, answer) numbered like the run's answers with -1 for none, or `Votes` of
        one round on samples of the same names
    anytime
        decide on drift by bets that allow looking after every question instead of a test made for a number fixed beforehand; the
        order of the questions is that of the samples
    rng
        for the random signs of the sign-flip test

    Returns
    -------
    CheckReport

    Raises
    ------
    ValueError
        If `null`, `delta` or `level` are out of range, the run has no second round, no debate has all its rounds, or `held_out` does
        not fit.

    Notes
    -----
    The regression of the change on the share it starts from is absent on purpose: it rejects true martingales of belief.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(400, accuracy=0.72, kappa=4, rng=1)
    >>> check(simulate_questions(beliefs, n_rounds=2, rng=2).votes, delta=0.05).verdict
    'equivalent'
    """
    _check_arguments(votes, null, delta, level)
    stopping = _stopping(votes, early_stopping)
    panel = panel_of(votes, carry=stopping is True)
    if not len(panel.answers):
        raise ValueError(f"none of the {votes.n_samples} debates has all {votes.n_rounds + 1} rounds; nothing to check")
    held = None if held_out is None else held_out_answers(votes, held_out)[panel.kept]
    foreign = isinstance(held_out, Votes)
    reading = read_conditions(votes, panel, null=null, stopping=stopping)
    change = panel.change()
    drift = None if np.isnan(change).all() else clustered_mean(change, panel.cluster)
    apart = None
    if drift is None and panel.has_target.any():
        apart = "in no debate was one agent asked both in the first round and in the last"
    tests, skipped = _tests(votes, panel, null, level, held, foreign, reading, apart, rng)
    bets = e_process(changes_in_order(panel), level=level) if anytime and drift is not None else None
    corrected = holm([replace(one, role="robustness") for one in tests] if bets is not None else tests)
    flat = None if drift is None else _equivalence(drift, bets, delta=delta, level=level)
    decision = decide(
        reading=reading, tests=corrected, bets=bets, flat=flat, drift=drift, moved=panel.moved(), apart=apart, level=level,
    )  # fmt: skip
    known = bool(votes.has_target.any())
    return CheckReport(
        verdict=decision.verdict,
        reasons=decision.reasons,
        null=null,
        quantity=_QUANTITIES[null],
        given="; ".join(f"{one.name}: {one.given}" for one in corrected if one.role in ("drift", "hidden"))
        or "nothing",
        level=level,
        delta=delta,
        source=votes.source,
        n_questions=len(np.unique(panel.cluster)),
        n_debates=len(panel.answers),
        n_short=panel.n_short,
        n_agents=votes.n_agents,
        n_rounds=votes.n_rounds,
        early_stopping=stopping,
        accuracy_by_round=accuracy_by_round(votes) if known else None,
        vote_by_round=vote_by_round(votes) if known else None,
        unparsed_by_round=unparsed_by_round(votes),
        disagreement_by_round=disagreement_by_round(votes),
        flips=flips(votes) if known else None,
        moved=panel.moved(),
        drift=drift,
        complete_cases=_complete_cases(panel) if reading.parse_change >= PARSE_NOTED else None,
        equivalence=flat,
        detectable_drift=None if drift is None else detectable_drift(drift, level=level),
        questions_needed=None if drift is None else _needed(drift, delta, level),
        tests=corrected,
        skipped=skipped,
        refuted=decision.refuted,
        anytime=bets,
        warnings=(*reading.warnings, *decision.warnings),
    )


def _check_arguments(votes: Any, null: str, delta: float, level: float) -> None:
    if not isinstance(votes, Votes):
        raise TypeError(f"check takes Votes (votes_of(run) makes them from a run), got {type(votes).__name__}")
    if null not in _QUANTITIES:
        raise ValueError(f"null must be 'belief' or 'share', got {null!r}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta!r}")
    if not 0 < level < 0.5:
        raise ValueError(f"level must lie between 0 and .5, got {level!r}")
    if votes.n_rounds < 1:
        raise ValueError("the run has round 0 alone; a check needs at least one round of debate after it")


def _stopping(votes: Votes, told: bool | None) -> bool | None:
    """Whether debates stopped early: as told, as recorded, else as the votes show; a stop that never happened is none."""
    stopping = votes.early_stopping if told is None else told
    if stopping is None:
        stopping = recognise_early_stopping(votes.answers, votes.state)
    if not stopping:
        return stopping
    asked = (votes.state != State.NOT_ASKED).any(axis=2)
    return bool((asked.any(axis=1) & ~asked[:, -1]).any())


def _tests(
    votes: Votes,
    panel: Panel,
    null: Null,
    level: float,
    held: NDArray[np.int32] | None,
    foreign: bool,
    reading: Reading,
    apart: str | None,
    rng: RNG,
) -> tuple[list[Check], dict[str, str]]:
    made: list[Check] = []
    skipped: dict[str, str] = {}

    def attempt(name: str, test: Callable[[], Check], *, needs_target: bool = True, barred: str | None = None) -> None:
        reason = reading.barred or barred
        if reason is None and needs_target and not panel.has_target.any():
            reason = "no sample has a target"
        if reason is None:
            try:
                made.append(test())
                return
            except ValueError as error:
                reason = str(error)
        skipped[name] = reason

    plain = "only the belief null implies it" if null == "share" else not_plain(votes)
    attempt("drift", lambda: drift_test(panel, level=level), barred=apart)
    attempt("drift-sign-flip", lambda: sign_flip_test(panel, rng=rng), barred=apart)
    if held is not None:
        attempt("held-out-moment", lambda: held_out_moment_test(panel, share_right(held), level=level))
        other = "answers of another run are numbered apart from this one's" if foreign else None
        attempt(
            "held-out-plurality",
            lambda: plurality_drift_test(panel, held, level=level),
            needs_target=False,
            barred=other,
        )
    attempt("lag-moment", lambda: lag_moment_test(panel, null=null, level=level))
    attempt("common-belief", lambda: common_belief_test(panel), barred=plain)
    attempt("disagreement-floor", lambda: disagreement_floor_test(panel, level=level), needs_target=False, barred=plain)
    attempt("vote-ceiling", lambda: vote_ceiling_test(panel, level=level), barred=plain)
    return made, skipped


def not_plain(votes: Votes) -> str | None:
    """Why a run is known not to be simultaneous debate of everybody with everybody; None where it is or nothing is recorded."""
    protocol = votes.protocol
    if protocol is None:
        return None
    try:
        schedule, graph = protocol["schedule"]["type"], protocol["visibility"]["graph"]
    except (KeyError, TypeError):
        return None
    if schedule != "Simultaneous":
        return f"agents did not answer at once ({schedule})"
    if graph is None:
        return None
    from madsim import graphs

    for one in graph if isinstance(graph, list) else [graph]:
        if not graphs.from_dict(one).is_complete:
            return "not everybody heard everybody"
    return None


def _equivalence(drift: Estimate, bets: Any, *, delta: float, level: float) -> Equivalence:
    if bets is None:
        return equivalence(drift, delta=delta, level=level)
    interval = bets.interval
    return Equivalence(
        delta=delta, interval=interval, holds=-delta < interval.low and interval.high < delta, pvalue=None
    )


def _complete_cases(panel: Panel) -> Estimate | None:
    change = np.where(panel.complete(), panel.change(), np.nan)
    return None if np.isnan(change).all() else clustered_mean(change, panel.cluster)


def _needed(drift: Estimate, delta: float, level: float) -> int | None:
    if drift.standard_error is None:
        return None
    return questions_needed(drift.n * drift.standard_error**2, delta, level=level)
