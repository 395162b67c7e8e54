"""Results of swarms and learners on disk, made again, and made longer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.canonical import canonical_json
from madsim._core.provenance import Provenance
from madsim._core.rng import Seed
from madsim.models import Learner, Swarm, population_from_dict
from madsim.simulate._learner import run_learner
from madsim.simulate._method import Method
from madsim.simulate._shares_result import SharesResult, ShareTotals
from madsim.simulate._swarm import record_times, run_shares, warnings_of
from madsim.simulate._swarm_plan import SwarmMethod, plan_swarm

COMMANDS = ("simulate_swarm", "simulate_learner")

_TOTALS = ("sums", "squares", "absorbed", "clipped")
_BY_TRIAL = ("absorbed_at", "winner", "paths", "samples")
_KINDS = {"absorbed_at": np.int32, "winner": np.int16, "paths": np.float64, "samples": np.int32}

Progress = Callable[[int, int], None]


def save_shares(result: SharesResult, path: str | Path) -> Path:
    """Write a result to `path` (``.npz`` is added where it has another ending); no pickles, the provenance as JSON."""
    path = Path(path)
    if path.suffix != ".npz":
        path = path.with_name(path.name + ".npz")
    arrays: dict[str, NDArray[Any]] = {name: getattr(result.totals, name) for name in _TOTALS}
    arrays.update({name: getattr(result, name) for name in _BY_TRIAL if getattr(result, name) is not None})
    text = canonical_json(result.provenance.to_dict())
    about = canonical_json({"method": result.method.to_dict(), "warnings": list(result.warnings)})
    with open(path, "wb") as file:
        np.savez_compressed(
            file,
            provenance=np.frombuffer(text.encode(), np.uint8),
            about=np.frombuffer(about.encode(), np.uint8),
            allow_pickle=False,
            **arrays,
        )
    return path


def load_shares(arrays: dict[str, NDArray[Any]], source: Provenance, path: str | Path) -> SharesResult:
    """The result that :func:`save_shares` wrote, from the arrays of its file.

    Raises
    ------
    ValueError
        If an array is missing or does not fit the model in the provenance.
    """
    model, seed, times, options = _parameters(source)
    n_trials, keep = options["n_trials"], options["keep"]
    n_types = model.n_options + (type(model).__name__ == "CrossInhibition")
    shape = (len(times), n_types)
    swarm = isinstance(model, Swarm)
    expected: dict[str, tuple[int, ...]] = {"sums": shape, "squares": shape, "absorbed": shape, "clipped": (1,)}
    if swarm:
        expected.update(absorbed_at=(n_trials,), winner=(n_trials,))
    if keep == "paths":
        expected["paths"] = (n_trials, *shape)
        if "samples" in arrays:
            expected["samples"] = (n_trials, *shape)
    for name, wanted in expected.items():
        found, kind = arrays.get(name), _KINDS.get(name, np.int64)
        if found is None or found.dtype != kind or found.shape != wanted:
            got = "nothing" if found is None else f"{found.dtype} {found.shape}"
            raise ValueError(f"{path}: {name!r} must be {np.dtype(kind)} {wanted}, found {got}")
    try:
        about = json.loads(arrays["about"].tobytes().decode())
        method, notes = (
            Method(**{name: str(about["method"][name]) for name in ("name", "reason", "error")}),
            tuple(str(note) for note in about["warnings"]),
        )
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: its description cannot be read ({error})") from error
    parts = {name: readonly(arrays[name]) if name in expected else None for name in _BY_TRIAL}
    return SharesResult(
        model=model,
        n_trials=n_trials,
        times=times,
        totals=ShareTotals(**{name: arrays[name] for name in _TOTALS}),
        method=method,
        warnings=notes,
        seed=seed,
        provenance=source,
        **cast("dict[str, Any]", parts),
    )


def reproduce_shares(
    source: Provenance, *, threads: int | None = None, progress: Progress | None = None
) -> SharesResult:
    """The result simulated again from its provenance: the same integers on any number of threads."""
    model, seed, times, options = _parameters(source)
    return _run(model, times, options, options["n_trials"], seed, threads, progress, None)


def extend_shares(
    result: SharesResult, n_trials: int, *, threads: int | None = None, progress: Progress | None = None
) -> SharesResult:
    """The result with `n_trials` more: the same bits as if all had been simulated at once."""
    more = as_count(n_trials, name="n_trials", minimum=1)
    model, seed, times, options = _parameters(result.provenance)
    return _run(model, times, options, result.n_trials + more, seed, threads, progress, result)


def _run(
    model: Swarm | Learner,
    times: NDArray[np.int64],
    options: dict[str, Any],
    n_trials: int,
    seed: Seed,
    threads: int | None,
    progress: Progress | None,
    before: SharesResult | None,
) -> SharesResult:
    shared: dict[str, Any] = {
        "n_trials": n_trials,
        "seed": seed,
        "keep": options["keep"],
        "method": options["method"],
        "threads": threads,
        "progress": progress,
        "before": before,
        "backend": options.get("backend", "numba"),
    }
    if isinstance(model, Learner):
        return run_learner(model, times, **shared)
    method = cast("SwarmMethod", options["method"])
    plan = plan_swarm(model, times, method, keep=options["keep"], backend=shared["backend"])
    return run_shares(plan, model, times, notes=warnings_of(model), **shared)


def _parameters(source: Provenance) -> tuple[Swarm | Learner, Seed, NDArray[np.int64], dict[str, Any]]:
    if source.command not in COMMANDS:
        raise ValueError(f"expected the provenance of {' or '.join(COMMANDS)}, got that of {source.command!r}")
    options = dict(source.parameters)
    missing = [name for name in ("model", "n_trials", "times", "keep", "method") if name not in options]
    if missing or source.seed is None:
        raise ValueError(f"this provenance lacks {', '.join(missing) or 'the seed'}")
    model = population_from_dict(options["model"])
    if isinstance(model, Learner) != (source.command == "simulate_learner"):
        raise ValueError(f"{source.command} does not simulate a {type(model).__name__}")
    options["n_trials"] = as_count(options["n_trials"], name="n_trials", minimum=1)
    try:
        times = record_times(None, options["times"])
    except TypeError as error:
        raise ValueError(f"the times of this provenance cannot be read: {error}") from error
    return model, Seed.from_hex(source.seed), times, options
