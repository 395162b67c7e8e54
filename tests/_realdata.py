"""Real transcripts for tests: outside the project, so the tests that need them are skipped where they are absent."""

import os
from pathlib import Path

import pytest

_CANDIDATES = (os.environ.get("MADSIM_REAL_DATA"), Path(__file__).resolve().parents[2] / "shared" / "data")

REAL_DATA: Path | None = next(
    (Path(path) for path in _CANDIDATES if path and (Path(path) / "transcripts").is_dir()), None
)


def needs_real_data(test):
    """Mark a test that reads real transcripts; skipped with the reason where there are none."""
    skip = pytest.mark.skipif(
        REAL_DATA is None, reason="real transcripts are absent (set MADSIM_REAL_DATA to their folder)"
    )
    return pytest.mark.realdata(skip(test))
