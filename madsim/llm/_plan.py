"""What a run will take, before anything is sent: the real engine, played with replies of the expected length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from madsim._core.arrays import as_count
from madsim._core.html import Printed
from madsim.llm._budget import Amount
from madsim.llm._debater import Debater
from madsim.llm._documents import example_of, words_for
from madsim.llm._door import run_sync
from madsim.llm._inner import InnerDebate, leaves
from madsim.llm._prices import Prices
from madsim.llm._request import Completion, Request, Session, Usage, always_open
from madsim.llm._run import begin, check_samples, drive
from madsim.llm._setup import Turn
from madsim.protocols import Document, Protocol
from madsim.tasks import Sample

_BYTES_A_TOKEN = 4
_PLAYED = 50
_MOST_BYTES = 1_000_000_000  # a minute of playing
_USUAL_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Printed):
    """Calls, tokens and money of a run, as expected and at most.

    Attributes
    ----------
    debates : questions times epochs
    calls, input_tokens, output_tokens : expected, if no debate ends early and nobody fails
    cost : money as expected, None where a price is unknown
    most : what a budget would have to hold so that no round is refused; None where a debater has no longest reply (`max_tokens`)
    most_cost_known : whether the money in `most` counts everybody
    played : number of questions that were played; the others are taken to be like them
    """

    debates: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    most: Amount | None
    most_cost_known: bool
    played: int

    def __str__(self) -> str:
        money = "price unknown" if self.cost is None else f"cost {self.cost:.4g}"
        text = f"{self.calls} calls, {self.input_tokens} tokens in, {self.output_tokens} out, {money}"
        if self.most is None:
            return text
        bound = f", {self.most.cost:.4g} money" if self.most_cost_known else ""
        return f"{text}; at most {self.most.tokens} tokens{bound}"


def plan(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    prices: Prices | None = None,
    reply_tokens: int = 200,
    epochs: int = 1,
    **options: Any,
) -> Plan:
    """What :func:`run_debates` with the same arguments will take; nothing is sent.

    Parameters
    ----------
    reply_tokens
        expected length of a reply; a debater's own `max_tokens` caps it
    options
        judge, summariser, moderator, prompts and whatever else shapes the calls, as for :func:`run_debates`

    Raises
    ------
    ValueError, TypeError
        Whatever :func:`run_debates` would refuse.
    """
    questions = check_samples(samples)
    reply_tokens = as_count(reply_tokens, name="reply_tokens, the expected length of a reply,")
    epochs = as_count(epochs, name="epochs", minimum=1)
    for name in ("record", "budget", "cache", "rng", "on_event", "concurrency", "retry"):
        options.pop(name, None)
    size = _bytes_of_one(protocol, len(debaters), reply_tokens)
    if size > _MOST_BYTES:
        raise ValueError(
            f"one debate of {len(debaters)} agents over {protocol.rounds} rounds would send about {size:.1e} bytes, more than a plan plays "
            f"({_MOST_BYTES:.0e}); take fewer agents or rounds, or a smaller reply_tokens"
        )
    step = max(1, math.ceil(len(questions) / max(1, min(_PLAYED, _USUAL_BYTES // size))))
    shown = questions[::step]
    helpers = {name: options[name] for name in ("judge", "summariser", "moderator") if options.get(name) is not None}
    stand_ins = {name: _stand_in(one, reply_tokens, protocol) for name, one in helpers.items()}
    panel = [_stand_in(one, reply_tokens, protocol) for one in debaters]
    if any(one.human != "never" for one in leaves(panel)):
        options["person"] = _nobody
    ready = begin(protocol, panel, shown, record=None, prices=prices, rng=0, concurrency=1, **{**options, **stand_ins})
    most: list[Amount] = []
    ready.on_reserved = most.append
    totals = run_sync(lambda: drive(ready))
    factor = len(questions) * epochs / len(shown)
    everybody = leaves((*debaters, *helpers.values()))
    priced = prices is not None and all(prices.of(one.model.name) is not None for one in everybody)
    bounded = all(one.max_tokens is not None for one in everybody)
    bound = sum(most, Amount())
    return Plan(
        debates=len(questions) * epochs,
        calls=round(totals.spent.calls * factor),
        input_tokens=round(totals.usage.input * factor),
        output_tokens=round(totals.usage.output * factor),
        cost=totals.spent.cost * factor if priced else None,
        most=Amount(
            calls=round(bound.calls * factor), tokens=math.ceil(bound.tokens * factor), cost=bound.cost * factor
        )
        if bounded
        else None,
        most_cost_known=priced,
        played=len(shown),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _StandIn:
    """A model that replies at the expected length, everybody with an answer of its own so that nothing ends early."""

    name: str
    tokens: int
    documents: tuple[Document, ...] = ()

    def open(self) -> AbstractAsyncContextManager[Session]:
        return always_open(self)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "stand-in", "name": self.name}

    async def complete(self, request: Request) -> Completion:
        context = request.context
        letters = list(context.sample.choices or ())
        seats = [int(step.rpartition(".")[2]) for step in context.path.split("/")] if context.path else []
        place = max(context.agent, 0) + sum(seat * 1000**depth for depth, seat in enumerate(seats, start=1))
        answer = letters[place % len(letters)] if letters else str(place)
        end = f"\nFinal answer: {answer}"
        filler = "reason " * max(0, (self.tokens * _BYTES_A_TOKEN - len(end)) // 7)
        asked = str(request.messages[-1].get("content")) if request.messages else ""
        form = next((one for one in self.documents if words_for(one) in asked), None)
        text = filler + end if form is None else example_of(form, filler.strip())
        read = sum(len(str(message.get("content") or "").encode()) for message in request.messages)
        usage = Usage(input=math.ceil(read / _BYTES_A_TOKEN) + 4 * len(request.messages), output=self.tokens)
        return Completion(text=text, usage=usage)


def _bytes_of_one(protocol: Protocol, n_agents: int, reply_tokens: int) -> int:
    """About how much text one debate sends: every request repeats what its agent has read and written so far."""
    if not isinstance(protocol, Protocol):
        return 1  # refused with its name a little later
    graph, rounds = protocol.visibility.graph, protocol.rounds
    heard = n_agents if graph is None or isinstance(graph, tuple) else 1 + int(graph.degrees.max())
    return max(1, n_agents * heard * (reply_tokens + 20) * _BYTES_A_TOKEN * (1 + rounds + rounds * rounds // 2))


def _stand_in(debater: Debater, tokens: int, protocol: Protocol) -> Debater:
    inner = debater.model
    if isinstance(inner, InnerDebate):
        panel = tuple(_stand_in(one, tokens, inner.protocol) for one in inner.debaters)
        helpers = {name: _stand_in(one, tokens, inner.protocol) for name, one in inner.helpers.items()}
        return replace(debater, model=replace(inner, debaters=panel, **helpers))
    length = tokens if debater.max_tokens is None else min(tokens, debater.max_tokens)
    model = _StandIn(name=debater.model.name, tokens=length, documents=protocol.visibility.documents)
    return replace(debater, model=model, tools=())


def _nobody(turn: Turn) -> str:
    return f"Final answer: {turn.agent}"
