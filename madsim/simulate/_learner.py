"""Simulating Cross-type learners."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count
from madsim._core.provenance import provenance
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.models import (
    BatchMean,
    BetaNoise,
    ClippedNormal,
    CrossLearner,
    Learner,
    MaynardCrossLearner,
    MovingAverage,
    NoiseFree,
    OracleBaseline,
    quality_at,
)
from madsim.simulate._backend import Backend, check_backend
from madsim.simulate._blocks import Progress, run_ranges
from madsim.simulate._method import Method
from madsim.simulate._shares_result import SharesResult, ShareTotals
from madsim.simulate._swarm import Keep, check_keep, frozen, record_times
from madsim.simulate._swarm_runs import EXACT, JAX_TAG, ROUNDS_TAG, matrix_or_empty, noise_code

if TYPE_CHECKING:
    from madsim.simulate._jax_learner import JaxLearners

_LANES_TAG = 0x6C6561726E
_MOST_TRIALS = 2**30


def simulate_learner(
    model: Learner,
    *,
    n_trials: int,
    n_steps: int | None = None,
    times: ArrayLike | None = None,
    rng: RNG = None,
    keep: Keep = "summary",
    method: str = "auto",
    backend: Backend = "numba",
    threads: int | None = None,
    progress: Progress | None = None,
) -> SharesResult:
    """Mean and spread of the probabilities of many simulated learners.

    Parameters are those of :func:`simulate_swarm`; a step is one draw, or one batch of draws. ``method`` is ``"auto"`` or ``"general"``
    (the loop trial by trial). With ``keep="paths"`` the result also holds how often every option was drawn (`samples`), where the loop
    trial by trial ran.

    Raises
    ------
    ValueError
        If a step left the simplex although the model does not clip (a moving average can fall below every quality), and as for
        :func:`simulate_swarm`.
    """
    if not isinstance(model, (CrossLearner, MaynardCrossLearner)):
        raise TypeError(f"simulate_learner needs a CrossLearner or MaynardCrossLearner, got {type(model).__name__}")
    check_method(method)
    check_backend(backend, method)
    moments = record_times(n_steps, times)
    n_trials = as_count(n_trials, name="n_trials", minimum=1, maximum=_MOST_TRIALS)
    return run_learner(
        model,
        moments,
        n_trials=n_trials,
        seed=resolve_seed(rng),
        keep=keep,
        method=method,
        threads=threads,
        progress=progress,
        backend=backend,
    )


def check_method(method: str) -> None:
    """Refuse an unknown method."""
    if method not in ("auto", "general"):
        raise ValueError(f"method must be 'auto' or 'general', got {method!r}")


def run_learner(
    model: Learner,
    times: NDArray[np.int64],
    *,
    n_trials: int,
    seed: Seed,
    keep: str,
    method: str,
    threads: int | None,
    progress: Progress | None,
    before: SharesResult | None = None,
    backend: str = "numba",
) -> SharesResult:
    """The result of `n_trials` trials, those of `before` included where there are some."""
    from madsim.kernels.streams import LANES, stream_key

    on_jax = backend == "jax"
    lanes = _fits_lanes(model) and method == "auto" and not on_jax
    n = model.n_options
    done = 0 if before is None else before.n_trials
    more = n_trials - done
    check_keep(keep, n_trials, len(times), n)
    kept = more if keep == "paths" else 0
    paths = np.zeros((kept, len(times), n))
    samples = np.zeros((0 if lanes or on_jax else kept, len(times), n), np.int32)
    key = stream_key(int(seed.high), int(seed.low), JAX_TAG if on_jax else _LANES_TAG if lanes else ROUNDS_TAG)
    grain = LANES if lanes else 1
    if on_jax:
        run, grain = _jax(model, times, keep)
    else:
        run = _lanes(model, times) if lanes else _walk(model, times)

    def work(totals: ShareTotals, first: int, count: int) -> None:
        part = slice(first, first + count)
        run(
            key, totals, done + first, count, paths[part] if kept else paths, samples[part] if len(samples) else samples
        )

    parts = run_ranges(
        work,
        lambda: ShareTotals.of_nothing(len(times), n),
        n_trials=more,
        grain=grain,
        threads=1 if on_jax else threads,
        progress=progress,
    )
    totals = parts[0]
    for part in parts[1:]:
        totals.add(part)
    if before is not None:
        totals.add(before.totals)
        paths = paths if before.paths is None else np.concatenate([before.paths, paths])
        samples = samples if before.samples is None else np.concatenate([before.samples, samples])
    clipped = int(totals.clipped[0])
    if clipped and not model.clip:
        raise ValueError(
            f"{clipped} steps would have left the simplex: the baseline fell below what the rate of {model.rate:g} allows. Take a "
            "smaller rate, or clip=True to shorten such steps and count them"
        )
    parameters = {
        "model": model.to_dict(),
        "n_trials": n_trials,
        "times": times.tolist(),
        "keep": keep,
        "method": method,
        **({"backend": backend} if on_jax else {}),
    }
    return SharesResult(
        model=model,
        n_trials=n_trials,
        times=times,
        totals=totals,
        absorbed_at=None,
        winner=None,
        paths=frozen(paths) if kept else None,
        samples=frozen(samples) if len(samples) else None,
        method=_jax_method() if on_jax else _method(model, lanes, method),
        warnings=(f"{clipped} steps were shortened to the edge of the simplex",) if clipped else (),
        seed=seed,
        provenance=provenance("simulate_learner", parameters, seed=seed.hex, packages=("numpy", backend)),
    )


def _jax(model: Learner, times: NDArray[np.int64], keep: str):  # type: ignore[no-untyped-def]
    clipped_oracle = isinstance(model, MaynardCrossLearner) and isinstance(model.baseline, OracleBaseline)
    if clipped_oracle and model.interaction is not None and isinstance(model.noise, ClippedNormal):
        raise ValueError(
            "backend='jax' does not run oracle baselines of qualities that move under clipped normal rewards; use backend='numba'"
        )
    learners = _jax_learners(model, tuple(times.tolist()), keep)
    return learners.run, learners.batch


@lru_cache(maxsize=16)
def _jax_learners(model: Learner, times: tuple[int, ...], keep: str) -> JaxLearners:
    """Learners compiled by JAX, kept for the next call with the same model."""
    from madsim.simulate._jax_learner import JaxLearners

    return JaxLearners(model, np.array(times, np.int64), _baseline(model), keep_paths=keep == "paths")


def _jax_method() -> Method:
    from madsim.simulate._jax_streams import device_name

    return Method(name=f"jax on {device_name()}", reason="asked for", error="exact but for uniforms of 53 bits")


def _method(model: Learner, lanes: bool, asked: str) -> Method:
    if lanes:
        return Method(name="lanes", reason="one draw a step, constant quality", error=EXACT)
    batch = "batches" if model.batch > 1 else "qualities that move" if model.interaction is not None else "Beta rewards"
    return Method(name="trial by trial", reason="asked for" if asked == "general" else batch, error=EXACT)


def _fits_lanes(model: Learner) -> bool:
    return model.batch == 1 and model.interaction is None and not isinstance(model.noise, BetaNoise)


def _baseline(model: Learner) -> tuple[int, float, float]:
    """Number of the baseline in the kernels, and the rate and start of its average."""
    from madsim.kernels.learner_lanes import AVERAGE, NO_BASELINE, ORACLE, OWN

    if not isinstance(model, MaynardCrossLearner):
        return NO_BASELINE, 0.0, 0.0
    if isinstance(model.baseline, BatchMean):
        return OWN, 0.0, 0.0
    if isinstance(model.baseline, MovingAverage):
        start = model.baseline.start
        if start is None:
            quality = quality_at(model.quality, model.interaction, model.probabilities)
            start = float(model.probabilities @ model.noise.mean(quality))
        return AVERAGE, float(model.baseline.rate), start
    return ORACLE, 0.0, 0.0


def _lanes(model: Learner, times: NDArray[np.int64]):  # type: ignore[no-untyped-def]
    from madsim.kernels.learner_four import learner_steps_four
    from madsim.kernels.learner_lanes import learner_steps

    noise, spread = noise_code(model.noise)
    mean = model.noise.mean(model.quality)
    baseline = _baseline(model)

    four = model.n_options <= 4 and isinstance(model.noise, (NoiseFree, ClippedNormal))

    def run(key, totals, first, count, paths, samples):  # type: ignore[no-untyped-def]
        start, rate = model.probabilities, float(model.rate)
        out = (times, totals.sums, totals.squares, totals.clipped, paths)
        if four:
            learner_steps_four(key, first, count, start, rate, model.quality, mean, noise > 0, spread, *baseline, *out)
        else:
            learner_steps(key, first, count, start, rate, model.quality, mean, noise, spread, *baseline, *out)

    return run


def _walk(model: Learner, times: NDArray[np.int64]):  # type: ignore[no-untyped-def]
    from madsim.kernels.learner_walk import learner_batches

    noise, spread = noise_code(model.noise)
    mean = model.noise.mean(model.quality)
    baseline = _baseline(model)
    interaction = matrix_or_empty(model.interaction, model.n_options)

    def run(key, totals, first, count, paths, samples):  # type: ignore[no-untyped-def]
        learner_batches(
            *(key, first, count, model.probabilities, float(model.rate), model.batch, model.quality, interaction, mean),
            *(noise, spread, *baseline, times, totals.sums, totals.squares, totals.clipped, paths, samples),
        )

    return run
