"""Results on disk, and made again from their provenance."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.canonical import canonical_json
from madsim._core.provenance import Provenance
from madsim._core.rng import Seed
from madsim.models import debate_from_dict
from madsim.simulate._debate import check_size, simulate_debate
from madsim.simulate._debate_plan import plan_debate
from madsim.simulate._debate_result import DebateResult, result_of
from madsim.simulate._debate_votes import votes_of_trials
from madsim.simulate._npz import read_npz
from madsim.simulate._totals import Totals

_MOST_BYTES = 2**32
_ARRAYS = ("belief", "right", "share", "wins", "spread")


def save_result(result: DebateResult, path: str | Path) -> Path:
    """Write a result to `path` (``.npz`` is added where it has another ending); no pickles, the provenance as JSON."""
    path = Path(path)
    if path.suffix != ".npz":
        path = path.with_name(path.name + ".npz")
    arrays: dict[str, NDArray[Any]] = {name: getattr(result.totals, name) for name in _ARRAYS}
    if result.votes is not None:
        arrays["votes"] = np.where(result.votes.answers < 0, 255, result.votes.answers).astype(np.uint8)
    text = canonical_json(result.provenance.to_dict())
    with open(path, "wb") as file:
        np.savez_compressed(file, provenance=np.frombuffer(text.encode(), np.uint8), allow_pickle=False, **arrays)
    return path


def load_result(path: str | Path) -> DebateResult:
    """Read back what :meth:`DebateResult.save` wrote.

    Raises
    ------
    ValueError
        If there is no such file, or it is not the file of a result, or its parts do not fit together.
    """
    arrays, source = read_arrays(path)
    if source.command != "simulate_debate":
        raise ValueError(f"{path}: this is a result of {source.command!r}, not of simulate_debate")
    model, seed, options = _debate_parameters(source)
    n_trials, n_rounds = check_size(model, options["n_trials"], options["n_rounds"], options["keep"])
    plan = plan_debate(
        model, n_rounds, method=options["method"], keep=options["keep"], backend=options.get("backend", "numba")
    )
    expected = plan.new_totals()
    for name in _ARRAYS:
        shape = getattr(expected, name).shape
        found = arrays.get(name)
        if found is None or found.dtype != np.int64 or found.shape != shape:
            got = "nothing" if found is None else f"{found.dtype} {found.shape}"
            raise ValueError(f"{path}: {name!r} must be int64 {shape}, found {got}")
    votes = None
    if options["keep"] == "votes":
        answers = arrays.get("votes")
        shape = (n_trials, n_rounds + 1, model.n_agents)
        if answers is None or answers.dtype != np.uint8 or answers.shape != shape:
            raise ValueError(f"{path}: 'votes' must be uint8 {shape}")
        votes = votes_of_trials(model, answers)
    totals = Totals(**{name: arrays[name] for name in _ARRAYS})
    return result_of(
        plan, totals, model=model, n_trials=n_trials, n_rounds=n_rounds, seed=seed, votes=votes, provenance=source
    )


def read_arrays(path: str | Path) -> tuple[dict[str, NDArray[Any]], Provenance]:
    """The arrays and the provenance of a result file of any simulator."""
    try:
        with open(path, "rb") as file:  # opened here: what NumPy opens stays open where the archive is broken
            arrays = read_npz(file, most_bytes=_MOST_BYTES)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not the file of a result ({error})") from error
    try:
        plain = json.loads(arrays.pop("provenance").tobytes().decode())
        return arrays, Provenance.from_dict(plain)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: its provenance cannot be read ({error})") from error


def reproduce(
    source: Provenance, *, threads: int | None = None, progress: Callable[[int, int], None] | None = None
) -> DebateResult:
    """The result simulated again from its provenance: the same integers, on any machine and number of threads.

    Raises
    ------
    ValueError
        If the provenance is not that of a simulated debate.
    """
    if source.command != "simulate_debate":
        raise ValueError(f"only simulate_debate can be repeated here, this is the provenance of {source.command!r}")
    model, seed, options = _debate_parameters(source)
    return simulate_debate(
        model,
        n_trials=options["n_trials"],
        n_rounds=options["n_rounds"],
        rng=seed,
        keep=options["keep"],
        method=options["method"],
        backend=options.get("backend", "numba"),
        threads=threads,
        progress=progress,
    )


def _debate_parameters(source: Provenance) -> tuple[Any, Seed, dict[str, Any]]:
    needed = ("model", "n_trials", "n_rounds", "keep", "method")
    missing = [name for name in needed if name not in source.parameters]
    if missing or source.seed is None:
        raise ValueError(f"this provenance lacks {', '.join(missing) or 'the seed'}")
    return debate_from_dict(source.parameters["model"]), Seed.from_hex(source.seed), dict(source.parameters)
