"""Which kernel runs a debate, with which arrays: one choice, made here and explained in the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim.models import DebateModel
from madsim.simulate._backend import check_backend
from madsim.simulate._debate_rules import check_memory, rules_of, why_general, why_not_jax
from madsim.simulate._influence import Influence, influence_of, with_own_edges
from madsim.simulate._method import Method
from madsim.simulate._totals import UNIT, Totals

if TYPE_CHECKING:
    from madsim._core.rng import Seed
    from madsim.simulate._jax_debate import JaxDebates

DEBATE_TAG = 0x6465626174
"""Tells the streams of debates from those of other simulators."""

METHODS = ("auto", "lanes", "counts", "general")
COUNTS_FROM = 1024
"""From this many agents on, one multinomial draw a round is faster than a comparison an agent."""

_EXACT_IN_SINGLE = 4096  # agents whose squared counts float32 still holds
_SINGLE_LIMIT = 2.0**23
_SINGLE_LEAST = 1e-30  # float32 makes 0 of much smaller numbers
_BLOCK_BYTES = 64 * 2**20
_UPDATES_A_RANGE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DebatePlan:
    """A kernel ready to run.

    Attributes
    ----------
    method : which kernel, why, and how exact it is
    run : ``run(key, totals, first, count, votes)`` adds `count` trials from `first` on
    new_totals : totals of nothing, in the shape that `run` adds to
    offset, slope, unit : beliefs are ``offset + slope * x``, arrays of (round, agent); ``totals.belief`` counts `unit` of x
    grain : trials in one piece of work
    """

    method: Method
    run: Callable[[NDArray[np.uint64], Totals, int, int, NDArray[np.uint8]], None]
    new_totals: Callable[[], Totals]
    offset: NDArray[np.float64]
    slope: NDArray[np.float64]
    unit: float
    grain: int


def key_of(seed: Seed) -> NDArray[np.uint64]:
    """The key of the debates of a seed."""
    from madsim.kernels.streams import stream_key

    return stream_key(int(seed.high), int(seed.low), DEBATE_TAG)


def plan_debate(
    model: DebateModel, n_rounds: int, *, method: str = "auto", keep: str = "summary", backend: str = "numba"
) -> DebatePlan:
    """The plan for a model.

    ``"auto"`` takes counts where many agents are alike and no single vote is kept, else lanes, else the loop that runs every variant one
    trial at a time. The choice depends on the model, the rounds and what is kept, never on the number of trials, so that a longer run
    begins like a shorter one.

    Raises
    ------
    ValueError
        If the method asked for does not exist for this model; the message says which do.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    check_backend(backend, method)
    influence = influence_of(model, n_rounds)
    if backend == "jax":
        return _plan_jax(model, n_rounds, influence, keep)
    variant = why_general(model)
    same = np.ptp(influence.common) == 0 and bool((influence.own == influence.common).all())
    shared = not variant and same and len(influence.heard_agent) == 0
    asked = "asked for" if method != "auto" else ""
    if method == "lanes" and variant:
        raise ValueError(f"method='lanes' does not exist for this model: it {variant}; use method='general'")
    if method == "counts" and not (shared and _alike(model)):
        raise ValueError(
            "method='counts' needs agents that start alike and add everybody's answer with one weight; use method='auto'"
        )
    if method == "counts" and keep == "votes":
        raise ValueError(
            "method='counts' tells no single agents apart, so it keeps no votes; use keep='summary' or method='lanes'"
        )
    if method == "general" or variant:
        return _plan_general(model, n_rounds, influence, asked or variant)
    if method == "counts" or (
        method == "auto" and keep == "summary" and shared and _alike(model) and model.n_agents >= COUNTS_FROM
    ):
        return _plan_alike(model, n_rounds, influence, asked or "many agents, all alike")
    if shared:
        return _plan_shared(model, n_rounds, influence, asked or "everybody adds everybody's answer with one weight")
    return _plan_sparse(model, n_rounds, with_own_edges(influence), asked or "agents differ in what they hear")


