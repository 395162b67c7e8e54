"""Draws of the debate model's parameters that a run leaves possible, for forecasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.rng import RNG, resolve_seed
from madsim.fit._cells import Memory, cells_of
from madsim.fit._debate import recorded_graph, schedule_warnings
from madsim.fit._likelihood import BetaLikelihood, Vector
from madsim.fit._search import maximise
from madsim.graphs import Graph
from madsim.transcripts import Votes

if TYPE_CHECKING:
    import pandas
    import xarray

_KEY = 0x706F7374
_NAMES = ("mass", "conformity", "correction", "accuracy", "kappa")
_CENTRE = np.array([math.log(5.0), 0.0, 0.0, 0.0, math.log(4.0)])
_SPREAD = np.array([2.0, 0.7, 1.5, 2.0, 2.0])
_DEGREES = 6.0  # of the t proposals: heavier tails than the posterior's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateDraws:
    """Equally likely parameters: float64 (draw,) each.

    Attributes
    ----------
    mass, conformity, correction, accuracy, kappa : as in `DebateFit`
    effective : how many independent draws the weighted proposals were worth; few of many means that the draws are rough
    warnings : what the fit does not cover and the run says of itself
    """

    mass: NDArray[np.float64]
    conformity: NDArray[np.float64]
    correction: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    kappa: NDArray[np.float64]
    effective: float
    warnings: tuple[str, ...] = ()

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a draw, one column a parameter.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        return dataframe({name: getattr(self, name) for name in _NAMES})

    def to_xarray(self) -> xarray.Dataset:
        """The draws with the axes chain (one) and draw, as ArviZ and other tools for posteriors read them.

        ``arviz.summary(draws.to_xarray())`` works as it is; for the groups of a whole analysis,
        ``xarray.DataTree.from_dict({"posterior": draws.to_xarray()})``.

        Raises
        ------
        ImportError
            If xarray is not installed.
        """
        from madsim._core.tables import dataset

        variables = {name: (("chain", "draw"), getattr(self, name)[None]) for name in _NAMES}
        return dataset(variables, {"chain": [0], "draw": np.arange(len(self.mass))}, effective=self.effective)

    def _repr_html_(self) -> str:
        """What a notebook shows: median and middle 95 % of every parameter."""
        from madsim._core.tables import shown

        rows = []
        for name in _NAMES:
            low, middle, high = (float(one) for one in np.quantile(getattr(self, name), [0.025, 0.5, 0.975]))
            rows.append({"parameter": name, "median": middle, "low": low, "high": high})
        caption = f"{len(self.mass)} draws, worth {self.effective:.0f} independent ones"
        return shown(rows, caption=caption)


def draw_debate(
    votes: Votes,
    n_draws: int = 300,
    *,
    graph: Graph | None = None,
    self_weight: float = 1.0,
    memory: Memory = "cumulative",
    rng: RNG = None,
) -> DebateDraws:
    """Parameters drawn from their posterior given a run, under a weak prior and a Beta law of difficulty.

    Beforehand, independently and normally: log mass around log 5 (spread 2), log conformity around 0 (.7), correction around 0 (1.5), the
    logit of the accuracy around 0 (2), log kappa around log 4 (2). Draws are proposals from a t law at the maximum, resampled by weight.

    Raises
    ------
    ValueError
        As for `fit_debate`.
    """
    n_draws = as_count(n_draws, name="n_draws", minimum=2)
    if votes.n_rounds < 1:
        raise ValueError("the run has round 0 alone; mass, conformity and correction show only in the rounds after it")
    graph = recorded_graph(votes) if graph is None else graph
    objective = _WithPrior(cells_of(votes, graph=graph, self_weight=self_weight, memory=memory))
    best = maximise(objective, objective.starts())
    curvature = -objective.hessian(best.vector)
    values, axes = np.linalg.eigh(curvature)
    scale = axes / np.sqrt(np.maximum(values, (1 / _SPREAD**2).min()))
    generator = resolve_seed(rng).generator(_KEY)
    normal = generator.standard_normal((n_draws, len(_CENTRE)))
    stretch = np.sqrt(_DEGREES / generator.chisquare(_DEGREES, n_draws))[:, None]
    inner = normal * stretch
    low, high = (np.array(ends) for ends in zip(*objective.bounds, strict=True))
    proposals = np.clip(best.vector + inner @ scale.T, low, high)
    heights = objective.values(proposals)
    proposed = -(_DEGREES + len(_CENTRE)) / 2 * np.log1p((inner**2).sum(axis=1) / _DEGREES)
    logs = heights - proposed
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    points = (np.arange(n_draws) + generator.random()) / n_draws
    chosen = proposals[np.minimum(np.searchsorted(np.cumsum(weights), points), n_draws - 1)]
    return DebateDraws(
        mass=readonly(np.exp(chosen[:, 0])),
        conformity=readonly(np.exp(chosen[:, 1])),
        correction=readonly(chosen[:, 2]),
        accuracy=readonly(1 / (1 + np.exp(-chosen[:, 3]))),
        kappa=readonly(np.exp(chosen[:, 4])),
        effective=float(1 / (weights**2).sum()),
        warnings=schedule_warnings(votes),
    )


class _WithPrior(BetaLikelihood):
    """The likelihood times the prior."""

    def value_and_gradient(self, vector: Vector) -> tuple[float, Vector]:
        value, gradient = super().value_and_gradient(vector)
        away = (vector - _CENTRE) / _SPREAD
        return value - float(away @ away) / 2, gradient - away / _SPREAD

    def values(self, vectors: Vector) -> Vector:
        return super().values(vectors) - (((vectors - _CENTRE) / _SPREAD) ** 2).sum(axis=1) / 2

    def hessian(self, vector: Vector) -> Vector:
        return super().hessian(vector) - np.diag(1 / _SPREAD**2)
