"""Who hears whom.

A :class:`Graph` is directed: ``graph[i, j]`` is the weight with which agent i hears agent j, 0 where it does not. No agent hears itself in
a graph: how much an agent counts its own answer is a parameter of the model (``self_weight``), not of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.rng import RNG, resolve_seed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Graph",
    "complete",
    "empty",
    "from_array",
    "from_dict",
    "from_networkx",
    "line",
    "random_regular",
    "ring",
    "small_world",
    "star",
]

MOST_AGENTS = 1_000_000
"""Largest graph made here."""

_MOST_EDGES = 100_000_000
_LARGEST_WEIGHT = 1e100  # sums of products of weights must stay finite
_LARGEST_DENSE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graph:
    """A directed, weighted graph over agents, stored by rows (CSR).

    Attributes
    ----------
    name : how it was made, for people (``"ring"``)
    n_agents : number of agents
    offsets : int64 (n_agents + 1,); row i occupies ``offsets[i]:offsets[i + 1]``
    heard : int64 (edges,); the agents heard, ascending within a row
    weights : float64 (edges,); above 0
    """

    name: str
    n_agents: int
    offsets: NDArray[np.int64]
    heard: NDArray[np.int64]
    weights: NDArray[np.float64]

    @property
    def n_edges(self) -> int:
        """Number of (hearer, heard) pairs."""
        return len(self.heard)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many others each agent hears, shape (n_agents,)."""
        return np.diff(self.offsets)

    @property
    def heard_weight(self) -> NDArray[np.float64]:
        """Total weight that each agent hears from others, shape (n_agents,)."""
        rows = np.repeat(np.arange(self.n_agents), self.degrees)
        return np.bincount(rows, weights=self.weights, minlength=self.n_agents).astype(np.float64)

    @property
    def is_complete(self) -> bool:
        """Whether everybody hears every other with weight 1."""
        return self.n_edges == self.n_agents * (self.n_agents - 1) and self.is_unweighted

    @property
    def is_unweighted(self) -> bool:
        """Whether every weight is 1."""
        return bool((self.weights == 1.0).all())

    def hears(self, agent: int) -> NDArray[np.int64]:
        """The agents that `agent` hears, ascending."""
        return self.heard[self.offsets[agent] : self.offsets[agent + 1]]

    def to_array(self) -> NDArray[np.float64]:
        """The dense matrix of weights, shape (n_agents, n_agents)."""
        if self.n_agents > _LARGEST_DENSE:
            raise ValueError(f"a dense matrix for {self.n_agents} agents is too large; use to_sparse()")
        matrix = np.zeros((self.n_agents, self.n_agents))
        matrix[np.repeat(np.arange(self.n_agents), self.degrees), self.heard] = self.weights
        return matrix

    def to_sparse(self) -> csr_array:
        """The weights as a SciPy sparse array."""
        from scipy.sparse import csr_array

        return csr_array((self.weights, self.heard, self.offsets), shape=(self.n_agents, self.n_agents))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`from_dict`; named graphs without weights stay short."""
        if self.is_complete and self.n_agents > 1:
            return {"name": "complete", "n_agents": self.n_agents}
        rows = [self.hears(i).tolist() for i in range(self.n_agents)]
        plain: dict[str, Any] = {"name": self.name, "n_agents": self.n_agents, "hears": rows}
        if not self.is_unweighted:
            plain["weights"] = self.weights.tolist()
        return plain

    def __getitem__(self, pair: tuple[int, int]) -> float:
        hearer, other = (as_count(agent, name="agent", maximum=self.n_agents - 1) for agent in pair)
        position = np.flatnonzero(self.hears(hearer) == other)
        return float(self.weights[self.offsets[hearer] + position[0]]) if len(position) else 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        same_shape = self.n_agents == other.n_agents and np.array_equal(self.offsets, other.offsets)
        return same_shape and np.array_equal(self.heard, other.heard) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.n_agents, self.offsets.tobytes(), self.heard.tobytes(), self.weights.tobytes()))

    def __repr__(self) -> str:
        return f"Graph({self.name}, {self.n_agents} agents, {self.n_edges} edges)"


def complete(n_agents: int) -> Graph:
    """Everybody hears everybody else."""
    n = _size(n_agents, minimum=1, heard=n_agents)
    others = np.arange(n - 1)[None, :] + (np.arange(n - 1)[None, :] >= np.arange(n)[:, None])
    return _graph("complete", n, np.arange(n + 1) * (n - 1), others.ravel())


def empty(n_agents: int) -> Graph:
    """Nobody hears anybody: the control in which agents answer again without peers."""
    n = _size(n_agents, minimum=1)
    return _graph("empty", n, np.zeros(n + 1), np.zeros(0))


def ring(n_agents: int) -> Graph:
    """Each agent hears its two neighbours on a circle (of two agents: each the other)."""
    n = _size(n_agents, minimum=2)
    return _from_pairs("ring", n, ((i, (i + step) % n) for i in range(n) for step in (-1, 1)))


def line(n_agents: int) -> Graph:
    """Each agent hears its neighbours on a line; the ends have one."""
    n = _size(n_agents, minimum=2)
    return _from_pairs("line", n, ((i, j) for i in range(n) for j in (i - 1, i + 1) if 0 <= j < n))


def star(n_agents: int, *, hub: int = 0) -> Graph:
    """The hub hears everybody, everybody else hears the hub only."""
    n = _size(n_agents, minimum=2)
    hub = as_count(hub, name="hub", maximum=n - 1)
    leaves = [i for i in range(n) if i != hub]
    return _from_pairs("star", n, [(hub, leaf) for leaf in leaves] + [(leaf, hub) for leaf in leaves])


def random_regular(n_agents: int, degree: int, *, rng: RNG = None) -> Graph:
    """A random undirected graph in which everybody hears exactly `degree` others (NetworkX's generator; Steger and Wormald 1999)."""
    n = _size(n_agents, minimum=2, heard=degree)
    degree = as_count(degree, name="degree", minimum=0, maximum=n - 1)
    if n * degree % 2:
        raise ValueError(f"n_agents * degree must be even for a regular graph, got {n} * {degree}")
    import networkx

    return _named("random regular", from_networkx(networkx.random_regular_graph(degree, n, seed=_python_seed(rng))))


def small_world(n_agents: int, degree: int, rewiring: float, *, rng: RNG = None) -> Graph:
    """Watts and Strogatz (1998): a ring lattice of even `degree`, each edge rewired with probability `rewiring`."""
    n = _size(n_agents, minimum=3, heard=degree)
    degree = as_count(degree, name="degree", minimum=2, maximum=n - 1)
    if degree % 2:
        raise ValueError(f"degree must be even (half the neighbours on each side), got {degree}")
    if not 0 <= rewiring <= 1:
        raise ValueError(f"rewiring must lie in [0, 1], got {rewiring!r}")
    import networkx

    return _named(
        "small world", from_networkx(networkx.watts_strogatz_graph(n, degree, rewiring, seed=_python_seed(rng)))
    )


def from_array(matrix: ArrayLike, *, name: str = "array") -> Graph:
    """A graph from a square matrix of non-negative weights (or truth values): row i holds what agent i hears.

    Raises
    ------
    ValueError
        If the matrix is not square, holds negative or non-finite weights, or has a diagonal that is not 0.
    """
    array = np.array(matrix, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] == 0:
        raise ValueError(f"a graph needs a square matrix, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("graph weights must be finite and at least 0")
    if array.diagonal().any():
        raise ValueError(
            "the diagonal of a graph must be 0: how much agents count their own answer is the model's self_weight"
        )
    rows, columns = np.nonzero(array)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(array)))])
    return _graph(name, len(array), offsets, columns, array[rows, columns])


