"""Calling the kernels with small arrays."""

from typing import Any

import numpy as np

from madsim._core.rng import Seed
from madsim.kernels.streams import stream_key
from tests.reference.streams import Stream

TAG = 77


def fixed(values: Any, dtype: Any = None) -> np.ndarray:
    """A read-only array, as models hold them: numba compiles anew for writable ones."""
    array = np.array(list(values) if isinstance(values, range) else values, dtype)
    array.setflags(write=False)
    return array


def key_of(seed: Seed) -> np.ndarray:
    return stream_key(int(seed.high), int(seed.low), TAG)


def stream_of(seed: Seed, trial: int) -> Stream:
    return Stream(int(seed.high), int(seed.low), TAG, trial)


def tallies(n_trials: int, n_times: int, n_types: int, dtype: Any = np.int32) -> dict[str, np.ndarray]:
    shape = (n_times, n_types)
    return {
        "sums": np.zeros(shape, np.int64),
        "squares": np.zeros(shape, np.int64),
        "absorbed": np.zeros(shape, np.int64),
        "absorbed_at": np.zeros(n_trials, np.int32),
        "winner": np.zeros(n_trials, np.int16),
        "paths": np.zeros((n_trials, *shape), dtype),
    }


def check_tallies(found: dict[str, np.ndarray], n_agents: int) -> None:
    """Sums, squares and absorption agree with the trajectories, which stay on the lattice."""
    paths = found["paths"].astype(np.int64)
    assert (paths >= 0).all()
    assert (paths.sum(axis=2) == n_agents).all()
    assert (found["sums"] == paths.sum(axis=0)).all()
    assert (found["squares"] == (paths**2).sum(axis=0)).all()
    assert (found["absorbed"] == (paths == n_agents).sum(axis=0)).all()
    last = paths[:, -1]
    ended = (last == n_agents).any(axis=1)
    assert (found["winner"] == np.where(ended, last.argmax(axis=1), -1)).all()
    assert ((found["absorbed_at"] >= 0) == ended).all()
