"""Rows of a flat table, whatever holds them: CSV, JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from madsim._core.csv_rows import csv_rows
from madsim._core.files import JSONReader, Line, lines_of, open_file, read_json_lines
from madsim.transcripts._importers._build import Notes

Row = tuple[int, Mapping[str, Any]]

NEEDED = ("sample", "round", "agent")


def has_columns(columns: Iterable[Any]) -> bool:
    """Whether a header or the keys of a row are those of a flat table."""
    found = set(columns)
    return found >= {*NEEDED} and ("answer" in found or "text" in found)


def read_rows(path: str | Path, notes: Notes) -> tuple[str, Iterator[Row]]:
    """What a row is called in messages, and the rows with their numbers.

    Raises
    ------
    ValueError
        If the file cannot be read or lacks a column; the message says where.
    """
    suffix = Path(path).suffix.lower()
    if suffix in (".parquet", ".pq"):
        return "row", _parquet(path)
    if suffix in (".jsonl", ".json", ".ndjson"):
        return "line", _json(path, notes)
    return "line", _csv_or_json(path, notes)


def _json(path: str | Path, notes: Notes) -> Iterator[Row]:
    for number, (where, row) in enumerate(read_json_lines(path, notes=notes.counts), start=1):
        yield number, _checked(row, where)


def _checked(row: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise ValueError(f"{where}: expected a JSON object a line, found {type(row).__name__}")
    _need(row, where)
    return row


def _csv_or_json(path: str | Path, notes: Notes) -> Iterator[Row]:
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
                    yield line.number, _checked(reader.loads(line.text, where=where), where)
        else:
            yield from _csv(rest, path, notes)


def _csv(lines: Iterator[Line], path: str | Path, notes: Notes) -> Iterator[Row]:
    names, rows = csv_rows(lines, path=path, notes=notes.counts)
    _need(names, f"{path}, line 1")
    yield from rows


def _parquet(path: str | Path) -> Iterator[Row]:
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
                yield number, row
                number += 1


def _need(names: Iterable[Any], where: str) -> None:
    if has_columns(names):
        return
    found = list(names)
    lacking = ", ".join(name for name in NEEDED if name not in found) or "answer (or text)"
    raise ValueError(
        f"{where}: a flat table needs the columns sample, round, agent, answer, target; {lacking} is missing among "
        f"{', '.join(str(name)[:40] for name in found[:12]) or 'none'}"
    )
