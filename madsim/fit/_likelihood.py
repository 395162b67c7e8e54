"""The likelihood of debates, compiled: value, gradient and Hessian for a Beta law of difficulty, profile likelihood for a free one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from madsim.fit._cells import Cells
from madsim.fit._mixture import best_weights

Mixing = Literal["beta", "free"]
Vector = NDArray[np.float64]

_SHARED_BOUNDS = [(-4.6, 9.2), (-2.5, 2.5), (-8.0, 8.0)]  # log mass, log conformity, correction
_LAW_BOUNDS = [(-7.0, 7.0), (-3.0, 6.2)]  # logit of mean, log kappa
_FREE_GRID = np.linspace(-6.0, 6.0, 31)
_STEPS = np.linspace(-4.0, 4.0, 81)
_BETA_GRID = np.sinh(
    _STEPS
)  # fine around even chances, reaching beyond any probability that counts can tell from 0 or 1
_BETA_LOG_WIDTH = np.log(np.cosh(_STEPS))


class Objective(Protocol):
    """A log-likelihood as a function of one vector."""

    names: tuple[str, ...]
    bounds: list[tuple[float, float]]

    def value_and_gradient(self, vector: Vector) -> tuple[float, Vector]: ...

    def hessian(self, vector: Vector) -> Vector: ...

    def law(self, vector: Vector) -> tuple[Vector, Vector]: ...

    def starts(self) -> list[Vector]: ...


class BetaLikelihood:
    """Of log mass, log conformity, correction, logit of the mean difficulty, log kappa."""

    names: tuple[str, ...] = ("mass", "conformity", "correction", "accuracy", "kappa")
    bounds: list[tuple[float, float]] = _SHARED_BOUNDS + _LAW_BOUNDS

    def __init__(self, cells: Cells) -> None:
        self._mean = float(np.clip(cells.first_right / max(cells.first_asked, 1.0), 0.02, 0.98))
        self._arrays = _on_device(cells)

    def value_and_gradient(self, vector: Vector) -> tuple[float, Vector]:
        """Log-likelihood and its gradient."""
        value, gradient = _call(_compiled("beta")[0], vector, *self._arrays)
        return float(value), np.asarray(gradient, dtype=np.float64)

    def values(self, vectors: Vector) -> Vector:
        """Log-likelihood at several places: (place, parameter) to (place,)."""
        return np.asarray(_call(_compiled("beta")[3], vectors, *self._arrays), dtype=np.float64)

    def hessian(self, vector: Vector) -> Vector:
        """Second derivatives, a column at a time: one compiled product with a direction serves every column."""
        along = _compiled("beta")[1]
        return np.asarray([_call(along, vector, one, *self._arrays) for one in np.eye(len(vector))], dtype=np.float64)

    def law(self, vector: Vector) -> tuple[Vector, Vector]:
        """Difficulties on a grid and their weights."""
        mean, kappa = _logistic(vector[3]), math.exp(vector[4])
        up, down = -np.logaddexp(0, -_BETA_GRID), -np.logaddexp(0, _BETA_GRID)
        logs = kappa * mean * up + kappa * (1 - mean) * down + _BETA_LOG_WIDTH
        return _logistic(_BETA_GRID), np.exp(logs - np.logaddexp.reduce(logs))

    def starts(self) -> list[Vector]:
        """Light and heavy beliefs, with the accuracy that round 0 shows."""
        logit = math.log(self._mean / (1 - self._mean))
        return [np.array([math.log(mass), 0.0, 0.0, logit, math.log(3.0)]) for mass in (2.0, 20.0)]


class FreeLikelihood:
    """Of log mass, log conformity, correction, maximised over the weights of 31 difficulties."""

    names: tuple[str, ...] = ("mass", "conformity", "correction")
    bounds: list[tuple[float, float]] = _SHARED_BOUNDS

    def __init__(self, cells: Cells) -> None:
        self._arrays = _on_device(cells)
        self._repeats = cells.weights
        self._weights = np.full(len(_FREE_GRID), 1 / len(_FREE_GRID))

    def value_and_gradient(self, vector: Vector) -> tuple[float, Vector]:
        """Profile log-likelihood; its gradient is that at the best weights."""
        weights = self._best(vector)
        joined = np.concatenate([vector, np.log(np.maximum(weights, 1e-30))])
        value, gradient = _call(_compiled("free")[0], joined, *self._arrays)
        return float(value), np.asarray(gradient, dtype=np.float64)[: len(vector)]

    def hessian(self, vector: Vector) -> Vector:
        """Second derivatives of the profile, by central differences of its gradient."""
        step = 1e-3
        columns = [
            (self.value_and_gradient(vector + step * one)[1] - self.value_and_gradient(vector - step * one)[1])
            / (2 * step)
            for one in np.eye(len(vector))
        ]
        table = np.array(columns)
        return (table + table.T) / 2

    def law(self, vector: Vector) -> tuple[Vector, Vector]:
        """Difficulties on a grid and their weights."""
        return _logistic(_FREE_GRID), self._best(vector)

    def starts(self) -> list[Vector]:
        """Light and heavy beliefs."""
        return [np.array([math.log(mass), 0.0, 0.0]) for mass in (2.0, 20.0)]

    def _best(self, vector: Vector) -> Vector:
        table = np.asarray(_call(_compiled("free")[2], vector, *self._arrays), dtype=np.float64)[: len(self._repeats)]
        self._weights = best_weights(table, self._repeats, self._weights)
        return self._weights


def _call(function: Any, *arguments: Any) -> Any:
    import jax

    with jax.enable_x64(True):
        return function(*arguments)


def _on_device(cells: Cells) -> tuple[Any, ...]:
    import jax
    import jax.numpy as jnp

    padded = cells.padded()
    arrays = (
        padded.heard_right, padded.heard, padded.right, padded.asked, padded.later,
        padded.cell_of, padded.row_of, padded.weights,
    )  # fmt: skip
    with jax.enable_x64(True):
        return tuple(jnp.asarray(array) for array in arrays)


@lru_cache(maxsize=2)
def _compiled(mixing: Mixing) -> tuple[Any, Any, Any, Any]:
    import jax
    import jax.numpy as jnp
    from jax.nn import log_sigmoid, log_softmax
    from jax.scipy.special import logsumexp

    x = _BETA_GRID if mixing == "beta" else _FREE_GRID

    def log_weights(vector: Any) -> Any:
        if mixing == "free":
            return log_softmax(vector[3:])
        mean, kappa = jax.nn.sigmoid(vector[3]), jnp.exp(vector[4])
        shape = kappa * mean * log_sigmoid(x) + kappa * (1 - mean) * log_sigmoid(-x) + _BETA_LOG_WIDTH
        return shape - logsumexp(shape)

    def sums(table: Any, index: Any) -> Any:
        """Rows of `table` added up: one sum for each row of `index`, place by place, which is far faster than all places at once."""
        start = jnp.zeros((index.shape[0], table.shape[1]))
        return jax.lax.scan(lambda total, place: (total + table[place], None), start, index.T)[0]

    def by_question(vector: Any, heard_right: Any, heard: Any, right: Any, asked: Any, later: Any, *places: Any) -> Any:
        cell_of, row_of, _ = places
        mass, conformity, correction = jnp.exp(vector[0]), jnp.exp(vector[1]), vector[2]
        up, down = mass * jax.nn.sigmoid(x), mass * jax.nn.sigmoid(-x)
        logit = jnp.log(up + heard_right[:, None]) - jnp.log(down + (heard - heard_right)[:, None])
        tilted = jnp.where(later[:, None], conformity * logit + correction, logit)
        by_cell = asked[:, None] * log_sigmoid(-tilted) + right[:, None] * tilted
        return sums(sums(by_cell, cell_of), row_of)

    def value(vector: Any, *arrays: Any) -> Any:
        return arrays[-1] @ logsumexp(by_question(vector, *arrays) + log_weights(vector), axis=1)

    def along(vector: Any, direction: Any, *arrays: Any) -> Any:
        return jax.jvp(lambda at: jax.grad(value)(at, *arrays), (vector,), (direction,))[1]

    def values(vectors: Any, *arrays: Any) -> Any:
        return jax.lax.map(lambda vector: value(vector, *arrays), vectors)

    return jax.jit(jax.value_and_grad(value)), jax.jit(along), jax.jit(by_question), jax.jit(values)


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))
