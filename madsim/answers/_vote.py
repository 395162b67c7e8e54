"""Votes over answers: plurality with weights, ranked ballots, approval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from madsim.answers._extract import extract
from madsim.answers._group import group
from madsim.answers._infer import infer_type
from madsim.answers._types import AnswerType, Extraction, Vote


def vote(
    replies: Sequence[str | Extraction | None],
    type: AnswerType | None = None,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    weights: Sequence[float] | None = None,
    tolerance: float = 0.0,
    locale: str | None = None,
) -> Vote:
    """Plurality vote over replies, each with one vote for the answer that is read from it.

    A reply without an answer abstains. Of type text, and only there, replies vote with their whole text where none
    has an announced answer. The largest group wins;
    the answer first in declared order wins a tie, which is flagged.

    Parameters
    ----------
    replies : texts in declared order, None for no reply; or what `extract` gave for them
    type : one of `ANSWER_TYPES`; None infers one type from all replies
    choices : option letters, or a mapping from letter to option text
    weights : weight of each reply, such as its confidence; by default 1
    tolerance, locale : as in `equivalent`

    Examples
    --------
    >>> vote(["Final answer: 1/2", "Final answer: 0.5", "Final answer: 7"], "math").votes
    2
    """
    if isinstance(replies, str):
        raise TypeError(f"replies must be a sequence of texts, got the text {replies!r}")
    if type is None:
        type = next((reply.type for reply in replies if isinstance(reply, Extraction)), None) or infer_type(
            [reply for reply in replies if isinstance(reply, str)], choices=choices
        )
    found = [
        reply if isinstance(reply, Extraction) else extract(reply, type, choices=choices, locale=locale)
        for reply in replies
    ]
    return vote_answers(
        voting_answers(replies, found, type), type, choices=choices, weights=weights, tolerance=tolerance, locale=locale
    )


def voting_answers(
    replies: Sequence[str | Extraction | None], found: Sequence[Extraction], type: AnswerType
) -> list[str | None]:
    """What each reply votes for: its answer, or of type text its whole text where no reply announces an answer."""
    announced = any(item.answer is not None and item.reason != "bare" for item in found)
    if (
        type == "text"
        and not announced
        and any(
            item.answer is None and isinstance(reply, str) and reply.strip()
            for item, reply in zip(found, replies, strict=True)
        )
    ):
        return [
            reply.strip()
            if isinstance(reply, str) and reply.strip() and item.reason in ("none", "bare")
            else item.answer
            for reply, item in zip(replies, found, strict=True)
        ]
    return [item.answer for item in found]


def vote_answers(
    answers: Sequence[str | None],
    type: AnswerType,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    weights: Sequence[float] | None = None,
    tolerance: float = 0.0,
    locale: str | None = None,
) -> Vote:
    """Plurality vote over bare answers, None for an abstention; otherwise as `vote`.

    Raises
    ------
    ValueError
        If `weights` does not match `answers`, or holds a negative or infinite weight.
    """
    labels = group(answers, type, choices=choices, tolerance=tolerance, locale=locale)
    weights = _checked_weights(weights, len(answers))
    totals = _totals(labels, weights)
    abstentions = labels.count(None)
    if not totals:
        return Vote(answer=None, votes=0, tie=False, groups=0, abstentions=abstentions, labels=labels)
    best = max(totals)
    leaders = [place for place, total in enumerate(totals) if math.isclose(total, best, rel_tol=1e-12)]
    winner = labels.index(leaders[0])
    return Vote(
        answer=answers[winner],
        votes=totals[leaders[0]],
        tie=len(leaders) > 1,
        groups=len(totals),
        abstentions=abstentions,
        labels=labels,
        totals=tuple(totals),
        winner=winner,
    )


def _checked_weights(weights: Sequence[float] | None, n: int) -> Sequence[float]:
    if weights is None:
        return [1] * n
    if len(weights) != n:
        raise ValueError(f"one weight a reply: {n} replies, {len(weights)} weights")
    for weight in weights:
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"a weight must be a finite number of at least 0, got {weight!r}")
    return weights


def _totals(labels: Sequence[int | None], weights: Sequence[float]) -> list[float]:
    n = 1 + max((label for label in labels if label is not None), default=-1)
    shares: list[list[float]] = [[] for _ in range(n)]
    for label, weight in zip(labels, weights, strict=True):
        if label is not None:
            shares[label].append(weight)
    return [sum(share) if all(isinstance(weight, int) for weight in share) else math.fsum(share) for share in shares]


RankedMethod = Literal["borda", "instant_runoff", "condorcet"]


def vote_ranked(
    ballots: Sequence[Sequence[str] | None], method: RankedMethod = "borda", *, weights: Sequence[float] | None = None
) -> Vote:
    """Vote over rankings, the most preferred option first.

    Options are compared as they are spelled: bring them to `canonical` form first. An option that a ballot leaves
    out ranks below all that it names. A ballot that is None or
    empty abstains. Ties go to the option first named in declared order and are flagged.

    Parameters
    ----------
    ballots : a ranking each
    method : ``"borda"`` (an option scores the number of options ranked below it, unnamed ones share what is left),
        ``"instant_runoff"`` (the option with the fewest first places drops out until
        one has more than half), ``"condorcet"`` (most pairwise wins, half a win for a draw; Copeland)
    weights : weight of each ballot

    Returns
    -------
    Vote
        `votes` is the winner's score: Borda points, votes in the deciding round, or pairwise wins. `labels`
        gives each ballot's first choice.

    Raises
    ------
    ValueError
        For an unknown method, or a ballot that names an option twice.
    """
    if method not in ("borda", "instant_runoff", "condorcet"):
        raise ValueError(f"method must be 'borda', 'instant_runoff' or 'condorcet', got {method!r}")
    filled = [tuple(ballot) if ballot else () for ballot in _checked_ballots(ballots)]
    for ballot in filled:
        if len(set(ballot)) != len(ballot):
            raise ValueError(f"a ranking names each option once, got {ballot!r}")
    shares = _checked_weights(weights, len(filled))
    options = list(dict.fromkeys(option for ballot in filled for option in ballot))
    if method == "instant_runoff":
        scores, tied = _instant_runoff(filled, shares, options)
    else:
        scores = (_borda if method == "borda" else _copeland)(filled, shares, options)
        tied = False
    return _outcome(filled, options, scores, tied)


def vote_approval(ballots: Sequence[Sequence[str] | None], *, weights: Sequence[float] | None = None) -> Vote:
    """Vote over sets of approved options: the option that most ballots approve wins.

    Options are compared as they are spelled: bring them to `canonical` form first. A ballot that is None or empty
    abstains; an option named twice counts once.
    """
    filled = [tuple(dict.fromkeys(ballot)) if ballot else () for ballot in _checked_ballots(ballots)]
    shares = _checked_weights(weights, len(filled))
    options = list(dict.fromkeys(option for ballot in filled for option in ballot))
    scores = [
        math.fsum(share for ballot, share in zip(filled, shares, strict=True) if option in ballot) for option in options
    ]
    return _outcome(filled, options, scores, False)


def _checked_ballots(ballots: Sequence[Sequence[str] | None]) -> Sequence[Sequence[str] | None]:
    if isinstance(ballots, str) or any(isinstance(ballot, str) for ballot in ballots):
        raise TypeError("ballots must be a sequence of sequences of options, one sequence a voter")
    return ballots


def _borda(ballots: list[tuple[str, ...]], weights: Sequence[float], options: list[str]) -> list[float]:
    n = len(options)
    points = dict.fromkeys(options, 0.0)
    for ballot, weight in zip(ballots, weights, strict=True):
        if ballot:
            left = (n - len(ballot) - 1) / 2
            for option in options:
                points[option] += weight * (n - 1 - ballot.index(option) if option in ballot else left)
    return [points[option] for option in options]


def _copeland(ballots: list[tuple[str, ...]], weights: Sequence[float], options: list[str]) -> list[float]:
    def ahead(a: str, b: str) -> float:
        return math.fsum(
            weight
            for ballot, weight in zip(ballots, weights, strict=True)
            if a in ballot and (b not in ballot or ballot.index(a) < ballot.index(b))
        )

    wins = []
    for a in options:
        margins = [ahead(a, b) - ahead(b, a) for b in options if b != a]
        wins.append(math.fsum(1.0 if margin > 1e-12 else 0.5 if margin > -1e-12 else 0.0 for margin in margins))
    return wins


def _instant_runoff(
    ballots: list[tuple[str, ...]], weights: Sequence[float], options: list[str]
) -> tuple[list[float], bool]:
    left = list(options)
    while True:
        firsts = [next((option for option in ballot if option in left), None) for ballot in ballots]
        counts = {
            option: math.fsum(weight for first, weight in zip(firsts, weights, strict=True) if first == option)
            for option in left
        }
        total = math.fsum(counts.values())
        fewest = min(counts.values(), default=0.0)
        losers = [option for option in left if math.isclose(counts[option], fewest, rel_tol=1e-12)]
        if not left or max(counts.values()) > total / 2 or len(losers) == len(left):
            return [counts.get(option, -1.0) for option in options], len(losers) == len(left) > 1
        left.remove(losers[-1])  # the one named last drops out first


def _outcome(ballots: list[tuple[str, ...]], options: list[str], scores: list[float], tied: bool) -> Vote:
    abstentions = sum(not ballot for ballot in ballots)
    labels = tuple(options.index(ballot[0]) if ballot else None for ballot in ballots)
    if not options:
        return Vote(answer=None, votes=0, tie=False, groups=0, abstentions=abstentions, labels=labels)
    best = max(scores)
    leaders = [place for place, score in enumerate(scores) if math.isclose(score, best, rel_tol=1e-12)]
    answer = options[leaders[0]]
    return Vote(
        answer=answer,
        votes=best,
        tie=tied or len(leaders) > 1,
        groups=len(options),
        abstentions=abstentions,
        labels=labels,
        totals=tuple(max(score, 0.0) for score in scores),
        winner=next(place for place, ballot in enumerate(ballots) if answer in ballot),
    )
