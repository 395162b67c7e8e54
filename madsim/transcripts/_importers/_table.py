"""The flat table: one row a reply, in CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from madsim._core.files import JSONReader, Line, lines_of, open_file, read_json_lines
from madsim.tasks import Sample, sample_from_dict
from madsim.transcripts._importers._build import Notes, answer_type_for, check_answer_type, reply_of
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

_NEEDED = ("sample", "round", "agent")
_OF_SAMPLE = ("target", "question", "choices", "answer_type")


@dataclass(slots=True)
class _Debate:
    """The rows of one sample and epoch while they come in."""

    facts: dict[str, Any] = field(default_factory=dict)
    cells: dict[tuple[int, str], tuple[str | None, str | None, str | None]] = field(default_factory=dict)


def looks_like(columns: Any) -> bool:
    """Whether a header or the keys of a first row have the columns of a flat table."""
    return set(columns) >= {*_NEEDED} and ("answer" in columns or "text" in columns)


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
    agents: dict[str, None] = {}
    unused: set[str] = set()
    for where, row in _rows(path, notes):
        _add(row, where, debates, agents, first_round, notes)
        unused |= set(row) - {*TABLE_COLUMNS}
    if not debates:
        raise ValueError(f"{path}: no rows in it")
    notes.add("unused_columns", len(unused))
    panel = _panel(agents)
    index = {name: number for number, name in enumerate(panel)}
    transcripts = tuple(
        _transcript(identifier, epoch, debate, index, given, f"{path}, sample {identifier!r}", notes)
        for (identifier, epoch), debate in debates.items()
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


def _rows(path: str | Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    suffix = Path(path).suffix.lower()
    if suffix in (".parquet", ".pq"):
        yield from _parquet(path)
    elif suffix in (".jsonl", ".json", ".ndjson"):
        yield from _json(path, notes)
    else:
        yield from _csv_or_json(path, notes)


def _json(path: str | Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, row in read_json_lines(path, notes=notes.counts):
        yield where, _checked(row, where)


def _checked(row: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise ValueError(f"{where}: expected a JSON object a line, found {type(row).__name__}")
    _need(row, where)
    return row


def _csv_or_json(path: str | Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with open_file(path) as file:
        lines = lines_of(file, path=path)
        first = next((line for line in lines if line.text.strip()), None)
        if first is None:
            raise ValueError(f"{path}: empty")
        rest = chain([first], lines)
        if first.text.lstrip().startswith("{"):
            reader = JSONReader(notes.counts)
            for line in rest:
                where = f"{path}, line {line.number}"
                if line.text.strip():
                    yield where, _checked(reader.loads(line.text, where=where), where)
        else:
            yield from _csv(rest, path, notes)


def _csv(lines: Iterator[Line], path: str | Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(1 << 28)
    ended = True

    def texts() -> Iterator[str]:
        nonlocal ended
        for line in lines:
            ended = bool(line.end)
            yield line.text + (line.end or "\n")

    table = csv.DictReader(texts(), restkey="", restval=None, strict=True)
    names = list(table.fieldnames or ())
    _need(names, f"{path}, line 1")
    if len(set(names)) != len(names):
        raise ValueError(f"{path}, line 1: a column name stands twice in {', '.join(names)}")
    last = table.line_num
    try:
        for row in table:
            where = f"{path}, line {table.line_num}"
            last = table.line_num
            short = any(value is None for value in row.values())
            if short and not ended:
                notes.add("torn_lines")
                return
            if short or "" in row:
                raise ValueError(f"{where}: expected {len(names)} cells")
            yield where, {name: None if value == "" else value for name, value in row.items()}
        notes.add("last_line_without_end", not ended)  # nobody can tell whether its last cell is whole
    except csv.Error as error:  # an open quote swallows all that follows, so it is never taken for a torn row
        raise ValueError(f"{path}: the row that starts in line {last + 1} cannot be read ({error})") from None


def _parquet(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(f"{path}: reading Parquet needs pyarrow; install madsim[parquet], or convert to CSV") from None
    with open_file(path) as opened:
        try:
            file = parquet.ParquetFile(opened)
        except Exception as error:  # pyarrow raises many types of its own
            raise ValueError(f"{path}: not readable as Parquet ({error})") from None
        _need(file.schema_arrow.names, str(path))
        number = 0
        for batch in file.iter_batches():
            for row in batch.to_pylist():
                yield f"{path}, row {number}", row
                number += 1


def _need(names: Any, where: str) -> None:
    missing = [name for name in _NEEDED if name not in names]
    if missing or not looks_like(names):
        lacking = ", ".join(missing) or "answer (or text)"
        raise ValueError(
            f"{where}: a flat table needs the columns sample, round, agent, answer, target; {lacking} is missing among "
            f"{', '.join(str(name)[:40] for name in list(names)[:12]) or 'none'}"
        )


def _add(
    row: Mapping[str, Any],
    where: str,
    debates: dict[tuple[str, int], _Debate],
    agents: dict[str, None],
    first_round: int,
    notes: Notes,
) -> None:
    identifier = _cell(row.get("sample"), where, notes)
    agent = _cell(row.get("agent"), where, notes)
    if not identifier or not agent:
        raise ValueError(
            f"{where}: a row needs a sample and an agent, found {row.get('sample')!r}, {row.get('agent')!r}"
        )
    number = _count(row.get("round"), "round", where) - first_round
    if number < 0:
        raise ValueError(f"{where}: round {number + first_round} lies before the first round {first_round}")
    epoch = 0 if row.get("epoch") is None else _count(row["epoch"], "epoch", where)
    state = row.get("state")
    if state is not None and state not in STATES:
        raise ValueError(f"{where}: state must be one of {', '.join(STATES)}, found {state!r}")
    text = row.get("text")
    if text is not None and not isinstance(text, str):
        raise ValueError(f"{where}: text must be text, found {type(text).__name__}")
    agents.setdefault(agent)
    debate = debates.setdefault((identifier, epoch), _Debate())
    for name in _OF_SAMPLE:
        if row.get(name) is not None:
            known = debate.facts.setdefault(name, row[name])
            if known != row[name]:
                raise ValueError(
                    f"{where}: sample {identifier!r} has two values of {name}: {known!r} and {row[name]!r}"
                )
    cell = (_cell(row.get("answer"), where, notes), text, state)
    known_cell = debate.cells.setdefault((number, agent), cell)
    if known_cell is not cell:
        if known_cell != cell:
            raise ValueError(
                f"{where}: sample {identifier!r}, round {number + first_round}, agent {agent!r} stands twice with different content"
            )
        notes.add("repeated_rows")


def _cell(value: Any, where: str, notes: Notes) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if value != value:
            notes.add("not_a_number")
            return None
        return repr(int(value)) if value == int(value) else repr(value)
    raise ValueError(f"{where}: expected text or a number, found {type(value).__name__}")


def _count(value: Any, name: str, where: str) -> int:
    try:
        number = int(value)
        if isinstance(value, bool) or number != float(value) or number < 0:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where}: {name} must be an integer of at least 0, found {value!r}") from None
    return number


def _panel(agents: dict[str, None]) -> tuple[str, ...]:
    """Numbers in numerical order, names in order of appearance."""
    if all(name.isdecimal() for name in agents):
        return tuple(sorted(agents, key=int))
    return tuple(agents)


def _transcript(
    identifier: str, epoch: int, debate: _Debate, index: dict[str, int], given: str | None, where: str, notes: Notes
) -> Transcript:
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