def from_networkx(graph: Any) -> Graph:
    """A graph from NetworkX: nodes in their order become agents, an edge u -> v means that v hears u (words flow along edges).

    Undirected edges count both ways; the edge attribute ``weight`` is used where present; self-loops are refused.
    """
    nodes = {node: index for index, node in enumerate(graph.nodes)}
    if not nodes:
        raise ValueError("a graph needs at least one agent; this one has no node")
    pairs: dict[tuple[int, int], float] = {}
    for speaker, hearer, weight in graph.edges(data="weight", default=1.0):
        u, v = nodes[speaker], nodes[hearer]
        if u == v:
            raise ValueError(f"node {speaker!r} has a self-loop: use the model's self_weight for an agent's own answer")
        if not (isinstance(weight, (int, float, np.number)) and np.isfinite(weight) and weight > 0):
            raise ValueError(
                f"the edge {speaker!r} - {hearer!r} has weight {weight!r}; expected a finite number above 0"
            )
        for pair in [(v, u)] if graph.is_directed() else [(v, u), (u, v)]:
            pairs[pair] = pairs.get(pair, 0.0) + float(weight)
    ordered = sorted(pairs)
    name = getattr(graph, "name", "") or "networkx"
    built = _from_pairs(name, len(nodes), ordered)
    return _graph(name, len(nodes), built.offsets, built.heard, np.array([pairs[pair] for pair in ordered]))


