"""Reading files that strangers wrote: text line by line and JSON values, with errors that say where."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

MAX_LINE_BYTES = 256 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"PAR1": "Parquet",
    b"\x80\x02": "pickle",
    b"\x80\x03": "pickle",
    b"\x80\x04": "pickle",
    b"\x80\x05": "pickle",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text file: its number from 1, the byte offset of its start, its text, and what ended it.

    `end` is a line feed with or without a carriage return before it, or empty at the end of a file that ends without one.
    """

    number: int
    offset: int
    text: str
    end: str


@dataclass(slots=True)
class JSONReader:
    """Reads JSON values and counts in `notes` what it mended.

    NaN and infinity become None (``not_a_number``); a key that stands twice in one object with the same value counts once
    (``repeated_keys``), with different values it is an error, because one of them would be lost.
    """

    notes: Counter[str] = field(default_factory=Counter)

    def loads(self, text: str, *, where: str) -> Any:
        """The JSON value of `text`.

        Raises
        ------
        ValueError
            If it is no JSON, is nested too deeply, or holds a number that cannot be read; the message says where.
        """
        try:
            return json.loads(text, parse_constant=self._constant, object_pairs_hook=self._object)
        except RecursionError:
            raise ValueError(f"{where}: JSON nested too deeply to be read") from None
        except json.JSONDecodeError as error:
            shown = text[max(0, error.pos - 20) : error.pos + 20]
            raise ValueError(f"{where}: not JSON ({error.msg} at column {error.pos + 1}, near {shown!r})") from None
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None

    def _constant(self, name: str) -> None:
        self.notes["not_a_number"] += 1

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            for key, item in pairs:
                if value[key] != item:
                    raise ValueError(f"the key {key[:80]!r} stands twice in one JSON object with different values")
            self.notes["repeated_keys"] += len(pairs) - len(value)
        return value


def decode(data: bytes, *, offset: int, path: str | Path) -> str:
    """UTF-8 text.

    Raises
    ------
    ValueError
        If the bytes are no UTF-8, naming the first wrong byte by its offset in the file.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong = offset + error.start
        raise ValueError(
            f"{path}: byte {wrong} (0x{data[error.start]:02x}) is not UTF-8; convert the file first, "
            "for example with iconv -f LATIN1 -t UTF-8"
        ) from None


def check_start(start: bytes, *, path: str | Path) -> int:
    """How many bytes of a byte-order mark to skip.

    Raises
    ------
    ValueError
        If the first bytes say that the file is something other than UTF-8 text.
    """
    if start.startswith(_BOM):
        return len(_BOM)
    for mark, name in _OTHER_BOMS.items():
        if start.startswith(mark):
            raise ValueError(f"{path}: the file starts as {name}; expected UTF-8 text. Convert or unpack it first")
    if b"\0" in start:
        raise ValueError(
            f"{path}: byte {start.index(0)} is zero; expected UTF-8 text, this looks like UTF-16 or no text at all. Convert it first"
        )
    return 0


@contextmanager
def open_file(path: str | Path) -> Iterator[BinaryIO]:
    """The file opened for reading bytes, closed afterwards; ``"-"`` is standard input, which stays open.

    Raises
    ------
    ValueError
        If it is absent, a folder, or may not be read.
    """
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{path}: this is a folder; name a file in it") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read ({error})") from None
    with file:
        yield file


def read_text(path: str | Path) -> str:
    """The whole file as UTF-8 text, a byte-order mark skipped."""
    with open_file(path) as file:
        data = file.read()
    skip = check_start(data[:4], path=path)
    return decode(data[skip:] if skip else data, offset=skip, path=path)


def read_lines(path: str | Path) -> Iterator[Line]:
    """The file's lines one by one, without their line ends; only one line is in memory at a time.

    Raises
    ------
    ValueError
        If the file cannot be read, is no UTF-8 text, or has a line above 256 MiB.
    """
    with open_file(path) as file:
        yield from lines_of(file, path=path)


def lines_of(file: BinaryIO, *, path: str | Path) -> Iterator[Line]:
    """The lines of an open binary file from its present place on."""
    for raw in _raw_lines(file, path=path):
        yield Line(raw.number, raw.offset, decode(raw.body, offset=raw.offset, path=path), raw.end)


def read_json_lines(path: str | Path, *, notes: Counter[str]) -> Iterator[tuple[str, Any]]:
    """The JSON value of every line of a file, with the place for messages; only one line is in memory at a time.

    Blank lines are counted in `notes` as ``blank_lines``. A last line that is broken and has no line feed (a killed writer leaves one)
    is dropped and counted as ``torn_lines``; one that is whole counts although its line feed is missing.

    Raises
    ------
    ValueError
        If the file cannot be read or another line is broken.
    """
    with open_file(path) as file:
        yield from json_lines_of(file, path=path, notes=notes)


def json_lines_of(file: BinaryIO, *, path: str | Path, notes: Counter[str]) -> Iterator[tuple[str, Any]]:
    """The same from an open binary file."""
    reader = JSONReader(notes)
    for raw in _raw_lines(file, path=path):
        where = f"{path}, line {raw.number}"
        if not raw.body.strip():
            notes["blank_lines"] += 1
            continue
        try:
            value = reader.loads(decode(raw.body, offset=raw.offset, path=path), where=where)
        except ValueError:
            if raw.end or raw.number == 1:
                raise
            notes["torn_lines"] += 1
            return
        yield where, value


class _Raw(NamedTuple):
    number: int
    offset: int
    body: bytes
    end: str


def _raw_lines(file: BinaryIO, *, path: str | Path) -> Iterator[_Raw]:
    offset = number = 0
    while data := file.readline(MAX_LINE_BYTES):
        number += 1
        if len(data) == MAX_LINE_BYTES and not data.endswith(b"\n"):
            raise ValueError(f"{path}, line {number}: longer than {MAX_LINE_BYTES} bytes; this is no file of lines")
        skip = check_start(data[:4], path=path) if number == 1 else 0
        end = "\r\n" if data.endswith(b"\r\n") else "\n" if data.endswith(b"\n") else ""
        yield _Raw(number, offset + skip, data[skip : len(data) - len(end)], end)
        offset += len(data)
