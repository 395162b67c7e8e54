"""The JSON lines of DyLAN: ``completions[agent][round]`` a line, null where an agent was not asked; truths in a separate table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from madsim._core.csv_rows import csv_rows
from madsim._core.files import lines_of, open_file, read_json_lines
from madsim.tasks import Sample
from madsim.transcripts._importers._build import Notes, check_answer_type, plain_protocol, reply_of, size_of
from madsim.transcripts._run import Reply, Run, Transcript

_FILE = re.compile(r"(?P<subject>.+?)_(?:test|val|dev)_\d+\.json")
_GOLD_COLUMNS = {"N", "subject", "index", "gold", "answers"}


def looks_like(first: Any) -> bool:
    """Whether the first line's value has this layout."""
    return (
        isinstance(first, list)
        and bool(first)
        and all(
            isinstance(agent, list) and all(text is None or isinstance(text, str) for text in agent) for agent in first
        )
    )


def is_file_name(name: str) -> bool:
    """Whether a file is named as the replies of a subject are."""
    return _FILE.fullmatch(name) is not None


def is_gold_table(header: list[str]) -> bool:
    """Whether these are the columns of a table of truths."""
    return set(header) >= _GOLD_COLUMNS


def import_dylan(
    path: str | Path,
    *,
    gold: str | Path | None = None,
    agents: int | None = None,
    min_confidence: float = 1.15,
    answer_type: str | None = None,
) -> Run:
    """Read replies (one file of a subject or a folder of them) or the table of truths, which also holds every parsed answer.

    Parameters
    ----------
    path
        ``SUBJECT_test_*.json``, a folder of such files, or the table itself
    gold
        the table (columns N, subject, index, gold, conf, answers) that gives the truths of replies; without it no target is known
    agents
        size of the panel whose debates are taken, where there are several
    min_confidence
        truths matched with at most this confidence are treated as unknown
    answer_type
        ``"choice"`` unless given
    """
    kind = check_answer_type(answer_type) or "choice"
    notes = Notes()
    if Path(path).suffix.lower() == ".csv":
        if gold is not None:
            raise ValueError(f"{path}: this already is a table of truths; leave gold out")
        rows = _gold_rows(path, min_confidence, notes)
        transcripts = [_of_row(row, kind) for row in _of_size(rows, agents, path)]
    else:
        truths = (
            {}
            if gold is None
            else {(row["N"], row["subject"], row["index"]): row for row in _gold_rows(gold, min_confidence, notes)}
        )
        found = [one for file in _files(path) for one in _of_file(file, truths, kind, notes)]
        transcripts = [one for panel, one in found if agents is None or panel == agents]
        notes.add("debates_of_other_panel_sizes", len(found) - len(transcripts))
        if found and not transcripts:
            sizes = ", ".join(map(str, sorted({panel for panel, _ in found})))
            raise ValueError(f"{path}: no debates of {agents} agents; it holds {sizes}")
    size, rounds = size_of(transcripts, path)
    return Run(
        agents=tuple(f"agent {number + 1}" for number in range(size)),
        transcripts=tuple(transcripts),
        protocol=plain_protocol(rounds=rounds, graph=None),
        early_stopping=True,
        source={"format": "dylan", "file": Path(path).name},
        notes=notes.to_dict(),
    )


def _files(path: str | Path) -> list[Path]:
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    files = sorted(file for file in folder.iterdir() if is_file_name(file.name))
    if not files:
        raise ValueError(f"{path}: no file named like SUBJECT_test_33.json in this folder")
    return files


def _of_file(
    path: Path, truths: dict[tuple[int, str, int], Any], kind: str, notes: Notes
) -> Iterator[tuple[int, Transcript]]:
    """Every debate of one file with the size of its panel."""
    name = _FILE.fullmatch(path.name)
    subject = path.stem if name is None else name["subject"]
    for index, (where, completions) in enumerate(read_json_lines(path, notes=notes.counts)):
        if not looks_like(completions):
            raise ValueError(f"{where}: expected a list of agents, each a list of texts and nulls")
        truth = truths.get((len(completions), subject, index))
        target = None if truth is None else truth["gold"]
        notes.add("questions_without_target", target is None)
        sample = Sample(id=f"{subject}/{index}", question="", target=target, answer_type=kind)
        replies = (
            reply_of(text, round=round, agent=agent, sample=sample)
            for agent, texts in enumerate(completions)
            for round, text in enumerate(texts)
            if text is not None
        )
        ordered = tuple(sorted(replies, key=lambda reply: (reply.round, reply.agent)))
        yield len(completions), Transcript(sample=sample, replies=ordered)


def _gold_rows(path: str | Path, min_confidence: float, notes: Notes) -> Iterator[dict[str, Any]]:
    with open_file(path) as file:
        names, rows = csv_rows(lines_of(file, path=path), path=path)
        if not is_gold_table(names):
            raise ValueError(
                f"{path}: expected the columns {', '.join(sorted(_GOLD_COLUMNS))}; found {', '.join(names)}"
            )
        for number, row in rows:
            where = f"{path}, line {number}"
            try:
                sure = float(row.get("conf") or "inf") > min_confidence
                notes.add("truths_of_low_confidence", not sure)
                yield {
                    "N": int(row["N"]),
                    "subject": row["subject"],
                    "index": int(row["index"]),
                    "gold": (row["gold"] or None) if sure else None,
                    "answers": json.loads(row["answers"]),
                }
            except (TypeError, ValueError, RecursionError) as error:
                raise ValueError(f"{where}: {error}") from None


def _of_size(rows: Iterator[dict[str, Any]], agents: int | None, path: str | Path) -> list[dict[str, Any]]:
    """The rows of one panel size whose truth is known: this table is read for its truths."""
    kept = [row for row in rows if row["gold"] is not None]
    sizes = sorted({row["N"] for row in kept})
    if agents is None and len(sizes) > 1:
        raise ValueError(
            f"{path}: holds debates of {', '.join(map(str, sizes))} agents; say which with agents= (--agents)"
        )
    wanted = sizes[0] if agents is None and sizes else agents
    if sizes and wanted not in sizes:
        raise ValueError(f"{path}: no debates of {wanted} agents; it holds {', '.join(map(str, sizes))}")
    return [row for row in kept if row["N"] == wanted]


def _of_row(row: dict[str, Any], kind: str) -> Transcript:
    answers = row["answers"]
    if not looks_like(answers) or len(answers) != row["N"]:
        raise ValueError(f"{row['subject']} {row['index']}: expected answers[agent][round] of {row['N']} agents")
    sample = Sample(id=f"{row['subject']}/{row['index']}", question="", target=row["gold"], answer_type=kind)
    replies = [
        Reply(
            round=round, agent=agent, answer=None if answer == "?" else answer, reason="none" if answer == "?" else None
        )
        for agent, given in enumerate(answers)
        for round, answer in enumerate(given)
        if answer is not None
    ]
    return Transcript(sample=sample, replies=tuple(sorted(replies, key=lambda reply: (reply.round, reply.agent))))
