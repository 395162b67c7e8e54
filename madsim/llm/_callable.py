"""A user's own function as a model."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from madsim.llm._request import Completion, Request, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableModel:
    """A model that is a function, plain or ``async``.

    Attributes
    ----------
    function : takes the list of messages (dicts with ``role`` and ``content``) and returns the reply as a text or a
        :class:`Completion`; an exception means that no reply came. Raise :class:`ModelError` to say more (retry, bill).
        Plain functions run in threads of their own, so that several calls go on at once.
    takes : ``"messages"``, or ``"request"`` for the whole :class:`Request` with settings and context
    name : under which prices are looked up
    threads : most plain calls at once
    """

    function: Callable[[Any], Any]
    takes: Literal["messages", "request"] = "messages"
    name: str = "callable"
    threads: int = 64

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")
        if self.takes not in ("messages", "request"):
            raise ValueError(f"takes must be 'messages' or 'request', got {self.takes!r}")
        if isinstance(self.threads, bool) or not isinstance(self.threads, int) or self.threads < 1:
            raise ValueError(f"threads must be an integer of at least 1, got {self.threads!r}")

    def open(self) -> AbstractAsyncContextManager[Session]:
        """Threads for plain functions, gone at the end."""
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Session]:
        pool = ThreadPoolExecutor(max_workers=self.threads, thread_name_prefix="madsim model")
        try:
            yield _CallableSession(model=self, pool=pool)
        finally:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form for the record."""
        return {"kind": "callable", "name": self.name}


@dataclass(frozen=True, slots=True, kw_only=True)
class _CallableSession:
    model: CallableModel
    pool: ThreadPoolExecutor

    async def complete(self, request: Request) -> Completion:
        """The function's reply."""
        model = self.model
        argument: Any = request if model.takes == "request" else [dict(message) for message in request.messages]
        if inspect.iscoroutinefunction(model.function):
            reply = await model.function(argument)
        else:
            reply = await asyncio.get_running_loop().run_in_executor(self.pool, model.function, argument)
            if inspect.isawaitable(reply):
                reply = await reply
        if isinstance(reply, Completion):
            return reply
        if reply is not None and not isinstance(reply, str):
            raise TypeError(f"the function of model {model.name!r} must return text or a Completion, got {type(reply)}")
        return Completion(text=reply, model=model.name)
