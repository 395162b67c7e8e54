"""CSV that strangers wrote, row by row, with errors that say where."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from madsim._core.files import Line

_LONGEST_CELL = 1 << 28


def csv_rows(
    lines: Iterator[Line], *, path: str | Path, notes: Counter[str] | None = None
) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The column names, and the rows as dictionaries with the number of the line in which each ends.

    With `notes`, a last row that is cut short and has no line feed is dropped and counted as ``torn_lines``, and a whole one without a
    line feed is counted as ``last_line_without_end``, because nobody can tell whether its last cell is whole.

    Raises
    ------
    ValueError
        If there is no header, a column stands twice, a row has too few or too many cells, or the quoting is broken. An open quote
        swallows all that follows, so it is never taken for a torn row.
    """
    ending = _Ending()
    table = csv.reader(ending.texts(lines), strict=True)
    try:
        names = next(table, [])
    except csv.Error as error:
        raise ValueError(f"{path}, line 1: not CSV ({error})") from None
    if not names:
        raise ValueError(f"{path}: empty; expected a line of column names")
    if len(set(names)) != len(names):
        raise ValueError(f"{path}, line 1: a column name stands twice in {', '.join(names)}")
    return names, _rows(table, names, ending, path, notes)


class _Ending:
    """Whether the line given out last had a line feed."""

    def __init__(self) -> None:
        self.missing = False

    def texts(self, lines: Iterator[Line]) -> Iterator[str]:
        for line in lines:
            self.missing = not line.end
            yield line.text + (line.end or "\n")


def _rows(
    table: Iterator[list[str]], names: list[str], ending: _Ending, path: str | Path, notes: Counter[str] | None
) -> Iterator[tuple[int, dict[str, str]]]:
    last: int = table.line_num  # type: ignore[attr-defined]
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        for cells in table:
            last = table.line_num  # type: ignore[attr-defined]
            if len(cells) == len(names):
                yield last, dict(zip(names, cells, strict=True))
            elif len(cells) < len(names) and ending.missing and notes is not None:
                notes["torn_lines"] += 1
                return
            elif cells:
                raise ValueError(f"{path}, line {last}: expected {len(names)} cells, found {len(cells)}")
    except csv.Error as error:
        raise ValueError(f"{path}: the row that starts in line {last + 1} cannot be read ({error})") from None
    finally:
        csv.field_size_limit(before)
    if notes is not None and ending.missing:
        notes["last_line_without_end"] += 1
