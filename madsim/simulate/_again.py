"""Results of any simulator read back, made again and made longer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import overload

from madsim._core.provenance import Provenance
from madsim.simulate import _debate, _store
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._shares_result import SharesResult
from madsim.simulate._shares_store import COMMANDS, extend_shares, load_shares, reproduce_shares

Progress = Callable[[int, int], None]


def load_result(path: str | Path) -> DebateResult | SharesResult:
    """Read back a result that its ``save`` wrote, of whichever simulator.

    Raises
    ------
    ValueError
        If there is no such file, or it is not the file of a result, or its parts do not fit together.
    """
    arrays, source = _store.read_arrays(path)
    return load_shares(arrays, source, path) if source.command in COMMANDS else _store.load_result(path)


def reproduce(
    source: Provenance, *, threads: int | None = None, progress: Progress | None = None
) -> DebateResult | SharesResult:
    """The result simulated again from its provenance: the same integers, on any machine and number of threads.

    Raises
    ------
    ValueError
        If the provenance is not that of a simulator.
    """
    if source.command in COMMANDS:
        return reproduce_shares(source, threads=threads, progress=progress)
    return _store.reproduce(source, threads=threads, progress=progress)


@overload
def extend(
    result: DebateResult, n_trials: int, *, threads: int | None = None, progress: Progress | None = None
) -> DebateResult: ...
@overload
def extend(
    result: SharesResult, n_trials: int, *, threads: int | None = None, progress: Progress | None = None
) -> SharesResult: ...
def extend(
    result: DebateResult | SharesResult,
    n_trials: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> DebateResult | SharesResult:
    """The result with `n_trials` more trials: the same bits as if all had been simulated at once."""
    if isinstance(result, SharesResult):
        return extend_shares(result, n_trials, threads=threads, progress=progress)
    return _debate.extend(result, n_trials, threads=threads, progress=progress)
