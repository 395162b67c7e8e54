"""From the answers that stand at the end to one answer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from madsim.answers import converged, vote, vote_answers
from madsim.llm._ballots import decide_by_ballots, decide_by_consensus
from madsim.llm._confidence import stated_confidence
from madsim.llm._debate import Debate, apart
from madsim.llm._judge import decide_by_judge
from madsim.llm._outcome import Decision, Method
from madsim.llm._said import Said
from madsim.llm._turn_taking import can_be_shown
from madsim.protocols import (
    Approval,
    Consensus,
    Convergence,
    Custom,
    Judge,
    LastDocument,
    Longest,
    OneAgent,
    Ranked,
    Weighted,
)

NOTHING = Decision(answer=None, method="none")


async def decide(debate: Debate, *, agreed: bool) -> Decision:
    """The decision that the protocol's reduction comes to.

    Raises
    ------
    BudgetError
        If a judge or ballot cannot be paid for.
    """
    reduction = debate.setup.protocol.reduction
    if agreed and (debate.round == 0 or not (isinstance(reduction, Judge) and reduction.kind == "synthesis")):
        return replace(await apart(debate, majority), method="agreement")
    if isinstance(reduction, Judge):
        return await decide_by_judge(debate, reduction, await apart(debate, majority))
    if isinstance(reduction, (Ranked, Approval)):
        return await decide_by_ballots(debate, reduction, await apart(debate, majority))
    if isinstance(reduction, Consensus):
        return await decide_by_consensus(debate, reduction, await apart(debate, majority))
    if isinstance(reduction, Custom):
        return await _custom(debate)
    return await apart(debate, standing_decision)


def standing_decision(debate: Debate) -> Decision:
    """The decision that needs no further call: the reduction itself where it is one, the majority otherwise."""
    reduction = debate.setup.protocol.reduction
    if isinstance(reduction, Weighted):
        return _weighted(debate, reduction)
    if isinstance(reduction, Longest):
        return _longest(debate)
    if isinstance(reduction, OneAgent):
        return _of_one(debate, reduction.agent)
    if isinstance(reduction, LastDocument):
        return _last_document(debate, reduction.document)
    return majority(debate)


def is_agreed(debate: Debate, convergence: Convergence) -> bool:
    """Whether everybody who answered agrees and enough did."""
    standing = debate.standing()
    texts = [None if said is None else said.text for said in standing]
    if sum(text is not None for text in texts) < debate.setup.quorum:
        return False
    answers = [said.answer for said in standing if said is not None and said.answer is not None]
    if len(answers) == sum(text is not None for text in texts):  # everybody who replied has an answer
        return vote_answers(answers, debate.answer_type, choices=debate.sample.choices).groups == 1
    return converged(
        texts,
        debate.answer_type,
        choices=debate.sample.choices,
        quorum=debate.setup.quorum,
        similarity=convergence.similarity,
    )


def is_going_round(debate: Debate) -> bool:
    """Whether the panel's answers are those of two rounds ago and not those of the last round."""
    if debate.round < 2:
        return False
    now, last, before = (
        [None if said is None else said.answer for said in debate.standing(debate.round - back)] for back in (0, 1, 2)
    )
    if None in now:
        return False
    kind, choices = debate.answer_type, debate.sample.choices

    def same(others: Sequence[str | None]) -> bool:
        return None not in others and all(
            vote_answers([mine, other], kind, choices=choices).groups == 1
            for mine, other in zip(now, others, strict=True)
        )

    return same(before) and not same(last)


def majority(debate: Debate) -> Decision:
    """The plurality of the last round that has any answer; ties as the protocol says."""
    for round in range(debate.round, -1, -1):
        decision = _count(debate, debate.standing(round), round, "majority", None)
        if decision.answer is not None or decision.tie:
            return decision
    return NOTHING


