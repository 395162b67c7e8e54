"""Values of a swarm at given times."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.estimate import Estimate
from madsim._core.rng import RNG
from madsim.evaluate._choice import Way, check_way, exact_values
from madsim.models import CrossInhibition, Swarm
from madsim.simulate import Method, SharedDrawsWarning, SharesResult, simulate_swarm

_MOST_WORK = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SwarmValues:
    """What a swarm comes to.

    Attributes
    ----------
    model : what was evaluated
    times : int64 (time,); events, or rounds of a synchronous swarm
    share : mean share by time and type
    absorbed : chance that all agents hold one type, by time and type
    method : what computed both, why, and how exact it is
    simulated : the simulation, where theory does not reach the swarm; else None
    """

    model: Swarm
    times: NDArray[np.int64]
    share: tuple[tuple[Estimate, ...], ...]
    absorbed: tuple[tuple[Estimate, ...], ...]
    method: Method
    simulated: SharesResult | None


def swarm_values(
    model: Swarm,
    times: ArrayLike,
    *,
    method: Way = "auto",
    n_trials: int = 10_000,
    rng: RNG = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SwarmValues:
    """Mean shares and chances of absorption: from the exact law where that takes about a second, simulated where not.

    Parameters
    ----------
    model : what to evaluate
    times : events (rounds of a synchronous swarm) at which to look, ascending
    method : ``"auto"``; ``"exact"`` refuses what has no exact law within reach; ``"simulated"`` uses no theory
    n_trials, rng, threads, progress : of the simulation, where one is needed

    Raises
    ------
    ValueError
        With ``method="exact"``, if theory does not reach the swarm; the message says why.
    """
    check_way(method)
    if not isinstance(model, Swarm):
        raise TypeError(f"model must be a swarm of madsim.models, got {type(model).__name__}")
    values, methods, refused = exact_values(
        {"shares": {"forward iteration over all counts": lambda: _law(model, times)}}, method
    )
    if not refused:
        law = values["shares"]
        return SwarmValues(
            model=model, times=law.times, share=_exact(law.mean), absorbed=_exact(law.absorbed), method=methods["shares"],
            simulated=None,
        )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedDrawsWarning)  # the simulation holds the warning
        result = simulate_swarm(model, n_trials=n_trials, times=times, rng=rng, threads=threads, progress=progress)
    return SwarmValues(
        model=model, times=result.times, share=result.share, absorbed=result.absorbed, method=result.method, simulated=result
    )  # fmt: skip


def _law(model: Swarm, times: ArrayLike):  # type: ignore[no-untyped-def]
    from madsim.theory import share_law

    kinds, given = model.n_options + isinstance(model, CrossInhibition), np.asarray(times)
    whole = given.dtype.kind in "iu"  # other times are refused by whoever takes them
    states, last = comb(model.n_agents + kinds - 1, kinds - 1), int(given.max(initial=0)) if whole else 0
    if whole and (np.diff(given) <= 0).any():
        raise ValueError(f"times must ascend, got {given.tolist()[:20]}")
    if states * kinds**2 * max(1, last) > _MOST_WORK:
        raise ValueError(f"{last} steps over {states} count vectors would take longer than simulating")
    return share_law(model, times)


def _exact(values: NDArray[np.float64]) -> tuple[tuple[Estimate, ...], ...]:
    return tuple(tuple(Estimate.of_exact(value) for value in row) for row in values)
