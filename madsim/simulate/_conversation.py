"""Conversations of simulated agents, act by act: any structure whose turns are known beforehand, seats that are debates included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.estimate import Estimate
from madsim._core.html import Printed
from madsim._core.provenance import Provenance, provenance
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.models import DebateModel
from madsim.protocols import Act, Majority, OneAgent, Reduction, acts_of

_TAG = 0xAC7
_MOST = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConversationResult(Printed):
    """Votes by trial and act.

    Attributes
    ----------
    acts : the conversation
    votes : int16 (trial, act); 0 is the target
    decided : int16 (trial,), what the protocol's reduction makes of everybody's last vote; -1 where a tie gives no answer
    right : share of right votes, by act
    accuracy : share of trials that are decided rightly
    provenance : versions, parameters and the seed really used
    """

    acts: tuple[Act, ...]
    votes: NDArray[np.int16]
    decided: NDArray[np.int16]
    right: tuple[Estimate, ...]
    accuracy: Estimate
    provenance: Provenance

    def __str__(self) -> str:
        lines = [f"Conversation of {len(self.acts)} acts, {len(self.votes)} trials", "act  round  agent  right"]
        lines += [
            f"{place:3d}  {act.round:5d}  {act.agent:5d}  {share}"
            for place, (act, share) in enumerate(zip(self.acts, self.right, strict=True))
        ]
        return "\n".join([*lines, f"decided rightly: {self.accuracy}"])


def simulate_conversation(
    model: DebateModel,
    *,
    n_trials: int,
    acts: Sequence[Act] | None = None,
    inner: Mapping[int, DebateModel] | None = None,
    rng: RNG = None,
) -> ConversationResult:
    """Simulated conversations, written from the definitions: in its turn an agent adds what it newly heard and draws its answer.

    Parameters
    ----------
    model
        who starts with which concentration and weights; of its departures only the schedule may be its own
    n_trials
        number of conversations; the first of a longer run are the shorter run
    acts
        the conversation, by default that of the model's protocol (see :func:`madsim.protocols.acts_of`)
    inner
        by seat, the debate that is played anew at each of its turns, on top of what the seat has said and heard (with the weights of the
        inner model); the model's own row for such a seat is not used
    rng
        seed

    Raises
    ------
    ValueError
        For a model with another departure, turns that are not known beforehand, a reduction that asks somebody, or an act of an agent
        that the model does not have, or one that hears what has not been said yet.
    """
    n_trials = as_count(n_trials, name="n_trials", minimum=1)
    seats = dict(inner or {})
    for one in (model, *seats.values()):
        _check(one)
    if any(not 0 <= seat < model.n_agents or one.n_answers != model.n_answers for seat, one in seats.items()):
        raise ValueError(f"inner debates need a seat from 0 to {model.n_agents - 1} and {model.n_answers} answers")
    table = _Table(
        acts=acts_of(model.protocol, model.n_agents) if acts is None else tuple(acts), model=model, inner=seats
    )
    _check_acts(table.acts, model.n_agents)
    if n_trials * len(table.acts) > _MOST:
        raise ValueError(f"{n_trials} trials of {len(table.acts)} acts are too many to be held in memory")
    seed = resolve_seed(rng)
    start = np.broadcast_to(model.concentration, (n_trials, *model.concentration.shape)).copy()
    votes = _play(table, start, seed, ())
    decided = _reduce(model.protocol.reduction, table, votes, seed, ())
    right = (votes == 0).sum(axis=0)
    parameters = {
        "model": model.to_dict(),
        "inner": {str(seat): one.to_dict() for seat, one in seats.items()},
        "n_trials": n_trials,
        "acts": [[act.round, act.agent, list(act.hears), act.own] for act in table.acts],
    }
    hits = int((decided == 0).sum())
    return ConversationResult(
        acts=table.acts,
        votes=readonly(votes),
        decided=readonly(decided),
        right=tuple(Estimate.of_mean(int(one), int(one), n_trials) for one in right),
        accuracy=Estimate.of_mean(hits, hits, n_trials),
        provenance=provenance("simulate_conversation", parameters, seed=seed.hex, packages=("numpy",)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Who sits at a table, and what is said there in which order."""

    acts: tuple[Act, ...]
    model: DebateModel
    inner: Mapping[int, DebateModel] = field(default_factory=dict)

    def weights(self, agent: int) -> tuple[float, float]:
        """What an agent's own vote adds, and what a peer's does."""
        of, seat = (self.inner[agent], 0) if agent in self.inner else (self.model, agent)
        pair = (of.self_weight, of.peer_weight)
        own, peer = (float(one[seat]) if isinstance(one, tuple) else float(one) for one in pair)
        return own, peer


