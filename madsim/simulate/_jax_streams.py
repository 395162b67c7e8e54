"""Random numbers of the JAX backend, and running trials in batches of one shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

_BATCH_NUMBERS = 2**22
_MOST_TRIALS = 2**14


def batch_size(numbers_a_trial: int) -> int:
    """Trials that run together: a power of two, fewer where a trial holds many numbers."""
    size = max(1, _BATCH_NUMBERS // max(1, numbers_a_trial))
    return min(_MOST_TRIALS, 1 << (size.bit_length() - 1))


def device_name() -> str:
    """The kind of device that JAX computes on by default: ``"cpu"``, ``"gpu"`` or ``"tpu"``."""
    return jax.default_backend()


def trial_keys(key: Any, trials: Any) -> Any:
    """A key a trial from all 128 bits of `key`, uint32 (4,); like the streams of the kernels, a function of seed, tag and trial alone."""
    base = jax.random.wrap_key_data(key[:2])
    base = jax.random.fold_in(jax.random.fold_in(base, key[2]), key[3])
    return jax.vmap(jax.random.fold_in, (None, 0))(base, trials)


def step_keys(keys: Any, step: Any) -> Any:
    """The keys of one step of every trial."""
    return jax.vmap(jax.random.fold_in, (0, None))(keys, step)


def uniforms(keys: Any, shape: tuple[int, ...]) -> Any:
    """Uniforms in [0, 1), float32 (trial, *shape)."""
    return jax.vmap(lambda key: jax.random.uniform(key, shape, jnp.float32))(keys)


def fixed_point(values: Any) -> Any:
    """Numbers in [0, 1] as whole multiples of 2**-32, int64."""
    return (values.astype(jnp.float64) * 2.0**32).astype(jnp.int64)


def in_batches(run: Callable[[Any, Any, Any], Any], size: int) -> Callable[[NDArray[np.uint64], int, int], Any]:
    """``call(key, first, count)`` yields ``(start, used, parts)`` for one batch after the other.

    ``run(key, trials, used)`` is compiled once: the last batch is filled up with trials that do not count. Inside, integers have 64 bits.
    """
    compiled = jax.jit(run)

    def call(key: NDArray[np.uint64], first: int, count: int) -> Any:
        words = np.ascontiguousarray(key).view(np.uint32)
        for start in range(0, count, size):
            used = min(size, count - start)
            with jax.enable_x64(True):
                trials = jnp.asarray(np.arange(first + start, first + start + size, dtype=np.uint64).astype(np.uint32))
                parts = jax.device_get(compiled(jnp.asarray(words), trials, jnp.asarray(np.int32(used))))
            yield start, used, parts

    return call
