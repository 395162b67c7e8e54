"""Simulating swarms."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.provenance import provenance
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.models import CrossInhibition, NoiseFree, Swarm
from madsim.simulate._backend import Backend
from madsim.simulate._blocks import Progress, run_ranges
from madsim.simulate._shares_result import SharedDrawsWarning, SharesResult, ShareTotals
from madsim.simulate._swarm_plan import SwarmMethod, plan_swarm
from madsim.simulate._swarm_runs import SharesPlan

Keep = Literal["summary", "paths"]

_MOST_STEPS = 2**31 - 1
_MOST_KEPT = 2**29
_EVERY_STEP_TO = 10_000


def simulate_swarm(
    model: Swarm,
    *,
    n_trials: int,
    n_steps: int | None = None,
    times: ArrayLike | None = None,
    rng: RNG = None,
    keep: Keep = "summary",
    method: SwarmMethod = "auto",
    backend: Backend = "numba",
    threads: int | None = None,
    progress: Progress | None = None,
) -> SharesResult:
    """Mean, spread and absorption of the shares of many simulated swarms.

    Trial r owns a stream made from the seed and r alone: the result does not depend on `threads`, and the first 1000 trials of a longer
    run are the shorter run.

    Parameters
    ----------
    model : the swarm
    n_trials : number of swarms, at least 1
    n_steps : events of an asynchronous swarm, rounds of a synchronous one; recorded at every step up to 10,000 of them, at 1001 evenly
        spaced times beyond
    times : instead, the steps at which to record
    rng : None, an integer, a generator, or a `Seed`
    keep : ``"summary"`` keeps sums and how each trial ended; ``"paths"`` keeps every share at every record time too
    method : ``"auto"`` takes the fastest kernel that is exact to the digits stated in the result's `method`, and leaps only where the swarm
        is too large for lanes and runs long. ``"integrated"`` and ``"drawn"`` choose how rewards enter, ``"counts"`` runs rounds on counts,
        ``"leaps"`` runs many events at once, ``"general"`` is the loop trial by trial. They agree in law, not in every trial
    backend : ``"numba"`` runs kernels on the processors; ``"jax"`` runs swarms in which everybody is heard, or that meet in pairs, in
        batches on the device that JAX finds, with keys made from the same seed. They agree in law, not in any trial
    threads : by default one for every processor that this process may use
    progress : called now and then with (trials done, `n_trials`)

    Warns
    -----
    SharedDrawsWarning
        If holders of an option share its reward draws, which biases the dynamics.

    Raises
    ------
    ValueError
        If there are more trials, steps or trajectories than can be held, or the method does not exist for this model.
    """
    if not isinstance(model, Swarm):
        raise TypeError(f"simulate_swarm needs a swarm of madsim.models, got {type(model).__name__}")
    moments = record_times(n_steps, times)
    plan = plan_swarm(model, moments, method, keep=keep, backend=backend)
    notes = warnings_of(model)
    for note in notes:
        warnings.warn(note, SharedDrawsWarning, stacklevel=2)
    largest = min(2**31 - 1, (2**63 - 1) // model.n_agents**2)
    n_trials = as_count(n_trials, name="n_trials", minimum=1, maximum=largest)
    return run_shares(
        plan,
        model,
        moments,
        n_trials=n_trials,
        seed=resolve_seed(rng),
        keep=keep,
        method=method,
        notes=notes,
        threads=threads,
        progress=progress,
        backend=backend,
    )


def run_shares(
    plan: SharesPlan,
    model: Swarm,
    times: NDArray[np.int64],
    *,
    n_trials: int,
    seed: Seed,
    keep: str,
    method: str,
    notes: tuple[str, ...],
    threads: int | None,
    progress: Progress | None,
    before: SharesResult | None = None,
    backend: str = "numba",
) -> SharesResult:
    """The result of `n_trials` trials, those of `before` included where there are some."""
    from madsim.kernels.streams import stream_key

    n_types = model.n_options + isinstance(model, CrossInhibition)
    done = 0 if before is None else before.n_trials
    more = n_trials - done
    check_keep(keep, n_trials, len(times), n_types)
    paths = np.zeros((more if keep == "paths" else 0, len(times), n_types), np.int32)
    absorbed_at, winner = np.zeros(more, np.int32), np.zeros(more, np.int16)
    key = stream_key(int(seed.high), int(seed.low), plan.tag)

    def work(totals: ShareTotals, first: int, count: int) -> None:
        part = slice(first, first + count)
        plan.run(
            key, totals, done + first, count, absorbed_at[part], winner[part], paths[part] if len(paths) else paths
        )

    parts = run_ranges(
        work,
        lambda: ShareTotals.of_nothing(len(times), n_types),
        n_trials=more,
        grain=plan.grain,
        threads=1 if backend == "jax" else threads,
        progress=progress,
    )
    totals = parts[0]
    for part in parts[1:]:
        totals.add(part)
    shares = paths / model.n_agents if keep == "paths" else None
    if before is not None:
        totals.add(before.totals)
        absorbed_at = np.concatenate([before.absorbed_at, absorbed_at])  # type: ignore[list-item]
        winner = np.concatenate([before.winner, winner])  # type: ignore[list-item]
        shares = None if before.paths is None or shares is None else np.concatenate([before.paths, shares])
    parameters = {
        "model": model.to_dict(),
        "n_trials": n_trials,
        "times": times.tolist(),
        "keep": keep,
        "method": method,
        **({} if backend == "numba" else {"backend": backend}),
    }
    return SharesResult(
        model=model,
        n_trials=n_trials,
        times=times,
        totals=totals,
        absorbed_at=frozen(absorbed_at),
        winner=frozen(winner),
        paths=None if shares is None else frozen(shares),
        samples=None,
        method=plan.method,
        warnings=notes,
        seed=seed,
        provenance=provenance("simulate_swarm", parameters, seed=seed.hex, packages=("numpy", backend)),
    )


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, made read-only in place: for arrays that nobody else holds, and too large to copy."""
    array.setflags(write=False)
    return array


