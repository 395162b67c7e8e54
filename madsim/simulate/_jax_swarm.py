"""Swarms in JAX: many trials at once on counts, in single precision, recorded at given times."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from madsim.models import AsynchronousVoter, BernoulliNoise, CrossInhibition, NoiseFree, Swarm, SynchronousVoter
from madsim.simulate._jax_rewards import draw_rewards, quality_now
from madsim.simulate._jax_streams import batch_size, in_batches, step_keys, trial_keys
from madsim.simulate._shares_result import ShareTotals
from madsim.simulate._swarm_runs import start_of


class JaxSwarms:
    """Swarms of one model, ready to run; `run` is that of a plan."""

    def __init__(self, model: Swarm, times: NDArray[np.int64], *, keep_paths: bool) -> None:
        self._model, self._times, self._keep = model, times, keep_paths
        self._start = start_of(model)
        self.batch = batch_size(len(self._start) * (8 + len(times) * keep_paths))
        self._call = in_batches(self._swarms, self.batch)

    def run(
        self,
        key: Any,
        totals: ShareTotals,
        first: int,
        count: int,
        absorbed_at: NDArray[np.int32],
        winner: NDArray[np.int16],
        paths: NDArray[np.int32],
    ) -> None:
        """Add `count` trials from `first` on."""
        for start, used, parts in self._call(key, first, count):
            sums, squares, absorbed, ended, won, path = parts
            totals.sums[...] += sums
            totals.squares[...] += squares
            totals.absorbed[...] += absorbed
            absorbed_at[start : start + used] = ended[:used]
            winner[start : start + used] = won[:used]
            if len(paths):
                paths[start : start + used] = path[:, :used].swapaxes(0, 1)

    def _swarms(self, key: Any, trials: Any, used: Any) -> Any:
        model, n = self._model, self._model.n_agents
        keys = trial_keys(key, trials)
        counted = (jnp.arange(len(trials)) < used).astype(jnp.int64)
        event = jax.vmap(self._round if isinstance(model, SynchronousVoter) else self._event)
        counts = jnp.tile(jnp.asarray(self._start, jnp.int32), (len(trials), 1))
        if isinstance(model, SynchronousVoter) and model.start == "random":
            weights = jnp.asarray(model.counts, jnp.float32)
            counts = jax.vmap(multinomial, (0, None, None))(step_keys(keys, 0), n, weights)
        ended = jnp.where((counts == n).any(axis=1), 0, -1).astype(jnp.int32)

        def one(step: Any, state: Any) -> Any:
            counts, ended = state
            counts = jnp.where((ended < 0)[:, None], event(step_keys(keys, step + 1), counts), counts)
            alone = (counts == n).any(axis=1)
            return counts, jnp.where(alone & (ended < 0), step + 1, ended).astype(jnp.int32)

        def until(state: Any, span: Any) -> Any:
            counts, ended = jax.lax.fori_loop(span[0], span[1], one, state)
            wide = counts.astype(jnp.int64) * counted[:, None]
            path = counts if self._keep else jnp.zeros((0,), jnp.int32)
            alone = ((counts == n) * counted[:, None]).sum(axis=0)
            return (counts, ended), (wide.sum(axis=0), (wide * wide).sum(axis=0), alone, path)

        spans = np.stack([np.append(0, self._times[:-1]), self._times], axis=1).astype(np.int32)
        (counts, ended), (sums, squares, absorbed, path) = jax.lax.scan(until, (counts, ended), jnp.asarray(spans))
        won = jnp.where(ended >= 0, counts.argmax(axis=1), -1).astype(jnp.int16)
        return sums, squares, absorbed, ended, won, path

    def _heard(self, key: Any, counts: Any) -> Any:
        """The reward heard for every option, float32 (option,)."""
        model = self._model
        held = counts[: model.n_options].astype(jnp.float32)
        quality = quality_now(model, held / model.n_agents, jnp.float32)
        assert isinstance(model, (AsynchronousVoter, SynchronousVoter))
        if model.rewards == "option" or isinstance(model.noise, NoiseFree):
            return held * draw_rewards(model.noise, key, quality)
        if isinstance(model.noise, BernoulliNoise):
            return jax.random.binomial(key, held, quality, dtype=jnp.float32)
        scatter = jnp.sqrt(held) * jax.random.normal(key, held.shape, jnp.float32)  # the sum of normal rewards
        return jnp.maximum(held * quality + model.noise.sd * scatter, 0)  # type: ignore[union-attr]

    def _round(self, key: Any, counts: Any) -> Any:
        """Everybody settles at once."""
        first, second = jax.random.split(key)
        heard = self._heard(first, counts)
        return jnp.where(heard.sum() > 0, multinomial(second, self._model.n_agents, heard), counts)

    def _event(self, key: Any, counts: Any) -> Any:
        """One agent may move."""
        model, kinds = self._model, len(self._start)
        first, second = jax.random.split(key)
        points = jax.random.uniform(second, (3,), jnp.float32)
        source = _pick(points[0], counts.astype(jnp.float32))
        if isinstance(model, AsynchronousVoter):
            heard = self._heard(first, counts)
            target = _pick(points[1], heard)
            moves = heard[target] > 0  # sums rounded in another order could pick what nobody holds
        else:
            others = counts - jax.nn.one_hot(source, kinds, dtype=jnp.int32)
            met = _pick(points[1], others.astype(jnp.float32))
            shares = counts[: model.n_options].astype(jnp.float32) / model.n_agents
            quality = quality_now(model, shares, jnp.float32)
            mean = jnp.asarray(model.noise.mean(model.quality), jnp.float32) if model.interaction is None else quality
            speaks = jnp.append(mean, jnp.zeros(kinds - model.n_options, jnp.float32))[met]
            moves, target = (points[2] < speaks) & (met != source), met
            if isinstance(model, CrossInhibition):
                target = jnp.where(source == kinds - 1, met, kinds - 1)
        step = jax.nn.one_hot(target, kinds, dtype=jnp.int32) - jax.nn.one_hot(source, kinds, dtype=jnp.int32)
        return counts + jnp.where(moves, step, 0)


def _pick(point: Any, weights: Any) -> Any:
    below = jnp.cumsum(weights)
    return (point * below[-1] >= below[:-1]).sum()


def multinomial(key: Any, n: int, weights: Any) -> Any:
    """How `n` picks fall on the options in proportion to `weights`, int32 (option,): binomials one after the other.

    What lies beyond an option is summed, not subtracted: then the last option with a weight takes all that is left, and none without gets
    any.
    """
    beyond = jnp.stack([weights[k + 1 :].sum() for k in range(len(weights))])
    left, counts = jnp.float32(n), []
    for k in range(len(weights) - 1):
        mass = weights[k] + beyond[k]
        chance = jnp.where(beyond[k] > 0, weights[k] / jnp.where(mass > 0, mass, 1), weights[k] > 0)
        drawn = jax.random.binomial(jax.random.fold_in(key, k), left, chance.astype(jnp.float32), dtype=jnp.float32)
        counts.append(drawn)
        left = left - drawn
    return jnp.stack([*counts, left]).astype(jnp.int32)
