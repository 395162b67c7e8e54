"""Swarms and learners written straight from the definition: in loops, in NumPy over trials, in JAX.

The set-up of a textbook chapter: 200 agents, options of quality .30 .55 .40 .70, rewards normal with sd .05 clipped to [0, 1], one draw
an option and event, 3000 events; a Maynard-Cross learner with the oracle baseline and rate 1/200. Each leaves the sum and sum of squares of
every share after every event.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sums = tuple[NDArray[Any], NDArray[Any]]


def plain_swarm(
    rng: np.random.Generator, n_trials: int, q: NDArray[Any], sd: float, n_agents: int, n_events: int
) -> Sums:
    """Trial by trial, event by event."""
    n = len(q)
    total, squares = np.zeros((n_events + 1, n)), np.zeros((n_events + 1, n))
    for _ in range(n_trials):
        counts = np.full(n, n_agents // n)
        total[0] += counts / n_agents
        squares[0] += (counts / n_agents) ** 2
        for event in range(1, n_events + 1):
            x = counts / n_agents
            reward = np.clip(rng.normal(q, sd), 0.0, 1.0)
            heard = x * reward
            old = rng.choice(n, p=x)
            new = rng.choice(n, p=heard / heard.sum())
            counts[old] -= 1
            counts[new] += 1
            x = counts / n_agents
            total[event] += x
            squares[event] += x**2
    return total, squares


def plain_learner(
    rng: np.random.Generator, n_trials: int, q: NDArray[Any], sd: float, rate: float, n_steps: int
) -> Sums:
    """Trial by trial, step by step."""
    n = len(q)
    total, squares = np.zeros((n_steps + 1, n)), np.zeros((n_steps + 1, n))
    unit = np.eye(n)
    for _ in range(n_trials):
        x = np.full(n, 1 / n)
        total[0] += x
        squares[0] += x**2
        for step in range(1, n_steps + 1):
            k = rng.choice(n, p=x)
            reward = np.clip(rng.normal(q[k], sd), 0.0, 1.0)
            x = x + rate * reward / (x @ q) * (unit[k] - x)
            x = x / x.sum()
            total[step] += x
            squares[step] += x**2
    return total, squares


def numpy_swarm(
    rng: np.random.Generator, n_trials: int, q: NDArray[Any], sd: float, n_agents: int, n_events: int
) -> Sums:
    """All trials at once."""
    n = len(q)
    counts = np.full((n_trials, n), n_agents // n)
    every = np.arange(n_trials)
    total, squares = np.zeros((n_events + 1, n)), np.zeros((n_events + 1, n))
    total[0], squares[0] = counts.sum(axis=0), (counts**2).sum(axis=0)
    for event in range(1, n_events + 1):
        heard = np.cumsum(counts * np.clip(rng.normal(q, sd, size=counts.shape), 0.0, 1.0), axis=1)
        new = (rng.random((n_trials, 1)) * heard[:, -1:] > heard[:, :-1]).sum(axis=1)
        old = (rng.random((n_trials, 1)) * n_agents > np.cumsum(counts, axis=1)[:, :-1]).sum(axis=1)
        counts[every, old] -= 1
        counts[every, new] += 1
        total[event], squares[event] = counts.sum(axis=0), (counts**2).sum(axis=0)
    return total / n_agents, squares / n_agents**2


@lru_cache(maxsize=4)
def jax_swarm(n_trials: int, q: tuple[float, ...], sd: float, n_agents: int, n_events: int) -> Callable[[int], Any]:
    """A scan over events and vmap over trials; ``run(seed)``."""
    import jax
    import jax.numpy as jnp

    quality = jnp.array(q, jnp.float32)

    def step(counts: Any, key: Any) -> Any:
        first, second, third = jax.random.split(key, 3)
        heard = jnp.cumsum(counts * jnp.clip(quality + sd * jax.random.normal(first, counts.shape), 0.0, 1.0))
        new = (jax.random.uniform(second) * heard[-1] > heard[:-1]).sum()
        old = (jax.random.uniform(third) * n_agents > jnp.cumsum(counts)[:-1]).sum()
        counts = counts + jax.nn.one_hot(new, len(q)) - jax.nn.one_hot(old, len(q))
        return counts, counts

    def swarm(key: Any) -> Any:
        start = jnp.full(len(q), n_agents / len(q), jnp.float32)
        return jax.lax.scan(step, start, jax.random.split(key, n_events))[1]

    @jax.jit
    def run(key: Any) -> Any:
        path = jax.vmap(swarm)(jax.random.split(key, n_trials))
        return path.sum(axis=0), (path**2).sum(axis=0)

    return lambda seed: [part.block_until_ready() for part in run(jax.random.key(seed))]


@lru_cache(maxsize=4)
def jax_best_swarm(
    n_trials: int, q: tuple[float, ...], sd: float, n_agents: int, n_events: int
) -> Callable[[int], Any]:
    """The best that we found in JAX on a CPU: trials innermost, XLA's own bit generator, rewards integrated out, loops fused."""
    import jax
    import jax.numpy as jnp

    n = len(q)

    def step(state: Any, _: Any) -> Any:
        key, counts = state
        key, bits = jax.lax.rng_bit_generator(key, (2, n_trials), dtype=jnp.uint32)
        uniform = (bits >> 8).astype(jnp.float32) * 2.0**-24
        total = sum(counts[k] * q[k] for k in range(n))
        e = sum(counts[k] ** 2 for k in range(n)) * sd**2 / total**2
        p = 1 + e * (3 + e * (15 + e * 105))
        heard, behind = jnp.zeros(n_trials), jnp.zeros(n_trials)
        before_new, before_old = jnp.zeros(n_trials), jnp.zeros(n_trials)
        rows = []
        for k in range(n):
            heard = heard + counts[k] * q[k] * (1 + e * p) - counts[k] ** 2 * sd**2 * p / total
            behind = behind + counts[k]
            new = (uniform[0] * total < heard).astype(jnp.float32) if k + 1 < n else jnp.ones(n_trials)
            old = (uniform[1] * n_agents < behind).astype(jnp.float32)
            rows.append(counts[k] + (new - before_new) - (old - before_old))
            before_new, before_old = new, old
        counts = jnp.stack(rows)
        return (key, counts), (counts.sum(axis=1), (counts**2).sum(axis=1))

    @jax.jit
    def run(key: Any) -> Any:
        start = jnp.full((n, n_trials), n_agents / n, jnp.float32)
        return jax.lax.scan(step, (key, start), None, length=n_events)[1]

    def call(seed: int) -> Any:
        key = jnp.array([seed, 1, 2, 3], jnp.uint32)
        return [part.block_until_ready() for part in run(key)]

    return call
