"""Runs out of memory: as a record, and as the flat table that the importer reads back."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from madsim.tasks import Sample
from madsim.transcripts._importers._table import TABLE_COLUMNS
from madsim.transcripts._run import Reply, Run, Transcript
from madsim.transcripts._writer import RunWriter

_ALWAYS = ("answer", "target")

__all__ = ["TABLE_COLUMNS", "export_table", "write_run"]


def write_run(run: Run, path: str | Path) -> None:
    """Write a run as a record that :func:`read_run` reads back.

    Raises
    ------
    FileExistsError
        If something exists at `path`.
    ValueError
        If two different samples share an id.
    """
    header = {
        "agents": list(run.agents),
        "protocol": run.protocol,
        "early_stopping": run.early_stopping,
        "control": run.control,
        "source": run.source,
        "provenance": run.provenance,
        "epochs": 1 + max((transcript.epoch for transcript in run.transcripts), default=0),
        "imported_notes": run.notes,
    }
    with RunWriter.create(path, header, sync_seconds=60.0) as writer:
        written: dict[str, Sample] = {}
        for transcript in run.transcripts:
            sample = transcript.sample
            if sample.id not in written:
                writer.sample(sample)
            elif written[sample.id] != sample:
                raise ValueError(f"the run holds two different samples with the id {sample.id!r}")
            written[sample.id] = sample
            for reply in transcript.replies:
                writer.call(_call(transcript, reply))
            if transcript.outcome is not None:
                writer.outcome({**transcript.outcome, "sample": transcript.sample.id, "epoch": transcript.epoch})


def _call(transcript: Transcript, reply: Reply) -> dict[str, Any]:
    call: dict[str, Any] = {
        "sample": transcript.sample.id,
        "epoch": transcript.epoch,
        "round": reply.round,
        "agent": reply.agent,
        "attempt": 0,
        "role": "debater",
        "reply": reply.text,
        "answer": reply.answer,
        "reason": reply.reason,
        "span": reply.span,
    }
    if reply.failed:
        call["failed"] = True
    for name in ("finish_reason", "usage", "messages"):
        value = getattr(reply, name)
        if value is not None:
            call[name] = value
    return call


def export_table(run: Run, path: str | Path, *, text: bool = True) -> None:
    """Write a run as a flat table, one row a reply.

    Parameters
    ----------
    run
        what to write
    path
        ``.csv``, ``.jsonl`` or ``.parquet`` (needs the ``parquet`` extra); ``"-"`` writes CSV to standard output
    text
        with the replies' texts and the questions

    Raises
    ------
    ValueError
        If the name ends in none of these.
    FileExistsError
        If something exists at `path`.
    """
    columns = [name for name in TABLE_COLUMNS if text or name not in ("text", "question")]
    rows = ({name: row[name] for name in columns} for row in _rows(run))
    suffix = Path(path).suffix.lower()
    if str(path) == "-" or suffix == ".csv":
        with _new_text(path) as file:
            table = csv.DictWriter(file, columns, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            table.writeheader()
            table.writerows(rows)
    elif suffix == ".jsonl":
        with _new_text(path) as file:
            for row in rows:
                kept = {name: value for name, value in row.items() if value is not None or name in _ALWAYS}
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")
    elif suffix == ".parquet":
        _write_parquet(list(rows), columns, path)
    else:
        raise ValueError(f"{path}: the name must end in .csv, .jsonl or .parquet")


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    for transcript in run.transcripts:
        sample = transcript.sample
        choices = None if sample.choices is None else json.dumps(dict(sample.choices), ensure_ascii=False)
        for reply in transcript.replies:
            state = "failed" if reply.failed else "unparsed" if reply.answer is None else "answered"
            yield {
                "sample": sample.id,
                "round": reply.round,
                "agent": run.agents[reply.agent],
                "answer": reply.answer,
                "target": sample.target,
                "epoch": transcript.epoch,
                "state": state,
                "text": None if reply.text is None else _storable(reply.text),
                "question": _storable(sample.question),
                "choices": choices,
                "answer_type": sample.answer_type,
            }


def _storable(text: str) -> str:
    """The same text with half surrogate pairs as escapes: no UTF-8 table can hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _new_text(path: str | Path) -> Iterator[TextIO]:
    """A new UTF-8 file; ``"-"`` is standard output, which stays open."""
    if str(path) == "-":
        yield sys.stdout
        return
    try:
        file = open(path, "x", encoding="utf-8", newline="")  # noqa: SIM115 (closed below)
    except FileExistsError:
        raise FileExistsError(f"{path} exists; name another file") from None
    with file:
        yield file


def _write_parquet(rows: list[dict[str, Any]], columns: list[str], path: str | Path) -> None:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(f"{path}: writing Parquet needs pyarrow; install madsim[parquet], or write CSV") from None
    kinds = {"round": arrow.int64(), "epoch": arrow.int64()}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in columns])
    try:
        with open(path, "xb") as file:
            parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), file)
    except FileExistsError:
        raise FileExistsError(f"{path} exists; name another file") from None
