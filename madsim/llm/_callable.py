"""A user's own function as a model."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal

from madsim.llm._request import Completion, Request, Session, always_open


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableModel:
    """A model that is a function, plain or ``async``.

    Attributes
    ----------
    function : takes the list of messages (dicts with ``role`` and ``content``) and returns the reply as a text or a
        :class:`Completion`; an exception means that no reply came. Raise :class:`ModelError` to say more (retry, bill).
        Plain functions run in a worker thread, several at once.
    takes : ``"messages"``, or ``"request"`` for the whole :class:`Request` with settings and context
    name : under which prices are looked up
    """

    function: Callable[[Any], Any]
    takes: Literal["messages", "request"] = "messages"
    name: str = "callable"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")
        if self.takes not in ("messages", "request"):
            raise ValueError(f"takes must be 'messages' or 'request', got {self.takes!r}")

    def open(self) -> AbstractAsyncContextManager[Session]:
        """Nothing needs opening."""
        return always_open(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form for the record."""
        return {"kind": "callable", "name": self.name}

    async def complete(self, request: Request) -> Completion:
        """The function's reply."""
        argument: Any = request if self.takes == "request" else [dict(message) for message in request.messages]
        if inspect.iscoroutinefunction(self.function):
            reply = await self.function(argument)
        else:
            reply = await asyncio.to_thread(self.function, argument)
            if inspect.isawaitable(reply):
                reply = await reply
        if isinstance(reply, Completion):
            return reply
        if reply is not None and not isinstance(reply, str):
            raise TypeError(f"the function of model {self.name!r} must return text or a Completion, got {type(reply)}")
        return Completion(text=reply, model=self.name)
