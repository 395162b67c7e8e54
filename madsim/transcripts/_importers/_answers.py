"""JSON lines of parsed answers only: ``{"id", "gold", "answers"[round][agent]}`` a line, null where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from madsim._core.files import read_json_lines
from madsim.tasks import Sample
from madsim.transcripts._importers._build import (
    Notes,
    answer_type_for,
    check_answer_type,
    size_of,
    target_of,
)
from madsim.transcripts._run import Reply, Run, Transcript

_USED = {"id", "gold", "answers"}


def looks_like(first: Any) -> bool:
    """Whether the first line's value has this layout."""
    return isinstance(first, dict) and set(first) >= _USED and isinstance(first["answers"], list)


def import_answers(path: str | Path, *, answer_type: str | None = None) -> Run:
    """Read one file. An answer of null counts as unparsed; rounds and agents that a line lacks were not asked."""
    given = check_answer_type(answer_type)
    notes = Notes()
    transcripts: list[Transcript] = []
    seen: dict[str, tuple[int, Sample]] = {}
    for where, line in read_json_lines(path, notes=notes.counts):
        if not looks_like(line) or not all(isinstance(given_round, list) for given_round in line["answers"]):
            raise ValueError(f"{where}: expected an object with 'id', 'gold' and 'answers' as [round][agent]")
        notes.add("unused_keys", len(set(line) - _USED))
        target = target_of(line["gold"], where=where)
        notes.add("questions_without_target", target is None)
        sample = Sample(id=str(line["id"]), question="", target=target, answer_type=given or answer_type_for(target))
        epoch, first = seen.get(sample.id, (0, sample))
        if first != sample:
            raise ValueError(
                f"{where}: {sample.id!r} stood before with the right answer {first.target!r}, not {target!r}"
            )
        seen[sample.id] = epoch + 1, sample
        replies = tuple(
            Reply(round=round, agent=agent, answer=target_of(answer, where=where))
            for round, answers in enumerate(line["answers"])
            for agent, answer in enumerate(answers)
        )
        transcripts.append(Transcript(sample=sample, epoch=epoch, replies=replies))
    size, _ = size_of(transcripts, path)
    missing = sum(size - len({reply.agent for reply in one.replies}) for one in transcripts)
    notes.add("missing_agents", missing)
    return Run(
        agents=tuple(f"agent {number + 1}" for number in range(size)),
        transcripts=tuple(transcripts),
        source={"format": "answers", "file": Path(path).name},
        notes=notes.to_dict(),
    )
