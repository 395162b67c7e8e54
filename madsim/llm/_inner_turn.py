"""The turn of a seat that is a debate: the inner debate is played, and its outcome is the seat's reply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from madsim.llm._budget import Amount, Budget
from madsim.llm._call import Answered, Place
from madsim.llm._carved import CarvedLedger
from madsim.llm._inner import InnerDebate
from madsim.llm._request import Completion, Usage
from madsim.llm._said import Exchange

if TYPE_CHECKING:
    from madsim.llm._debate import Debate, Prepared
    from madsim.llm._outcome import Outcome

AWAY_INSIDE = "away_inside"


async def play_inner(debate: Debate, ready: Prepared) -> tuple[Answered, dict[str, Any]]:
    """What the seat says, and what its line in the record tells about the inner debate."""
    from madsim.llm._play import play

    model = debate.setup.panel[ready.agent].model
    assert isinstance(model, InnerDebate)
    ledger = CarvedLedger(budget=model.budget or Budget(), parent=debate.caller.ledger, held=ready.reserved or Amount())
    inner = inner_of(debate, ready.agent, ready.exchange, ready.place)
    inner.caller, inner.outer = debate.caller.within(ledger), ready.request.context
    try:
        outcome = await play(inner)
    finally:
        ledger.close()
    debate.add_inner(inner.amount, {f"inner_{role}": usage for role, usage in inner.usage_by_role.items()})
    told = {
        "path": inner.path,
        **{name: outcome.to_dict()[name] for name in ("status", "method", "answer", "counts", "stopped_after_round")},
        "taken": inner.amount.to_dict(),
        "usage_by_role": {role: usage.to_dict() for role, usage in inner.usage_by_role.items()},
    }
    attempt = debate.caller.first_attempt.get(ready.place, 0)
    text, failure = _reply(inner, outcome, cut=ledger.refused or debate.caller.is_closed())
    completion = None if text is None else Completion(text=text, finish_reason="stop", usage=Usage())
    answered = Answered(
        completion=completion, failure=failure, attempt=attempt, messages=ready.request.messages, error=outcome.reason
    )
    return answered, told


def inner_of(debate: Debate, agent: int, exchange: Exchange, place: Place) -> Debate:
    """The inner debate of a seat as it would begin now."""
    from madsim.llm._debate import Debate as Inner

    setup = debate.setup.inner[agent]
    return Inner(
        setup=setup,
        caller=debate.caller,
        sample=replace(debate.sample, question=_question(debate, agent, exchange)),
        epoch=debate.epoch,
        index=debate.index,
        rounds=setup.protocol.rounds,
        draws=debate.draws,
        path="/".join(filter(None, (place.path, f"{place.round}.{place.agent}"))),
        limit=debate.ends,
    )


def inner_bound(debate: Debate, agent: int, exchange: Exchange, place: Place) -> Amount:
    """What the inner debate of a seat may take, as well as it can be known; calls that the record holds take nothing."""
    inner = inner_of(debate, agent, exchange, place)
    panel, caller = inner.setup.panel, inner.caller
    unheard = sum(one.max_tokens or 0 for one in panel)
    total = Amount()
    for seat, one in enumerate(panel):
        first = inner.bound_of(seat, inner.place("debater", seat), Exchange(round=0))
        calls = 0
        for round in range(inner.rounds + 1):
            if caller.is_past(inner.place("debater", seat)._replace(round=round)):
                continue
            calls += 1
            total = total + first
            if first.calls == 1:
                total = total + caller.bound_of_tokens(one, round * unheard)
    return total


def _question(debate: Debate, agent: int, exchange: Exchange) -> str:
    """The question of the inner debate: that of the outer one, and what the seat is shown and has said there."""
    own = next((said for said in reversed(debate.log) if said.agent == agent and said.answer is not None), None)
    parts = [debate.sample.question.strip()]
    if own is not None:
        parts.append(f"Your panel has debated this question before and gave the answer: {own.answer}")
    parts += debate.setup.prompts.heard(debate.setup.names, exchange, debate.setup.protocol.visibility.show)
    if exchange.task is not None:
        parts.append(exchange.task)
    return "\n\n".join(parts)


def _reply(inner: Debate, outcome: Outcome, *, cut: bool) -> tuple[str | None, str | None]:
    """The seat's words, or why there are none."""
    if outcome.status == "paused":
        return None, AWAY_INSIDE
    if outcome.status == "budget" and cut:
        return None, "budget"
    decision = outcome.decision
    if decision.answer is None:
        return None, f"inner_{outcome.status}"
    if decision.method == "document":
        return decision.answer, None
    behind = [said for said in inner.log if said.agent == decision.agent and said.round == decision.round]
    if behind and behind[-1].text is not None and behind[-1].answer == decision.answer:
        return behind[-1].text, None
    return f"This is what a debate among {inner.n_agents} came to.\nFinal answer: {decision.answer}", None
