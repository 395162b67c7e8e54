"""The CSV tables of the multi-agent sycophancy experiments: answers rebuilt from final answers and every flip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from madsim._core.csv_rows import csv_rows
from madsim._core.files import lines_of, open_file
from madsim.tasks import Sample
from madsim.transcripts._importers._build import Notes, plain_protocol
from madsim.transcripts._run import Reply, Run, Transcript

FILES = ("summary_all.csv", "flips_all.csv", "meta.csv")

_QUESTION = re.compile(r"sample\d+")


def looks_like(folder: Path) -> bool:
    """Whether a folder holds the three tables."""
    return all((folder / name).is_file() for name in FILES)


def import_sycophancy(path: str | Path) -> Run:
    """Read a folder with ``summary_all.csv``, ``flips_all.csv`` and ``meta.csv``.

    The tables hold each agent's final answer, every change of it (round, old, new) and the share of rounds in which it was right. The
    answers of all rounds are rebuilt backwards from the last one, and every rebuilt row is checked against that share. Items made
    from the same question are one cluster. The first round is round 0.

    Raises
    ------
    ValueError
        If a table is absent or lacks a column, or a rebuilt row contradicts the tables.
    """
    folder = Path(path)
    if not looks_like(folder):
        raise ValueError(f"{path}: expected a folder with {', '.join(FILES)}")
    notes = Notes()
    truths = {row["sample"]: row["correct_label"] for row in _rows(folder / "meta.csv", "sample", "correct_label")}
    changes: dict[tuple[str, str], dict[int, tuple[str, str]]] = {}
    for row in _rows(folder / "flips_all.csv", "sample", "model", "round", "old_answer", "new_answer"):
        own = changes.setdefault((row["sample"], row["model"]), {})
        if own.setdefault(int(row["round"]), (row["old_answer"], row["new_answer"])) != (
            row["old_answer"],
            row["new_answer"],
        ):
            raise ValueError(f"{folder}: {row['sample']}, {row['model']} flips twice in round {row['round']}")
    summary = list(
        _rows(
            folder / "summary_all.csv",
            "sample",
            "model",
            "final_answer",
            "accuracy_all_rounds",
            "flip_rate",
            "num_flips",
        )
    )
    n_rounds = _n_rounds(summary, folder)
    panel = tuple(dict.fromkeys(row["model"] for row in summary))
    rebuilt: dict[str, dict[int, list[str]]] = {}
    for row in summary:
        key = row["sample"], row["model"]
        if row["sample"] not in truths:
            raise ValueError(f"{folder}: {row['sample']} has no truth in meta.csv")
        answers = _rebuild(row["final_answer"], changes.get(key, {}), n_rounds, f"{folder}: {', '.join(key)}")
        share = sum(answer == truths[row["sample"]] for answer in answers) / n_rounds
        if abs(share - float(row["accuracy_all_rounds"])) > 1e-6:
            raise ValueError(
                f"{folder}: {', '.join(key)} was right in {row['accuracy_all_rounds']} of the rounds by the table, in {share:g} rebuilt"
            )
        rebuilt.setdefault(row["sample"], {})[panel.index(row["model"])] = answers
    notes.add("missing_agents", sum(len(panel) - len(own) for own in rebuilt.values()))
    return Run(
        agents=panel,
        transcripts=tuple(_transcript(name, truths[name], own) for name, own in rebuilt.items()),
        protocol=plain_protocol(rounds=n_rounds - 1, graph=None),
        early_stopping=False,
        source={"format": "sycophancy", "file": folder.name},
        notes=notes.to_dict(),
    )


def _rows(path: Path, *needed: str) -> Iterator[dict[str, str]]:
    with open_file(path) as file:
        names, rows = csv_rows(lines_of(file, path=path), path=path)
        missing = [name for name in needed if name not in names]
        if missing:
            raise ValueError(f"{path}: the column {missing[0]} is missing; found {', '.join(names)}")
        for _, row in rows:
            yield row


def _n_rounds(summary: list[dict[str, str]], folder: Path) -> int:
    """A row with flips tells the number of rounds: flips = rate x (rounds - 1)."""
    found = {1 + round(int(row["num_flips"]) / float(row["flip_rate"])) for row in summary if int(row["num_flips"]) > 0}
    if len(found) != 1:
        raise ValueError(f"{folder}: the number of rounds cannot be told from flips and rates: {sorted(found)}")
    return found.pop()


def _rebuild(final: str, changes: dict[int, tuple[str, str]], n_rounds: int, where: str) -> list[str]:
    answers = [final] * n_rounds
    for number in sorted(changes, reverse=True):
        old, new = changes[number]
        if not 2 <= number <= n_rounds or answers[number - 1] != new:
            raise ValueError(
                f"{where}: the flip to {new!r} in round {number} does not lead to the answer that follows it"
            )
        answers[: number - 1] = [old] * (number - 1)
    return answers


def _transcript(name: str, truth: str, own: dict[int, list[str]]) -> Transcript:
    question = _QUESTION.search(name)
    sample = Sample(id=name, question="" if question is None else question.group(), target=truth, answer_type="text")
    replies = (
        Reply(round=number, agent=agent, answer=answer or None)
        for agent, answers in own.items()
        for number, answer in enumerate(answers)
    )
    return Transcript(sample=sample, replies=tuple(sorted(replies, key=lambda reply: (reply.round, reply.agent))))
