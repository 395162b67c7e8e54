"""The profile of a likelihood: how much worse the best fit becomes when one parameter is held elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.estimate import Interval
from madsim._core.html import Printed
from madsim.fit._cells import Memory
from madsim.fit._debate import objective_of, recorded_graph
from madsim.fit._likelihood import Mixing
from madsim.fit._search import maximise, profile_interval
from madsim.graphs import Graph
from madsim.transcripts import Votes

ParameterName = Literal["mass", "conformity", "correction"]
_NAMES: tuple[str, ...] = get_args(ParameterName)
_FURTHER = 0.25  # shown beyond each end of the interval, as a part of its length
_OPEN = 3.0  # shown where an end is open, on the scale of the search


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile(Printed):
    """Log-likelihood of a debate fit, maximised over all else, by the value of one parameter.

    Attributes
    ----------
    parameter : ``"mass"``, ``"conformity"`` or ``"correction"``
    values : float64 (point,); rising
    log_likelihood : float64 (point,); less its maximum: 0 at the best fit, negative elsewhere
    best : the value at the maximum
    interval : where the log-likelihood lies less than `cut` below its maximum; an end is open (infinite, or 0 for mass and conformity)
        where it never falls so far
    cut : half of the chi-square quantile at `level`, one degree of freedom
    level : of the interval
    mixing : law of the questions' difficulty
    """

    parameter: ParameterName
    values: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    best: float
    interval: Interval
    cut: float
    level: float
    mixing: Mixing

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form; infinite numbers are None."""

        def plain(value: float) -> float | None:
            return value if math.isfinite(value) else None

        return {
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "log_likelihood": self.log_likelihood.tolist(),
            "best": plain(self.best),
            "interval": [plain(end) for end in self.interval],
            "level": self.level,
            "mixing": self.mixing,
        }

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.parameter}: {self.best:.3g}, {100 * self.level:g} % interval by profile [{low:.3g}, {high:.3g}] "
            f"({self.mixing} mixing, {len(self.values)} points from {self.values[0]:.3g} to {self.values[-1]:.3g})"
        )


def profile_debate(
    votes: Votes,
    parameter: ParameterName = "conformity",
    *,
    mixing: Mixing = "beta",
    graph: Graph | None = None,
    self_weight: float = 1.0,
    memory: Memory = "cumulative",
    level: float = 0.95,
    n_points: int = 41,
) -> Profile:
    """How the log-likelihood of `fit_debate` falls away from its maximum along one parameter.

    Points lie evenly on the logarithm of mass and conformity and on the correction itself, and reach beyond the interval on both sides.

    Parameters
    ----------
    votes, mixing, graph, self_weight, memory, level
        as for `fit_debate`
    parameter
        ``"mass"``, ``"conformity"`` or ``"correction"``
    n_points
        values at which the profile is computed, at least 5

    Raises
    ------
    ValueError
        As for `fit_debate`, or for another parameter.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(100, accuracy=0.72, kappa=4, rng=1)
    >>> found = profile_debate(simulate_questions(beliefs, n_rounds=2, rng=3).votes, "correction", n_points=9)
    >>> bool(found.interval.low < 0 < found.interval.high), bool(found.log_likelihood.max() <= 1e-6)
    (True, True)
    """
    from scipy.special import chdtri

    if parameter not in _NAMES:
        raise ValueError(f"parameter must be one of {', '.join(_NAMES)}, got {parameter!r}")
    n_points = as_count(n_points, name="n_points", minimum=5)
    graph = recorded_graph(votes) if graph is None else graph
    _, objective = objective_of(votes, mixing=mixing, graph=graph, self_weight=self_weight, memory=memory, level=level)
    index = _NAMES.index(parameter)
    best = maximise(objective, objective.starts())
    ends = profile_interval(objective, best, index, level=level)
    places = _places(float(best.vector[index]), ends, objective.bounds[index], n_points)
    heights = np.empty(n_points)
    start = int(np.argmin(np.abs(places - best.vector[index])))
    for way in (range(start, n_points), range(start - 1, -1, -1)):  # outwards, each from its neighbour's maximum
        vector = best.vector
        for place in way:
            found = maximise(objective, [vector], pinned={index: float(places[place])}, tolerance=1e-10)
            heights[place], vector = found.value, found.vector
    back = (lambda x: x) if parameter == "correction" else np.exp
    low, high = (float(back(end)) for end in ends)
    return Profile(
        parameter=parameter,
        values=readonly(np.asarray(back(places), dtype=np.float64)),
        log_likelihood=readonly(heights - best.value),
        best=float(back(best.vector[index])),
        interval=Interval(low, high),
        cut=float(chdtri(1, 1 - level)) / 2,
        level=level,
        mixing=mixing,
    )


def _places(best: float, ends: tuple[float, float], bounds: tuple[float, float], n_points: int) -> NDArray[np.float64]:
    """Where to compute the profile, on the scale of the search."""
    low, high = (end if math.isfinite(end) else best + sign * _OPEN for sign, end in zip((-1, 1), ends, strict=True))
    room = _FURTHER * (high - low)
    return np.linspace(max(low - room, bounds[0]), min(high + room, bounds[1]), n_points)
