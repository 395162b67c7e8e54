"""Everything exact about one swarm in plain JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from madsim.models import AsynchronousVoter, ImitationOfSuccess, Swarm, SynchronousVoter
from madsim.theory._counts import n_count_vectors
from madsim.theory._linear_noise import linear_noise
from madsim.theory._replicator import maynard_smith_replicator, taylor_replicator, unit_step_replicator
from madsim.theory._share_law import absorption, share_law

Kind = Literal["async", "sync", "pairwise"]

_KINDS: dict[str, type[Swarm]] = {"async": AsynchronousVoter, "sync": SynchronousVoter, "pairwise": ImitationOfSuccess}
_LARGEST_WORK = 2e9
_MOST_STEPS = 2**31 - 1
_MOST_ROUNDS = 1_000_000
_LONGEST_NOISE = 10_000


def swarm_summary(
    *,
    quality: ArrayLike,
    n_agents: int,
    kind: Kind = "async",
    times: Sequence[int] | None = None,
    initial: ArrayLike | None = None,
) -> dict[str, Any]:
    """Exact shares, the replicator beside them, and where the swarm ends.

    Parameters
    ----------
    quality
        Quality of each option, shape (option,).
    n_agents
        Agents.
    kind
        ``"async"`` weighted voter, ``"sync"`` weighted voter in rounds, ``"pairwise"`` imitation of success.
    times
        Events (rounds for ``"sync"``) at which to look; by default the equivalent of 0, 1, 2, 5, 10 and 15 rounds.
    initial
        Holders at the start, shape (option,); equal by default.

    Returns
    -------
    dict
        ``times``, ``mean_share`` and ``sd_share`` (lists by time, then option; None where an exact value would take more than some
        seconds), ``ode`` (the mean field at the same times), ``linear_noise_sd`` (None for rounds), ``fixation`` (list by option) and
        ``absorption_time`` (None where out of reach), ``unit`` and ``notes`` that say why something is None.

    Raises
    ------
    ValueError
        If a value is not allowed.
    """
    if kind not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(_KINDS)}, got {kind!r}")
    q = np.asarray(quality, dtype=np.float64)
    model = _KINDS[kind](quality=q, n_agents=n_agents, initial=None if initial is None else np.asarray(initial))
    synchronous = kind == "sync"
    moments = [int(t) for t in times] if times is not None else _usual_times(model.n_agents, synchronous)
    if not moments or min(moments) < 0 or max(moments) > _MOST_STEPS:
        raise ValueError(f"times must be whole numbers from 0 to {_MOST_STEPS}, got {str(list(times or []))[:80]}")
    notes: list[str] = []
    summary: dict[str, Any] = {"kind": kind, "unit": "round" if synchronous else "event", "times": moments}
    summary.update(_exact(model, moments, notes))
    summary.update(_mean_field(model, moments, synchronous, notes))
    summary.update(_ending(model, notes))
    summary["notes"] = notes
    return summary


def _usual_times(n_agents: int, synchronous: bool) -> list[int]:
    return [rounds * (1 if synchronous else n_agents) for rounds in (0, 1, 2, 5, 10, 15)]


def _exact(model: Swarm, times: list[int], notes: list[str]) -> dict[str, Any]:
    states = n_count_vectors(model.n_agents, model.n_options)
    steps = max(times) * (states if isinstance(model, SynchronousVoter) else model.n_options**2)
    if states * max(steps, 1) > _LARGEST_WORK:
        notes.append(
            f"no exact shares: {states} states over {max(times)} steps take too long here; share_law computes them given time"
        )
        return {"mean_share": None, "sd_share": None}
    try:
        law = share_law(model, times)
    except ValueError as error:
        notes.append(f"no exact shares: {error}")
        return {"mean_share": None, "sd_share": None}
    return {"mean_share": law.mean.tolist(), "sd_share": law.sd.tolist()}


def _mean_field(model: Swarm, times: list[int], synchronous: bool, notes: list[str]) -> dict[str, Any]:
    start = model.counts / model.n_agents
    if not (start * model.quality).any():
        notes.append("no mean field: every option held has quality 0")
        return {"ode": None, "linear_noise_sd": None}
    if synchronous:
        if max(times) > _MOST_ROUNDS:
            notes.append(f"no mean field: it is followed for at most {_MOST_ROUNDS} rounds")
            return {"ode": None, "linear_noise_sd": None}
        path = unit_step_replicator(start, model.quality, max(times))[times]
        return {"ode": path.tolist(), "linear_noise_sd": None}
    field = taylor_replicator if isinstance(model, ImitationOfSuccess) else maynard_smith_replicator
    clock = np.array(times) / model.n_agents
    spread = None
    if clock.max() <= _LONGEST_NOISE:
        spread = linear_noise(model, clock).sd.tolist()
    else:
        notes.append(f"no linear noise: it is followed for at most {_LONGEST_NOISE} events an agent")
    return {"ode": field(start, model.quality, clock).tolist(), "linear_noise_sd": spread}


def _ending(model: Swarm, notes: list[str]) -> dict[str, Any]:
    try:
        end = absorption(model)
    except ValueError as error:
        notes.append(f"no fixation: {error}")
        return {"fixation": None, "absorption_time": None}
    return {"fixation": end.probability.tolist(), "absorption_time": end.mean_time}
