"""One call: replayed from the record, or taken from the cache, or paid for once; whatever happens stands in the record."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from madsim._core.rng import Seed
from madsim.llm._budget import Amount, Ledger, amount_bound, input_bound
from madsim.llm._cache import ReplyCache
from madsim.llm._debater import Debater
from madsim.llm._errors import BudgetError, MisuseError, ModelError
from madsim.llm._events import Event, EventKind
from madsim.llm._prices import Price, Prices
from madsim.llm._request import Completion, Context, Message, Model, Request, Session, Usage
from madsim.llm._retry import Gate, Retry
from madsim.llm._store import Store

_pause = asyncio.sleep
STOPS = frozenset({"budget", "quota"})
"""Failures that end a debate for want of means; a resumed run makes these calls again."""


class Place(NamedTuple):
    """Where a call belongs; with the attempt it is the key of the call.

    `path` says in which inner debate: ``"1.2"`` is that of seat 2 in round 1, ``"1.2/0.1"`` one within that; empty for the debate itself.
    """

    sample: str
    epoch: int
    round: int
    agent: int
    role: str
    step: int = 0
    path: str = ""

    def line(self) -> dict[str, Any]:
        """The key as it stands in a record: calls of an inner debate have a path, and roles of their own."""
        plain = self._asdict()
        path = plain.pop("path")
        return plain if not path else {**plain, "role": f"inner_{self.role}", "path": path}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a call: a completion, or the code of its failure.

    `amount` and `usage` are those of the last attempt, `before` and `usage_before` those of the attempts that went before it.
    """

    completion: Completion | None
    failure: str | None = None
    attempt: int = 0
    amount: Amount = field(default_factory=Amount)
    usage: Usage = field(default_factory=Usage)
    before: Amount = field(default_factory=Amount)
    usage_before: Usage = field(default_factory=Usage)
    replayed: dict[str, Any] | None = None
    cached: bool = False
    messages: tuple[Message, ...] = ()
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class CallerState:
    """What changes for all calls of a run, those of inner debates included.

    Attributes
    ----------
    broken_watchers : exceptions that the event callback raised
    exhausted : why the endpoint takes no more calls, None while it does
    """

    broken_watchers: int = 0
    exhausted: str | None = None