def _check(model: DebateModel) -> None:
    odd = sorted(set(model.departures) - {"protocol.schedule"})
    if odd:
        raise ValueError(f"a conversation is simulated for plain agents; this model has its own {', '.join(odd)}")
    if not isinstance(model.protocol.reduction, (Majority, OneAgent)):
        raise ValueError(f"simulated agents are decided by Majority or OneAgent, got {model.protocol.reduction!r}")


def _check_acts(acts: tuple[Act, ...], n_agents: int) -> None:
    if not acts:
        raise ValueError("a conversation needs at least one act")
    for place, act in enumerate(acts):
        if not 0 <= act.agent < n_agents:
            raise ValueError(f"act {place} is one of agent {act.agent}; the model has agents 0 to {n_agents - 1}")
        heard = [*act.hears, *(() if act.own is None else (act.own,))]
        if any(not 0 <= one < place for one in heard):
            raise ValueError(f"act {place} hears the acts {heard}; an act can hear only those that stand before it")


def _play(table: _Table, counts: NDArray[np.float64], seed: Seed, path: tuple[int, ...]) -> NDArray[np.int16]:
    """Votes (trial, act); `counts` (trial, agent, answer) are the concentrations and grow as things are heard."""
    n_trials, _, n_answers = counts.shape
    graph_of, n_agents = table.model.protocol, table.model.n_agents
    has_graph = graph_of.visibility.graph is not None
    votes = np.empty((n_trials, len(table.acts)), dtype=np.int16)
    rows = np.arange(n_trials)
    for place, act in enumerate(table.acts):
        own, peer = table.weights(act.agent)
        mine = counts[:, act.agent]
        for one in act.hears:
            edge = graph_of.graph(n_agents, act.round)[act.agent, table.acts[one].agent] if has_graph else 1.0
            mine[rows, votes[:, one]] += peer * edge
        if act.own is not None:
            mine[rows, votes[:, act.own]] += own
        if act.agent in table.inner:
            seat = table.inner[act.agent]
            told = mine - table.model.concentration[act.agent]
            inside = _Table(acts=acts_of(seat.protocol, seat.n_agents), model=seat)
            said = _play(inside, seat.concentration[None] + told[:, None, :], seed, (*path, place))
            votes[:, place] = _reduce(seat.protocol.reduction, inside, said, seed, (*path, place))
            continue
        points = seed.generator(_TAG, len(path), *path, place).random(n_trials)
        reached = np.cumsum(mine, axis=1)
        votes[:, place] = (points[:, None] * reached[:, -1:] >= reached[:, : n_answers - 1]).sum(axis=1)
    return votes


def _reduce(
    reduction: Reduction, table: _Table, votes: NDArray[np.int16], seed: Seed, path: tuple[int, ...]
) -> NDArray[np.int16]:
    """One answer a trial from everybody's last vote; -1 where a tie gives none."""
    last = {act.agent: place for place, act in enumerate(table.acts)}
    if isinstance(reduction, OneAgent):
        if reduction.agent not in last:
            raise ValueError(f"agent {reduction.agent} decides and never speaks in this conversation")
        return votes[:, last[reduction.agent]].copy()
    standing = votes[:, [last[agent] for agent in sorted(last)]]
    totals = np.stack([(standing == answer).sum(axis=1) for answer in range(table.model.n_answers)], axis=1)
    best = totals == totals.max(axis=1, keepdims=True)
    ties = getattr(reduction, "ties", "first")
    if ties == "random":
        points = seed.generator(_TAG, len(path), *path, len(table.acts)).random(len(votes))
        return np.asarray((np.cumsum(best, axis=1) <= (points * best.sum(axis=1))[:, None]).sum(axis=1), dtype=np.int16)
    holds = np.take_along_axis(best, standing.astype(np.int64), axis=1)
    found = np.take_along_axis(standing, holds.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(best.sum(axis=1) > 1, np.int16(-1), found) if ties == "fail" else found
