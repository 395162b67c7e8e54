"""Who adds how much of whose answer, as the arrays that the debate kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim.graphs import Graph
from madsim.models import DebateModel

_LARGEST = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """Weights by hearer: an agent's own answer, everybody else's, and edges.

    Attributes
    ----------
    complete : whether everybody hears everybody else, by `common` instead of edges
    own : float64 (agent,); weight of one's own answer
    common : float64 (agent,); weight of every other agent's answer, 0 where a graph says who is heard
    graph_of_round : int64 (round,); row of `offsets` for each round, the entry of round 0 unused
    offsets : int64 (graph, agent + 1)
    heard_agent : int64 (edge,)
    weights : float64 (edge,); what the edges add
    heard_mass : float64 (round, agent); weight heard in each round, 0 in round 0
    """

    complete: bool
    own: NDArray[np.float64]
    common: NDArray[np.float64]
    graph_of_round: NDArray[np.int64]
    offsets: NDArray[np.int64]
    heard_agent: NDArray[np.int64]
    weights: NDArray[np.float64]
    heard_mass: NDArray[np.float64]


def influence_of(model: DebateModel, n_rounds: int) -> Influence:
    """The influence in `n_rounds` rounds after round 0; raises ValueError where the protocol has no graph for one of them."""
    n = model.n_agents
    own = np.broadcast_to(np.asarray(model.self_weight, dtype=np.float64), (n,)).copy()
    peer = np.broadcast_to(np.asarray(model.peer_weight, dtype=np.float64), (n,)).copy()
    shown = model.protocol.visibility.graph
    listed = shown if isinstance(shown, tuple) else () if shown is None else (shown,)
    largest = max(own.max(), peer.max(), model.concentration.max(), *(graph.weights.max(initial=0) for graph in listed))
    if largest > _LARGEST:
        raise ValueError(
            f"a weight or concentration of {largest:g} is too large (at most {_LARGEST:g}); divide all by one number"
        )
    complete = shown is None or (isinstance(shown, Graph) and shown.is_complete)
    if complete:
        heard_mass = np.tile(own + (n - 1) * peer, (n_rounds + 1, 1))
        graph_of_round = np.zeros(n_rounds + 1, np.int64)
        offsets, heard_agent, weights = np.zeros((1, n + 1), np.int64), np.zeros(0, np.int64), np.zeros(0)
    else:
        peer, common = np.zeros(n), peer
        by_round = [model.protocol.graph(n, step) for step in range(1, max(1, n_rounds) + 1)]
        graphs = list({id(graph): graph for graph in by_round}.values())
        place = {id(graph): index for index, graph in enumerate(graphs)}
        graph_of_round = np.array([0, *(place[id(graph)] for graph in by_round[:n_rounds])], np.int64)
        starts = np.concatenate([[0], np.cumsum([graph.n_edges for graph in graphs])])[:-1]
        offsets = np.stack([graph.offsets + start for graph, start in zip(graphs, starts, strict=True)])
        heard_agent = np.concatenate([graph.heard for graph in graphs])
        scale = [np.repeat(common, graph.degrees) for graph in graphs]
        weights = np.concatenate([graph.weights * factor for graph, factor in zip(graphs, scale, strict=True)])
        heard = np.stack([graph.heard_weight * common + own for graph in graphs])
        heard_mass = heard[graph_of_round]
    heard_mass[0] = 0.0
    return Influence(
        complete=complete,
        own=own,
        common=peer,
        graph_of_round=graph_of_round,
        offsets=offsets,
        heard_agent=heard_agent,
        weights=weights,
        heard_mass=heard_mass,
    )


def with_own_edges(influence: Influence) -> Influence:
    """The same influence with every agent's own answer as an edge to itself, `common` then counting one's own answer too."""
    n = len(influence.own)
    n_graphs = len(influence.offsets)
    extra = influence.own - influence.common
    degrees = np.diff(influence.offsets, axis=1) + 1
    sizes = np.concatenate([[0], np.cumsum(degrees.ravel())])
    offsets = np.stack([sizes[g * n : (g + 1) * n + 1] for g in range(n_graphs)])
    heard_agent = np.empty(sizes[-1], np.int64)
    weights = np.empty(sizes[-1])
    first = offsets[:, :-1].ravel()
    heard_agent[first] = np.tile(np.arange(n), n_graphs)
    weights[first] = np.tile(extra, n_graphs)
    rest = np.ones(sizes[-1], bool)
    rest[first] = False
    heard_agent[rest] = influence.heard_agent
    weights[rest] = influence.weights
    return Influence(
        complete=influence.complete,
        own=np.zeros(n),
        common=influence.common,
        graph_of_round=influence.graph_of_round,
        offsets=offsets,
        heard_agent=heard_agent,
        weights=weights,
        heard_mass=influence.heard_mass,
    )
