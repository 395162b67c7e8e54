"""What a run's votes are worth, round by round: accuracy, vote, unparsed replies, disagreement, with errors clustered by question."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim.transcripts._early import carry_forward
from madsim.transcripts._votes import State, Votes

Ties = Literal["split", "first", "fail"]

_BLOCK = 1 << 21  # cells of a table of counts held at once


def accuracy_by_round(votes: Votes, *, carry: bool = True) -> tuple[Estimate, ...]:
    """Mean over questions of the share of agents that gave the target, by round.

    A reply that was asked for and holds no answer counts as wrong. Samples without a target are left out.

    Parameters
    ----------
    votes
        of a simulated or a real run
    carry
        an agent's last answer stands in later rounds in which it was not asked (a debate that ended keeps its result); with False
        each round counts only the agents that were asked in it

    Returns
    -------
    tuple of Estimate
        One a round; ``n`` counts questions and the standard error is clustered by question (None with one question).

    Raises
    ------
    ValueError
        If no sample has a target.
    """
    right, asked = _scored(votes, carry)
    with np.errstate(invalid="ignore"):
        share = right.sum(axis=2) / asked.sum(axis=2)
    return _by_round(share, votes.cluster)


def vote_by_round(votes: Votes, ties: Ties = "split", *, carry: bool = True) -> tuple[Estimate, ...]:
    """Share of questions on which the plurality of the answers is the target, by round.

    Agents without an answer abstain; a round in which everybody abstains has no right vote. Samples without a target are left out.

    Parameters
    ----------
    votes
        of a simulated or a real run
    ties
        ``"split"`` counts a tie of m answers as 1/m where the target is among them (the expected value under random ties);
        ``"first"`` takes the tied answer that an agent earliest in declared order gave; ``"fail"`` counts a tie as wrong
    carry
        as in :func:`accuracy_by_round`

    Returns
    -------
    tuple of Estimate
        One a round, as in :func:`accuracy_by_round`.
    """
    if ties not in ("split", "first", "fail"):
        raise ValueError(f"ties must be 'split', 'first' or 'fail', got {ties!r}")
    _need_target(votes)
    whole = carry_forward(votes) if carry else votes
    credit = plurality_credit(whole.answers, ties)
    nobody = (whole.state == State.NOT_ASKED).all(axis=2)
    credit[nobody | ~votes.has_target[:, None]] = np.nan
    return _by_round(credit, votes.cluster)


def plurality_credit(answers: NDArray[np.int32], ties: Ties = "split") -> NDArray[np.float64]:
    """How much of the plurality vote goes to the target: (..., agent) integer votes to (...) numbers in [0, 1].

    Votes below 0 abstain; `ties` is as in :func:`vote_by_round`.
    """

    def credit(block: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        top = counts.max(axis=1)
        wins = (counts[:, 0] == top) & (top > 0)
        winners = (counts == top[:, None]).sum(axis=1)
        if ties == "split":
            return wins / winners
        if ties == "fail":
            return (wins & (winners == 1)).astype(np.float64)
        row = np.arange(len(block))
        support = np.where(block >= 0, counts[row[:, None], block], -1)
        leading = np.argmax(support == top[:, None], axis=1)
        return (wins & (block[row, leading] == 0)).astype(np.float64)

    return _of_counts(answers, credit)


def _of_counts(
    answers: NDArray[np.int32], function: Callable[[NDArray[np.int32], NDArray[np.int64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Apply `function` to (row, agent) votes and their (row, answer) counts, in blocks that keep the counts small."""
    flat = answers.reshape(-1, answers.shape[-1])
    n_answers = max(1, int(flat.max(initial=0)) + 1)
    size = max(1, _BLOCK // max(n_answers, flat.shape[1]))
    result = np.empty(len(flat))
    for start in range(0, len(flat), size):
        block = flat[start : start + size]
        row, _ = given = np.nonzero(block >= 0)
        counts = np.bincount(row * n_answers + block[given], minlength=len(block) * n_answers)
        result[start : start + size] = function(block, counts.reshape(len(block), n_answers))
    return result.reshape(answers.shape[:-1])


def unparsed_by_round(votes: Votes) -> tuple[float, ...]:
    """Share of the replies asked for that hold no readable answer, by round; NaN where nobody was asked. Failed calls count too."""
    asked = (votes.state != State.NOT_ASKED).sum(axis=(0, 2))
    missing = ((votes.state == State.UNPARSED) | (votes.state == State.FAILED)).sum(axis=(0, 2))
    return tuple(float(m / a) if a else math.nan for m, a in zip(missing, asked, strict=True))


def disagreement_by_round(votes: Votes, *, carry: bool = True) -> tuple[Estimate, ...]:
    """Chance that two different agents that answered gave different answers, by round; needs no target.

    Samples in which fewer than two agents answered are left out of their round.
    """

    def differ(_: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        number = counts.sum(axis=1)
        same = (counts * (counts - 1)).sum(axis=1)
        return np.where(number < 2, np.nan, 1 - same / np.maximum(number * (number - 1), 1))

    return _by_round(_of_counts((carry_forward(votes) if carry else votes).answers, differ), votes.cluster)


def entropy_by_round(votes: Votes, *, carry: bool = True) -> tuple[Estimate, ...]:
    """Mean entropy (nats) of the panel's answers on a question, by round; agents without an answer are left out.

    This is the plug-in entropy of the shares seen, 0 where all agree; it needs no target.
    """

    def entropy(_: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        number = counts.sum(axis=1)
        share = counts / np.maximum(number, 1)[:, None]
        terms = -share * np.log(np.where(counts > 0, share, 1.0))
        return np.where(number == 0, np.nan, terms.sum(axis=1))

    return _by_round(_of_counts((carry_forward(votes) if carry else votes).answers, entropy), votes.cluster)


def clustered_mean(values: NDArray[np.float64], cluster: NDArray[np.int64]) -> Estimate:
    """Mean of `values` with a standard error clustered by `cluster`; NaN values are left out.

    The error is that of a ratio of sums over clusters (equal to the usual one where every cluster holds one value), None with one
    cluster; ``n`` counts clusters.

    Raises
    ------
    ValueError
        If no value is left.
    """
    kept = ~np.isnan(values)
    if not kept.any():
        raise ValueError("nothing to average: every value is missing")
    _, index = np.unique(cluster[kept], return_inverse=True)
    number = int(index.max()) + 1
    mean = float(values[kept].mean())
    if number == 1:
        return Estimate(value=mean, standard_error=None, n=1)
    residuals = np.bincount(index, weights=values[kept] - mean, minlength=number)
    error = math.sqrt(number / (number - 1) * float(residuals @ residuals)) / int(kept.sum())
    return Estimate(value=mean, standard_error=error, n=number)


def _scored(votes: Votes, carry: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    _need_target(votes)
    whole = carry_forward(votes) if carry else votes
    return whole.right, (whole.state != State.NOT_ASKED) & votes.has_target[:, None, None]


def _need_target(votes: Votes) -> None:
    if not votes.has_target.any():
        raise ValueError(
            f"none of the {votes.n_samples} samples has a target, so right and wrong cannot be told; "
            "give the targets when importing"
        )


def _by_round(values: NDArray[np.float64], cluster: NDArray[np.int64]) -> tuple[Estimate, ...]:
    return tuple(
        clustered_mean(column, cluster)
        if not np.isnan(column).all()
        else Estimate(value=math.nan, standard_error=None, n=0)
        for column in values.T
    )
