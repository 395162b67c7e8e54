"""Replicator equations: how shares move in an infinite population, in closed form where quality is constant.

Taylor: x_a' = x_a (q_a - v). Maynard Smith: x_a' = x_a (q_a - v) / v, with v = sum_b x_b q_b. Both in the model's own time: one unit is
as many events as there are agents, or 1 / rate steps of a learner.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_positive, as_probabilities, readonly

Array = NDArray[np.float64]
Field = Callable[[Array], Array]


def taylor_field(shares: ArrayLike, quality: ArrayLike) -> Array:
    """Rate of change of the shares, x (q - v), along the last axis."""
    x, q = np.asarray(shares), np.asarray(quality)
    return x * (q - (x * q).sum(axis=-1, keepdims=True))


def maynard_smith_field(shares: ArrayLike, quality: ArrayLike) -> Array:
    """Rate of change of the shares, x (q - v) / v, along the last axis; zero where v is."""
    x, q = np.asarray(shares), np.asarray(quality)
    v = (x * q).sum(axis=-1, keepdims=True)
    return np.where(v == 0, 0.0, x * (q - v) / np.where(v == 0, 1.0, v))


def taylor_replicator(
    initial: ArrayLike, quality: ArrayLike, times: ArrayLike, *, interaction: ArrayLike | None = None
) -> Array:
    """Shares under the Taylor replicator.

    Parameters
    ----------
    initial
        Shares at time 0, shape (option,).
    quality
        Quality of each option, shape (option,).
    times
        Times at which to look, from 0 on, shape (time,).
    interaction
        What a share of 1 of the second option adds to the quality of the first, shape (option, option); None for constant quality.

    Returns
    -------
    ndarray
        Shape (time, option). Constant quality: x_a(0) exp(q_a t) / Z. Else an integration with relative error about 1e-10.
    """
    x, q, t = _checked(initial, quality, times)
    if interaction is not None:
        return integrate(lambda y: taylor_field(y, q + _matrix(interaction, len(q)) @ y), x, t)
    return readonly(_exponential(x, q * t[:, None]))


def maynard_smith_replicator(
    initial: ArrayLike, quality: ArrayLike, times: ArrayLike, *, interaction: ArrayLike | None = None
) -> Array:
    """Shares under the Maynard Smith replicator.

    Parameters and result are those of :func:`taylor_replicator`. Constant quality: x_a(0) exp(q_a s - t), s the only root of
    sum_b x_b(0) exp(q_b s) = exp(t): the Taylor path in the clock s with dt = v ds.

    Raises
    ------
    ValueError
        If every option held has quality 0, where v is 0 and the equation says nothing.
    """
    x, q, t = _checked(initial, quality, times)
    if interaction is not None:
        return integrate(lambda y: maynard_smith_field(y, q + _matrix(interaction, len(q)) @ y), x, t)
    if not (x * q).any():
        raise ValueError("every option held has quality 0; the Maynard Smith replicator is not defined there")
    clock = np.array([_clock(x, q, float(time)) for time in t])
    return readonly(_exponential(x, q * clock[:, None]))


def unit_step_replicator(initial: ArrayLike, quality: ArrayLike, n_steps: int) -> Array:
    """Shares under the map x -> x q / v, step by step: x_a(0) q_a^t / Z.

    Returns
    -------
    ndarray
        Shape (n_steps + 1, option), the start first.
    """
    n_steps = as_count(n_steps, name="n_steps")
    x, q, t = _checked(initial, quality, np.arange(n_steps + 1.0))
    if not (x * q).any():
        raise ValueError("every option held has quality 0; the map x q / v is not defined there")
    with np.errstate(divide="ignore", invalid="ignore"):
        exponents = np.where(t[:, None] == 0, 0.0, t[:, None] * np.log(q))
    return readonly(_exponential(x, exponents))


def rest_point(quality: ArrayLike, cost: ArrayLike) -> Array:
    """Shares at which congestion has equalised the qualities of all options held: q_a - c_a x_a alike, the others below.

    Parameters
    ----------
    quality
        Quality of each option where nobody holds it, shape (option,).
    cost
        Quality lost when everybody holds it, shape (option,); above 0.

    Returns
    -------
    ndarray
        Shape (option,). The rest point of both replicators from a start where every option is held.
    """
    q = as_positive(quality, name="quality", allow_zero=True)
    c = as_positive(cost, name="cost")
    if q.ndim != 1 or q.shape != c.shape:
        raise ValueError(f"quality and cost need the same length, got shapes {q.shape} and {c.shape}")
    order = np.argsort(-q, kind="stable")
    level = 0.0
    for held in range(1, len(q) + 1):
        best = order[:held]
        level = float(((q[best] / c[best]).sum() - 1) / (1 / c[best]).sum())
        if held == len(q) or q[order[held]] <= level:
            break
    return readonly(np.maximum(q - level, 0.0) / c)


def integrate(field: Field, initial: Array, times: Array) -> Array:
    """The path of x' = field(x), shape (time, option), relative error about 1e-10."""
    from scipy.integrate import solve_ivp

    order = np.argsort(times, kind="stable")
    span = (0.0, max(float(times.max()), 1e-9))
    solution = solve_ivp(
        lambda _, y: field(y), span, initial, method="DOP853", t_eval=np.unique(times), rtol=1e-11, atol=1e-13
    )
    if not solution.success:
        raise ValueError(f"the equation could not be integrated to time {span[1]:g}: {solution.message}")
    path = np.empty((len(times), len(initial)))
    path[order] = solution.y.T[np.searchsorted(solution.t, times[order])]
    return readonly(path)


def _clock(x: Array, q: Array, t: float) -> float:
    """The root s of log sum x exp(q s) = t: between t / max q and t / v(0), by Newton steps on a convex function."""
    held = x > 0
    log_x, q = np.log(x[held]), q[held]
    s = t / float(
        np.exp(log_x) @ q
    )  # from above, where Newton's method on a convex increasing function never overshoots
    for _ in range(200):
        terms = log_x + q * s
        top = terms.max()
        weights = np.exp(terms - top)
        total = weights.sum()
        step = (top + np.log(total) - t) / float(weights @ q / total)
        s -= step
        if abs(step) <= 1e-15 * max(1.0, abs(s)):
            break
    return s


def _exponential(x: Array, exponents: Array) -> Array:
    """x exp(exponents), normalised along the last axis."""
    with np.errstate(divide="ignore"):
        terms = np.where(x > 0, np.log(x), -np.inf) + exponents
    weights = np.exp(terms - terms.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _checked(initial: ArrayLike, quality: ArrayLike, times: ArrayLike) -> tuple[Array, Array, Array]:
    x = as_probabilities(initial, name="initial")
    q = as_positive(quality, name="quality", allow_zero=True)
    t = as_positive(np.atleast_1d(np.asarray(times, dtype=np.float64)), name="times", allow_zero=True)
    if x.ndim != 1 or x.shape != q.shape:
        raise ValueError(f"initial and quality need one number an option each, got shapes {x.shape} and {q.shape}")
    return x, q, t


def _matrix(interaction: ArrayLike, n: int) -> Array:
    matrix = np.asarray(interaction, dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(f"interaction must have shape {(n, n)}, got {matrix.shape}")
    return matrix
