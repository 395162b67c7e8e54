"""Where compiled kernels are kept: beside their source, in the user's folder, or, where neither can be written, with this process."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def ensure_cache_folder() -> None:
    """Give numba a folder of this process's own where it would find none and refuse to import a kernel.

    The folder is new, readable by this user only, and removed at the end: compiled code is loaded from it, so it must not be guessable.
    """
    from numba import config
    from numba.misc.appdirs import user_cache_dir

    if config.CACHE_DIR:  # type: ignore[attr-defined]
        return
    beside = Path(__file__).resolve().parent / "__pycache__"
    if any(_is_writable(folder) for folder in (beside, Path(user_cache_dir("numba", appauthor=False)))):
        return
    config.CACHE_DIR = tempfile.mkdtemp(prefix="madsim-kernels-")  # type: ignore[attr-defined]
    atexit.register(shutil.rmtree, config.CACHE_DIR, ignore_errors=True)  # type: ignore[attr-defined]


def _is_writable(folder: Path) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
