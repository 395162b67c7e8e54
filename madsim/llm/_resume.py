"""Go on with a run from its record: only the missing calls are made."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from madsim._core.rng import Seed
from madsim.llm._budget import Amount, Budget, Ledger, check_budget
from madsim.llm._cache import ReplyCache
from madsim.llm._call import Place, amount_from_dict
from madsim.llm._debater import Debater
from madsim.llm._door import run_sync
from madsim.llm._openai import OpenAIModel
from madsim.llm._outcome import UNFINISHED
from madsim.llm._prices import Prices
from madsim.llm._prompts import Prompts
from madsim.llm._request import Model, Usage
from madsim.llm._retry import Retry
from madsim.llm._run import Job, RunPlan, RunTotals, Watcher, drive
from madsim.llm._said import Said
from madsim.llm._setup import HumanFunction, ReduceFunction, Setup, SpeakerFunction
from madsim.protocols import Protocol, protocol_from_dict
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
        seed = Seed.from_hex((found.header.get("provenance") or {}).get("seed") or "0")
        writer.event({"event": "resumed", "torn_lines": found.notes["torn_lines"], "maybe_paid_twice": past.lost})
    except BaseException:
        writer.close()
        raise
    return await drive(
        RunPlan(
            setup=setup,
            jobs=past.jobs,
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


@dataclass(slots=True, kw_only=True)
class Past:
    """What a record says about the calls that were made.

    Attributes
    ----------
    jobs : debates that are not over
    calls : finished calls of these debates
    owed : what failed attempts and lost calls took, by call of these debates
    spent, usage : what everything took so far
    lost : calls begun and never finished
    first_attempt : number of the next attempt, where a failed call is made again
    tool_results : results of tools, by call and number
    """

    jobs: list[Job] = field(default_factory=list)
    calls: dict[Place, dict[str, Any]] = field(default_factory=dict)
    owed: dict[Place, tuple[Amount, Usage]] = field(default_factory=dict)
    spent: Amount = field(default_factory=Amount)
    usage: Usage = field(default_factory=Usage)
    lost: int = 0
    first_attempt: dict[Place, int] = field(default_factory=dict)
    tool_results: dict[tuple[Place, int], str] = field(default_factory=dict)


def read_past(record: Record, protocol: Protocol, *, retry_failed: bool = False) -> Past:
    """What is done, what is missing and what was spent."""
    past = Past()
    grants = [event for event in record.events if event.get("event") == "grant"]
    granted = sum(int(event.get("rounds") or 0) for event in grants)
    comments: dict[int, str] = {}
    first = protocol.rounds + 1
    for event in grants:
        if event.get("comment"):
            comments[first] = str(event["comment"])
        first += int(event.get("rounds") or 0)
    again: set[tuple[str, int]] = set()
    open_debates: set[tuple[str, int]] = set()
    pairs = [(s, epoch) for epoch in range(int(record.header.get("epochs") or 1)) for s in record.samples.values()]
    for index, (sample, epoch) in enumerate(pairs):
        outcome = record.outcomes.get((sample.id, epoch))
        rounds = protocol.rounds + granted
        status = None if outcome is None else outcome.get("status")
        if status == "failed" and retry_failed:
            again.add((sample.id, epoch))
        elif outcome is not None and _is_over(outcome, rounds):
            continue
        open_debates.add((sample.id, epoch))
        past.jobs.append(Job(index=index, sample=sample, epoch=epoch, rounds=rounds, comments=comments))
    _read_calls(record, past, open_debates, again)
    return past


def _is_over(outcome: Mapping[str, Any], rounds: int) -> bool:
    if outcome.get("status") == "paused":  # until rounds are granted
        return (outcome.get("stopped_after_round") or 0) >= rounds
    return outcome.get("status") not in UNFINISHED


def _read_calls(record: Record, past: Past, open_debates: set[tuple[str, int]], again: set[tuple[str, int]]) -> None:
    begun: Counter[tuple[Place, int]] = Counter()
    reserved: dict[tuple[Place, int], Amount] = {}
    owed: defaultdict[Place, list[tuple[Amount, Usage]]] = defaultdict(list)
    for event in record.events:
        kind = event.get("event")
        if kind not in ("call_started", "retry", "tool_result"):
            continue
        place, attempt = place_of(event), int(event.get("attempt") or 0)
        if kind == "call_started":
            begun[place, attempt] += 1
            reserved[place, attempt] = amount_from_dict(event.get("reserved"))
        elif kind == "retry":
            begun[place, attempt] -= 1
            owed[place].append((amount_from_dict(event.get("taken")), Usage.from_dict(event.get("usage") or {})))
        elif isinstance(event.get("number"), int):
            past.tool_results[place, event["number"]] = str(event.get("result"))
    for call in record.calls:
        place, attempt = place_of(call), int(call.get("attempt") or 0)
        begun[place, attempt] -= 1
        taken = amount_from_dict(call.get("taken")), Usage.from_dict(call.get("usage") or {})
        debate = (place.sample, place.epoch)
        if debate in open_debates and call.get("failed") and (debate in again or call.get("error") == "budget"):
            past.first_attempt[place] = attempt + 1
            owed[place].append(taken)
            continue
        past.spent, past.usage = past.spent + taken[0], past.usage + taken[1]
        if debate in open_debates:
            past.calls[place] = call
    for (place, attempt), count in begun.items():
        if count > 0:
            past.lost += count
            owed[place] += [(reserved[place, attempt], Usage())] * count
    for place, amounts in owed.items():
        total, usage = sum((one for one, _ in amounts), Amount()), sum((one for _, one in amounts), Usage())
        past.spent, past.usage = past.spent + total, past.usage + usage
        if (place.sample, place.epoch) in open_debates:
            past.owed[place] = (total, usage)


def place_of(line: Mapping[str, Any]) -> Place:
    """Where a line of a record belongs; a call that asked for tools is a step of its debater's turn."""
    role = str(line.get("role") or "debater")
    return Place(
        str(line["sample"]),
        int(line.get("epoch") or 0),
        int(line.get("round") or 0),
        int(line.get("agent") or 0),
        "debater" if role == "tool" else role,
        int(line.get("step") or 0),
    )


