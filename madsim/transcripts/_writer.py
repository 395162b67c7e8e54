"""Writing the record of a run: append only, one writer, each line with the operating system before the next thing happens."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from madsim._core.canonical import to_jsonable
from madsim.tasks import Sample
from madsim.transcripts._lock import lock_exclusively
from madsim.transcripts._record import SCHEMA, Record, entries_of, record_of

_CHUNK = 1 << 16


class RunWriter:
    """Appends to the record of a run.

    Made by :meth:`create` or :meth:`resume`; closes as a context manager. Every line goes to the operating system at once, so a killed
    process loses nothing that was written; it goes to the disk at least every `sync_seconds` and on closing, so a power cut loses
    no more than that. Threads may share one writer.

    Attributes
    ----------
    path : the file
    torn : bytes of a torn last line that :meth:`resume` cut off
    """

    def __init__(self, file: BinaryIO, path: Path, *, torn: int = 0, sync_seconds: float = 1.0) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._sync_seconds = sync_seconds
        self._synced = time.monotonic()
        self.path = path
        self.torn = torn

    @classmethod
    def create(cls, path: str | Path, header: dict[str, Any], *, sync_seconds: float = 1.0) -> RunWriter:
        """Start a new record with its header line (``type`` and ``schema`` are added).

        Raises
        ------
        FileExistsError
            If something exists at `path`: a record is never overwritten.
        ValueError
            If the header names no agents or cannot be written as JSON.
        """
        path = Path(path)
        header = {"type": "run", "schema": SCHEMA, **header}
        record_of([json.loads(_line(header))], where="header")
        try:
            file = open(path, "x+b", buffering=0)  # noqa: SIM115 (the writer owns it)
        except FileExistsError:
            raise FileExistsError(
                f"{path} exists; a record is never overwritten. Resume it, or name another file"
            ) from None
        writer = cls(file, path, sync_seconds=sync_seconds)
        try:
            lock_exclusively(file)
            writer.write(header)
        except BaseException:
            file.close()
            raise
        return writer

    @classmethod
    def resume(cls, path: str | Path, *, sync_seconds: float = 1.0) -> tuple[RunWriter, Record]:
        """Open an existing record to append to it, with what it holds so far.

        A torn last line is cut off, counted in the record's ``notes["torn_lines"]``, and its bytes in :attr:`torn`.

        Raises
        ------
        ValueError
            If there is no such file, it is no record, or another writer holds it.
        """
        path = Path(path)
        try:
            file = open(path, "r+b", buffering=0)  # noqa: SIM115 (the writer owns it)
        except FileNotFoundError:
            raise ValueError(f"{path}: no such record to resume") from None
        except OSError as error:
            raise ValueError(f"{path}: cannot be opened for writing ({error})") from None
        try:
            try:
                lock_exclusively(file)
            except BlockingIOError:
                raise ValueError(f"{path}: another run is writing this record; wait for it or stop it") from None
            notes: Counter[str] = Counter()
            with open(path, "rb") as reading:
                record = record_of(entries_of(reading, path=path, notes=notes), where=str(path), notes=notes)
            torn = _mend_end(file, torn=notes["torn_lines"] > 0)
        except BaseException:
            file.close()
            raise
        return cls(file, path, torn=torn, sync_seconds=sync_seconds), record

    def sample(self, sample: Sample) -> None:
        """Append a question."""
        self.write({"type": "sample", **sample.to_dict()})

    def call(self, call: dict[str, Any]) -> None:
        """Append a finished call (its key, messages, reply, usage, answer and reason)."""
        self.write({"type": "call", **call})

    def outcome(self, outcome: dict[str, Any]) -> None:
        """Append how a debate ended."""
        self.write({"type": "outcome", **outcome})

    def event(self, event: dict[str, Any]) -> None:
        """Append something that happened."""
        self.write({"type": "event", **event})

    def write(self, entry: dict[str, Any]) -> None:
        """Append one line.

        Raises
        ------
        ValueError
            If the writer is closed, or the entry holds NaN or infinity.
        TypeError
            If the entry holds something without a plain JSON form.
        """
        data = _line(entry)
        with self._guard:
            if self._file.closed:
                raise ValueError(f"{self.path}: the record is closed")
            self._append(data)
            if time.monotonic() - self._synced >= self._sync_seconds:
                self._sync()

    def _append(self, data: bytes) -> None:
        """Write all of `data` or, where that fails (a full disk, an interrupt), nothing: half a line must not meet the next."""
        start = self._file.tell()
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except BaseException:
            self._file.truncate(start)
            self._file.seek(start)
            raise

    def close(self) -> None:
        """Bring everything to the disk and give up the lock; a second call does nothing."""
        with self._guard:
            if not self._file.closed:
                self._sync()
                self._file.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line(entry: dict[str, Any]) -> bytes:
    plain = to_jsonable(entry)
    try:
        return (json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair in a reply: only its escape can be stored as UTF-8
        return (json.dumps(plain, allow_nan=False) + "\n").encode("ascii")


def _mend_end(file: BinaryIO, *, torn: bool) -> int:
    """Leave the file ending in a line feed, positioned at its end; the number of bytes cut off."""
    end = file.seek(0, os.SEEK_END)
    file.seek(end - 1)
    if file.read(1) == b"\n":
        return 0
    if not torn:  # the last object is whole, only its line feed is missing
        file.write(b"\n")
        return 0
    keep = _last_line_start(file, end)
    file.truncate(keep)
    file.seek(keep)
    return end - keep


def _last_line_start(file: BinaryIO, end: int) -> int:
    position = end
    while position > 0:
        start = max(0, position - _CHUNK)
        file.seek(start)
        found = file.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0
