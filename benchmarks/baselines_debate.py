"""Debates written straight from the definition, as a careful user would: in loops, in NumPy over trials, in JAX.

Each leaves what the kernels leave: by round, the sum and sum of squares of the beliefs in the target and the number of debates in which the
target had the most votes, ties split evenly. Agents hear themselves; every answer heard counts 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Statistics = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def plain_loop(rng: np.random.Generator, n_trials: int, concentration: NDArray[Any], n_rounds: int) -> Statistics:
    """Trial by trial, agent by agent: a Dirichlet belief, an answer, counts added."""
    n, k = concentration.shape
    total, squares, wins = np.zeros(n_rounds + 1), np.zeros(n_rounds + 1), np.zeros(n_rounds + 1)
    for _ in range(n_trials):
        a = concentration.copy()
        for step in range(n_rounds + 1):
            votes = []
            for agent in range(n):
                belief = a[agent, 0] / a[agent].sum()
                total[step] += belief
                squares[step] += belief**2
                theta = rng.dirichlet(a[agent])
                votes.append(rng.choice(k, p=theta))
            counts = np.bincount(votes, minlength=k)
            if counts[0] == counts.max():
                wins[step] += 1 / (counts == counts.max()).sum()
            for agent in range(n):
                a[agent] += counts
    return total, squares, wins


def numpy_dirichlet(rng: np.random.Generator, n_trials: int, concentration: NDArray[Any], n_rounds: int) -> Statistics:
    """All trials at once; beliefs drawn as normalised gammas, answers by inverting their cumulative sums."""
    n, k = concentration.shape
    a = np.broadcast_to(concentration, (n_trials, n, k)).copy()
    rows = []
    for _ in range(n_rounds + 1):
        theta = rng.standard_gamma(a)
        theta /= theta.sum(axis=2, keepdims=True)
        votes = (rng.random((n_trials, n, 1)) > np.cumsum(theta, axis=2)[..., :-1]).sum(axis=2)
        counts = np.stack([(votes == answer).sum(axis=1) for answer in range(k)], axis=1)
        rows.append(_summary(a, counts))
        a += counts[:, None, :]
    return _stack(rows)


def numpy_marginal(rng: np.random.Generator, n_trials: int, concentration: NDArray[Any], n_rounds: int) -> Statistics:
    """All trials at once, the Dirichlet integrated out: answers straight from the concentrations."""
    n, k = concentration.shape
    a = np.broadcast_to(concentration, (n_trials, n, k)).copy()
    rows = []
    for _ in range(n_rounds + 1):
        below = np.cumsum(a, axis=2)
        votes = (rng.random((n_trials, n, 1)) * below[..., -1:] > below[..., :-1]).sum(axis=2)
        counts = np.stack([(votes == answer).sum(axis=1) for answer in range(k)], axis=1)
        rows.append(_summary(a, counts))
        a += counts[:, None, :]
    return _stack(rows)


def numpy_marginal_ring(
    rng: np.random.Generator, n_trials: int, concentration: NDArray[Any], n_rounds: int
) -> Statistics:
    """As `numpy_marginal`, on a ring: each agent hears itself and its two neighbours."""
    n, k = concentration.shape
    a = np.broadcast_to(concentration, (n_trials, n, k)).copy()
    rows = []
    for _ in range(n_rounds + 1):
        below = np.cumsum(a, axis=2)
        votes = (rng.random((n_trials, n, 1)) * below[..., -1:] > below[..., :-1]).sum(axis=2)
        one_hot = votes[..., None] == np.arange(k)
        rows.append(_summary(a, one_hot.sum(axis=1)))
        a += one_hot.astype(np.int8) + np.roll(one_hot, 1, axis=1) + np.roll(one_hot, -1, axis=1)
    return _stack(rows)


def numpy_multinomial(
    rng: np.random.Generator, n_trials: int, concentration: NDArray[Any], n_rounds: int
) -> Statistics:
    """All trials at once for agents that are all alike: one multinomial draw a round."""
    n = len(concentration)
    a = np.broadcast_to(concentration[0], (n_trials, concentration.shape[1])).copy()
    rows = []
    for _ in range(n_rounds + 1):
        shares = a / a.sum(axis=1, keepdims=True)
        counts = rng.multinomial(n, shares)
        most = counts.max(axis=1)
        tied = (counts == most[:, None]).sum(axis=1)
        wins = ((counts[:, 0] == most) / tied).sum()
        rows.append((n * shares[:, 0].sum(), n * (shares[:, 0] ** 2).sum(), wins))
        a += counts
    return _stack(rows)


@lru_cache(maxsize=4)
def jax_scan(n_agents: int, n_answers: int, n_rounds: int, n_trials: int) -> Callable[[int], Any]:
    """A scan over rounds and vmap over trials, every agent's answer by inverting its cumulative sums; ``run(seed)``."""
    import jax
    import jax.numpy as jnp

    def step(a: Any, key: Any) -> Any:
        below = jnp.cumsum(a, axis=1)
        point = jax.random.uniform(key, (n_agents, 1)) * below[:, -1:]
        votes = (point > below[:, :-1]).sum(axis=1)
        counts = jax.nn.one_hot(votes, n_answers, dtype=jnp.float32).sum(axis=0)
        belief = a[:, 0] / below[:, -1]
        leads = counts == counts.max()
        return a + counts, (belief.sum(), (belief**2).sum(), leads[0] / leads.sum())

    def debate(key: Any, concentration: Any) -> Any:
        return jax.lax.scan(step, concentration, jax.random.split(key, n_rounds + 1))[1]

    @jax.jit
    def run(key: Any, concentration: Any) -> Any:
        parts = jax.vmap(debate, in_axes=(0, None))(jax.random.split(key, n_trials), concentration)
        return [part.sum(axis=0) for part in parts]

    def call(seed: int) -> Any:
        concentration = jnp.full((n_agents, n_answers), 2.0 / n_answers, jnp.float32)
        return [part.block_until_ready() for part in run(jax.random.key(seed), concentration)]

    return call


