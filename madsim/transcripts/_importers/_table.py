"""The flat table: one row a reply, in CSV, JSON lines or Parquet."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from madsim.tasks import Sample, sample_from_dict
from madsim.transcripts._importers._build import Notes, answer_type_for, check_answer_type, reply_of
from madsim.transcripts._importers._table_rows import read_rows
from madsim.transcripts._record import MOST_COUNTED
from madsim.transcripts._run import Reply, Run, Transcript

TABLE_COLUMNS = (
    "sample",
    "round",
    "agent",
    "answer",
    "target",
    "epoch",
    "state",
    "text",
    "question",
    "choices",
    "answer_type",
)
STATES = ("answered", "unparsed", "failed")

_KNOWN = frozenset(TABLE_COLUMNS)
_OF_SAMPLE = ("target", "question", "choices", "answer_type")


@dataclass(slots=True)
class _Debate:
    """The rows of one sample and epoch while they come in."""

    facts: dict[str, Any] = field(default_factory=dict)
    cells: dict[tuple[int, str], tuple[str | None, str | None, str | None]] = field(default_factory=dict)


def import_table(path: str | Path, *, answer_type: str | None = None, first_round: int = 0) -> Run:
    """Read a flat table.

    Parameters
    ----------
    path
        CSV with a header, JSON lines (``.jsonl``, ``.json``, ``.ndjson``) or Parquet (``.parquet``; needs the ``parquet`` extra) with
        the columns ``sample``, ``round``, ``agent``, ``answer``, ``target``. Optional: ``text`` (the answer is read out of it where
        ``answer`` is absent), ``state`` (answered, unparsed, failed), ``epoch``, ``question``, ``choices`` (a JSON list or object) and
        ``answer_type``. Other columns are counted and not used. Agents are numbers or names; an absent row means not asked, a row
        without an answer unparsed.
    answer_type
        for samples that do not name one
    first_round
        number of the independent round in the file, which becomes round 0

    Raises
    ------
    ValueError
        If a column is absent, a row has no reading, two rows of the same cell differ, or a sample has two targets; the message says
        where. A row that repeats another one is counted in ``notes``.
    """
    given = check_answer_type(answer_type)
    notes = Notes()
    debates: dict[tuple[str, int], _Debate] = {}
    agents: dict[str, str] = {}
    unused: set[str] = set()
    unit, rows = read_rows(path, notes)
    for number, row in rows:
        try:
            _add(row, debates, agents, first_round, notes)
        except ValueError as error:
            raise ValueError(f"{path}, {unit} {number}: {error}") from None
        if not _KNOWN.issuperset(row):
            unused |= row.keys() - _KNOWN
    if not debates:
        raise ValueError(f"{path}: no rows in it")
    notes.add("unused_columns", len(unused))
    panel = _panel(agents)
    index = {name: number for number, name in enumerate(panel)}
    transcripts = tuple(
        _transcript(place, debates.pop(place), index, given, f"{path}, sample {place[0]!r}", notes)
        for place in list(debates)
    )
    if not any(reply.round == 0 for one in transcripts for reply in one.replies):
        first = first_round + min(reply.round for one in transcripts for reply in one.replies)
        raise ValueError(
            f"{path}: no row of round {first_round}; if the independent round is {first}, say first_round={first}"
        )
    return Run(
        agents=panel,
        transcripts=transcripts,
        source={"format": "table", "file": Path(path).name},
        notes=notes.to_dict(),
    )


def _add(
    row: Mapping[str, Any],
    debates: dict[tuple[str, int], _Debate],
    agents: dict[str, str],
    first_round: int,
    notes: Notes,
) -> None:
    identifier = _cell(row["sample"], notes)
    agent = _cell(row["agent"], notes)
    if identifier is None or agent is None:
        raise ValueError(f"a row needs a sample and an agent, found {row['sample']!r}, {row['agent']!r}")
    number = _count(row["round"], "round") - first_round
    if number < 0:
        raise ValueError(f"round {number + first_round} lies before the first round {first_round}")
    epoch = row.get("epoch")
    place = identifier, 0 if epoch is None or epoch == "" else _count(epoch, "epoch")
    state = row.get("state") or None
    if state is not None and state not in STATES:
        raise ValueError(f"state must be one of {', '.join(STATES)}, found {state!r}")
    text = row.get("text") or None
    if text is not None and not isinstance(text, str):
        raise ValueError(f"text must be text, found {type(text).__name__}")
    agent = agents.setdefault(agent, agent)
    debate = debates.get(place)
    if debate is None:
        debate = debates[place] = _Debate()
    for name in _OF_SAMPLE:
        value = row.get(name)
        if value is None or value == "":
            continue
        known = debate.facts.setdefault(name, value)
        if known != value:
            raise ValueError(f"sample {identifier!r} has two values of {name}: {known!r} and {value!r}")
    cell = (_cell(row.get("answer"), notes), text, state)
    known_cell = debate.cells.setdefault((number, agent), cell)
    if known_cell is not cell:
        if known_cell != cell:
            raise ValueError(
                f"sample {identifier!r}, round {number + first_round}, agent {agent!r} stands twice with different content"
            )
        notes.add("repeated_rows")


def _cell(value: Any, notes: Notes) -> str | None:
    if isinstance(value, str):
        return value or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            notes.add("not_a_number")
            return None
        return repr(int(value)) if value == int(value) else repr(value)
    raise ValueError(f"expected text or a number, found {type(value).__name__}")


def _count(value: Any, name: str) -> int:
    try:
        number = int(value)
        if isinstance(value, bool) or number != float(value) or not 0 <= number <= MOST_COUNTED:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be an integer from 0 to {MOST_COUNTED}, found {str(value)[:40]!r}") from None
    return number


def _panel(agents: dict[str, str]) -> tuple[str, ...]:
    """Numbers in numerical order, names in order of appearance."""
    if all(name.isdecimal() for name in agents):
        return tuple(sorted(agents, key=int))
    return tuple(agents)


def _transcript(
    place: tuple[str, int], debate: _Debate, index: dict[str, int], given: str | None, where: str, notes: Notes
) -> Transcript:
    identifier, epoch = place
    facts = dict(debate.facts)
    if isinstance(facts.get("choices"), str):
        try:
            facts["choices"] = json.loads(facts["choices"])
        except (ValueError, RecursionError):
            raise ValueError(
                f"{where}: choices must be a JSON list or object, found {facts['choices'][:60]!r}"
            ) from None
    try:
        sample = sample_from_dict({"question": "", **facts, "id": identifier})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None
    kind = sample.answer_type or given or ("choice" if sample.choices else answer_type_for(sample.target))
    sample = Sample(
        id=identifier, question=sample.question, target=sample.target, choices=sample.choices, answer_type=kind
    )
    notes.add("questions_without_target", sample.target is None)
    replies = (
        _reply(cell, number, index[agent], sample, where, notes) for (number, agent), cell in debate.cells.items()
    )
    return Transcript(
        sample=sample, epoch=epoch, replies=tuple(sorted(replies, key=lambda one: (one.round, one.agent)))
    )


def _reply(
    cell: tuple[str | None, str | None, str | None], number: int, agent: int, sample: Sample, where: str, notes: Notes
) -> Reply:
    answer, text, state = cell
    if answer is not None and answer.lower() == "nan" and sample.answer_type != "text":
        notes.add("not_a_number")
        answer = None
    if state in ("unparsed", "failed") and answer is not None:
        raise ValueError(f"{where}: a row of state {state} holds the answer {answer!r}")
    if state == "answered" and answer is None:
        raise ValueError(f"{where}: a row of state answered holds no answer")
    if state == "failed":
        return Reply(round=number, agent=agent, text=text, failed=True)
    if answer is None and text is not None and state is None:
        return reply_of(text, round=number, agent=agent, sample=sample)
    return Reply(round=number, agent=agent, text=text, answer=answer)
