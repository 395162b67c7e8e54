"""Running a sweep: blocks out to the workers, integers back, added up exactly."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from madsim._core.arrays import as_count
from madsim._core.provenance import provenance
from madsim.models import Swarm
from madsim.simulate._block_file import unpack
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._executors import Block, Executors, open_workers, run_blocks
from madsim.simulate._shares_result import SharedDrawsWarning, SharesResult
from madsim.simulate._swarm import warnings_of
from madsim.simulate._sweep import Sweep
from madsim.simulate._sweep_result import SweepResult
from madsim.simulate._sweep_store import PartialResults
from madsim.simulate._sweep_work import Arrays, Work, work_block, work_of


def simulate_sweep(
    sweep: Sweep,
    *,
    executor: Executors = "threads",
    workers: int | None = None,
    partial: str | os.PathLike[str] | None = None,
    retries: int = 3,
    progress: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Every point of a sweep, simulated on threads, processes or a cluster: the same bits wherever it runs.

    Parameters
    ----------
    sweep : what to simulate
    executor : ``"threads"``; ``"processes"`` (new interpreters: a script that starts them needs ``if __name__ == "__main__":``);
        ``"dask://HOST:PORT"`` or a Dask ``Client`` (every worker needs this version of madsim); or an executor of `concurrent.futures`,
        which is used and left open
    workers : how many threads or processes; by default one for every processor that this process may use. Dask knows its own number
    partial : a folder for finished blocks. The same sweep begun again with the same folder, on any executor, goes on from them; it may ask
        for more trials. Without it nothing is written
    retries : how often a block is handed out again after its worker died
    progress : called now and then with (trials done, trials in all)

    Warns
    -----
    SharedDrawsWarning
        If holders of an option share its reward draws, which biases the dynamics.

    Raises
    ------
    ValueError, TypeError
        If a point, the executor, or the folder is not as described above.
    ChildProcessError
        If a block lost its worker more than `retries` times.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> sweep = Sweep.grid(DebateModel.homogeneous, {"belief": [0.6, 0.7]}, n_trials=1000, rng=1)
    >>> found = simulate_sweep(sweep)
    >>> found.at(belief=0.7) == found.results[1]
    True
    """
    if not isinstance(sweep, Sweep):
        raise TypeError(f"simulate_sweep needs a Sweep, got {type(sweep).__name__}")
    retries = as_count(retries, name="retries", maximum=1000)
    tasks = sweep.tasks()
    for note in {note for point in sweep.points if isinstance(point.model, Swarm) for note in warnings_of(point.model)}:
        warnings.warn(note, SharedDrawsWarning, stacklevel=2)
    description = sweep.describe(tasks)
    store = None if partial is None else PartialResults(partial, description)
    merge = _Merge(sweep, tasks, store, progress)
    todo = merge.missing()
    with open_workers(executor, workers) as hands:
        run_blocks(hands, work_block, tasks, todo, merge.take, retries=retries)
    results = merge.results()
    return SweepResult(
        sweep=sweep,
        results=results,
        provenance=provenance(
            "simulate_sweep",
            {**description, "n_trials": sweep.n_trials},
            seed=sweep.seed.hex,
            packages=("numpy", "numba"),
        ),
        notes=dict(merge.notes),
    )


class _Merge:
    """Adds blocks up, point by point, in whatever order they come."""

    def __init__(
        self,
        sweep: Sweep,
        tasks: tuple[str, ...],
        store: PartialResults | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._sweep, self._tasks, self._store, self._progress = sweep, tasks, store, progress
        self._totals: dict[int, Arrays] = {}
        self._rows: dict[int, dict[int, Arrays]] = {}
        self._done = 0
        self.notes: Counter[str] = Counter()

    def missing(self) -> Iterator[Block]:
        """The blocks that partial results do not hold; those that they hold are added on the way."""
        for block in self._sweep.blocks(self._tasks):
            data = None if self._store is None else self._store.read(block)
            if data is not None:
                try:
                    arrays = self._open(block, data)
                except ValueError:
                    self.notes["blocks_damaged"] += 1
                else:
                    self.notes["blocks_read"] += 1
                    self._add(block, arrays)
                    continue
            yield block

    def take(self, block: Block, data: bytes) -> None:
        """Add a block that a worker finished, and keep it."""
        arrays = self._open(block, data)
        if self._store is not None:
            self._store.write(block, data)
        self._add(block, arrays)

    def results(self) -> tuple[DebateResult | SharesResult, ...]:
        """The result of every point."""
        found = []
        for number in range(len(self._tasks)):
            work, rows = self._work(number), self._rows[number]
            parts = [rows[first] for first in sorted(rows)]
            by_trial = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            found.append(work.result(self._sweep.n_trials, {**self._totals[number], **by_trial}))
        return tuple(found)

    def _work(self, number: int) -> Work:
        return work_of(self._tasks[number])

    def _open(self, block: Block, data: bytes) -> Arrays:
        shapes = self._work(block.point).shapes(block.count)
        return unpack(data, shapes, task=self._tasks[block.point], first=block.first, count=block.count)

    def _add(self, block: Block, arrays: Arrays) -> None:
        names = self._work(block.point).totals
        totals = {name: arrays.pop(name) for name in names}
        known = self._totals.setdefault(block.point, totals)
        if known is not totals:
            for name in names:
                known[name] += totals[name]
        self._rows.setdefault(block.point, {})[block.first] = arrays
        self._done += block.count
        if self._progress is not None:
            self._progress(self._done, self._sweep.n_trials * len(self._tasks))