def record_times(n_steps: int | None, times: ArrayLike | None) -> NDArray[np.int64]:
    """Steps at which to record, ascending, from a number of steps or as they are given."""
    if (n_steps is None) == (times is None):
        raise ValueError("give either n_steps or times")
    if n_steps is not None:
        n_steps = as_count(n_steps, name="n_steps", minimum=0, maximum=_MOST_STEPS)
        if n_steps <= _EVERY_STEP_TO:
            return readonly(np.arange(n_steps + 1, dtype=np.int64))
        return readonly(np.unique(np.linspace(0, n_steps, 1001).round().astype(np.int64)))
    given = np.asarray(times)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise TypeError(f"times must be a list of whole numbers, got {times!r}")
    if given.min() < 0 or given.max() > _MOST_STEPS or (np.diff(given) <= 0).any():
        raise ValueError(f"times must ascend from 0 or later to at most {_MOST_STEPS}, got {given.tolist()[:20]}")
    return readonly(given.astype(np.int64))


def check_keep(keep: str, n_trials: int, n_times: int, n_types: int) -> None:
    """Refuse an unknown word, and more trajectories than can be held."""
    if keep not in ("summary", "paths"):
        raise ValueError(f"keep must be 'summary' or 'paths', got {keep!r}")
    if keep == "paths" and n_trials * n_times * n_types > _MOST_KEPT:
        raise ValueError(
            f"{n_trials} trajectories of {n_times} times and {n_types} types are too many to keep (at most {_MOST_KEPT} numbers); "
            "record fewer times, or keep='summary'"
        )


def warnings_of(model: Swarm) -> tuple[str, ...]:
    """What a reader of the numbers should know."""
    if getattr(model, "rewards", "agent") == "agent" or isinstance(model.noise, NoiseFree):
        return ()
    return (
        "all holders of an option share its reward draws: the drift is biased by an amount that does not shrink with the number of "
        "agents, and with Bernoulli rewards the best option can stay stuck below 1. Use rewards='agent' for agents that judge for "
        "themselves",
    )
