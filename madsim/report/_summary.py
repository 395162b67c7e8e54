"""The numbers of one run that the report shows, worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim.report._exact import Exact, exact_scores
from madsim.report._spend import Spend, spend_of
from madsim.transcripts import (
    Flips,
    Run,
    State,
    Votes,
    accuracy_by_round,
    carry_forward,
    clustered_mean,
    disagreement_by_round,
    flips,
    plurality_credit,
    unparsed_by_round,
    vote_by_round,
    votes_of,
)
from madsim.verify import CheckReport, check

if TYPE_CHECKING:
    from madsim.simulate import DebateResult


Null = Literal["belief", "share"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ledger:
    """What became of the vote between the first and the last round, in questions with a target (a tie is not right).

    Attributes
    ----------
    kept_right, corrected, collapsed, kept_wrong : counts of debates
    """

    kept_right: int
    corrected: int
    collapsed: int
    kept_wrong: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """One run, ready to be shown.

    Attributes
    ----------
    name : as the reader gave it
    run : the transcripts; None where only votes are known
    votes : of the run
    credit : float64 (sample, round), what the vote of each round is worth (ties split evenly), NaN without a target
    accuracy, vote : by round; None where no sample has a target
    vote_change : the vote of the last round less that of the first, paired by question; None likewise
    disagreement : by round; None for a single agent
    unparsed : share of replies without a readable answer, by round
    steps : flips of each step between rounds; empty where no sample has a target
    ledger : of the vote; None where no sample has a target
    spend : of the run; None where only votes are known
    exact : exact values by round of a simulated run, by name
    check : of the run against its null hypothesis; None where it could not be made
    not_checked : why not
    """

    name: str
    run: Run | None
    votes: Votes
    credit: NDArray[np.float64]
    accuracy: tuple[Estimate, ...] | None
    vote: tuple[Estimate, ...] | None
    vote_change: Estimate | None
    disagreement: tuple[Estimate, ...] | None
    unparsed: tuple[float, ...]
    steps: tuple[Flips, ...]
    ledger: Ledger | None
    spend: Spend | None
    exact: Exact
    check: CheckReport | None
    not_checked: str | None

    @property
    def n_questions(self) -> int:
        """Different questions."""
        return len(np.unique(self.votes.cluster))


def summarise(
    name: str,
    given: Run | Votes | DebateResult,
    *,
    null: Null = "belief",
    delta: float = 0.03,
    level: float = 0.05,
    anytime: bool = False,
) -> Summary:
    """The numbers of one run; `null`, `delta`, `level` and `anytime` are those of `madsim.verify.check`.

    Raises
    ------
    ValueError
        If the run holds no reply, or the simulation kept no votes.
    """
    run = given if isinstance(given, Run) else None
    exact: Exact = {}
    if isinstance(given, Run):
        votes = votes_of(given)
    elif isinstance(given, Votes):
        votes = given
    elif given.votes is None:
        raise ValueError(f"{name}: this simulation kept no votes; simulate with keep='votes'")
    else:
        votes, exact = given.votes, exact_scores(given.model, given.n_rounds)
    if not votes.answers.size:
        raise ValueError(f"{name}: the votes are empty, shape {votes.answers.shape}; there is nothing to report")
    checked = not_checked = None
    try:
        checked = check(votes, null=null, delta=delta, level=level, anytime=anytime)
    except ValueError as error:
        not_checked = str(error)
    scored = bool(votes.has_target.any())
    credit = plurality_credit(carry_forward(votes).answers)
    credit[~votes.has_target] = np.nan
    return Summary(
        name=name,
        run=run,
        votes=votes,
        credit=credit,
        accuracy=accuracy_by_round(votes) if scored else None,
        vote=vote_by_round(votes) if scored else None,
        vote_change=clustered_mean(credit[:, -1] - credit[:, 0], votes.cluster) if scored else None,
        disagreement=disagreement_by_round(votes) if votes.n_agents > 1 else None,
        unparsed=unparsed_by_round(votes),
        steps=tuple(flips(votes, first=t, last=t + 1) for t in range(votes.n_rounds)) if scored else (),
        ledger=_ledger(credit[votes.has_target]) if scored else None,
        spend=None if run is None else spend_of(run),
        exact=exact,
        check=checked,
        not_checked=not_checked,
    )


def _ledger(credit: NDArray[np.float64]) -> Ledger:
    first, last = credit[:, 0] == 1, credit[:, -1] == 1
    return Ledger(
        kept_right=int((first & last).sum()),
        corrected=int((~first & last).sum()),
        collapsed=int((first & ~last).sum()),
        kept_wrong=int((~first & ~last).sum()),
    )


FLAGS = ("wrong", "changed", "unparsed", "disagreement", "corrected", "collapsed")


def flags(summary: Summary) -> NDArray[np.int64]:
    """What a reader may look for, one bit a debate and name of `FLAGS`.

    ``wrong``: the vote of the last round is not surely the target; ``changed``: an agent gave two different answers; ``unparsed``:
    a reply that was asked for holds no readable answer; ``disagreement``: agents differ in the last round; ``corrected`` and
    ``collapsed``: the vote became, or stopped being, the target.
    """
    votes, credit = summary.votes, summary.credit
    whole = carry_forward(votes).answers
    first, last = credit[:, 0] == 1, credit[:, -1] == 1
    known = votes.has_target
    missing = (votes.state == State.UNPARSED) | (votes.state == State.FAILED)
    bits = (
        known & ~last,
        _varied(votes.answers, axis=1).any(axis=1),
        missing.any(axis=(1, 2)),
        _varied(whole[:, -1], axis=1),
        known & ~first & last,
        known & first & ~last,
    )
    return sum(
        (np.asarray(bit, dtype=np.int64) << place for place, bit in enumerate(bits)), np.zeros(len(known), np.int64)
    )


def _varied(answers: NDArray[np.int32], axis: int) -> NDArray[np.bool_]:
    """Whether there are two different answers along `axis`; entries below 0 are none."""
    most = answers.max(axis=axis)
    least = np.where(answers < 0, np.iinfo(np.int32).max, answers).min(axis=axis)
    return (most >= 0) & (most != least)
