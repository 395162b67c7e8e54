"""Reading a question set from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from madsim._core.csv_rows import csv_rows
from madsim._core.files import JSONReader, Line, lines_of, open_file
from madsim.tasks._sample import Sample, sample_from_dict

_OTHER_NAMES = ("answer", "gold", "label", "solution")


def read_samples(path: str | Path) -> tuple[Sample, ...]:
    """The samples of a question set, in order.

    Parameters
    ----------
    path
        JSON lines (``{"id", "question", "target", "choices"?, "answer_type"?}`` each), CSV with the same columns (``choices`` as JSON),
        Parquet (name ending in ``.parquet``; needs the ``parquet`` extra), or ``"-"`` for JSON lines or CSV on standard input.

    Raises
    ------
    ValueError
        If the file cannot be read, holds no sample, two samples share an id, or a row has no reading; the message says where.
    """
    samples: dict[str, Sample] = {}
    for where, row in _rows(path):
        wrong = next((name for name in _OTHER_NAMES if name in row and "target" not in row), None)
        if wrong is not None:
            raise ValueError(f"{where}: no 'target' but {wrong!r}; rename it to 'target' (or set target to null)")
        try:
            sample = sample_from_dict(row)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {error}") from None
        if not sample.question.strip():
            raise ValueError(f"{where}: the question of sample {sample.id!r} is empty, so there is nothing to ask")
        if sample.id in samples:
            raise ValueError(f"{where}: the id {sample.id!r} was used before; ids must be unique")
        samples[sample.id] = sample
    if not samples:
        raise ValueError(f"{path}: no samples in it")
    return tuple(samples.values())


def _rows(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        yield from _parquet_rows(path)
        return
    with open_file(path) as file:
        lines = lines_of(file, path=path)
        first = next((line for line in lines if line.text.strip()), None)
        if first is None:
            return
        rest = chain([first], lines)
        yield from (_json_rows if first.text.lstrip().startswith("{") else _csv_rows)(rest, path)


def _json_rows(lines: Iterator[Line], path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reader = JSONReader()
    for line in lines:
        if not line.text.strip():
            continue
        where = f"{path}, line {line.number}"
        row = reader.loads(line.text, where=where)
        if not isinstance(row, dict):
            raise ValueError(f"{where}: expected a JSON object a line, found {type(row).__name__}")
        if reader.notes["not_a_number"]:
            raise ValueError(f"{where}: NaN or an infinity is no value here; give the number, a text, or null")
        yield where, row


def _csv_rows(lines: Iterator[Line], path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    names, rows = csv_rows(lines, path=path)
    if "id" not in names or "question" not in names:
        raise ValueError(
            f"{path}: expected JSON lines, or CSV with the columns id, question, target; the first line reads "
            f"{', '.join(names)[:200]!r}"
        )
    for number, row in rows:
        where = f"{path}, line {number}"
        yield where, _blank_is_none(row, where)


def _parquet_rows(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(f"{path}: reading Parquet needs pyarrow; install madsim[parquet], or convert to CSV") from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except Exception as error:  # pyarrow raises many types of its own
        raise ValueError(f"{path}: not readable as Parquet ({error})") from None
    for number, row in enumerate(rows):
        where = f"{path}, row {number}"
        yield where, _blank_is_none(row, where)


def _blank_is_none(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    plain = {name: None if value == "" else value for name, value in row.items()}
    choices = plain.get("choices")
    if isinstance(choices, str):
        try:
            plain["choices"] = json.loads(choices)
        except (ValueError, RecursionError):
            raise ValueError(f"{where}: choices must be a JSON list or object, got {choices[:60]!r}") from None
    return plain