def _alike(model: DebateModel) -> bool:
    """Whether agents start alike and nobody asks which of them came first."""
    same = bool((model.concentration == model.concentration[0]).all())
    return model.n_agents > 1 and same and not counts_order(model)


def _plan_alike(model: DebateModel, n_rounds: int, influence: Influence, reason: str) -> DebatePlan:
    from madsim.kernels.debate_alike import debate_alike

    n = model.n_agents
    heard = np.cumsum(influence.heard_mass, axis=0)
    mass = model.mass + heard
    concentration, weight = np.array(model.concentration[0]), float(influence.common[0])

    def run(key: Any, totals: Totals, first: int, count: int, votes: Any) -> None:
        debate_alike(
            key, first, count, concentration, n, weight, totals.belief, totals.share, totals.wins, totals.spread
        )

    return DebatePlan(
        method=Method(name="counts", reason=reason, error="exact but for uniforms of 32 bits"),
        run=run,
        new_totals=_totals(model, n_rounds, believers=1),
        offset=model.concentration[:, 0] / mass,
        slope=heard / mass,
        unit=UNIT,
        grain=_grain(20 * model.n_answers * (n_rounds + 1), 1),
    )


def _plan_shared(model: DebateModel, n_rounds: int, influence: Influence, reason: str) -> DebatePlan:
    from madsim.kernels.debate_shared import debate_shared
    from madsim.kernels.streams import LANES

    n = model.n_agents
    heard = np.cumsum(influence.heard_mass, axis=0)
    mass = model.mass + heard
    real = _precision(model, mass)
    cumulative = np.cumsum(model.concentration, axis=1)[:, :-1].astype(real)
    first_mass = model.mass.astype(real)
    weight = real.type(influence.common[0])
    ties_first = counts_order(model)

    def run(key: Any, totals: Totals, first: int, count: int, votes: Any) -> None:
        debate_shared(
            key, first, count, cumulative, first_mass, weight, ties_first,
            totals.belief, totals.share, totals.wins, totals.spread, votes,
        )  # fmt: skip

    return DebatePlan(
        method=Method(name="lanes, shared counts", reason=reason, error=_resolution(real)),
        run=run,
        new_totals=_totals(model, n_rounds, believers=1),
        offset=model.concentration[:, 0] / mass,
        slope=heard / mass,
        unit=UNIT,
        grain=_grain(n * (n_rounds + 1), LANES),
    )


def _plan_sparse(model: DebateModel, n_rounds: int, influence: Influence, reason: str) -> DebatePlan:
    from madsim.kernels.debate_sparse import debate_sparse
    from madsim.kernels.streams import LANES

    n = model.n_agents
    heard = np.cumsum(influence.heard_mass, axis=0)
    mass = model.mass + heard
    real = _precision(model, mass)
    parts = np.concatenate([influence.weights, influence.common])
    whole = bool((parts == np.rint(parts)).all()) and float(heard.max()) < 2**16
    cumulative = np.cumsum(model.concentration, axis=1)[:, :-1].astype(real)
    arrays = (
        cumulative, mass.astype(real), influence.common.astype(real), influence.graph_of_round, influence.offsets,
        influence.heard_agent, influence.weights.astype(real),
    )  # fmt: skip
    ties_first = counts_order(model)
    lanes = LANES if n * model.n_answers * LANES * real.itemsize <= _BLOCK_BYTES else 16

    def run(key: Any, totals: Totals, first: int, count: int, votes: Any) -> None:
        debate_sparse(
            key, first, count, lanes, *arrays, whole, ties_first,
            totals.belief, totals.share, totals.wins, totals.spread, votes,
        )  # fmt: skip

    prior = model.concentration[:, 0] / model.mass
    offset, slope = np.zeros_like(mass), np.ones_like(mass)
    if whole:
        offset, slope = model.concentration[:, 0] / mass, 1 / mass
    offset[0], slope[0] = prior, 0.0
    return DebatePlan(
        method=Method(name="lanes, any graph", reason=reason, error=_resolution(real)),
        run=run,
        new_totals=_totals(model, n_rounds, believers=n),
        offset=offset,
        slope=slope,
        unit=1.0 if whole else UNIT,
        grain=_grain(n * (n_rounds + 1), lanes),
    )


