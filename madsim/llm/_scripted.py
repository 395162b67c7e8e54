"""Fixed replies and failures: for examples, tests and dry runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from madsim.llm._errors import MisuseError, ModelError
from madsim.llm._request import Completion, Request, Session, Usage, always_open


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """A model that says what its script says.

    Attributes
    ----------
    replies : one reply a turn: a text, a :class:`Completion`, or a failure written ``"!500"`` or ``"!timeout"`` (final, as if its
        retries were used up). One sequence serves a debater, who takes the entry of its own turn. A sequence of sequences serves a
        panel: agent 0 reads the first row. A function of the :class:`Request` gives replies in the same forms.
    usage : tokens that every reply reports, None for models that do not say
    name : under which prices are looked up

    A script that is too short ends the run with a :class:`MisuseError`.

    Examples
    --------
    >>> from madsim.llm import Debater, run_debates
    >>> from madsim.protocols import Protocol
    >>> from madsim.tasks import Sample
    >>> rows = [["Final answer: 7", "Final answer: 8"], ["Final answer: 8", "!timeout"]]
    >>> panel = [Debater(name=name, model=ScriptedModel(replies=rows)) for name in ("Ann", "Ben")]
    >>> run = run_debates(Protocol(rounds=1), panel, [Sample(id="q", question="7 or 8?", answer_type="number")])
    >>> run.transcripts[0].outcome["answer"], run.transcripts[0].outcome["failed"]
    ('8', [['Ben', 1, 'timeout']])
    """

    replies: Sequence[Any] | Callable[[Request], Any]
    usage: Usage | None = None
    name: str = "scripted"

    def open(self) -> AbstractAsyncContextManager[Session]:
        """Nothing needs opening."""
        return always_open(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form for the record; the script itself is not part of it."""
        return {"kind": "scripted", "name": self.name}

    async def complete(self, request: Request) -> Completion:
        """The script's entry for this call."""
        entry = self._entry(request)
        if isinstance(entry, str) and entry.startswith("!"):
            raise ModelError(entry[1:], "scripted failure")
        if isinstance(entry, Completion):
            return entry
        return Completion(text=entry, usage=self.usage, model=self.name)

    def _entry(self, request: Request) -> Any:
        if callable(self.replies):
            return self.replies(request)
        context = request.context
        row = self.replies
        panel = bool(row) and all(isinstance(one, (list, tuple)) for one in row)
        if panel:
            row = row[max(context.agent, 0)]
        if context.turn >= len(row):
            raise MisuseError(
                f"the script has {len(row)} replies; turn {context.turn} of {context.role} {context.agent} has none"
            )
        return row[context.turn]
