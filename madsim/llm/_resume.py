"""Go on with a run from its record: only the missing calls are made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from madsim._core.rng import Seed
from madsim.llm._budget import Budget, Ledger, check_budget
from madsim.llm._cache import ReplyCache
from madsim.llm._debater import Debater
from madsim.llm._door import run_sync
from madsim.llm._past import read_past
from madsim.llm._prices import Prices
from madsim.llm._reopen import setup_of
from madsim.llm._request import Model
from madsim.llm._retry import Retry
from madsim.llm._run import RunPlan, RunTotals, Watcher, drive
from madsim.llm._said import Said
from madsim.llm._setup import HumanFunction, ReduceFunction, SpeakerFunction
from madsim.transcripts import Record, Run, RunWriter, read_run


def resume(
    record: str | PathLike[str],
    debaters: Sequence[Debater] | None = None,
    *,
    models: Model | Mapping[str, Model] | None = None,
    judge: Debater | None = None,
    summariser: Debater | None = None,
    moderator: Debater | None = None,
    speaker: SpeakerFunction | None = None,
    reduce: ReduceFunction | None = None,
    person: HumanFunction | None = None,
    placebo: Mapping[str, tuple[Said, ...]] | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: Retry | None = None,
    cache: ReplyCache | None = None,
    retry_failed: bool = False,
    concurrency: int | None = None,
    on_event: Watcher | None = None,
) -> Run:
    """The whole run after its missing calls have been made; no finished call is paid for twice.

    A record without anything missing is read and returned. Calls that were in flight when the run was killed are made again; they may
    have been paid for, count as spent at their reservation, and their number is written to the record and shown in the notes.

    Parameters
    ----------
    record
        the record of the run
    debaters
        the panel as it was given to the run; needed where it has tools or models that a record cannot describe. None takes everything
        from the record.
    models
        one model for everybody, or one by debater name, where `debaters` is None; endpoints described in the record are opened again
        without it (keys come from the environment, never from the record)
    judge, summariser, moderator, speaker, reduce, person, placebo
        as for :func:`run_debates`, where the record alone does not tell
    budget
        new caps for the whole run, earlier spending included; None keeps the recorded ones
    prices
        needed where money is capped
    retry_failed
        ask again for replies that failed, in debates that ended without any answer
    concurrency, retry, cache, on_event
        as for :func:`run_debates`

    Raises
    ------
    ValueError
        If the record is held by another run, its debaters are not those that are given, or a model is missing.
    """
    options = dict(locals())
    for name in ("record", "debaters"):
        options.pop(name)
    return run_sync(lambda: resume_async(record, debaters, **options))


async def resume_async(record: str | PathLike[str], debaters: Sequence[Debater] | None = None, **options: Any) -> Run:
    """:func:`resume` for asynchronous code."""
    totals = await resume_record_async(record, debaters, **options)
    run = await asyncio.to_thread(read_run, Path(record))
    if totals.maybe_paid_twice:
        run.notes["maybe_paid_twice"] = totals.maybe_paid_twice
    return run


def resume_record(record: str | PathLike[str], debaters: Sequence[Debater] | None = None, **options: Any) -> RunTotals:
    """:func:`resume` without holding the replies in memory."""
    return run_sync(lambda: resume_record_async(record, debaters, **options))


async def resume_record_async(
    record: str | PathLike[str],
    debaters: Sequence[Debater] | None = None,
    *,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: Retry | None = None,
    cache: ReplyCache | None = None,
    retry_failed: bool = False,
    concurrency: int | None = None,
    on_event: Watcher | None = None,
    **people: Any,
) -> RunTotals:
    """:func:`resume_record` for asynchronous code."""
    writer, found = RunWriter.resume(Path(record))
    try:
        setup = setup_of(found, debaters, **people)
        caps = _caps(found) if budget is None else budget
        check_budget(caps, prices, setup.everybody)
        past = read_past(found, setup.protocol, retry_failed=retry_failed)
        ledger = Ledger(budget=caps)
        ledger.add_past(past.spent, past.usage)
        made = found.header.get("provenance")
        seed = Seed.from_hex((made.get("seed") if isinstance(made, dict) else None) or "0")
        writer.event({"event": "resumed", "torn_lines": found.notes["torn_lines"], "maybe_paid_twice": past.lost})
    except BaseException:
        writer.close()
        raise
    return await drive(
        RunPlan(
            setup=setup,
            jobs=past.jobs,
            open_store=lambda: writer,
            store=writer,
            seed=seed,
            ledger=ledger,
            prices=prices,
            retry=retry or Retry(),
            cache=cache,
            concurrency=int(concurrency or found.header.get("concurrency") or 8),
            on_event=on_event,
            past=past.calls,
            owed=past.owed,
            first_attempt=past.first_attempt,
            tool_results=past.tool_results,
            maybe_paid_twice=past.lost,
        )
    )


def _caps(record: Record) -> Budget:
    plain = record.header.get("budget") or {}
    return Budget(**{name: plain.get(name) for name in Budget.__slots__})