def _plan_general(model: DebateModel, n_rounds: int, influence: Influence, reason: str) -> DebatePlan:
    from madsim.kernels.debate_variants import debate_variants

    check_memory(model, n_rounds)
    rules = rules_of(model, influence)
    prior = np.array(model.concentration[None])

    def run(key: Any, totals: Totals, first: int, count: int, votes: Any) -> None:
        debate_variants(
            key, first, count, prior, rules,
            totals.belief, totals.right, totals.share, totals.wins, totals.spread, votes,
        )  # fmt: skip

    shape = (n_rounds + 1, model.n_agents)
    return DebatePlan(
        method=Method(name="one by one", reason=reason, error="exact but for uniforms of 32 bits"),
        run=run,
        new_totals=_totals(model, n_rounds, believers=model.n_agents, counted=model.n_agents),
        offset=np.zeros(shape),
        slope=np.ones(shape),
        unit=UNIT,
        grain=_grain(20 * model.n_agents * (n_rounds + 1), 1),
    )


def _plan_jax(model: DebateModel, n_rounds: int, influence: Influence, keep: str) -> DebatePlan:
    why_not = why_not_jax(model, influence)
    if why_not:
        raise ValueError(f"backend='jax' does not run {why_not}; use backend='numba'")
    from madsim.simulate._jax_streams import device_name

    debates = _jax_debates(model, n_rounds, keep)
    shape = (n_rounds + 1, model.n_agents)
    return DebatePlan(
        method=Method(name=f"jax on {device_name()}", reason="asked for", error="exact but for single precision"),
        run=debates.run,
        new_totals=_totals(model, n_rounds, believers=model.n_agents, counted=model.n_agents),
        offset=np.zeros(shape),
        slope=np.ones(shape),
        unit=UNIT,
        grain=debates.batch,
    )


@lru_cache(maxsize=16)
def _jax_debates(model: DebateModel, n_rounds: int, keep: str) -> JaxDebates:
    """Debates compiled by JAX, kept for the next call with the same model."""
    from madsim.simulate._jax_debate import JaxDebates

    check_memory(model, n_rounds)
    influence = influence_of(model, n_rounds)
    return JaxDebates(
        model.concentration,
        n_rounds,
        rules_of(model, influence),
        influence,
        count_order=counts_order(model),
        keep_votes=keep == "votes",
    )


def order_matters(model: DebateModel) -> bool:
    """Whether agents can be told apart; where they cannot, each is equally often the first in order, as if ties were random."""
    rows = model.concentration
    alike = bool((rows == rows[0]).all()) and model.protocol.visibility.graph is None and not model.departures
    return not (alike and isinstance(model.self_weight, float) and isinstance(model.peer_weight, float))


def counts_order(model: DebateModel) -> bool:
    """Whether the kernels count ties that go to the first in order: where that rule is asked for and differs from random ties."""
    return getattr(model.protocol.reduction, "ties", None) == "first" and order_matters(model)


def _precision(model: DebateModel, mass: NDArray[np.float64]) -> np.dtype[Any]:
    small = model.n_agents <= _EXACT_IN_SINGLE and float(mass.max()) < _SINGLE_LIMIT
    return np.dtype(np.float32 if small and float(model.concentration.min()) > _SINGLE_LEAST else np.float64)


def _resolution(real: np.dtype[Any]) -> str:
    return f"exact but for uniforms of {24 if real.itemsize == 4 else 32} bits"


def _grain(updates: int, lanes: int) -> int:
    return lanes * max(1, _UPDATES_A_RANGE // (updates * lanes))


def _totals(model: DebateModel, n_rounds: int, *, believers: int, counted: int = 0) -> Callable[[], Totals]:
    return lambda: Totals.of_nothing(n_rounds=n_rounds, n_answers=model.n_answers, believers=believers, counted=counted)
