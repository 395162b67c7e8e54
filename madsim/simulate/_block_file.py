"""One finished block as bytes: an ``.npz`` archive without pickles that says what it is a block of, with a checksum."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.canonical import canonical_json
from madsim.simulate._npz import read_npz

Shapes = dict[str, tuple[np.dtype[Any], tuple[int, ...]]]

MOST_BYTES = 2**32
"""Most bytes that a block may unpack to."""


def pack(arrays: dict[str, NDArray[Any]], *, task: str, first: int, count: int) -> bytes:
    """The block's arrays, its place and its checksum as one archive."""
    about = canonical_json({"task": _text_digest(task), "first": first, "count": count, "sha256": _digest(arrays)})
    file = io.BytesIO()
    members = {**arrays, "about": np.frombuffer(about.encode(), np.uint8)}
    np.savez_compressed(file, allow_pickle=False, **members)
    return file.getvalue()


def unpack(data: bytes, shapes: Shapes, *, task: str, first: int, count: int) -> dict[str, NDArray[Any]]:
    """The arrays that :func:`pack` wrote.

    Raises
    ------
    ValueError
        If the bytes are no such block, are damaged, or belong to another task or other trials.
    """
    try:
        arrays = read_npz(io.BytesIO(data), most_bytes=MOST_BYTES)
        about = json.loads(arrays.pop("about").tobytes().decode())
        said = {name: about[name] for name in ("task", "first", "count", "sha256")}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a block of a sweep ({error})") from error
    found = {name: (array.dtype, array.shape) for name, array in arrays.items()}
    if found != shapes:
        raise ValueError(f"a block of other arrays: found {found}, expected {shapes}")
    expected = {"task": _text_digest(task), "first": first, "count": count, "sha256": _digest(arrays)}
    wrong = [name for name in expected if said[name] != expected[name]]
    if wrong:
        raise ValueError(f"a block of another sweep, or a damaged one: {', '.join(wrong)} differ")
    return arrays


def _digest(arrays: dict[str, NDArray[Any]]) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _text_digest(task: str) -> str:
    return hashlib.sha256(task.encode("utf-8", "surrogatepass")).hexdigest()
