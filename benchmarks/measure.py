"""Fair comparison of candidates: alternating in one process, median time of a trial."""

from __future__ import annotations

import statistics
import time
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
