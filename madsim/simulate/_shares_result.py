"""What simulated swarms and learners came to, with the uncertainty of every number."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim._core.estimate import Estimate
from madsim._core.provenance import Provenance
from madsim._core.rng import Seed
from madsim.models import CrossInhibition, Learner, Swarm
from madsim.simulate._method import Method

if TYPE_CHECKING:
    from pathlib import Path

    import pandas
    import xarray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


class SharedDrawsWarning(UserWarning):
    """One reward draw an option, shared by all its holders, biases the dynamics however large the swarm is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareTotals:
    """Sums over trials by record time, whole numbers in units of ``1 / unit``.

    Attributes
    ----------
    sums, squares : int64 (time, type); squares are of counts for swarms, of shares in units of 2**-32 for learners
    absorbed : int64 (time, type); trials in which everybody holds one type (0 throughout for learners)
    clipped : int64 (1,); learner steps shortened to the edge of the simplex
    """

    sums: Counts
    squares: Counts
    absorbed: Counts
    clipped: Counts

    @classmethod
    def of_nothing(cls, n_times: int, n_types: int) -> ShareTotals:
        """Zeros."""
        shape = (n_times, n_types)
        return cls(
            sums=np.zeros(shape, np.int64),
            squares=np.zeros(shape, np.int64),
            absorbed=np.zeros(shape, np.int64),
            clipped=np.zeros(1, np.int64),
        )

    def add(self, other: ShareTotals) -> None:
        """Add another set of totals to this one, in place."""
        for item in fields(self):
            getattr(self, item.name)[...] += getattr(other, item.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShareTotals):
            return NotImplemented
        return all(np.array_equal(getattr(self, item.name), getattr(other, item.name)) for item in fields(self))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharesResult:
    """Simulated shares of a swarm, or probabilities of a learner.

    Attributes
    ----------
    model : what was simulated
    n_trials : number of swarms or learners
    times : int64 (time,); events, rounds or steps at which the shares were recorded, ascending
    totals : the integer sums behind every number
    absorbed_at : int32 (trial,); step at which everybody first held one type, -1 where that did not happen; None for learners
    winner : int16 (trial,); that type, or -1; None for learners
    paths : share of each type, float64 (trial, time, type), where trajectories were kept
    samples : int32 (trial, time, option); how often a learner drew each option in the step that begins at a record time, where kept
    method : which kernel ran, and how exact it is
    warnings : what a reader should know before trusting the numbers
    seed : the seed really used
    provenance : what is needed to make the result again
    """

    model: Swarm | Learner
    n_trials: int
    times: Counts
    totals: ShareTotals
    absorbed_at: NDArray[np.int32] | None
    winner: NDArray[np.int16] | None
    paths: Array | None
    samples: NDArray[np.int32] | None
    method: Method
    warnings: tuple[str, ...]
    seed: Seed
    provenance: Provenance

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the columns: the options, then the uncommitted where the rule knows them."""
        names = tuple(f"option {a}" for a in range(self.model.n_options))
        return (*names, "uncommitted") if isinstance(self.model, CrossInhibition) else names

    @property
    def share_mean(self) -> Array:
        """Mean share of every type over trials, shape (time, type)."""
        return readonly(self.totals.sums / (self.n_trials * self._unit))

    @property
    def share_sd(self) -> Array:
        """Standard deviation of every share over trials, shape (time, type)."""
        return readonly(np.sqrt(self._variance()))

    @property
    def share_error(self) -> Array:
        """Standard error of every mean share, shape (time, type); NaN for a single trial."""
        if self.n_trials == 1:
            return readonly(np.full(self.totals.sums.shape, np.nan))
        return readonly(np.sqrt(self._variance() / (self.n_trials - 1)))

    @property
    def share(self) -> tuple[tuple[Estimate, ...], ...]:
        """Mean shares with their standard errors, by time and type."""
        return tuple(
            tuple(
                Estimate(value=float(m), standard_error=float(e) if self.n_trials > 1 else None, n=self.n_trials)
                for m, e in zip(means, errors, strict=True)
            )
            for means, errors in zip(self.share_mean, self.share_error, strict=True)
        )

    @property
    def absorbed(self) -> tuple[tuple[Estimate, ...], ...]:
        """Chance that everybody holds one type, by time and type."""
        return tuple(
            tuple(Estimate.of_mean(int(k), int(k), self.n_trials) for k in row) for row in self.totals.absorbed
        )

    @property
    def absorption_time(self) -> Estimate | None:
        """Mean step of absorption over the trials that were absorbed; None where none was."""
        if self.absorbed_at is None:
            return None
        steps = self.absorbed_at[self.absorbed_at >= 0].astype(np.float64)
        if not len(steps):
            return None
        spread = float(steps.std(ddof=1)) / math.sqrt(len(steps)) if len(steps) > 1 else None
        return Estimate(value=float(steps.mean()), standard_error=spread, n=len(steps))

    @property
    def clipped(self) -> int:
        """Learner steps that were shortened to the edge of the simplex."""
        return int(self.totals.clipped[0])

    @property
    def _unit(self) -> float:
        return float(self.model.n_agents) if isinstance(self.model, Swarm) else 2.0**32

    def _variance(self) -> Array:
        """Variance over trials (divisor n), from exact integers, so that nothing cancels."""
        n = self.n_trials
        squares_in_units = 2**32 if isinstance(self.model, Learner) else 1
        spread = [
            (n * squares_in_units * int(square) - int(total) ** 2) / n**2
            for square, total in zip(self.totals.squares.ravel(), self.totals.sums.ravel(), strict=True)
        ]
        return np.maximum(np.array(spread).reshape(self.totals.sums.shape), 0.0) / self._unit**2

    def to_dict(self) -> dict[str, Any]:
        """The numbers in plain JSON form: times, shares with errors, absorption, method, warnings and provenance."""
        time = self.absorption_time
        return {
            "times": self.times.tolist(),
            "types": list(self.types),
            "mean_share": self.share_mean.tolist(),
            "sd_share": self.share_sd.tolist(),
            "standard_error": self.share_error.tolist() if self.n_trials > 1 else None,
            "absorbed": (self.totals.absorbed / self.n_trials).tolist() if self.winner is not None else None,
            "absorption_time": None if time is None else {"mean": time.value, "se": time.standard_error, "n": time.n},
            "clipped": self.clipped,
            "n_trials": self.n_trials,
            "method": self.method,
            "warnings": list(self.warnings),
            "provenance": self.provenance.to_dict(),
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a record time and type: mean share, its standard error, standard deviation, chance of absorption.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        n_times, n_types = self.share_mean.shape
        columns = {
            "time": np.repeat(self.times, n_types),
            "type": list(self.types) * n_times,
            "share": self.share_mean.ravel(),
            "share_error": self.share_error.ravel(),
            "share_sd": self.share_sd.ravel(),
        }
        if self.winner is not None:
            columns["absorbed"] = (self.totals.absorbed / self.n_trials).ravel()
        return dataframe(columns)

    def to_xarray(self) -> xarray.Dataset:
        """Shares by time and type; paths and absorption by trial, where they were kept.

        Raises
        ------
        ImportError
            If xarray is not installed.
        """
        from madsim._core.tables import dataset

        both = ("time", "type")
        variables: dict[str, tuple[tuple[str, ...], Any]] = {
            "share": (both, self.share_mean),
            "share_error": (both, self.share_error),
            "share_sd": (both, self.share_sd),
        }
        if self.winner is not None and self.absorbed_at is not None:
            variables["absorbed"] = (both, self.totals.absorbed / self.n_trials)
            variables["absorbed_at"] = (("trial",), self.absorbed_at)
            variables["winner"] = (("trial",), self.winner)
        if self.paths is not None:
            variables["path"] = (("trial", "time", "type"), self.paths)
        return dataset(
            variables, {"time": self.times, "type": list(self.types)}, n_trials=self.n_trials, method=self.method
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: mean shares by time, with their standard errors."""
        from madsim._core.tables import shown

        rows = []
        for at in np.unique(np.linspace(0, len(self.times) - 1, 12).astype(int)):
            cells = zip(self.types, self.share_mean[at], self.share_error[at], strict=True)
            rows.append(
                {
                    "time": int(self.times[at]),
                    **{name: f"{m:.4f}" + ("" if math.isnan(e) else f" ± {e:.4f}") for name, m, e in cells},
                }
            )
        kind = f"{type(self.model).__name__}, {self.n_trials} trials (± one standard error)"
        return shown(rows, caption="; ".join([kind, *self.warnings]))

    def save(self, path: str | Path) -> Path:
        """Write everything to `path` (``.npz``); :func:`madsim.simulate.load_result` reads it back."""
        from madsim.simulate._shares_store import save_shares

        return save_shares(self, path)

    def __str__(self) -> str:
        names = " ".join(f"{name:>20}" for name in self.types)
        lines = [f"{type(self.model).__name__}, {self.n_trials} trials ({self.method})", f"{'time':>10} {names}"]
        shown = range(len(self.times)) if len(self.times) <= 12 else np.linspace(0, len(self.times) - 1, 12).astype(int)
        for at in shown:
            cells = (
                f"{m:.4f} +- {e:.4f}" if self.n_trials > 1 else f"{m:.4f}"
                for m, e in zip(self.share_mean[at], self.share_error[at], strict=True)
            )
            lines.append(f"{self.times[at]:>10} " + " ".join(f"{cell:>20}" for cell in cells))
        lines.extend(f"note: {warning}" for warning in self.warnings)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<SharesResult: {type(self.model).__name__}, {self.n_trials} trials, {len(self.times)} times>"
