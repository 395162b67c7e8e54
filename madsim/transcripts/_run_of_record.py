"""From a record to the run that it tells."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

from madsim.transcripts._record import Record, call_key, iter_entries, record_of
from madsim.transcripts._run import Reply, Run, Transcript

_T = TypeVar("_T")


def read_run(path: str | Path, *, messages: bool = False) -> Run:
    """The run of a record file.

    Parameters
    ----------
    path
        the record, ``"-"`` for standard input
    messages
        keep the messages that each agent was given (they are most of a long record)

    Raises
    ------
    ValueError
        If the file cannot be read or is no record; the message names the line. What was counted on the way is in ``notes``.
    """
    notes: Counter[str] = Counter()
    entries = iter_entries(path, notes=notes)
    if not messages:
        entries = map(_without_messages, entries)
    return run_of(record_of(entries, where=str(path), notes=notes), messages=messages)


def _without_messages(entry: dict[str, Any]) -> dict[str, Any]:
    entry.pop("messages", None)
    return entry


def run_of(record: Record, *, messages: bool = False) -> Run:
    """The run that a record tells.

    Of several attempts at one reply the first that gave one counts, and the last where none did. A sample's transcript stands in the
    run even if nothing was asked yet. Calls of judges and other helpers are no replies; they are counted in ``notes``.
    """
    header = record.header
    notes = Counter({name: count for name, count in record.notes.items() if count})
    imported = header.get("imported_notes")
    if isinstance(imported, dict):
        notes.update({str(name): count for name, count in imported.items() if isinstance(count, int)})
    replies = _replies(record, notes, messages)
    epochs = _epochs(record, replies)
    transcripts = tuple(
        Transcript(
            sample=sample,
            epoch=epoch,
            replies=tuple(
                replies.get((sample.id, epoch), {})[at] for at in sorted(replies.get((sample.id, epoch), {}))
            ),
            outcome=record.outcomes.get((sample.id, epoch)),
        )
        for sample in record.samples.values()
        for epoch in epochs.get(sample.id, (0,))
    )
    protocol = header.get("protocol")
    early = header.get("early_stopping")
    if early is None and isinstance(protocol, dict) and "convergence" in protocol:
        early = protocol["convergence"] is not None
    return Run(
        agents=tuple(header["agents"]),
        transcripts=transcripts,
        protocol=protocol if isinstance(protocol, dict) else None,
        early_stopping=early if isinstance(early, bool) else None,
        control=_if_a(str, header.get("control")),
        source=_source(header),
        provenance=_if_a(dict, header.get("provenance")),
        notes=dict(notes),
    )


def _replies(
    record: Record, notes: Counter[str], messages: bool
) -> dict[tuple[str, int], dict[tuple[int, int], Reply]]:
    replies: dict[tuple[str, int], dict[tuple[int, int], Reply]] = {}
    for call in record.calls:
        key = call_key(call)
        if key.role != "debater":
            notes[f"calls_of_{key.role}"] += 1
            continue
        debate = replies.setdefault((key.sample, key.epoch), {})
        place = (key.round, key.agent)
        known = debate.get(place)
        if known is not None and not known.failed:
            notes["repeated_calls"] += 1
            continue
        if known is not None:
            notes["failed_attempts"] += 1
        debate[place] = _reply(call, messages)
    return replies


def _reply(call: dict[str, Any], messages: bool) -> Reply:
    text = call.get("reply")
    span = call.get("span")
    given = call.get("messages")
    reason = call.get("reason")
    return Reply(
        round=call["round"],
        agent=call["agent"],
        text=text if isinstance(text, str) else None,
        answer=_text(call.get("answer")),
        reason=reason if isinstance(reason, str) else _error(call),
        span=(span[0], span[1]) if isinstance(span, list) and len(span) == 2 else None,
        failed=bool(call.get("failed", False)),
        finish_reason=_if_a(str, call.get("finish_reason")),
        usage=_if_a(dict, call.get("usage")),
        messages=tuple(given) if messages and isinstance(given, list) else None,
    )


def _if_a(kind: type[_T], value: Any) -> _T | None:
    """The value where it is of this kind: a record that was tampered with has nothing there."""
    return value if isinstance(value, kind) else None


def _text(answer: Any) -> str | None:
    return answer if answer is None or isinstance(answer, str) else str(answer)


def _error(call: dict[str, Any]) -> str | None:
    error = call.get("error")
    return None if error is None else str(error)


def _epochs(record: Record, replies: dict[tuple[str, int], Any]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for sample, epoch in (*replies, *record.outcomes):
        found.setdefault(sample, set()).add(epoch)
    declared = record.header.get("epochs")
    if isinstance(declared, int) and not isinstance(declared, bool):
        for sample in record.samples:
            found.setdefault(sample, set()).update(range(declared))
    return {sample: tuple(sorted(epochs)) for sample, epochs in found.items()}


def _source(header: dict[str, Any]) -> dict[str, Any]:
    source = header.get("source")
    plain = dict(source) if isinstance(source, dict) else {} if source is None else {"source": source}
    if "debaters" in header:
        plain.setdefault("debaters", header["debaters"])
    return plain
