"""The part of a run's budget that one inner debate draws from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from madsim.llm._budget import Amount, Ledger
from madsim.llm._errors import BudgetError
from madsim.llm._request import Usage


@dataclass(slots=True)
class CarvedLedger(Ledger):
    """An account within another one: everything that is reserved or settled here is so there as well.

    Attributes
    ----------
    parent : the account of the debate around this one
    held : what the parent has set aside for this debate and it has not used yet
    refused : whether the parent refused something, so that the end of this debate is the run's and not its own
    """

    parent: Ledger = field(default_factory=Ledger)
    held: Amount = field(default_factory=Amount)
    refused: bool = False

    async def reserve(self, amounts: Sequence[Amount], *, held: bool = False) -> None:
        """Set the sum aside here and in the parent, first from what the parent holds for this debate.

        Raises
        ------
        BudgetError
            If it does not fit here or there.
        """
        total = sum(amounts, Amount())
        await Ledger.reserve(self, [total], held=held)
        part = _least(self.held, total)
        self.held = _less(self.held, part)
        try:  # the debate around this one holds reservations of its own, so nothing can be waited for
            await self.parent.reserve([_less(total, part)], held=True)
        except BaseException as error:
            self.refused = self.refused or isinstance(error, BudgetError)
            self.held = self.held + part
            Ledger.release(self, total)
            raise

    def release(self, amount: Amount) -> None:
        """Give back what was set aside and not needed."""
        Ledger.release(self, amount)
        self.parent.release(amount)

    def settle(self, reserved: Amount, taken: Amount, usage: Usage) -> None:
        """Replace a reservation by what was really taken."""
        self.spent = self.spent + taken
        self.usage = self.usage + usage
        Ledger.release(self, reserved)
        self.parent.settle(reserved, taken, usage)

    def replayed(self, taken: Amount, usage: Usage) -> None:
        """Count a call of an earlier part of the run against this debate's caps; the run has counted it already."""
        self.spent = self.spent + taken
        self.usage = self.usage + usage

    def earmark(self, debate: int, expected: Amount | None) -> None:
        """Nothing: the debate around this one has noted what it may take."""

    def close(self) -> None:
        """Give back what was held and not used."""
        self.parent.release(self.held)
        self.held = Amount()


def _least(one: Amount, other: Amount) -> Amount:
    return Amount(
        calls=min(one.calls, other.calls), tokens=min(one.tokens, other.tokens), cost=min(one.cost, other.cost)
    )


def _less(whole: Amount, part: Amount) -> Amount:
    return Amount(
        calls=whole.calls - part.calls, tokens=whole.tokens - part.tokens, cost=max(0.0, whole.cost - part.cost)
    )