def setup_of(
    record: Record,
    debaters: Sequence[Debater] | None,
    *,
    models: Model | Mapping[str, Model] | None = None,
    judge: Debater | None = None,
    summariser: Debater | None = None,
    moderator: Debater | None = None,
    speaker: SpeakerFunction | None = None,
    reduce: ReduceFunction | None = None,
    person: HumanFunction | None = None,
    placebo: Mapping[str, tuple[Said, ...]] | None = None,
) -> Setup:
    """The run's setup from its header and from what a header cannot hold.

    Raises
    ------
    ValueError
        If the record is not of such a run, a model is missing, or the given debaters are not the recorded ones.
    """
    header = record.header
    described = header.get("debaters")
    if not isinstance(header.get("protocol"), dict) or not isinstance(described, list) or not described:
        raise ValueError(
            "this record does not describe protocol and debaters: it was imported or simulated, not run here"
        )
    if debaters is None:
        panel = tuple(_debater(one, models) for one in described)
    else:
        panel = tuple(debaters)
        _check_same(panel, described)
    if header.get("placebo") and placebo is None:
        raise ValueError("this run showed the words of another debate: give placebo= again")
    helpers: dict[str, Debater | None] = {"judge": judge, "summariser": summariser, "moderator": moderator}
    for name, given in helpers.items():
        if given is None and isinstance(header.get(name), dict):
            helpers[name] = _debater(header[name], models)
    return Setup(
        protocol=protocol_from_dict(header["protocol"]),
        panel=panel,
        prompts=Prompts(**(header.get("prompts") or {})),
        speaker=speaker,
        reduce=reduce,
        person=person,
        steer={int(round): str(text) for round, text in (header.get("steer") or {}).items()},
        pause=bool(header.get("pause")),
        round_timeout=header.get("round_timeout"),
        placebo=placebo,
        **helpers,
    )


def _debater(described: Mapping[str, Any], models: Model | Mapping[str, Model] | None) -> Debater:
    name = str(described.get("name"))
    settings = dict(described.get("settings") or {})
    if described.get("tools"):
        raise ValueError(f"{name} has tools, which a record cannot hold: give the debaters again")
    settings["stop"] = tuple(settings.get("stop") or ())
    return Debater(
        name=name,
        model=_model(name, described.get("model") or {}, models),
        system=described.get("system"),
        human=described.get("human", "never"),
        side=described.get("side"),
        **settings,
    )


def _model(name: str, described: Mapping[str, Any], models: Model | Mapping[str, Model] | None) -> Model:
    if isinstance(models, Mapping):
        if name in models:
            return models[name]
    elif models is not None:
        return models
    if described.get("kind") == "openai":
        known = ("name", "base_url", "api_key_env", "stream", "max_tokens_field")
        return OpenAIModel(**{part: described[part] for part in known if part in described})
    raise ValueError(
        f"the model of {name} ({described.get('kind', 'unknown')}) is not described fully enough in the record to be opened again: "
        "give models= or the debaters"
    )


def _check_same(panel: Sequence[Debater], described: Sequence[Mapping[str, Any]]) -> None:
    for part in ("name", "system", "settings"):
        given = [debater.to_dict()[part] for debater in panel]
        recorded = [one.get(part) for one in described]
        if given != recorded:
            raise ValueError(
                f"the debaters differ from the recorded ones in {part}: given {given!r}, recorded {recorded!r}"
            )


def _caps(record: Record) -> Budget:
    plain = record.header.get("budget") or {}
    return Budget(**{name: plain.get(name) for name in Budget.__slots__})
