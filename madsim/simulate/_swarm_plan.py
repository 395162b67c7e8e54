"""Which kernel a swarm runs on, and how exact that is: one choice, explained in the result."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from madsim.models import (
    AsynchronousVoter,
    BernoulliNoise,
    ClippedNormal,
    CrossInhibition,
    Everybody,
    ImitationOfSuccess,
    NoiseFree,
    Swarm,
    SynchronousVoter,
)
from madsim.simulate._backend import check_backend
from madsim.simulate._method import Method
from madsim.simulate._swarm_runs import (
    EXACT,
    EXACT_24,
    JAX_TAG,
    SharesPlan,
    agents,
    leaps,
    pairwise_lanes,
    rounds,
    voter_lanes,
    walk,
)

if TYPE_CHECKING:
    from madsim.simulate._jax_swarm import JaxSwarms

SwarmMethod: TypeAlias = Literal["auto", "integrated", "drawn", "counts", "leaps", "general"]

LANES_LIMIT = 65_000
"""Above this many agents a 24-bit uniform is too coarse for the lanes."""
EXPANSION_FROM = 2_000
"""From this many agents on, sums of any independent rewards are integrated out by their first two moments."""
CLEARANCE = 6.0
"""Standard deviations between a quality and 0 or 1 at which clipping is negligible (2e-9)."""
COUNTS_FROM = 64
"""From this many agents on, a synchronous round on counts is faster than agent by agent."""
LEAPS_FROM = 10_000
"""Fewest agents of a swarm that may leap."""
LEAPS_IN_A_UNIT = 64
"""Leaps in one unit of time, that is as many events as there are agents."""
LEAP_ERROR = 2e-4
"""Shifts of mean shares below this could not be told from the noise of 20,000 trials beside exact lanes."""
_LONG_WALK = 5_000_000


def clipping_is_negligible(model: Swarm) -> bool:
    """Whether rewards may be taken as normal: far from 0 and 1, and their weighted mean far from 0."""
    if not isinstance(model.noise, ClippedNormal) or model.interaction is not None:
        return False
    q = model.quality
    return bool(np.minimum(q, 1 - q).min() >= (CLEARANCE - 1e-9) * model.noise.sd)


def sums_are_narrow(model: Swarm) -> bool:
    """Whether the reward heard from many independent holders is far from zero in every state, so that two moments describe it."""
    if model.n_agents < EXPANSION_FROM or model.interaction is not None:
        return False
    mean, variance = model.noise.mean(model.quality), model.noise.variance(model.quality)
    return bool(variance.max() * CLEARANCE**2 <= model.n_agents * mean.min() ** 2)


def can_leap(model: Swarm) -> bool:
    """Whether the chances of an event are known from counts alone, and the swarm is large enough to hold them constant for a while."""
    if model.n_agents < LEAPS_FROM or isinstance(model, SynchronousVoter):
        return False
    if not isinstance(model, AsynchronousVoter):
        return True
    if not isinstance(model.hearing, Everybody):
        return False
    return isinstance(model.noise, NoiseFree) or (model.rewards == "agent" and sums_are_narrow(model))


def plan_swarm(
    model: Swarm, times: NDArray[np.int64], method: SwarmMethod, *, keep: str = "summary", backend: str = "numba"
) -> SharesPlan:
    """The plan for `model`.

    ``"auto"`` takes, in this order: lanes; counts (rounds); leaps, where the swarm is too large for lanes and the walk would take long;
    the walk event by event or agent by agent. The choice depends on the model and the times alone, never on the number of trials, so that a
    longer run begins like a shorter one.

    Raises
    ------
    ValueError
        If the method asked for does not exist for this model; the message says which do.
    """
    known = ("auto", "integrated", "drawn", "counts", "leaps", "general")
    if method not in known:
        raise ValueError(f"method must be one of {', '.join(known)}, got {method!r}")
    check_backend(backend, method)
    if backend == "jax":
        return _jax_plan(model, times, keep)
    asked = "asked for" if method != "auto" else ""
    if isinstance(model, SynchronousVoter):
        return _rounds_plan(model, times, method, asked)
    if isinstance(model, AsynchronousVoter) and not isinstance(model.hearing, Everybody):
        _only(method, ("auto", "general", "drawn"), "a swarm in which not everybody is heard")
        return agents(model, times, reason=asked or "agents hear different agents")
    if method == "leaps":
        return _leaps(model, times, asked)
    lanes = model.interaction is None and model.n_agents <= LANES_LIMIT and method != "general"
    if isinstance(model, (ImitationOfSuccess, CrossInhibition)):
        _only(method, ("auto", "integrated", "general", "leaps", "drawn"), "swarms that meet in pairs")
        if lanes and method != "drawn":
            return pairwise_lanes(model, times, reason=asked or "only the mean reward of the agent met matters")
        _only(method, ("auto", "general", "drawn"), "this swarm (moving quality, or too large for lanes)")
        if method == "auto" and _leaps_pay(model, times):
            return _leaps(model, times, "")
        return walk(model, times, reason=asked or _why_no_lanes(model))
    if not isinstance(model, AsynchronousVoter):
        raise TypeError(f"model must be one of the swarms of madsim.models, got {type(model).__name__}")
    return _voter_plan(model, times, method, lanes, asked)


def _jax_plan(model: Swarm, times: NDArray[np.int64], keep: str) -> SharesPlan:
    why_not = why_not_jax(model)
    if why_not:
        raise ValueError(f"backend='jax' does not run {why_not}; use backend='numba'")
    from madsim.simulate._jax_streams import device_name

    swarms = _jax_swarms(model, tuple(times.tolist()), keep)
    method = Method(name=f"jax on {device_name()}", reason="asked for", error="exact but for single precision")
    return SharesPlan(method, JAX_TAG, swarms.batch, swarms.run)


@lru_cache(maxsize=16)
def _jax_swarms(model: Swarm, times: tuple[int, ...], keep: str) -> JaxSwarms:
    """Swarms compiled by JAX, kept for the next call with the same model."""
    from madsim.simulate._jax_swarm import JaxSwarms

    return JaxSwarms(model, np.array(times, np.int64), keep_paths=keep == "paths")


def why_not_jax(model: Swarm) -> str:
    """What keeps a swarm from the JAX backend, in words; empty where nothing does."""
    if model.n_agents > LANES_LIMIT:
        return f"more than {LANES_LIMIT} agents in single precision"
    if isinstance(model, (ImitationOfSuccess, CrossInhibition)):
        moving = model.interaction is not None and isinstance(model.noise, ClippedNormal)
        return "pairs whose qualities move under clipped normal rewards" if moving else ""
    if not isinstance(model, (AsynchronousVoter, SynchronousVoter)):
        return f"a {type(model).__name__}"
    if not isinstance(model.hearing, Everybody):
        return "swarms in which not everybody is heard"
    if isinstance(model, SynchronousVoter) and (model.n_votes > 1 or model.accept != "always"):
        return "rounds of several votes or with acceptance"
    simple = model.rewards == "option" or isinstance(model.noise, (NoiseFree, BernoulliNoise))
    return "" if simple or clipping_is_negligible(model) else f"rewards by agent with {type(model.noise).__name__}"


def _rounds_plan(model: SynchronousVoter, times: NDArray[np.int64], method: SwarmMethod, asked: str) -> SharesPlan:
    exchangeable = isinstance(model.hearing, Everybody) and model.n_votes == 1 and model.accept == "always"
    _only(method, ("auto", "general", "drawn", *(("counts",) if exchangeable else ())), "this synchronous swarm")
    if exchangeable and (method == "counts" or (method == "auto" and model.n_agents >= COUNTS_FROM)):
        reason = asked or "given the rewards all agents settle alike"
        return rounds(model, times, normal=clipping_is_negligible(model), reason=reason)
    small = f"fewer than {COUNTS_FROM} agents" if exchangeable else "agents differ in what they hear or how they decide"
    return agents(model, times, reason=asked or small)


def _voter_plan(
    model: AsynchronousVoter, times: NDArray[np.int64], method: SwarmMethod, lanes: bool, asked: str
) -> SharesPlan:
    _only(method, ("auto", "integrated", "drawn", "general", "leaps"), "asynchronous voters")
    noisy = not isinstance(model.noise, NoiseFree)
    by_agent = model.rewards == "agent"
    normal = clipping_is_negligible(model)
    expandable = by_agent and sums_are_narrow(model)
    if method == "integrated" and noisy and not (normal or expandable):
        raise ValueError(
            "rewards can be integrated out only where they are normal and at least 6 standard deviations from 0 and 1, or "
            f"drawn by agent in swarms of {EXPANSION_FROM} and more with constant qualities above 0; use method='auto'"
        )
    if method in ("auto", "integrated") and (not noisy or normal or expandable):
        if lanes:
            why = "rewards without noise" if not noisy else "normal rewards" if normal else "rewards of many agents"
            error = _integration_error(model) if noisy else EXACT_24
            return voter_lanes(model, times, draw=1 if noisy else 0, error=error, reason=asked or why)
        if method == "auto" and _leaps_pay(model, times):
            return _leaps(model, times, "")
        if by_agent and model.interaction is None:
            error = _integration_error(model) if noisy else EXACT
            return walk(model, times, by_moments=True, error=error, reason=asked or _why_no_lanes(model))
        _only(method, ("auto",), "this swarm (moving quality, or shared draws in a swarm too large for lanes)")
    if lanes and isinstance(model.noise, ClippedNormal) and (not by_agent or normal):
        return voter_lanes(model, times, draw=2, error=EXACT_24, reason=asked or "clipping is not negligible")
    return walk(model, times, reason=asked or _why_no_lanes(model))


def _leaps_pay(model: Swarm, times: NDArray[np.int64]) -> bool:
    """Whether the walk would take long and leaps would be at least twenty times fewer than events."""
    events = int(times[-1])
    return can_leap(model) and events >= _LONG_WALK and len(times) + events // _leap_size(model) <= events // 20


def _leap_size(model: Swarm) -> int:
    return model.n_agents // LEAPS_IN_A_UNIT


def _leaps(model: Swarm, times: NDArray[np.int64], asked: str) -> SharesPlan:
    if not can_leap(model):
        raise ValueError(
            f"method='leaps' needs an asynchronous swarm of at least {LEAPS_FROM} agents in which everybody is heard, without noise or "
            "with rewards by agent whose sum is far from zero; use method='auto'"
        )
    size = _leap_size(model)
    reason = asked or f"too large for lanes, and {int(times[-1])} events one by one would take long"
    error = f"approximate: up to {size} events at once, mean shares off by about {LEAP_ERROR:.0e}, extinctions late by up to a leap"
    return leaps(model, times, size=size, error=error, reason=reason)


def _integration_error(model: AsynchronousVoter) -> str:
    variance, mean = model.noise.variance(model.quality), model.noise.mean(model.quality)
    share = 1.0 if model.rewards == "option" else 1.0 / model.n_agents
    e = float(variance.max() * share / mean.min() ** 2)
    if clipping_is_negligible(model):
        return f"relative error of a chance below {max(945 * e**5, 1e-7):.0e}"
    return f"approximate: two moments of the rewards, relative error of a chance about {max(15 * e**1.5 * share**0.5, 1e-7):.0e}"


def _why_no_lanes(model: Swarm) -> str:
    if model.interaction is not None:
        return "qualities move with the shares"
    if model.n_agents > LANES_LIMIT:
        return f"more than {LANES_LIMIT} agents"
    return "rewards that no lane kernel draws"


def _only(method: str, allowed: tuple[str, ...], what: str) -> None:
    if method not in allowed:
        raise ValueError(f"method={method!r} does not exist for {what}; use one of {', '.join(allowed)}")
