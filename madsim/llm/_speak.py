"""One debater's turn: its reply, with the tools that it calls on the way, or the reply of the person in its seat."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from madsim.llm._call import Answered, Place, amount_from_dict, record_line
from madsim.llm._debater import Debater
from madsim.llm._errors import BudgetError
from madsim.llm._hand_over import as_document
from madsim.llm._inner_turn import AWAY_INSIDE, play_inner
from madsim.llm._request import Completion, Message, Request, Usage
from madsim.llm._said import Exchange, Said
from madsim.protocols import Simultaneous

if TYPE_CHECKING:
    from madsim.llm._debate import Debate, Prepared
    from madsim.llm._tools import Tool

AWAY = "away"
"""Reason of a turn that waits for its person; a resumed run asks again."""
_MOST_TOOL_STEPS = 8


async def speak(debate: Debate, ready: Prepared, *, held: bool) -> Said:
    """The reply of one debater, with its tools, or of the person in its seat."""
    agent = ready.agent
    debater = debate.setup.panel[agent]
    debate.turns[agent] += 1
    if debate.is_seated(agent) and not debate.caller.is_past(ready.place):
        return await _person(debate, ready, debater)
    if agent in debate.setup.inner:
        return await _panel(debate, ready, debater)
    request, place, reserved = ready.request, ready.place, ready.reserved
    while True:
        answered = await debate.caller.ask(
            debater,
            request,
            place,
            reserved=reserved,
            held=held,
            priority=(debate.index, debate.round, agent),
            deadline=debate.ends,
            draw_index=debate.draw_index(request),
            shorten=(lambda times: debate.messages(agent, ready.exchange, times)) if place.step == 0 else None,
        )
        debate.account(answered)
        completion = answered.completion
        if completion is None or not (completion.tool_calls and debater.tools) or place.step == _MOST_TOOL_STEPS:
            break
        if answered.replayed is None:
            debate.caller.store.call(record_line(place._replace(role="tool"), debater, answered, request))
        request = await _with_tools(debate, debater, place, request, completion)
        place = place._replace(step=place.step + 1)
        reserved = None
        if not debate.caller.is_past(place):
            reserved = debate.caller.bound(debater, request.messages, request.tools)
            try:
                await debate.caller.ledger.reserve([reserved], held=held)
            except BudgetError as error:
                answered = Answered(completion=None, failure="budget", error=str(error), messages=request.messages)
                break
    return _said(debate, debater, place, request, answered, ready.exchange)


async def _with_tools(
    debate: Debate, debater: Debater, place: Place, request: Request, completion: Completion
) -> Request:
    """The request that goes on after the tools were called; results that the record holds are not made again."""
    by_name = {tool.name: tool for tool in debater.tools}
    messages: list[Message] = [*request.messages]
    messages.append({"role": "assistant", "content": completion.text or "", "tool_calls": list(completion.tool_calls)})
    for number, call in enumerate(completion.tool_calls):
        function = call.get("function") or {}
        name, arguments = str(function.get("name")), str(function.get("arguments") or "{}")
        key = (place, number)
        result = debate.caller.tool_results.pop(key, None)
        if result is None:
            tool = by_name.get(name)
            work = asyncio.ensure_future(_use(debate, tool, place, number, name, arguments))
            try:
                result = await asyncio.shield(work)
            except asyncio.CancelledError:
                # A plain function that has begun cannot be stopped: its result is kept, so that a resumed run does not call it again.
                if tool is not None and inspect.iscoroutinefunction(tool.function):
                    work.cancel()
                await asyncio.wait([work])
                raise
        messages.append({"role": "tool", "tool_call_id": str(call.get("id") or number), "content": result})
    return Request(messages=tuple(messages), settings=request.settings, context=request.context, tools=request.tools)


async def _use(debate: Debate, tool: Tool | None, place: Place, number: int, name: str, arguments: str) -> str:
    """The result of one tool call, in the record before anybody reads it."""
    result = f"error: there is no tool {name!r}" if tool is None else await tool.call(arguments)
    debate.caller.store.event(
        {"event": "tool_result", **place.line(), "number": number, "name": name, "result": result}
    )
    return result


def _said(
    debate: Debate,
    debater: Debater,
    place: Place,
    request: Request,
    answered: Answered,
    exchange: Exchange,
    **more: Any,
) -> Said:
    completion, agent = answered.completion, place.agent
    if completion is None:
        code = answered.failure or "failed"
        debate.failed.append((debater.name, place.round, code))
        if answered.replayed is None:
            debate.caller.store.call(record_line(place, debater, answered, request, answer=None, reason=code, **more))
        return Said(round=place.round, agent=agent, text=None, reason=code, failed=True)
    text = completion.text
    known = answered.replayed
    if known is not None and "reason" in known:
        span = known.get("span")
        said = Said(
            round=place.round,
            agent=agent,
            text=text,
            answer=known.get("answer"),
            reason=known.get("reason"),
            type=known.get("answer_type"),
            span=None if not span else (int(span[0]), int(span[1])),
            finish_reason=completion.finish_reason,
        )
    else:
        found = debate.read(text, completion.finish_reason)
        said = Said(
            round=place.round,
            agent=agent,
            text=text,
            answer=found.answer,
            reason=found.reason,
            type=found.type,
            span=found.span,
            finish_reason=completion.finish_reason,
        )
    said = as_document(debate, said)
    if known is None:
        found_there: dict[str, Any] = {
            **more,
            "answer": said.answer,
            "answer_type": said.type,
            "reason": said.reason,
            "span": said.span and list(said.span),
        }
        if said.document != "reply":
            found_there["document"] = said.document
        if said.problems:
            found_there["problems"] = list(said.problems)
        if not isinstance(debate.setup.protocol.schedule, Simultaneous):
            found_there["shown"] = [[one.round, one.agent] for one in exchange.shown]
        debate.caller.store.call(record_line(place, debater, answered, request, **found_there))
    debate.caller.emit(
        "reply", place, answer=said.answer, reason=said.reason, text=(text or "")[:500], replayed=known is not None
    )
    return said


async def _panel(debate: Debate, ready: Prepared, debater: Debater) -> Said:
    """The reply of a seat that is a debate; one that the record holds is not debated again."""
    place = ready.place
    if debate.caller.is_past(place):
        answered = await debate.caller.ask(debater, ready.request, place, reserved=ready.reserved)
        told = (answered.replayed or {}).get("inner") or {}
        usages = {f"inner_{role}": Usage.from_dict(one) for role, one in (told.get("usage_by_role") or {}).items()}
        debate.add_inner(amount_from_dict(told.get("taken")), usages)
        return _said(debate, debater, place, ready.request, answered, ready.exchange)
    answered, told = await play_inner(debate, ready)
    if answered.failure == AWAY_INSIDE:
        return Said(round=place.round, agent=ready.agent, text=None, reason=AWAY, failed=True)
    return _said(debate, debater, place, ready.request, answered, ready.exchange, inner=told)


async def _person(debate: Debate, ready: Prepared, debater: Debater) -> Said:
    assert debate.setup.person is not None
    async with debate.caller.person:  # debates that run beside each other ask one after another
        try:
            given: Any = debate.setup.person(debate.turn(ready.agent, ready.request.messages))
            text = await given if inspect.isawaitable(given) else given
        except EOFError:  # not recorded: the turn is still to come
            return Said(round=ready.place.round, agent=ready.agent, text=None, reason=AWAY, failed=True)
    completion = None if text is None else Completion(text=str(text), finish_reason="stop", usage=Usage())
    answered = Answered(
        completion=completion, failure=None if completion else "no_reply", messages=ready.request.messages
    )
    return _said(debate, debater, ready.place, ready.request, answered, ready.exchange)
