"""Kernels of swarms bound to their models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly
from madsim.models import (
    AsynchronousVoter,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
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
from madsim.simulate._method import Method
from madsim.simulate._shares_result import ShareTotals

ROUNDS_TAG, JAX_TAG = 0x726F756E6473, 0x6A6178
_VOTER_TAG, _PAIRWISE_TAG, _WALK_TAG, _COUNTS_TAG, _LEAP_TAG = (
    0x766F746572,
    0x70616972,
    0x77616C6B,
    0x636F756E74,
    0x6C656170,
)

EXACT_24 = "exact but for uniforms of 24 bits"
EXACT = "exact but for uniforms of 32 bits"

Run: TypeAlias = "Callable[[NDArray[np.uint64], ShareTotals, int, int, NDArray[np.int32], NDArray[np.int16], NDArray[np.int32]], None]"


@dataclass(frozen=True, slots=True)
class SharesPlan:
    """A kernel bound to its model: ``run(key, totals, first, count, absorbed_at, winner, paths)`` adds trials to the totals."""

    method: Method
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


def voter_lanes(
    model: AsynchronousVoter, times: NDArray[np.int64], *, draw: int, error: str, reason: str
) -> SharesPlan:
    """Events in lanes; `draw` 0: no noise, 1: rewards integrated out, 2: rewards drawn."""
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

    name = ("lanes", "lanes, rewards integrated out", "lanes, rewards drawn")[draw]
    return SharesPlan(Method(name=name, reason=reason, error=error), _VOTER_TAG, LANES, run)


def pairwise_lanes(model: Swarm, times: NDArray[np.int64], *, reason: str) -> SharesPlan:
    """Meetings of two in lanes; rewards are integrated out exactly, whatever their noise."""
    from madsim.kernels.streams import LANES
    from madsim.kernels.swarm_pairwise import pairwise_events

    inhibit = isinstance(model, CrossInhibition)
    start = start_of(model).astype(np.int32)
    mean = model.noise.mean(model.quality).astype(np.float32)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        pairwise_events(
            *(key, first, count, start, model.n_agents, inhibit, mean, times),
            *(totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    method = Method(name="lanes, rewards integrated out", reason=reason, error=EXACT_24)
    return SharesPlan(method, _PAIRWISE_TAG, LANES, run)


def walk(
    model: Swarm, times: NDArray[np.int64], *, reason: str, by_moments: bool = False, error: str = EXACT
) -> SharesPlan:
    """Events one by one, trial by trial; `by_moments`: rewards integrated out by their mean and variance."""
    from madsim.kernels.swarm_walk import BY_AGENT, BY_MOMENTS, BY_OPTION, swarm_events

    rule = rule_code(model)
    draws = BY_OPTION if isinstance(model, AsynchronousVoter) and model.rewards == "option" else BY_AGENT
    draws = BY_MOMENTS if by_moments else draws
    noise, spread = noise_code(model.noise)
    start = start_of(model)
    interaction = matrix_or_empty(model.interaction, model.n_options)
    mean, variance = model.noise.mean(model.quality), model.noise.variance(model.quality)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        swarm_events(
            *(key, first, count, start, model.n_agents, rule, draws, model.quality, interaction, noise, spread),
            *(mean, variance, times, totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    name = "trial by trial, rewards integrated out" if by_moments and variance.any() else "trial by trial"
    return SharesPlan(Method(name=name, reason=reason, error=error), _WALK_TAG, 1, run)


def agents(model: AsynchronousVoter | SynchronousVoter, times: NDArray[np.int64], *, reason: str) -> SharesPlan:
    """Agent by agent: rounds or events, any way of hearing."""
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

    return SharesPlan(Method(name="agent by agent", reason=reason, error=EXACT), ROUNDS_TAG, 1, run)


def rounds(model: SynchronousVoter, times: NDArray[np.int64], *, normal: bool, reason: str) -> SharesPlan:
    """Rounds on counts alone; `normal`: sums of normal rewards are drawn at once, because clipping is negligible."""
    from madsim.kernels.swarm_rounds import BY_AGENT, BY_OPTION, NORMAL_SUMS, swarm_rounds

    draws = BY_OPTION if model.rewards == "option" else NORMAL_SUMS if normal else BY_AGENT
    noise, spread = noise_code(model.noise)
    interaction = matrix_or_empty(model.interaction, model.n_options)
    random_start = model.start == "random"

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        swarm_rounds(
            *(key, first, count, model.counts, model.n_agents, random_start, draws, model.quality, interaction),
            *(noise, spread, times, totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    return SharesPlan(Method(name="counts", reason=reason, error=EXACT), _COUNTS_TAG, 1, run)


def leaps(model: Swarm, times: NDArray[np.int64], *, size: int, error: str, reason: str) -> SharesPlan:
    """Up to `size` events at once."""
    from madsim.kernels.swarm_leap import swarm_leaps

    noise, spread = noise_code(model.noise)
    start = start_of(model)
    interaction = matrix_or_empty(model.interaction, model.n_options)
    mean, variance = model.noise.mean(model.quality), model.noise.variance(model.quality)

    def run(key, totals, first, count, absorbed_at, winner, paths):  # type: ignore[no-untyped-def]
        swarm_leaps(
            *(
                key,
                first,
                count,
                start,
                model.n_agents,
                rule_code(model),
                size,
                model.quality,
                interaction,
                noise,
                spread,
            ),
            *(mean, variance, times, totals.sums, totals.squares, totals.absorbed, absorbed_at, winner, paths),
        )

    return SharesPlan(Method(name="leaps", reason=reason, error=error), _LEAP_TAG, 1, run)


def rule_code(model: Swarm) -> int:
    """Number of an asynchronous rule in the kernels."""
    from madsim.kernels.swarm_walk import IMITATION, INHIBITION, VOTER

    return {ImitationOfSuccess: IMITATION, CrossInhibition: INHIBITION}.get(type(model), VOTER)


def start_of(model: Swarm) -> NDArray[np.int64]:
    """Counts at the start by type, the uncommitted last where the rule knows them."""
    if isinstance(model, CrossInhibition):
        return readonly(np.append(model.counts, model.n_agents - model.counts.sum()))
    return model.counts
