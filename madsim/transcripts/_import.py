"""One door for every layout: what a file is, and the reader for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from madsim._core.files import JSONReader, check_start, decode, open_file, read_text
from madsim.transcripts._importers import _answers, _debate_or_vote, _du, _dylan, _sycophancy, _table
from madsim.transcripts._importers._table_rows import has_columns
from madsim.transcripts._run import Run
from madsim.transcripts._run_of_record import read_run

FORMATS = ("auto", "record", "debate-or-vote", "du", "dylan", "table", "answers", "sycophancy")

_SNIFFED = 1 << 20

_IMPORTERS: dict[str, Callable[..., Run]] = {
    "record": read_run,
    "debate-or-vote": _debate_or_vote.import_debate_or_vote,
    "du": _du.import_du,
    "dylan": _dylan.import_dylan,
    "table": _table.import_table,
    "answers": _answers.import_answers,
    "sycophancy": _sycophancy.import_sycophancy,
}


def import_run(path: str | Path, format: str = "auto", **options: Any) -> Run:
    """A run out of a file that someone wrote.

    Parameters
    ----------
    path
        the file (or folder: a ``dylan`` folder of subjects, a ``sycophancy`` folder of tables)
    format
        one of `FORMATS`; ``"auto"`` looks at the beginning of the file
    **options
        of the layout: ``answer_type`` (where it is not the one that the target suggests); ``gold``, ``agents``, ``min_confidence`` of
        dylan; ``first_round`` of table. None stands for the layout's default.

    Returns
    -------
    Run
        ``notes`` counts what was dropped, missing or mended on the way; ``source`` names layout and file.

    Raises
    ------
    ValueError
        If the file cannot be read, has none of the layouts, or contradicts itself; the message says where and what to try.
    TypeError
        If an option is none of the layout's.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    chosen = sniff(path) if format == "auto" else format
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return _IMPORTERS[chosen](path, **given)
    except TypeError as error:
        if "keyword argument" not in str(error):
            raise
        raise TypeError(f"the layout {chosen} takes no such option: {', '.join(given)}") from None


def sniff(path: str | Path) -> str:
    """The name of the layout that a file or folder has.

    Raises
    ------
    ValueError
        If it has none of them, with what was found.
    """
    if Path(path).is_dir():
        if _sycophancy.looks_like(Path(path)):
            return "sycophancy"
        if any(_dylan.is_file_name(file.name) for file in Path(path).iterdir()):
            return "dylan"
        raise ValueError(f"{path}: a folder with none of the known layouts in it; name a file")
    if str(path) == "-":
        raise ValueError("the layout of standard input cannot be looked up first; name the format")
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        return "table"
    start = _first_line(path)
    if start.lstrip().startswith(("{", "[")):
        return _sniff_json(path, start)
    columns = [name.strip().strip('"') for name in start.strip().split(",")]
    if _dylan.is_gold_table(columns):
        return "dylan"
    if has_columns(columns):
        return "table"
    raise ValueError(
        f"{path}: neither JSON nor a table with the columns sample, round, agent, answer; it starts {start[:60]!r}"
    )


def _first_line(path: str | Path) -> str:
    """The first line that is not blank; nothing where it is longer than a mebibyte, as only whole documents are."""
    with open_file(path) as file:
        start = file.read(_SNIFFED)
        skip = check_start(start[:4], path=path)
        for line in start[skip:].splitlines(keepends=True):
            if line.strip():
                if len(start) == _SNIFFED and not line.endswith((b"\n", b"\r")):
                    return line[:1].decode("latin-1")
                return decode(line, offset=start.index(line), path=path)
    raise ValueError(f"{path}: empty")


def _sniff_json(path: str | Path, start: str) -> str:
    reader = JSONReader(Counter())
    try:
        first = reader.loads(start, where=f"{path}, line 1")
    except ValueError:
        first = None  # a document over several lines, or one broken line: the layout's reader says what is wrong
    if first is None:
        try:
            first = reader.loads(read_text(path), where=str(path))
        except ValueError:
            return "du"
    if isinstance(first, dict) and first.get("type") == "run":
        return "record"
    for name, fits in (
        ("debate-or-vote", _debate_or_vote.looks_like),
        ("dylan", _dylan.looks_like),
        ("answers", _answers.looks_like),
        ("du", _du.looks_like),
    ):
        if fits(first):
            return name
    if isinstance(first, dict) and has_columns(first):
        return "table"
    names = list(first) if isinstance(first, dict) else list(first[0]) if _is_list_of_objects(first) else []
    found = (
        f"the keys {', '.join(repr(str(name)[:40]) for name in names[:8])}"
        if names
        else f"the type {type(first).__name__}"
    )
    raise ValueError(f"{path}: none of the known layouts ({', '.join(FORMATS[1:])}); its first value has {found}")


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
