"""Reading files that strangers wrote: text line by line and JSON values, with errors that say where."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

MAX_LINE_BYTES = 256 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\x80\x04\x95": "pickle",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text file: its number from 1, the byte offset of its start, its text, and whether a line feed ended it."""

    number: int
    offset: int
    text: str
    ended: bool


@dataclass(slots=True)
class JSONReader:
    """Reads JSON values and counts in `notes` what it mended: NaN and infinity become None."""

    notes: Counter[str] = field(default_factory=Counter)

    def loads(self, text: str, *, where: str) -> Any:
        """The JSON value of `text`.

        Raises
        ------
        ValueError
            If it is no JSON, is nested too deeply, or holds a number that cannot be read; the message says where.
        """
        try:
            return json.loads(text, parse_constant=self._constant)
        except RecursionError:
            raise ValueError(f"{where}: JSON nested too deeply to be read") from None
        except json.JSONDecodeError as error:
            shown = text[max(0, error.pos - 20) : error.pos + 20]
            raise ValueError(f"{where}: not JSON ({error.msg} at column {error.pos + 1}, near {shown!r})") from None
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None

    def _constant(self, name: str) -> None:
        self.notes["not_a_number"] += 1


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
    offset = 0
    number = 0
    while data := file.readline(MAX_LINE_BYTES):
        number += 1
        if len(data) == MAX_LINE_BYTES and not data.endswith(b"\n"):
            raise ValueError(f"{path}, line {number}: longer than {MAX_LINE_BYTES} bytes; this is no file of lines")
        skip = check_start(data[:4], path=path) if number == 1 else 0
        ended = data.endswith(b"\n")
        body = data[skip:].removesuffix(b"\n").removesuffix(b"\r")
        yield Line(number, offset, decode(body, offset=offset + skip, path=path), ended)
        offset += len(data)