def from_dict(plain: dict[str, Any]) -> Graph:
    """Read back what :meth:`Graph.to_dict` wrote."""
    if not isinstance(plain, dict) or "name" not in plain or "n_agents" not in plain:
        raise ValueError(f"a graph record has 'name' and 'n_agents', got {plain!r}")
    n = _size(plain["n_agents"], minimum=1)
    if "hears" not in plain:
        if plain["name"] == "complete":
            return complete(n)
        raise ValueError(f"the graph record {plain['name']!r} lacks 'hears', the list of agents that each agent hears")
    rows = plain["hears"]
    if not isinstance(rows, list) or len(rows) != n or not all(isinstance(row, list) for row in rows):
        raise ValueError(f"'hears' must be a list of {n} lists")
    pairs = [(i, as_count(j, name="heard agent", maximum=n - 1)) for i, row in enumerate(rows) for j in row]
    if any(i == j for i, j in pairs) or len(set(pairs)) != len(pairs):
        raise ValueError("'hears' must not name an agent itself, nor another agent twice")
    graph = _from_pairs(str(plain["name"]), n, pairs)
    weights = plain.get("weights")
    if weights is None:
        return graph
    matrix = np.zeros(graph.n_edges)
    if len(weights) != graph.n_edges:
        raise ValueError(f"'weights' holds {len(weights)} numbers for {graph.n_edges} edges")
    matrix[:] = weights
    if not np.isfinite(matrix).all() or (matrix <= 0).any():
        raise ValueError("graph weights must be finite and above 0")
    return _graph(graph.name, n, graph.offsets, graph.heard, matrix)


def _size(n_agents: Any, *, minimum: int, heard: Any = 2) -> int:
    """The number of agents, where a graph in which each hears `heard` others can be held."""
    n = as_count(n_agents, name="n_agents", minimum=minimum, maximum=MOST_AGENTS)
    if isinstance(heard, (int, np.integer)) and n * heard > _MOST_EDGES:
        raise ValueError(
            f"a graph in which each of {n} agents hears {heard} others has too many edges (at most {_MOST_EDGES}); for everybody "
            "hearing everybody leave the graph of the protocol out, which needs no edges"
        )
    return n


def _from_pairs(name: str, n: int, pairs: Iterable[tuple[int, int]]) -> Graph:
    """A graph of weight 1 from (hearer, heard) pairs; a repeated pair counts once."""
    unique = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(unique[:, 0], minlength=n))])
    return _graph(name, n, offsets, unique[:, 1])


def _graph(name: str, n: int, offsets: Any, heard: Any, weights: Any = None) -> Graph:
    heard = np.asarray(heard, dtype=np.int64)
    if weights is not None and len(weights) and float(np.max(weights)) > _LARGEST_WEIGHT:
        raise ValueError(
            f"a graph weight of {float(np.max(weights)):g} is too large (at most {_LARGEST_WEIGHT:g}); divide all weights by one number"
        )
    return Graph(
        name=name,
        n_agents=n,
        offsets=readonly(np.asarray(offsets, dtype=np.int64)),
        heard=readonly(heard),
        weights=readonly(np.ones(len(heard)) if weights is None else np.asarray(weights, dtype=np.float64)),
    )


def _named(name: str, graph: Graph) -> Graph:
    return _graph(name, graph.n_agents, graph.offsets, graph.heard, graph.weights)


def _python_seed(rng: RNG) -> int:
    """A 32-bit seed for NetworkX's generators."""
    return int(resolve_seed(rng).generator(0x67726170).integers(0, 1 << 32))
