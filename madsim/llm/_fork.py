"""Play saved debates again from one of their rounds on: what else could have happened."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from madsim.llm._call import Place
from madsim.llm._debater import Debater
from madsim.llm._door import run_sync
from madsim.llm._run import begin, drive, run_of_plan
from madsim.llm._store import Store
from madsim.protocols import protocol_from_dict
from madsim.transcripts import Run


def fork(
    run: Run,
    after_round: int,
    debaters: Sequence[Debater],
    *,
    copies: int = 1,
    record: str | PathLike[str] | None = None,
    **options: Any,
) -> Run:
    """The debates of `run` up to `after_round` as they were, and all later rounds anew, `copies` times.

    The variance between copies is that of the rounds after the fork alone. Takes the options of :func:`run_debates`; saved replies
    stand in the new record as calls that cost nothing. Simulated panels need a seed of their own (another `rng`), or they say the same.

    Parameters
    ----------
    run
        debates with the replies' texts and their protocol
    after_round
        last round that is kept, 0 for the independent answers alone
    debaters
        who goes on; names as in the run

    Raises
    ------
    ValueError
        If the run does not tell its protocol, names other agents, or has no such round.
    """
    if run.protocol is None:
        raise ValueError("this run does not tell its protocol; only own runs can be forked")
    if tuple(debater.name for debater in debaters) != run.agents:
        raise ValueError(f"the run's agents are {', '.join(run.agents)}; give debaters of these names")
    protocol = protocol_from_dict(run.protocol)
    if isinstance(after_round, bool) or not isinstance(after_round, int) or not 0 <= after_round < protocol.rounds:
        raise ValueError(f"after_round must be an integer from 0 to {protocol.rounds - 1}, got {after_round!r}")
    saved = [one for one in run.transcripts if one.epoch == 0]
    plan = begin(protocol, debaters, [one.sample for one in saved], record=record, epochs=copies, **options)
    for copy in range(copies):
        for one in saved:
            for reply in one.replies:
                if reply.round <= after_round:
                    place = Place(one.sample.id, copy, reply.round, reply.agent, "debater")
                    plan.past[place] = {
                        **place.line(),
                        "attempt": 0,
                        "messages": [],
                        "reply": reply.text,
                        "finish_reason": reply.finish_reason,
                        "answer": reply.answer,
                        "reason": reply.reason,
                        "span": None if reply.span is None else list(reply.span),
                        "saved": True,
                        **({"failed": True, "error": reply.reason} if reply.failed else {}),
                    }
    lines, opened = list(plan.past.values()), plan.open_store

    def open_store() -> Store:
        store = opened()
        for line in lines:
            store.call(line)
        return store

    plan.open_store = open_store
    run_sync(lambda: drive(plan))
    return run_of_plan(plan, None if record is None else Path(record))
