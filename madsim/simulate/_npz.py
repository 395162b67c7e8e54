"""Arrays from an ``.npz`` file that anybody may have made."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# All that a file of a stranger makes NumPy and zipfile raise; RuntimeError is what encryption and unknown compression give.
_BROKEN = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, MemoryError, RuntimeError, OverflowError),
    *(SyntaxError, tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)


def read_npz(file: IO[bytes], *, most_bytes: int) -> dict[str, NDArray[Any]]:
    """Every array of an open archive, without pickles.

    Raises
    ------
    ValueError
        If it is no such archive, is damaged, holds anything but arrays, or unpacks to more than `most_bytes`.
    """
    try:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no .npz archive")
        with np.load(file, allow_pickle=False) as archive:
            size = sum(member.file_size for member in archive.zip.infolist())
            if size > most_bytes:
                raise ValueError(f"it unpacks to {size} bytes, more than the {most_bytes} that it may have")
            arrays = {name: archive[name] for name in archive.files}
    except _BROKEN as error:
        raise ValueError(str(error) or type(error).__name__) from error
    strange = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise ValueError(f"its member {strange[0]!r} is no array")
    return arrays
