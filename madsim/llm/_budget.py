"""A cap on calls, tokens, money and time, reserved before every call and settled after it."""

from __future__ import annotations

import math
from asyncio import Future, get_running_loop
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from madsim._core.canonical import canonical_json
from madsim.llm._debater import Debater
from madsim.llm._errors import BudgetError
from madsim.llm._prices import Price, Prices
from madsim.llm._request import Message, Usage

_TEMPLATE = 32  # tokens that a chat template may put around one message
_ROUNDING = 1 + 1e-12  # sums of prices are floats: a cap of .3 must admit three calls of .1


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Caps for a whole run; None is no cap.

    Attributes
    ----------
    max_calls : calls to models, every attempt that may be billed counted
    max_tokens : input and output tokens together
    max_cost : money, in the currency of the prices
    max_seconds : time since the run began (or was resumed)
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_tokens", "max_cost", "max_seconds"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                raise ValueError(f"{name} must be a finite number of at least 0 or None, got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What a call may take or has taken: calls, tokens, money."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(calls=self.calls + other.calls, tokens=self.tokens + other.tokens, cost=self.cost + other.cost)

    def times(self, factor: int) -> Amount:
        """So many times as much."""
        return Amount(calls=self.calls * factor, tokens=self.tokens * factor, cost=self.cost * factor)

    def to_dict(self) -> dict[str, float]:
        """Plain JSON form."""
        return {"calls": self.calls, "tokens": self.tokens, "cost": self.cost}


def check_budget(budget: Budget | None, prices: Prices | None, debaters: Iterable[Debater]) -> None:
    """Refuse a cap that could not be kept: money without a price, tokens or money without a longest reply.

    Raises
    ------
    ValueError
        Before anything is sent.
    """
    if budget is None or (budget.max_cost is None and budget.max_tokens is None):
        return
    for debater in debaters:
        price = None if prices is None else prices.of(debater.model.name)
        if budget.max_cost is not None and price is None:
            raise ValueError(
                f"max_cost is set and the price of model {debater.model.name!r} is unknown: a cap with an unknown price caps "
                "nothing. Add the model to the prices, or cap tokens instead"
            )
        writes_for_money = budget.max_cost is not None and price is not None and price.output > 0
        if debater.max_tokens is None and (budget.max_tokens is not None or writes_for_money):
            raise ValueError(
                f"a cap on tokens or money needs a longest reply: set max_tokens of {debater.name!r} (on the command line: "
                "--reply-tokens), so that what a call may take is known before it is sent"
            )


@dataclass(slots=True)
class Ledger:
    """The running account of one run; all changes happen in one event loop."""

    budget: Budget = field(default_factory=Budget)
    spent: Amount = field(default_factory=Amount)
    reserved: Amount = field(default_factory=Amount)
    usage: Usage = field(default_factory=Usage)
    _waiting: list[Future[None]] = field(default_factory=list)
    _earmarked: dict[int, Amount] = field(default_factory=dict)

    @property
    def is_capped(self) -> bool:
        """Whether calls, tokens or money are capped."""
        return any(cap is not None for cap in (self.budget.max_calls, self.budget.max_tokens, self.budget.max_cost))

    async def admit(self, debate: int, expected: Amount) -> None:
        """Wait until a debate that may take `expected` fits beside those that are open, or until none is open.

        Debates that are open are so brought to their end before new ones use up what they need.
        """
        while self._earmarked:
            try:
                self._check(sum(self._earmarked.values(), expected), self.spent + self.reserved)
            except BudgetError:
                await self._change()
            else:
                break
        self.earmark(debate, expected)

    def earmark(self, debate: int, expected: Amount | None) -> None:
        """Note what an open debate may still take after its present round; None when it is over."""
        if not self.is_capped:
            return
        if expected is None:
            self._earmarked.pop(debate, None)
        else:
            self._earmarked[debate] = expected
        self._wake()

    async def reserve(self, amounts: Sequence[Amount], *, held: bool = False) -> None:
        """Set the sum aside, all of it or nothing, waiting for reservations of others that may come back.

        With `held` the caller holds a reservation itself and must not wait for it.

        Raises
        ------
        BudgetError
            If it does not fit; says which cap.
        """
        total = sum(amounts, Amount())
        self._check(total, self.spent)
        while True:
            try:
                self._check(total, self.spent + self.reserved)
            except BudgetError:
                if held or self.reserved.calls == 0:
                    raise
            else:
                self.reserved = self.reserved + total
                return
            await self._change()
            self._check(total, self.spent)

    async def _change(self) -> None:
        place: Future[None] = get_running_loop().create_future()
        self._waiting.append(place)
        await place

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for place in waiting:
            if not place.done():
                place.set_result(None)

    def _check(self, total: Amount, held: Amount) -> None:
        for name, cap, unit in (
            ("calls", self.budget.max_calls, "calls"),
            ("tokens", self.budget.max_tokens, "tokens"),
            ("cost", self.budget.max_cost, "money"),
        ):
            asked, there = getattr(total, name), getattr(held, name)
            if cap is not None and there + asked > cap * _ROUNDING:
                raise BudgetError(f"{asked:g} {unit} needed, {max(0.0, cap - there):g} left of {cap:g}")

    def release(self, amount: Amount) -> None:
        """Give back what was set aside and not needed."""
        self.reserved = _minus(self.reserved, amount)
        self._wake()

    def settle(self, reserved: Amount, taken: Amount, usage: Usage) -> None:
        """Replace a reservation by what was really taken."""
        self.spent = self.spent + taken
        self.usage = self.usage + usage
        self.release(reserved)

    def replayed(self, taken: Amount, usage: Usage) -> None:
        """Nothing: what an earlier part of the run took was entered as a whole (see `add_past`)."""

    def add_past(self, taken: Amount, usage: Usage) -> None:
        """Enter what an earlier part of the run took."""
        self.spent = self.spent + taken
        self.usage = self.usage + usage


def input_bound(messages: Iterable[Message], tools: Iterable[dict[str, object]] = ()) -> int:
    """Most tokens that messages can be: their UTF-8 bytes, and for each as much again as a chat template puts around it."""
    return sum(_size(message) for message in messages) + sum(_size_of_json(tool) for tool in tools)


def amount_bound(tokens_in: int, max_tokens: int | None, price: Price | None) -> Amount:
    """Most that one call can take."""
    bound = Usage(input=tokens_in, output=max_tokens or 0)
    return Amount(calls=1, tokens=bound.total, cost=0.0 if price is None else price.bound(bound))


def _size(message: Message) -> int:
    content = message.get("content")
    if len(message) == 2 and isinstance(content, str):
        return _TEMPLATE + len(content.encode("utf-8", "surrogatepass"))
    return _TEMPLATE + _size_of_json(message)


def _size_of_json(value: object) -> int:
    return len(canonical_json(value).encode("utf-8", "surrogatepass"))


def _minus(whole: Amount, part: Amount) -> Amount:
    cost = whole.cost - part.cost
    calls, tokens = whole.calls - part.calls, whole.tokens - part.tokens
    return Amount(calls=calls, tokens=tokens, cost=0.0 if not (calls or tokens) else max(0.0, cost))
