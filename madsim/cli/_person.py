"""The person at the terminal who takes a seat: what is shown, and how the reply is read."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

from madsim.cli._runs import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from madsim.llm import Turn

_LOOK_EVERY = 0.05
"""Seconds between two looks at the keyboard; calls of other debates go on in between."""


class Person:
    """Asks on stderr and reads the reply from standard input, up to an empty line; calls of other debates go on meanwhile.

    The whole conversation is shown, and of a conversation that goes on from what was shown last only what is new.
    """

    def __init__(self) -> None:
        self._shown: tuple[Mapping[str, Any], ...] = ()
        self._gone = False
        self._unread = b""

    async def __call__(self, turn: Turn) -> str | None:
        """The reply, None where it is empty.

        Raises
        ------
        EOFError
            If standard input is at its end: nobody is there, neither for this turn nor for another.
        """
        if self._gone or sys.stdin is None:
            raise EOFError("standard input is at its end")
        name = "" if turn.agent is None else turn.panel[turn.agent]
        title = f"--- question {turn.sample.id}, round {turn.round}, {name}: your reply, then an empty line ---"
        print(f"\n{printable(title)}\n{printable(self._news(turn))}\n", file=sys.stderr, flush=True)
        lines: list[str] = []
        while line := await self._line():
            if not line.strip():
                break
            lines.append(line.rstrip("\r\n"))
        if not line:
            self._gone = True
            if not lines:
                raise EOFError("standard input is at its end")
        return "\n".join(lines) or None

    def _news(self, turn: Turn) -> str:
        messages, shown = turn.messages, self._shown
        goes_on = bool(shown) and messages[: len(shown)] == shown
        self._shown = messages
        fresh = messages[len(shown) :] if goes_on else messages
        if goes_on and fresh and fresh[0]["role"] == "assistant":  # the reply that was typed a moment ago
            fresh = fresh[1:]
        return _told(fresh) if fresh else turn.sample.question

    async def _line(self) -> str:
        """The next line with its end, empty at the end of the input."""
        descriptor = _pollable()
        if descriptor is None:
            return sys.stdin.readline()
        import asyncio

        while b"\n" not in self._unread:
            if not select.select([descriptor], [], [], 0)[0]:
                await asyncio.sleep(_LOOK_EVERY)
            elif read := os.read(descriptor, 65536):
                self._unread += read
            else:
                break
        line, end, self._unread = self._unread.partition(b"\n")
        return (line + end).decode(sys.stdin.encoding, "replace")


def _told(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages as a person reads them."""
    heads = {"system": "[your role]\n", "assistant": "[said before from this seat]\n"}
    return "\n\n".join(f"{heads.get(one['role'], '')}{one.get('content') or ''}" for one in messages)


def _pollable() -> int | None:
    """The descriptor of standard input where it can be asked whether something is there; None where reading has to wait."""
    try:
        descriptor = sys.stdin.fileno()
        select.select([descriptor], [], [], 0)
    except (OSError, ValueError):
        return None
    return descriptor
