"""A debate from its first round to its outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from madsim.answers import equivalent
from madsim.llm._debate import Debate, apart
from madsim.llm._decide import NOTHING, decide, is_agreed, is_going_round, standing_decision
from madsim.llm._errors import AwayError, BudgetError, HandOffError
from madsim.llm._judge import settled
from madsim.llm._outcome import UNFINISHED, Decision, Outcome, Status
from madsim.llm._probe import probe_roles
from madsim.llm._turn_taking import is_exhausted
from madsim.protocols import Judge


async def play(debate: Debate) -> Outcome:
    """The outcome of the debate; every reply is in the record before the next round begins."""
    status, decision, reason = await _rounds(debate)
    if debate.setup.probe and status not in UNFINISHED and debate.log:
        try:
            decision = replace(decision, details={**decision.details, "roles": await probe_roles(debate)})
        except BudgetError:
            decision = replace(decision, details={**decision.details, "roles": None})
    return await apart(debate, close, status, decision, reason)


def close(debate: Debate, status: Status, decision: Decision, reason: str | None) -> Outcome:
    """The outcome of a debate whose rounds are over; a debate in which nobody ever gave an answer has failed."""
    without = decision.answer is None and not any(said.answer is not None for said in debate.log)
    if without and status not in ("budget", "paused"):
        status = "failed"
    return Outcome(
        sample=debate.sample.id,
        epoch=debate.epoch,
        status=status,
        decision=replace(decision, details={**decision.details, **_structure(debate)}),
        correct=_correct(debate, decision),
        rounds=debate.round if debate.board else None,
        failed=tuple(sorted(debate.failed, key=lambda one: (one[1], debate.setup.names.index(one[0])))),
        calls=debate.amount.calls,
        usage=debate.usage,
        cost=debate.amount.cost,
        usage_by_role=debate.usage_by_role,
        reason=reason,
    )


def _structure(debate: Debate) -> dict[str, Any]:
    """What the structure of the conversation leaves behind: speakers, documents handed on, documents refused."""
    found: dict[str, Any] = {}
    if debate.speakers:
        found["speakers"] = dict(debate.speakers)
    if debate.handed:
        found["handed_on"] = [
            {"document": said.document, "round": said.round, "agent": said.agent} for said in debate.handed
        ]
    refused = sum(bool(said.problems) for said in debate.log)
    if refused:
        found["documents_refused"] = refused
    return found


async def _rounds(debate: Debate) -> tuple[Status, Decision, str | None]:
    protocol = debate.setup.protocol
    convergence, reduction = protocol.convergence, protocol.reduction
    status: Status = "max_rounds"
    agreed = False
    try:
        while debate.round < debate.rounds and not is_exhausted(debate):
            await debate.play_round()
            if convergence is not None and await apart(debate, is_agreed, convergence):
                status, agreed = "converged", True
                debate.caller.emit("convergence", debate.place("panel"))
                break
            if convergence is not None and convergence.oscillation and await apart(debate, is_going_round):
                status = "no_progress"
                break
            if isinstance(reduction, Judge) and reduction.each_round and debate.round < debate.rounds:
                decision = await settled(debate, await apart(debate, standing_decision))
                if decision is not None:
                    return "resolved", decision, None
        if status == "max_rounds" and debate.setup.pause:
            debate.caller.emit("pause", debate.place("panel"))
            return "paused", await apart(debate, standing_decision), "the last round is over without a resolution"
        decision = await decide(debate, agreed=agreed)
    except BudgetError as error:
        debate.caller.emit("budget", debate.place("panel"), reason=str(error))
        standing = await apart(debate, standing_decision) if debate.board else NOTHING
        return "budget", standing, str(error)
    except AwayError as error:
        debate.caller.emit("pause", debate.place("panel"))
        standing = await apart(debate, standing_decision)
        return "paused", replace(standing, details={**standing.details, "waiting_for": error.name}), str(error)
    except HandOffError as error:
        debate.caller.emit("failure", debate.place("panel"), code="hand_off", error=str(error))
        return "failed", NOTHING, str(error)
    if decision.method in ("judge", "consensus", "document") and not agreed:
        return "resolved", decision, None
    return _final_status(debate, status, decision), decision, None


def _final_status(debate: Debate, status: Status, decision: Decision) -> Status:
    """Agreement stays agreement; an end without enough answers says so."""
    if status == "converged":
        return status
    if decision.round is not None and decision.round < debate.round:
        return "degraded"
    by_whole_reply = debate.answer_type == "text"
    answered = [said for said in debate.standing() if said is not None and (said.answer is not None or by_whole_reply)]
    if decision.answer is not None and len(answered) < debate.setup.quorum:
        return "below_quorum"
    return status


def _correct(debate: Debate, decision: Decision) -> bool | None:
    target = debate.sample.target
    if target is None:
        return None
    if decision.answer is None:
        return False
    kind, choices = debate.answer_type, debate.sample.choices
    return equivalent(decision.answer, target, kind, choices=choices)
