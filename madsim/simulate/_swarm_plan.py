"""Which kernel a swarm runs on, and how exact that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.models import (
    AsynchronousVoter,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
    Everybody,
    HearGraph,
    HearGroup,
    HearSome,
    ImitationOfSuccess,
    Noise,
    NoiseFree,
    Swarm,
    SynchronousVoter,
    UniformNoise,
)
from madsim.simulate._shares_result import ShareTotals

SwarmMethod: TypeAlias = Literal["auto", "integrated", "drawn", "general"]

LANES_LIMIT = 65_000
"""Above this many agents a 24-bit uniform is too coarse for the lanes."""
EXPANSION_FROM = 2_000
"""From this many agents on, sums of any independent rewards are integrated out by their first two moments."""
CLEARANCE = 6.0
"""Standard deviations between a quality and 0 or 1 at which clipping is negligible (2e-9)."""

_VOTER_TAG, _PAIRWISE_TAG, _WALK_TAG, ROUNDS_TAG = 0x766F746572, 0x70616972, 0x77616C6B, 0x726F756E6473

Run: TypeAlias = "Callable[[NDArray[np.uint64], ShareTotals, int, int, NDArray[np.int32], NDArray[np.int16], NDArray[np.int32]], None]"


@dataclass(frozen=True, slots=True)
class SharesPlan:
    """A kernel bound to its model: ``run(key, totals, first, count, absorbed_at, winner, paths)`` adds trials to the totals."""

    method: str
    tag: int
    grain: int
    run: Run


def noise_code(noise: Noise) -> tuple[int, float]:
    """Number of the kind of noise in the kernels, and its one parameter."""
    if isinstance(noise, NoiseFree):
        return 0, 0.0
    if isinstance(noise, ClippedNormal):
        return 1, float(noise.sd)
    if isinstance(noise, UniformNoise):
        return 2, float(noise.half_width)
    if isinstance(noise, BernoulliNoise):
        return 3, 0.0
    assert isinstance(noise, BetaNoise)
    return 4, float(noise.mass)


def matrix_or_empty(interaction: NDArray[np.float64] | None, n_options: int) -> NDArray[np.float64]:
    """The interaction for the kernels: of no row where quality is constant; read-only always, so that one compilation serves both."""
    return readonly(np.zeros((0, n_options))) if interaction is None else interaction


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


def plan_swarm(model: Swarm, times: NDArray[np.int64], method: SwarmMethod) -> SharesPlan:
    """The plan for `model`.

    Raises
    ------
    ValueError
        If the method asked for does not exist for this model; the message says which do.
    """
    if method not in ("auto", "integrated", "drawn", "general"):
        raise ValueError(f"method must be 'auto', 'integrated', 'drawn' or 'general', got {method!r}")
    if isinstance(model, SynchronousVoter):
        _only(method, ("auto", "general", "drawn"), "a synchronous swarm")
        return _agents(model, times)
    if isinstance(model, AsynchronousVoter) and not isinstance(model.hearing, Everybody):
        _only(method, ("auto", "general", "drawn"), "a swarm in which not everybody is heard")
        return _agents(model, times)
    lanes = model.interaction is None and model.n_agents <= LANES_LIMIT and method != "general"
    if isinstance(model, (ImitationOfSuccess, CrossInhibition)):
        if lanes and method != "drawn":
            return _pairwise(model, times)
        _only(method, ("auto", "general", "drawn"), "this swarm (moving quality, or too large for lanes)")
        return _walk(model, times)
    if not isinstance(model, AsynchronousVoter):
        raise TypeError(f"model must be one of the swarms of madsim.models, got {type(model).__name__}")
    return _voter_plan(model, times, method, lanes)


def _voter_plan(model: AsynchronousVoter, times: NDArray[np.int64], method: SwarmMethod, lanes: bool) -> SharesPlan:
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
            return _voter_lanes(model, times, draw=1 if noisy else 0)
        if by_agent and model.interaction is None and method != "general":
            return _walk(model, times, by_moments=True)
        _only(method, ("auto",), "this swarm (moving quality, or shared draws in a swarm too large for lanes)")
    if lanes and isinstance(model.noise, ClippedNormal) and (not by_agent or normal):
        return _voter_lanes(model, times, draw=2)
    return _walk(model, times)


def _voter_lanes(model: AsynchronousVoter, times: NDArray[np.int64], *, draw: int) -> SharesPlan:
    from madsim.kernels.streams import LANES
    from madsim.kernels.swarm_voter import voter_events
    from madsim.kernels.swarm_voter_four import voter_events_four

    start = model.counts.astype(np.int32)
    shared = model.rewards == "option"
    if draw == 2:
        assert isinstance(model.noise, ClippedNormal)
        mean = model.quality.astype(np.float32)
        variance = np.full(model.n_options, model.noise.sd**2, np.float32)
    else:
        mean = model.noise.mean(model.quality).astype(np.float32)
        variance = model.noise.variance(model.quality).astype(np.float32)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        if draw < 2 and model.n_options <= 4:
            voter_events_four(
                *(key, first, count, start, model.n_agents, shared, mean, variance, times),
                *(totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
            )
            return
        voter_events(
            *(key, first, count, start, model.n_agents, draw, shared, mean, variance, times),
            *(totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    text = "lanes, exact" if draw == 0 else "lanes, rewards drawn, exact"
    if draw == 1:
        text = f"lanes, rewards integrated out, {_integration_error(model)}"
    return SharesPlan(text, _VOTER_TAG, LANES, run)


def _integration_error(model: AsynchronousVoter) -> str:
    variance, mean = model.noise.variance(model.quality), model.noise.mean(model.quality)
    share = 1.0 if model.rewards == "option" else 1.0 / model.n_agents
    e = float(variance.max() * share / mean.min() ** 2)
    if clipping_is_negligible(model):
        return f"relative error of a chance below {max(945 * e**5, 1e-7):.0e}"
    return f"approximate: two moments of the rewards, relative error of a chance about {max(15 * e**1.5 * share**0.5, 1e-7):.0e}"


def _pairwise(model: Swarm, times: NDArray[np.int64]) -> SharesPlan:
    from madsim.kernels.streams import LANES
    from madsim.kernels.swarm_pairwise import pairwise_events

    inhibit = isinstance(model, CrossInhibition)
    start = _start(model).astype(np.int32)
    mean = model.noise.mean(model.quality).astype(np.float32)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        pairwise_events(
            *(key, first, count, start, model.n_agents, inhibit, mean, times),
            *(totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    return SharesPlan("lanes, rewards integrated out, exact", _PAIRWISE_TAG, LANES, run)


def _walk(model: Swarm, times: NDArray[np.int64], *, by_moments: bool = False) -> SharesPlan:
    from madsim.kernels.swarm_walk import BY_AGENT, BY_MOMENTS, BY_OPTION, IMITATION, INHIBITION, VOTER, swarm_events

    rule = {ImitationOfSuccess: IMITATION, CrossInhibition: INHIBITION}.get(type(model), VOTER)
    draws = BY_OPTION if isinstance(model, AsynchronousVoter) and model.rewards == "option" else BY_AGENT
    draws = BY_MOMENTS if by_moments else draws
    noise, spread = noise_code(model.noise)
    start = _start(model)
    interaction = matrix_or_empty(model.interaction, model.n_options)
    mean, variance = model.noise.mean(model.quality), model.noise.variance(model.quality)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        swarm_events(
            *(key, first, count, start, model.n_agents, rule, draws, model.quality, interaction, noise, spread),
            *(mean, variance, times, totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    text = "trial by trial, exact"
    if by_moments and variance.any():
        assert isinstance(model, AsynchronousVoter)
        text = f"trial by trial, rewards integrated out, {_integration_error(model)}"
    return SharesPlan(text, _WALK_TAG, 1, run)


def _agents(model: AsynchronousVoter | SynchronousVoter, times: NDArray[np.int64]) -> SharesPlan:
    from madsim.kernels.swarm_agents import EVERYBODY, GRAPH, GROUP, SOME, swarm_agents

    hearing, size, self_weight = EVERYBODY, 0, 0.0
    offsets, listed, edges = readonly(np.zeros(1, np.int64)), readonly(np.zeros(0, np.int64)), readonly(np.zeros(0))
    if isinstance(model.hearing, HearSome):
        hearing, size = SOME, model.hearing.n_heard
    elif isinstance(model.hearing, HearGroup):
        hearing, size = GROUP, model.hearing.size
    elif isinstance(model.hearing, HearGraph):
        graph = model.hearing.graph
        hearing, self_weight = GRAPH, float(model.hearing.self_weight)
        offsets, listed, edges = graph.offsets, graph.heard, graph.weights
    rounds = isinstance(model, SynchronousVoter)
    n_votes, accept, random_start = 1, 0, False
    if isinstance(model, SynchronousVoter):
        n_votes, random_start = model.n_votes, model.start == "random"
        accept = ("always", "reward", "better").index(model.accept)
    noise, spread = noise_code(model.noise)
    start = model.counts
    interaction = matrix_or_empty(model.interaction, model.n_options)
    by_option = model.rewards == "option"

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        swarm_agents(
            *(key, first, count, start, model.n_agents, rounds, random_start, by_option, hearing, size),
            *(offsets, listed, edges, self_weight, n_votes, accept, model.quality, interaction, noise, spread),
            *(times, totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    return SharesPlan("agent by agent, exact", ROUNDS_TAG, 1, run)


def _start(model: Swarm) -> NDArray[np.int64]:
    if isinstance(model, CrossInhibition):
        return readonly(np.append(model.counts, model.n_agents - model.counts.sum()))
    return model.counts


def _only(method: str, allowed: tuple[str, ...], what: str) -> None:
    if method not in allowed:
        raise ValueError(f"method={method!r} does not exist for {what}; use one of {', '.join(allowed)}")
