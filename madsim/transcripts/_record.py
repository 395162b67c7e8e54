"""The record file of a run: what it holds and how it is read.

JSON lines, UTF-8, one line feed after each. The first line is the header ``{"type": "run", "schema": 1, ...}``; then ``sample``, ``call``,
``outcome`` and ``event`` lines in the order in which things happened. Keys that are not known are kept, lines of an unknown type are
skipped and counted, so that a later schema's additions never make a record unreadable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from madsim._core.files import json_lines_of, open_file
from madsim.tasks import Sample, sample_from_dict

SCHEMA = 1
MOST_COUNTED = 1_000_000


class CallKey(NamedTuple):
    """What tells two calls of a run apart; equal prompts under different keys are separate draws."""

    sample: str
    epoch: int
    round: int
    agent: int
    attempt: int
    role: str


@dataclass(slots=True)
class Record:
    """A record file as it stands.

    Attributes
    ----------
    header : the first line
    samples : the questions by id, in order
    calls : the ``call`` lines in order
    outcomes : the last ``outcome`` line of each (sample, epoch)
    events : the ``event`` lines in order
    notes : what was counted: torn lines, unknown types, repeated lines
    """

    header: dict[str, Any]
    samples: dict[str, Sample] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    outcomes: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)


def call_key(call: dict[str, Any]) -> CallKey:
    """The key of a ``call`` line; an absent epoch or attempt is 0, an absent role a debater's. Round and agent may
    be absent (0) where the role is another one.

    Raises
    ------
    ValueError
        If a part of the key is absent or is not a count.
    """
    sample = call.get("sample")
    if not isinstance(sample, str):
        raise ValueError(f"a call names its sample as text, got {sample!r}")
    role = call.get("role", "debater")
    if not isinstance(role, str):
        raise ValueError(f"a call's role is text, got {role!r}")
    helper = role != "debater"
    return CallKey(
        sample=sample,
        epoch=_count(call, "epoch", optional=True),
        round=_count(call, "round", optional=helper),
        agent=_count(call, "agent", optional=helper),
        attempt=_count(call, "attempt", optional=True),
        role=role,
    )


def _count(entry: dict[str, Any], name: str, *, optional: bool) -> int:
    value = entry.get(name)
    if value is None and optional:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COUNTED:
        raise ValueError(f"{name} must be an integer from 0 to {MOST_COUNTED}, got {value!r}")
    return value


def read_record(path: str | Path) -> Record:
    """The whole record of a run, line by line.

    Raises
    ------
    ValueError
        If the file cannot be read, is no record, or a line other than the last is broken; the message names the line. A torn last line
        is dropped and counted in ``notes["torn_lines"]``.
    """
    notes: Counter[str] = Counter()
    return record_of(iter_entries(path, notes=notes), where=str(path), notes=notes)


def iter_entries(path: str | Path, *, notes: Counter[str]) -> Iterator[dict[str, Any]]:
    """The record's lines as dictionaries, in order; a torn last line is dropped and counted in `notes`."""
    with open_file(path) as file:
        yield from entries_of(file, path=path, notes=notes)


def entries_of(file: BinaryIO, *, path: str | Path, notes: Counter[str]) -> Iterator[dict[str, Any]]:
    """The same from an open binary file."""
    for where, entry in json_lines_of(file, path=path, notes=notes):
        if not isinstance(entry, dict):
            raise ValueError(f"{where}: expected a JSON object, found {type(entry).__name__}")
        yield entry


def record_of(entries: Iterable[dict[str, Any]], *, where: str = "record", notes: Counter[str] | None = None) -> Record:
    """The record that `entries` (the lines of a file, or what an engine kept in memory) make up.

    Raises
    ------
    ValueError
        If the first entry is not a header that this version can read, or an entry contradicts the ones before it.
    """
    entries = iter(entries)
    header = next(entries, None)
    if header is None:
        raise ValueError(f"{where}: empty; a record starts with a header line")
    _check_header(header, where)
    record = Record(header=header, notes=Counter() if notes is None else notes)
    for number, entry in enumerate(entries, start=2):
        try:
            _add(record, entry)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}, entry {number}: {error}") from None
    return record


def _check_header(header: dict[str, Any], where: str) -> None:
    if header.get("type") != "run":
        raise ValueError(
            f"{where}: not a run record (its first line has type {header.get('type')!r}, expected 'run'); "
            "other layouts are read with import_run or `madsim transcripts import`"
        )
    schema = header.get("schema")
    if schema != SCHEMA:
        raise ValueError(f"{where}: record schema {schema!r}; this version reads schema {SCHEMA}")
    agents = header.get("agents")
    if not isinstance(agents, list) or not agents or not all(isinstance(name, str) for name in agents):
        raise ValueError(f"{where}: the header must list the agents' names, got {agents!r}")
    try:
        _count(header, "epochs", optional=True)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _add(record: Record, entry: dict[str, Any]) -> None:
    kind = entry.get("type")
    if kind == "call":
        key = call_key(entry)
        if key.sample not in record.samples:
            raise ValueError(f"a call names sample {key.sample!r}, which the record does not hold")
        if key.role == "debater" and key.agent >= len(record.header["agents"]):
            raise ValueError(f"a call names agent {key.agent}; the panel has {len(record.header['agents'])}")
        record.calls.append(entry)
    elif kind == "sample":
        sample = sample_from_dict(entry)
        known = record.samples.get(sample.id)
        if known is not None and known != sample:
            raise ValueError(f"sample {sample.id!r} stands twice with different content")
        record.notes["repeated_samples"] += known is not None
        record.samples[sample.id] = sample
    elif kind == "outcome":
        key = (str(entry.get("sample")), _count(entry, "epoch", optional=True))
        record.notes["replaced_outcomes"] += key in record.outcomes
        record.outcomes[key] = entry
    elif kind == "event":
        record.events.append(entry)
    else:
        record.notes["unknown_lines"] += 1
