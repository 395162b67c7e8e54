"""Large swarms and slow learners: the path of the mean, and the covariance of the fluctuations around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_positive, readonly
from madsim.models import (
    AsynchronousVoter,
    CrossInhibition,
    CrossLearner,
    Everybody,
    ImitationOfSuccess,
    Learner,
    MaynardCrossLearner,
    OracleBaseline,
    Swarm,
    quality_at,
)
from madsim.models._options import corner_qualities
from madsim.theory._swarm_events import start_counts

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearNoise:
    """Normal approximation to the shares of a large swarm or a slow learner.

    Attributes
    ----------
    times : float64 (time,); in units of N events, or 1 / rate steps of a learner
    mean : float64 (time, type); the mean field
    covariance : float64 (time, type, type); of order 1 / N, or the rate
    """

    times: Array
    mean: Array
    covariance: Array

    @property
    def sd(self) -> Array:
        """Standard deviation of every share, shape (time, type)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2).clip(min=0))


def linear_noise(model: Swarm | Learner, times: ArrayLike) -> LinearNoise:
    """Mean field and fluctuations: S' = J S + S J' + D along the path x' = F(x).

    Parameters
    ----------
    model
        A swarm whose agents change one at a time and hear everybody, or a learner with the oracle baseline (or none). Rewards drawn by
        agent enter through their means: their noise moves a drift of order 1 / N only.
    times
        In units of N events, or 1 / rate steps; shape (time,).

    Returns
    -------
    LinearNoise
        D = [diag(in + out) - W - W' - F F'] / N with W the flow from type to type; for a learner
        rate [diag(w) - w x' - x w' + (sum w) x x' - F F'], w = x E[r^2] / baseline^2.

    Raises
    ------
    ValueError
        If the rule has no such limit: rewards shared by option, few heard, rounds, or a baseline with a memory.
    """
    moments = as_positive(np.atleast_1d(np.asarray(times, dtype=np.float64)), name="times", allow_zero=True)
    if isinstance(model, Learner):
        return _solve(*_learner_terms(model), model.probabilities, moments)
    flow = _flow(model)
    n_agents = model.n_agents

    def drift(x: Any) -> Any:
        w = flow(x)
        return w.sum(axis=0) - w.sum(axis=1)

    def diffusion(x: Array) -> Array:
        w, field = flow(x), drift(x)
        w = w - np.diag(np.diag(w))
        return (np.diag(w.sum(axis=0) + w.sum(axis=1)) - w - w.T - np.outer(field, field)) / n_agents

    return _solve(drift, diffusion, start_counts(model) / n_agents, moments)


def _flow(model: Swarm) -> Callable[[Any], Any]:
    """Flow from type to type in an infinite swarm, shape (from, to)."""
    n = model.n_options

    reward = _mean_reward(model)
    if isinstance(model, AsynchronousVoter):
        if model.rewards != "agent" or not isinstance(model.hearing, Everybody):
            raise ValueError(
                "linear_noise needs rewards drawn by agent and everybody heard; simulate this swarm instead"
            )

        def flow(x: Any) -> Any:
            heard = x * reward(x)
            return np.outer(x, heard / heard.sum())
    elif isinstance(model, ImitationOfSuccess):

        def flow(x: Any) -> Any:
            return np.outer(x, x * reward(x))
    elif isinstance(model, CrossInhibition):

        def flow(x: Any) -> Any:
            spoken = x[:n] * reward(x)
            flows = np.zeros((n + 1, n + 1), dtype=spoken.dtype)
            flows[n, :n] = x[n] * spoken
            flows[:n, n] = x[:n] * (spoken.sum() - spoken)
            return flows
    else:
        raise ValueError(f"linear_noise knows swarms that change one agent at a time, not {type(model).__name__}")
    return flow


def _mean_reward(model: Swarm | Learner) -> Callable[[Any], Any]:
    """Expected reward of every option at given shares; takes complex shares, for derivatives."""
    corners = corner_qualities(model.quality, model.interaction)
    if model.interaction is None:
        constant = model.noise.mean(model.quality)
        return lambda x: constant
    if not np.allclose(model.noise.mean(corners), corners, atol=1e-9):
        raise ValueError(
            "linear_noise cannot follow clipped rewards whose quality moves; use noise that keeps its mean"
        )
    matrix = model.interaction
    return lambda x: model.quality + matrix @ x[: model.n_options]


def _learner_terms(model: Learner) -> tuple[Callable[[Any], Any], Callable[[Array], Array]]:
    oracle = isinstance(model, MaynardCrossLearner)
    if oracle and not isinstance(model.baseline, OracleBaseline):
        raise ValueError(
            "linear_noise needs the oracle baseline; other baselines have a memory or a noise of their own"
        )
    if not oracle and not isinstance(model, CrossLearner):
        raise ValueError(f"linear_noise does not know {type(model).__name__}")
    reward = _mean_reward(model)

    def drift(x: Any) -> Any:
        r = reward(x)
        v = (x * r).sum()
        return x * (r - v) / (v if oracle else 1.0)

    def diffusion(x: Array) -> Array:
        quality = quality_at(model.quality, model.interaction, x)
        second = model.noise.mean(quality) ** 2 + model.noise.variance(quality)
        w = x * second / ((x @ model.noise.mean(quality)) ** 2 if oracle else 1.0)
        field = drift(x)
        outer = np.outer(w, x)
        noise = np.diag(w) - outer - outer.T + w.sum() * np.outer(x, x) - np.outer(field, field)
        return model.rate * noise / model.batch

    return drift, diffusion


def _solve(drift: Callable[[Any], Any], diffusion: Callable[[Array], Array], start: Array, times: Array) -> LinearNoise:
    from scipy.integrate import solve_ivp

    n = len(start)

    def field(_: float, y: Array) -> Array:
        x, s = y[:n], y[n:].reshape(n, n)
        moved = _jacobian(drift, x) @ s
        return np.concatenate([drift(x), (moved + moved.T + diffusion(x)).ravel()])

    grid = np.unique(times)
    begin = np.concatenate([start, np.zeros(n * n)])
    solution = solve_ivp(
        field, (0.0, max(float(grid[-1]), 1e-9)), begin, method="DOP853", t_eval=grid, rtol=1e-9, atol=1e-13
    )
    if not solution.success:
        raise ValueError(f"the fluctuations could not be integrated: {solution.message}")
    path = solution.y.T[np.searchsorted(grid, times)]
    return LinearNoise(
        times=times,
        mean=readonly(path[:, :n].copy()),
        covariance=readonly(path[:, n:].reshape(len(times), n, n).copy()),
    )


def _jacobian(drift: Callable[[Any], Any], x: Array) -> Array:
    """Derivatives of the drift by complex steps: exact to rounding."""
    step = 1e-30
    columns = []
    for option in range(len(x)):
        moved = x.astype(np.complex128)
        moved[option] += 1j * step
        columns.append(drift(moved).imag / step)
    return np.stack(columns, axis=1)