def _count(
    debate: Debate, standing: Sequence[Said | None], round: int, method: Method, weights: Sequence[float] | None
) -> Decision:
    kind, choices = debate.answer_type, debate.sample.choices
    answers = [None if said is None else said.answer for said in standing]
    if kind == "text" and any(said is not None and said.answer is None for said in standing):
        texts = [None if said is None else said.text for said in standing]
        counted = vote(texts, kind, choices=choices, weights=weights)
        answers = [answer or (text or "").strip() for answer, text in zip(answers, texts, strict=True)]
    else:
        counted = vote_answers(answers, kind, choices=choices, weights=weights)
    replied = sum(said is not None for said in standing)
    abstained = replied - sum(label is not None for label in counted.labels)
    if counted.winner is None:
        return Decision(answer=None, method="none", abstentions=abstained)
    first: dict[int, int] = {}
    for place, label in enumerate(counted.labels):
        if label is not None:
            first.setdefault(label, place)
    totals = {label: counted.totals[label] for label in first}
    most = max(totals.values())
    best = [label for label, total in totals.items() if math.isclose(total, most, rel_tol=1e-12)]
    ties = getattr(debate.setup.protocol.reduction, "ties", "first")
    winner = debate.random("ties").choice(best) if len(best) > 1 and ties == "random" else best[0]
    failed_tie = len(best) > 1 and ties == "fail"
    labels = list(counted.labels)
    return Decision(
        answer=None if failed_tie else answers[first[winner]],
        method="none" if failed_tie else method,
        votes=labels.count(winner),
        tie=len(best) > 1,
        counts={str(answers[place]): totals[label] for label, place in first.items()},
        abstentions=abstained,
        round=round,
        agent=None if failed_tie else first[winner],
    )


def _weighted(debate: Debate, reduction: Weighted) -> Decision:
    for round in range(debate.round, -1, -1):
        standing = debate.standing(round)
        stated = [None if said is None or said.text is None else stated_confidence(said.text) for said in standing]
        decision = _count(debate, standing, round, "weighted", [reduction.weight(one) for one in stated])
        if decision.answer is not None or decision.tie:
            details: dict[str, Any] = {"confidences": stated}
            return _with_details(decision, details)
    return NOTHING


def _longest(debate: Debate) -> Decision:
    for round in range(debate.round, -1, -1):
        counted = _count(debate, debate.standing(round), round, "longest", None)
        answered = [
            said for said in debate.standing(round) if said is not None and said.answer is not None and said.text
        ]
        if answered:
            best = max(answered, key=lambda said: len(said.text or ""))
            return Decision(
                answer=best.answer,
                method="longest",
                votes=sum(_same(debate, best, other) for other in answered),
                counts=counted.counts,
                abstentions=counted.abstentions,
                round=round,
                agent=best.agent,
            )
    return NOTHING


def _of_one(debate: Debate, agent: int) -> Decision:
    for round in range(debate.round, -1, -1):
        standing = debate.standing(round)
        said = standing[agent]
        if said is not None and said.answer is not None:
            counted = _count(debate, standing, round, "one_agent", None)
            others = (other for other in standing if other is not None and other.answer is not None)
            return Decision(
                answer=said.answer,
                method="one_agent",
                votes=sum(_same(debate, said, other) for other in others),
                counts=counted.counts,
                abstentions=counted.abstentions,
                round=round,
                agent=agent,
            )
    return NOTHING


def _last_document(debate: Debate, type: str) -> Decision:
    written = [*debate.log, *debate.handed]  # what a phase handed on stands without its closing mark, or as a summary
    documents = [said for said in written if said.document == type and can_be_shown(said)]
    if not documents:
        return NOTHING
    last = documents[-1]
    return Decision(answer=last.text, method="document", votes=1, round=last.round, agent=last.agent)


def _same(debate: Debate, one: Said, other: Said) -> bool:
    return vote_answers([one.answer, other.answer], debate.answer_type, choices=debate.sample.choices).groups == 1


async def _custom(debate: Debate) -> Decision:
    assert debate.setup.reduce is not None
    given: Any = debate.setup.reduce(debate.sample, tuple(debate.log))
    if inspect.isawaitable(given):
        given = await given
    if isinstance(given, Decision):
        return given
    if given is not None and not isinstance(given, str):
        raise TypeError(f"the reduce function must return an answer as text, a Decision or None; got {given!r}")
    return Decision(answer=given, method="none" if given is None else "custom", round=debate.round)


def _with_details(decision: Decision, details: dict[str, Any]) -> Decision:
    return replace(decision, details={**decision.details, **details})
