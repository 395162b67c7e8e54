"""What the claims share: models on graphs, beliefs recomputed from votes by the definition, and means of products."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim import graphs
from madsim.graphs import Graph
from madsim.models import DebateModel
from madsim.protocols import Protocol, Visibility

if TYPE_CHECKING:
    from madsim.simulate import DebateResult

PAPER = "Choi, Zhu and Li (2025), Debate or Vote, arXiv 2508.17536"
HERE = "derived for madsim; proof sketch in the documentation, Theory"


def on(graph: Graph, *, belief: ArrayLike = 0.6, mass: ArrayLike = 2.0, **options: Any) -> DebateModel:
    """Two answers on a graph, with one belief and mass for all agents or one each."""
    n = graph.n_agents
    beliefs, masses = np.broadcast_to(belief, n), np.broadcast_to(mass, n)
    concentration = np.column_stack([beliefs * masses, (1 - beliefs) * masses])
    return DebateModel(concentration=concentration, protocol=Protocol(visibility=Visibility(graph=graph)), **options)


def directed_ring(n_agents: int) -> Graph:
    """Everybody hears the next agent only."""
    return graphs.from_array(np.roll(np.eye(n_agents), 1, axis=1), name="directed ring")


def influence(model: DebateModel, round: int = 1) -> NDArray[np.float64]:
    """What one vote of j adds to i, own votes on the diagonal."""
    n = model.n_agents
    peers = np.broadcast_to(np.asarray(model.peer_weight), n)
    return peers[:, None] * model.protocol.graph(n, round).to_array() + np.diag(np.broadcast_to(model.self_weight, n))


def right_votes(result: DebateResult) -> NDArray[np.float64]:
    """1 for a right vote, shape (trial, round, agent)."""
    assert result.votes is not None
    return result.votes.right.astype(np.float64)


def beliefs_behind(model: DebateModel, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Belief in the target with which each agent went into each round and into the one after the last, recomputed from the votes by the
    definition: shape (trial, round + 1, agent)."""
    matrix = influence(model)
    n_rounds = right.shape[1]
    said = np.concatenate([np.zeros_like(right[:, :1]), right.cumsum(axis=1)], axis=1)
    mass = model.mass + np.arange(n_rounds + 1)[:, None] * matrix.sum(axis=1)
    return (model.concentration[:, 0] + said @ matrix.T) / mass


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean over the first axis and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def undirected(n_agents: int) -> Iterator[NDArray[np.float64]]:
    """Every undirected graph over `n_agents` agents, as a matrix."""
    pairs = list(itertools.combinations(range(n_agents), 2))
    for bits in itertools.product((0.0, 1.0), repeat=len(pairs)):
        matrix = np.zeros((n_agents, n_agents))
        for bit, (i, j) in zip(bits, pairs, strict=True):
            matrix[i, j] = matrix[j, i] = bit
        yield matrix


def directed(n_agents: int) -> Iterator[NDArray[np.float64]]:
    """Every directed graph over `n_agents` agents, as a matrix."""
    pairs = [(i, j) for i in range(n_agents) for j in range(n_agents) if i != j]
    for bits in itertools.product((0.0, 1.0), repeat=len(pairs)):
        matrix = np.zeros((n_agents, n_agents))
        for bit, (i, j) in zip(bits, pairs, strict=True):
            matrix[i, j] = bit
        yield matrix


def all_drifts(model: DebateModel, round: int) -> NDArray[np.float64]:
    """Expected change of every belief after every possible history of `round` rounds, by brute force: shape (history, agent)."""
    matrix = influence(model)
    heard = matrix.sum(axis=1)
    said = np.array(list(itertools.product(range(round + 1), repeat=model.n_agents)))
    mass = model.mass + round * heard
    now = (model.concentration[:, 0] + said @ matrix.T) / mass
    return (now @ matrix.T - heard * now) / (mass + heard)