@dataclass(slots=True, kw_only=True)
class Caller:
    """Everything that the calls of one run share."""

    store: Store
    ledger: Ledger
    retry: Retry
    seed: Seed
    sessions: dict[int, Session]
    gates: dict[int, Gate]
    total: Gate
    prices: Prices | None = None
    cache: ReplyCache | None = None
    on_event: Callable[[Event], Any] | None = None
    deadline: float | None = None
    past: dict[Place, dict[str, Any]] = field(default_factory=dict)
    owed: dict[Place, tuple[Amount, Usage]] = field(default_factory=dict)
    first_attempt: dict[Place, int] = field(default_factory=dict)
    draw: random.Random = field(default_factory=random.Random)
    price_of: dict[str, Price | None] = field(default_factory=dict)
    tool_results: dict[tuple[Place, int], str] = field(default_factory=dict)
    on_reserved: Callable[[Amount], Any] | None = None
    state: CallerState = field(default_factory=lambda: CallerState())
    person: asyncio.Lock = field(default_factory=asyncio.Lock)

    def within(self, ledger: Ledger) -> Caller:
        """The same caller with an account within its own, for an inner debate."""
        return replace(self, ledger=ledger)

    def is_closed(self) -> bool:
        """Whether the run's time or the endpoint's quota is over."""
        return self.state.exhausted is not None or self.is_over()

    def check_open(self) -> None:
        """Refuse a new round where the run's time or the endpoint's quota is over.

        Raises
        ------
        BudgetError
            If so.
        """
        if self.state.exhausted is not None:
            raise BudgetError(self.state.exhausted)
        if self.is_over():
            raise BudgetError("the time for the run is over")

    def is_over(self) -> bool:
        """Whether the run's time is over."""
        return self.deadline is not None and asyncio.get_running_loop().time() >= self.deadline

    def emit(self, kind: EventKind, place: Place | None = None, /, **data: Any) -> None:
        """Tell the watcher; what a watcher raises never reaches the run and is counted."""
        if self.on_event is None:
            return
        where = {} if place is None else {"sample": place.sample, "epoch": place.epoch, "round": place.round}
        agent = None if place is None or place.role != "debater" else place.agent
        try:
            path = "" if place is None else place.path
            self.on_event(Event(kind=kind, agent=agent, path=path, data=data, **where))
        except Exception:  # watching never changes the run
            self.state.broken_watchers += 1

    def bound(self, debater: Debater, messages: tuple[Message, ...], tools: tuple[dict[str, Any], ...] = ()) -> Amount:
        """Most that one call of `debater` with these messages can take."""
        return amount_bound(input_bound(messages, tools), debater.max_tokens, self._price(debater.model))

    def bound_of_tokens(self, debater: Debater, tokens: int) -> Amount:
        """What further `tokens` of input can take, without a call of their own."""
        price = self._price(debater.model)
        dearest = 0.0 if price is None else max(price.input, price.cached or 0.0)
        return Amount(tokens=tokens, cost=tokens * dearest)

    def is_past(self, place: Place) -> bool:
        """Whether the record already holds this call."""
        return place in self.past

    def request(self, debater: Debater, messages: tuple[Message, ...], context: Context, place: Place) -> Request:
        """The request of a call, a derived seed filled in."""
        settings = debater.settings
        if settings.seed == "derived":
            settings = replace(settings, seed=self._derived_seed(place))
        tools = tuple(tool.schema() for tool in debater.tools)
        return Request(messages=messages, settings=settings, context=context, tools=tools)

    async def ask(
        self,
        debater: Debater,
        request: Request,
        place: Place,
        *,
        reserved: Amount | None,
        held: bool = False,
        priority: tuple[int, ...] = (),
        deadline: float | None = None,
        draw_index: int = 0,
        shorten: Callable[[int], tuple[Message, ...]] | None = None,
    ) -> Answered:
        """The outcome of one call.

        Parameters
        ----------
        reserved
            what the caller has set aside for it; None makes the call reserve for itself
        held
            whether the caller keeps further reservations meanwhile, so that waiting for others could wait for ever
        deadline
            event-loop time at which the round ends
        shorten
            messages for a context that is too small, from the n-th attempt at it

        Raises
        ------
        BudgetError
            Only where nothing was set aside and nothing can be.
        """
        owed, owed_usage = self.owed.pop(place, (Amount(), Usage()))
        past = self.past.pop(place, None)
        if past is not None:
            if reserved is not None:
                self.ledger.release(reserved)
            replay = replace(_replay(past), before=owed, usage_before=owed_usage)
            self.ledger.replayed(replay.amount + owed, replay.usage + owed_usage)
            return replay
        hit = None if self.cache is None else self.cache.get(debater.model, request, place, draw_index)
        if hit is not None:
            if reserved is not None:
                self.ledger.release(reserved)
            return Answered(completion=hit, cached=True, messages=request.messages)
        if reserved is None:
            reserved = self.bound(debater, request.messages, request.tools)
            await self.ledger.reserve([reserved], held=held)
        ends = min((moment for moment in (deadline, self.deadline) if moment is not None), default=None)
        answered = await self._attempts(debater, request, place, reserved, held, priority, ends, shorten)
        if self.cache is not None and answered.completion is not None:
            self.cache.put(debater.model, request, place, draw_index, answered.completion)
        if owed.calls:
            return replace(answered, before=answered.before + owed, usage_before=answered.usage_before + owed_usage)
        return answered

    async def _attempts(
        self,
        debater: Debater,
        request: Request,
        place: Place,
        reserved: Amount | None,
        held: bool,
        priority: tuple[int, ...],
        ends: float | None,
        shorten: Callable[[int], tuple[Message, ...]] | None,
    ) -> Answered:
        attempt = first = self.first_attempt.get(place, 0)
        shortened = 0
        taken, usage = Amount(), Usage()
        amount, read = Amount(), Usage()
        while True:
            if reserved is None:
                reserved = self.bound(debater, request.messages, request.tools)
                try:
                    await self.ledger.reserve([reserved], held=held)
                except BudgetError as error:
                    self.emit("failure", place, code="budget", attempt=attempt)
                    return Answered(
                        completion=None,
                        failure="budget",
                        attempt=attempt,
                        before=taken,
                        usage_before=usage,
                        messages=request.messages,
                        error=str(error),
                    )
            outcome: Answered | tuple[ModelError, Amount, Usage]
            if ends is not None and asyncio.get_running_loop().time() >= ends:
                outcome = ModelError("timeout", "no time is left"), Amount(), Usage()
            else:
                outcome = await self._once(debater, request, place, attempt, reserved, priority, ends)
            if isinstance(outcome, Answered):
                return replace(outcome, before=taken, usage_before=usage)
            error, amount, read = outcome
            wait = self.retry.wait(error, attempt - first, self.draw)
            if error.code == "context_overflow" and shorten is not None and shortened < 6:
                shortened += 1
                request = replace(request, messages=shorten(shortened))
                wait = 0.0
            late = wait is not None and ends is not None and asyncio.get_running_loop().time() + wait >= ends
            if wait is None or late:
                if error.billed == "no":
                    self.ledger.release(reserved)
                code = "budget" if self.is_over() else "timeout" if late else error.code
                if code == "quota":
                    self.state.exhausted = "the quota of the endpoint is used up"
                self.emit("failure", place, code=code, attempt=attempt)
                return Answered(
                    completion=None,
                    failure=code,
                    attempt=attempt,
                    amount=amount,
                    usage=read,
                    before=taken,
                    usage_before=usage,
                    messages=request.messages,
                    error=str(error),
                )
            taken, usage = taken + amount, usage + read
            self.store.event(
                {
                    "event": "retry",
                    **place.line(),
                    "attempt": attempt,
                    "code": error.code,
                    "billed": error.billed,
                    "taken": amount.to_dict(),
                    "usage": read.to_dict(),
                    "wait": round(wait, 3),
                }
            )
            self.emit("retry", place, attempt=attempt, code=error.code, wait=wait)
            if error.billed != "no":
                reserved = None
            elif shortened:
                self.ledger.release(reserved)
                reserved = None
            attempt += 1
            try:
                await _pause(wait)
            except BaseException:
                if reserved is not None:
                    self.ledger.release(reserved)
                raise

    async def _once(
        self,
        debater: Debater,
        request: Request,
        place: Place,
        attempt: int,
        reserved: Amount,
        priority: tuple[int, ...],
        ends: float | None,
    ) -> Answered | tuple[ModelError, Amount, Usage]:
        """One attempt: an answer, or the error with what it is taken to have cost (its reservation is then settled, unless it was
        refused unbilled)."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        key = id(debater.model)
        gate = self.gates[key]
        started = False
        try:
            async with asyncio.timeout_at(ends), gate.slot(priority), self.total.slot(priority):
                begun = loop.time()
                self.store.event(
                    {"event": "call_started", **place.line(), "attempt": attempt, "reserved": reserved.to_dict()}
                )
                started = True
                if self.on_reserved is not None:
                    self.on_reserved(reserved)
                self.emit("call_started", place, attempt=attempt)
                completion = await self._reply(debater, self.sessions[key], request)
        except ModelError as error:
            if error.code == "429":
                gate.too_many(begun)
            return error, *self._bill(debater, error, reserved)
        except TimeoutError:
            error = ModelError("timeout", "no reply in time", retryable=True, billed="maybe" if started else "no")
            return error, *self._bill(debater, error, reserved)
        except BaseException:
            if started:  # given up on the wire: it may be paid for
                self.ledger.settle(reserved, reserved, Usage())
            else:
                self.ledger.release(reserved)
            raise
        gate.went_well()
        usage = completion.usage
        amount = reserved if usage is None else self._amount(debater, usage)
        self.ledger.settle(reserved, amount, usage or Usage())
        return Answered(
            completion=completion, attempt=attempt, amount=amount, usage=usage or Usage(), messages=request.messages
        )

    async def _reply(self, debater: Debater, session: Session, request: Request) -> Completion:
        """The reply in time; whatever a model raises is its debater's failure, not the run's."""
        try:
            async with asyncio.timeout(debater.timeout):
                return await session.complete(request)
        except (ModelError, MisuseError, TimeoutError):
            raise
        except Exception as caught:
            raise ModelError(type(caught).__name__, str(caught), billed="maybe") from caught

    def _bill(self, debater: Debater, error: ModelError, reserved: Amount) -> tuple[Amount, Usage]:
        if error.billed == "no":
            return Amount(), Usage()
        amount = reserved if error.usage is None else self._amount(debater, error.usage)
        self.ledger.settle(reserved, amount, error.usage or Usage())
        return amount, error.usage or Usage()

    def _amount(self, debater: Debater, usage: Usage) -> Amount:
        price = self._price(debater.model)
        return Amount(calls=1, tokens=usage.total, cost=0.0 if price is None else price.cost(usage))

    def _price(self, model: Model) -> Price | None:
        if model.name not in self.price_of:
            self.price_of[model.name] = None if self.prices is None else self.prices.of(model.name)
        return self.price_of[model.name]

    def _derived_seed(self, place: Place) -> int:
        parts = place if place.path else place[:-1]
        text = f"{self.seed.hex}/{'/'.join(str(part) for part in parts)}"
        return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:4], "big") >> 1


def record_line(place: Place, debater: Debater, answered: Answered, request: Request, **more: Any) -> dict[str, Any]:
    """The ``call`` line of a finished call."""
    completion = answered.completion
    line: dict[str, Any] = {
        **place.line(),
        "attempt": answered.attempt,
        "name": debater.name,
        "messages": list(answered.messages),
        "reply": None if completion is None else completion.text,
        "finish_reason": None if completion is None else completion.finish_reason,
        "usage": answered.usage.to_dict() if completion is None or completion.usage is not None else None,
        "taken": answered.amount.to_dict(),
        "cost": answered.amount.cost,
        "time": round(time.time(), 3),
        **more,
    }
    if request.settings.seed is not None:
        line["seed"] = request.settings.seed
    if completion is not None and completion.logprobs is not None:
        line["logprobs"] = completion.logprobs
    if completion is not None and completion.tool_calls:
        line["tool_calls"] = list(completion.tool_calls)
    if completion is not None and completion.model not in (None, debater.model.name):
        line["model"] = completion.model
    if answered.cached:
        line["cached"] = True
    if completion is None:
        line["failed"] = True
        line["error"] = answered.failure
        line["detail"] = answered.error
    return line


def amount_from_dict(plain: Any) -> Amount:
    """Read back what a record holds of an amount; what is missing is 0."""
    plain = plain if isinstance(plain, dict) else {}
    return Amount(
        calls=int(plain.get("calls") or 0), tokens=int(plain.get("tokens") or 0), cost=float(plain.get("cost") or 0.0)
    )


def _replay(line: dict[str, Any]) -> Answered:
    usage = line.get("usage")
    known = Usage.from_dict(usage) if isinstance(usage, dict) else None
    completion = None
    if not line.get("failed"):
        completion = Completion(
            text=line.get("reply"),
            finish_reason=line.get("finish_reason"),
            usage=known,
            logprobs=line.get("logprobs"),
            tool_calls=tuple(line.get("tool_calls") or ()),
            model=line.get("model"),
        )
    return Answered(
        completion=completion,
        failure=str(line.get("error")) if line.get("failed") else None,
        attempt=int(line.get("attempt") or 0),
        amount=amount_from_dict(line.get("taken")),
        usage=known or Usage(),
        replayed=line,
        error=line.get("detail"),
    )
