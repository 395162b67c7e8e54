"""One writer a record: an exclusive lock that the operating system drops when the process ends, however it ends."""

from __future__ import annotations

import sys
from typing import BinaryIO

_FAR = 1 << 40  # Windows locks bytes, and a locked byte cannot be read by others: lock one far behind any record's end


def lock_exclusively(file: BinaryIO) -> None:
    """Lock an open file for this writer alone.

    Raises
    ------
    BlockingIOError
        If another writer, in this process or another one, holds the lock.
    """
    if sys.platform == "win32":
        import msvcrt

        position = file.tell()
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(str(error)) from error
        finally:
            file.seek(position)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