@lru_cache(maxsize=4)
def jax_best(n_agents: int, n_answers: int, n_rounds: int, n_trials: int) -> Callable[[int], Any]:
    """The best that we found in JAX on a CPU: shared counts, trials innermost, XLA's own bit generator, loops over agents fused."""
    import jax
    import jax.numpy as jnp

    own = jnp.cumsum(jnp.full(n_answers, 2.0 / n_answers, jnp.float32))

    def step(state: Any, _: Any) -> Any:
        key, heard = state
        key, points = jax.lax.rng_bit_generator(key, (n_agents, n_trials), dtype=jnp.uint32)
        mass = own[-1] + heard[-1]
        uniform = (points >> 8).astype(jnp.float32) * 2.0**-24 * mass
        counts = jnp.stack(
            [(uniform < own[k] + heard[k]).sum(axis=0, dtype=jnp.float32) for k in range(n_answers - 1)]
            + [jnp.full(n_trials, float(n_agents), jnp.float32)]
        )
        single = jnp.diff(counts, axis=0, prepend=0.0)
        leads = single == single.max(axis=0)
        belief = (own[0] + heard[0]) / mass
        wins = (leads[0] / leads.sum(axis=0)).sum()
        return (key, heard + counts), (n_agents * belief.sum(), n_agents * (belief**2).sum(), wins)

    @jax.jit
    def run(key: Any) -> Any:
        start = (key, jnp.zeros((n_answers, n_trials), jnp.float32))
        return jax.lax.scan(step, start, None, length=n_rounds + 1)[1]

    def call(seed: int) -> Any:
        key = jnp.array([seed, 1, 2, 3], jnp.uint32)
        return [part.block_until_ready() for part in run(key)]

    return call


def _summary(a: NDArray[Any], counts: NDArray[Any]) -> tuple[float, float, float]:
    belief = a[..., 0] / a.sum(axis=2)
    most = counts.max(axis=1)
    tied = (counts == most[:, None]).sum(axis=1)
    return belief.sum(), (belief**2).sum(), ((counts[:, 0] == most) / tied).sum()


def _stack(rows: list[tuple[float, float, float]]) -> Statistics:
    total, squares, wins = (np.array(column) for column in zip(*rows, strict=True))
    return total, squares, wins
