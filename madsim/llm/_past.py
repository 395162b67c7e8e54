"""What a record says about the calls that were made: which are done, which are lost, what they took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from madsim.llm._budget import Amount
from madsim.llm._call import STOPS, Place, amount_from_dict
from madsim.llm._outcome import UNFINISHED
from madsim.llm._request import Usage
from madsim.llm._run import Job
from madsim.protocols import Protocol
from madsim.transcripts import Record


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
    if (outcome.get("details") or {}).get("waiting_for") is not None and outcome.get("status") == "paused":
        return False  # somebody may be there now
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
        if debate in open_debates and call.get("failed") and (debate in again or call.get("error") in STOPS):
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
    role, path = str(line.get("role") or "debater"), str(line.get("path") or "")
    role = role.removeprefix("inner_") if path else role
    return Place(
        str(line["sample"]),
        int(line.get("epoch") or 0),
        int(line.get("round") or 0),
        int(line.get("agent") or 0),
        "debater" if role == "tool" else role,
        int(line.get("step") or 0),
        path,
    )
