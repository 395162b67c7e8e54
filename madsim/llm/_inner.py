"""A seat that is a debate of its own: its reply is what that debate comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from madsim.llm._budget import Budget
from madsim.llm._debater import Debater, check_panel
from madsim.llm._errors import MisuseError
from madsim.llm._request import Completion, Request, Session, Settings, always_open
from madsim.protocols import Custom, GroupChat, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerDebate:
    """A debate in the place of a model: ``Debater(name="Committee", model=InnerDebate(protocol=..., debaters=[...]))``.

    In each of the seat's turns the inner debate is played anew, from its own independent round 0, on the same question and on what the
    seat is shown of the outer debate. Its calls stand in the same record under a path (``"1.2"``: round 1, seat 2), are reserved before
    the outer round begins, and are never paid for twice.

    Attributes
    ----------
    protocol, debaters : of the inner debate; debaters may be debates themselves
    budget : caps of every single inner debate, within those of the run; one that is reached ends the inner debate with its best answer
    judge, summariser, moderator : who does these jobs, where the inner protocol has them
    name : of the seat's model in the record
    """

    protocol: Protocol
    debaters: tuple[Debater, ...]
    budget: Budget | None = None
    judge: Debater | None = None
    summariser: Debater | None = None
    moderator: Debater | None = None
    name: str = "inner debate"

    def __post_init__(self) -> None:
        object.__setattr__(self, "debaters", check_panel(self.debaters))
        if not isinstance(self.protocol, Protocol):
            raise TypeError(f"protocol must be a madsim.protocols.Protocol, got {self.protocol!r}")
        if isinstance(self.protocol.reduction, Custom):
            raise ValueError("an inner debate cannot be decided by a function: a record could not go on with it")
        if isinstance(self.protocol.schedule, GroupChat) and self.protocol.schedule.speaker == "function":
            raise ValueError("the speakers of an inner debate cannot be chosen by a function; use a moderator")
        if self.budget is not None and self.budget.max_seconds is not None:
            raise ValueError(
                "an inner debate has no clock of its own: cap calls, tokens or money, and time for the whole run"
            )

    @property
    def helpers(self) -> dict[str, Debater]:
        """Judge, summariser and moderator, as far as there are."""
        named = {"judge": self.judge, "summariser": self.summariser, "moderator": self.moderator}
        return {name: one for name, one in named.items() if one is not None}

    def open(self) -> AbstractAsyncContextManager[Session]:
        """Nothing to open: the engine opens the models of the inner debaters."""
        return always_open(self)

    async def complete(self, request: Request) -> Completion:
        """An inner debate is played by the engine, not asked.

        Raises
        ------
        MisuseError
            Always.
        """
        raise MisuseError(
            f"{self.name} is a debate: it can take a seat of a panel and nothing else ({request.context.role})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form for the record."""
        plain: dict[str, Any] = {
            "kind": "debate",
            "name": self.name,
            "protocol": self.protocol.to_dict(),
            "debaters": [one.to_dict() for one in self.debaters],
        }
        if self.budget is not None:
            plain["budget"] = {name: getattr(self.budget, name) for name in Budget.__slots__}
        return {**plain, **{name: one.to_dict() for name, one in self.helpers.items()}}


def leaves(debaters: Iterable[Debater]) -> tuple[Debater, ...]:
    """Everybody who is really asked: seats that are debates are replaced by their debaters and helpers."""
    found: list[Debater] = []
    for one in debaters:
        if isinstance(one.model, InnerDebate):
            found += leaves((*one.model.debaters, *one.model.helpers.values()))
        else:
            found.append(one)
    return tuple(found)


def spokesman(debater: Debater) -> Debater:
    """Who answers for a seat outside its turns: itself, or the first debater of its inner debate."""
    while isinstance(debater.model, InnerDebate):
        debater = debater.model.debaters[0]
    return debater


def check_seats(panel: Sequence[Debater], helpers: Iterable[Debater]) -> None:
    """Refuse what a seat that is a debate cannot have, and helpers that are debates.

    Raises
    ------
    ValueError
        With the name of the seat.
    """
    for one in helpers:
        if isinstance(one.model, InnerDebate):
            raise ValueError(f"{one.name} cannot be a debate: only seats of the panel can")
    for one in panel:
        if isinstance(one.model, InnerDebate) and (
            one.system is not None or one.tools or one.human != "never" or one.side or one.settings != Settings()
        ):
            raise ValueError(
                f"{one.name} is a debate: role, settings, tools, side and person belong to its inner debaters, not to the seat"
            )
