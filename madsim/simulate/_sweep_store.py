"""Partial results of a sweep on disk: one small file a block, so that a killed sweep goes on where it stopped."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from madsim._core.canonical import canonical_json, digest
from madsim._core.files import read_text
from madsim.simulate._executors import Block

_NAME, _UNFINISHED = "sweep.json", ".tmp"


class PartialResults:
    """A folder of finished blocks of one sweep.

    Files come into being whole (written beside, then renamed), and every one is checked when it is read, so any number of processes may
    share a folder, and a kill at any moment costs no more than the blocks that were being worked.
    """

    def __init__(self, folder: str | os.PathLike[str], description: dict[str, Any]) -> None:
        """Take the folder, or make it.

        Raises
        ------
        ValueError
            If it holds something else, or the blocks of another sweep.
        """
        self._folder = Path(folder)
        known = self._folder / _NAME
        # looked at first: whoever put blocks there had put the description there before
        taken = self._folder.exists() and not (
            self._folder.is_dir() and all(map(_is_unfinished, self._folder.iterdir()))
        )
        if known.exists():
            _check_same(known, description)
            return
        if taken:
            raise ValueError(f"{folder}: expected a folder of partial results or an empty one; name a new folder")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._write(_NAME, canonical_json({"digest": digest(description), **description}).encode())

    def read(self, block: Block) -> bytes | None:
        """The file of a block, None where there is none."""
        try:
            return (self._folder / _file_name(block)).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, block: Block, data: bytes) -> None:
        """Keep a finished block."""
        self._write(_file_name(block), data)

    def _write(self, name: str, data: bytes) -> None:
        beside = self._folder / f".{name}.{os.getpid()}.{threading.get_ident()}{_UNFINISHED}"
        try:
            beside.write_bytes(data)
            os.replace(beside, self._folder / name)
        finally:
            beside.unlink(missing_ok=True)


def _is_unfinished(path: Path) -> bool:
    """Whether this is a description that another process is writing, or was killed while writing."""
    return path.name.startswith(f".{_NAME}.") and path.name.endswith(_UNFINISHED)


def _file_name(block: Block) -> str:
    return f"{block.point:06d}-{block.first}-{block.count}.npz"


def _check_same(path: Path, description: dict[str, Any]) -> None:
    try:
        found = json.loads(read_text(path))
        same = found.pop("digest") == digest(description)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: not the description of a sweep ({error}); name a new folder") from error
    if same:
        return
    different = [name for name in description if found.get(name) != json.loads(canonical_json(description[name]))]
    raise ValueError(
        f"{path.parent}: these are partial results of another sweep ({', '.join(different) or 'description'} differ); name a new folder, "
        "or describe the sweep as it was (the same seed, points and options; the number of trials may differ)"
    )
