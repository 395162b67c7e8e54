"""Fair comparison of candidates: alternating in one process, median time of a trial."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    name : what is compared with what
    ratio : what was measured
    gate : what must hold on any machine
    stretch : what a good machine reaches
    better : whether larger or smaller numbers are better
    unit : ``"x"`` for ratios, else the unit of the number
    detail : times behind the ratio
    """

    name: str
    ratio: float
    gate: float
    stretch: float
    better: Literal["higher", "lower"] = "higher"
    unit: str = "x"
    detail: str = ""

    def reaches(self, bound: float) -> bool:
        """Whether the ratio is at least as good as a bound."""
        return self.ratio >= bound if self.better == "higher" else self.ratio <= bound

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, with what was reached."""
        return {**asdict(self), "gate_met": self.reaches(self.gate), "stretch_met": self.reaches(self.stretch)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something to time: ``run(n)`` does `n` trials."""

    name: str
    run: Callable[[int], Any]
    n_trials: int


def time_each(
    candidates: Sequence[Candidate], *, repeats: int = 5, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Median seconds a trial of each candidate, after one warm-up run, the candidates taking turns."""
    for candidate in candidates:
        candidate.run(candidate.n_trials)
    times: dict[str, list[float]] = {candidate.name: [] for candidate in candidates}
    for _ in range(repeats):
        for candidate in candidates:
            start = clock()
            candidate.run(candidate.n_trials)
            times[candidate.name].append((clock() - start) / candidate.n_trials)
    return {name: statistics.median(values) for name, values in times.items()}


def threads_row(name: str, run: Callable[[int, int], Any], n_trials: int, *, repeats: int) -> Row:
    """Wall time of ``run(n_trials, threads)`` on one thread over that on two; the results must be the same integers."""
    if run(300, 1).totals != run(300, 2).totals:
        raise RuntimeError("1 and 2 threads give different sums")
    candidates = [Candidate(name=str(t), run=lambda n, t=t: run(n, t), n_trials=n_trials) for t in (1, 2)]
    times = time_each(candidates, repeats=repeats, clock=time.perf_counter)
    return Row(
        name=name,
        ratio=times["1"] / times["2"],
        gate=1.6,
        stretch=1.9,
        detail=f"{times['1'] * n_trials:.3f} s against {times['2'] * n_trials:.3f} s, same bits",
    )


def memory_row(name: str, run: Callable[[int], Any], n_trials: int) -> Row:
    """Bytes that a trial adds to the peak of what Python and NumPy allocate, one thread."""
    run(1_000)
    tracemalloc.start()
    run(n_trials)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Row(
        name=name,
        ratio=peak / n_trials,
        gate=16,
        stretch=4,
        better="lower",
        unit="B",
        detail=f"{peak / 1e6:.2f} MB at {n_trials} trials",
    )
