"""Learners in JAX: many trials at once in double precision, recorded at given times."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from madsim.kernels.learner_tally import UNIT
from madsim.models import BatchMean, Learner, MaynardCrossLearner, MovingAverage
from madsim.simulate._jax_rewards import draw_rewards, quality_now
from madsim.simulate._jax_streams import batch_size, in_batches, step_keys, trial_keys
from madsim.simulate._shares_result import ShareTotals


class JaxLearners:
    """Learners of one model, ready to run."""

    def __init__(
        self, model: Learner, times: NDArray[np.int64], baseline: tuple[int, float, float], *, keep_paths: bool
    ) -> None:
        self._model, self._times, self._baseline, self._keep = model, times, baseline, keep_paths
        self.batch = batch_size(model.n_options * (8 + 2 * model.batch + 2 * len(times) * keep_paths))
        self._call = in_batches(self._learners, self.batch)

    def run(
        self, key: Any, totals: ShareTotals, first: int, count: int, paths: NDArray[np.float64], samples: Any
    ) -> None:
        """Add `count` trials from `first` on."""
        for start, used, parts in self._call(key, first, count):
            sums, squares, clipped, path = parts
            totals.sums[...] += sums
            totals.squares[...] += squares
            totals.clipped[...] += clipped
            if len(paths):
                paths[start : start + used] = path[:, :used].swapaxes(0, 1)

    def _learners(self, key: Any, trials: Any, used: Any) -> Any:
        keys = trial_keys(key, trials)
        counted = (jnp.arange(len(trials)) < used).astype(jnp.int64)
        x = jnp.tile(jnp.asarray(self._model.probabilities, jnp.float64), (len(trials), 1))
        average = jnp.full(len(trials), self._baseline[2], jnp.float64)
        step = jax.vmap(self._step)

        def one(number: Any, state: Any) -> Any:
            x, average, clipped = state
            x, average, over = step(step_keys(keys, number + 1), x, average)
            return x, average, clipped + (over * counted).sum()

        def until(state: Any, span: Any) -> Any:
            state = jax.lax.fori_loop(span[0], span[1], one, state)
            x = state[0]
            sums = ((x * UNIT + 0.5).astype(jnp.int64) * counted[:, None]).sum(axis=0)
            squares = ((x * x * UNIT + 0.5).astype(jnp.int64) * counted[:, None]).sum(axis=0)
            return state, (sums, squares, x if self._keep else jnp.zeros((0,)))

        spans = np.stack([np.append(0, self._times[:-1]), self._times], axis=1).astype(np.int32)
        begin = (x, average, jnp.zeros((), jnp.int64))
        (_, _, clipped), (sums, squares, path) = jax.lax.scan(until, begin, jnp.asarray(spans))
        return sums, squares, clipped, path

    def _step(self, key: Any, x: Any, average: Any) -> Any:
        model = self._model
        first, second = jax.random.split(key)
        below = jnp.cumsum(x)
        points = jax.random.uniform(first, (model.batch, 1), jnp.float64) * below[-1]
        drawn = (points >= below[:-1]).sum(axis=1)
        quality = quality_now(model, x, jnp.float64)
        rewards = draw_rewards(model.noise, second, quality[drawn])
        heard = (jax.nn.one_hot(drawn, model.n_options, dtype=jnp.float64) * rewards[:, None]).sum(axis=0)
        total = heard.sum()
        reward = total / model.batch
        average = average + self._baseline[1] * (reward - average)
        move = model.rate * reward / self._below(x, quality, average, reward)
        move = jnp.where(jnp.isfinite(move), move, 0.0)
        over = (move > 1 + 1e-12) & (total > 0)
        move = jnp.where(total > 0, jnp.minimum(move, 1.0), 0.0)
        return (1 - move) * x + move * heard / jnp.where(total > 0, total, 1.0), average, over

    def _below(self, x: Any, quality: Any, average: Any, reward: Any) -> Any:
        """What rewards are divided by."""
        model = self._model
        if not isinstance(model, MaynardCrossLearner):
            return 1.0
        if isinstance(model.baseline, BatchMean):
            return reward
        if isinstance(model.baseline, MovingAverage):
            return average
        mean = quality if model.interaction is not None else jnp.asarray(model.noise.mean(model.quality))
        return x @ mean
