"""The linear core of a debate: who adds how much of whose answer to its concentration, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count
from madsim.graphs import Graph
from madsim.protocols import OneByOne

if TYPE_CHECKING:
    from madsim.models import DebateModel

_LARGEST_DENSE = 256
_LARGEST_COMPLETE = 4_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Influence:
    """Concentrations and influence matrices of a debate whose updates are linear: ``a <- keep * a + C y``, or, where `anchored`,
    ``a <- keep * a + (1 - keep) * a_0 + C y``.

    Attributes
    ----------
    concentration : float64 (agent, answer), before round 0
    matrices : for updates 1, 2, ... in turn (dense arrays, or SciPy sparse arrays for large panels); entry [i, j] is what one vote of
        agent j adds to the concentration of agent i, and the diagonal holds the self weights. A single matrix serves every update.
    graphs : the graphs behind the matrices, one for each
    keep : share of the old concentration that is kept in an update
    anchored : whether the prior itself never fades
    order : ``"declared"`` or ``"random"`` where agents speak one after the other, else None
    similarity : float64 (answer, answer) where answers count in part, else None
    """

    concentration: NDArray[np.float64]
    matrices: tuple[Any, ...]
    graphs: tuple[Graph, ...]
    keep: float = 1.0
    anchored: bool = False
    order: str | None = None
    similarity: NDArray[np.float64] | None = None

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return self.concentration.shape[0]

    @property
    def mass(self) -> NDArray[np.float64]:
        """Total concentration of each agent before round 0, shape (agent,)."""
        return self.concentration.sum(axis=1)

    def belief(self, answer: int = 0) -> NDArray[np.float64]:
        """Belief of each agent in an answer before round 0, shape (agent,)."""
        return self.concentration[:, answer] / self.mass

    @property
    def is_static(self) -> bool:
        """Whether one matrix serves every update."""
        return len(self.matrices) == 1

    def matrix(self, update: int) -> Any:
        """The matrix of an update; updates count from 1."""
        return self.matrices[0] if self.is_static else self.matrices[update - 1]

    def dense(self, update: int) -> NDArray[np.float64]:
        """The matrix of an update as an array."""
        return as_dense(self.matrix(update))

    def heard(self, update: int) -> NDArray[np.float64]:
        """Total weight that each agent hears in an update, its own included, shape (agent,)."""
        return np.asarray(self.matrix(update).sum(axis=1)).ravel()

    @property
    def refresh(self) -> float:
        """Share of the prior that is put back in an update."""
        return 1 - self.keep if self.anchored else 0.0

    def masses(self, n_rounds: int) -> NDArray[np.float64]:
        """Mass of every agent after each update, shape (round, agent); it does not depend on the votes."""
        grown = [self.mass]
        for update in range(1, n_rounds + 1):
            grown.append(self.keep * grown[-1] + self.refresh * self.mass + self.heard(update))
        return np.array(grown)


def influence_of(
    model: DebateModel, n_rounds: int, *, memory: bool = False, order: bool = False, similarity: bool = False
) -> Influence:
    """The linear core of `model` for `n_rounds` rounds after round 0.

    Parameters
    ----------
    memory, order, similarity
        Whether the caller can deal with memories that fade, agents who speak one after the other, and answers that count in part.

    Raises
    ------
    ValueError
        If beliefs of the model do not move linearly in the votes heard (the part at fault is named), or its protocol has no graph for
        one of the rounds.
    """
    n_rounds = as_count(n_rounds, name="n_rounds")
    departures = set(model.departures)
    if not getattr(model.stubborn, "repeats", True):
        departures.discard("stubborn")  # they hear nobody: rows of zeros
    if model.protocol.visibility.show == "summary":
        departures.add("protocol.visibility.show")
    schedule = model.protocol.schedule
    in_turn = schedule.order if order and isinstance(schedule, OneByOne) else None
    if in_turn is not None:
        departures.discard("protocol.schedule")
    if similarity and in_turn is None:
        departures.discard("similarity")
    keep, anchored = _memory(model) if memory else (1.0, False)
    if memory and keep is not None:
        departures.discard("memory")
    if departures or keep is None:
        raise ValueError(
            f"no exact value of this kind is known for a debate with its own {', '.join(sorted(departures))}; "
            "simulate it with simulate_debate instead"
        )
    if model.protocol.visibility.graph is None and model.n_agents > _LARGEST_COMPLETE:
        raise ValueError(
            f"the complete graph of {model.n_agents} agents has too many edges, {_LARGEST_COMPLETE} agents is the largest panel; "
            "for equal agents disagreement_law gives every variance in closed form"
        )
    many = isinstance(model.protocol.visibility.graph, tuple)
    updates = range(1, n_rounds + 1) if many and n_rounds else (1,)
    graphs = tuple(model.protocol.graph(model.n_agents, update) for update in updates)
    if all(graph == graphs[0] for graph in graphs[1:]):
        graphs = graphs[:1]
    return Influence(
        concentration=model.concentration,
        matrices=tuple(_matrix(graph, model) for graph in graphs),
        graphs=graphs,
        keep=keep,
        anchored=anchored,
        order=in_turn,
        similarity=model.similarity,
    )


def as_dense(matrix: Any) -> NDArray[np.float64]:
    """A dense or SciPy sparse matrix as an array."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _memory(model: DebateModel) -> tuple[float | None, bool]:
    """(keep, anchored) of the model's memory; keep is None where its updates need more than the last concentration."""
    from madsim.models import Cumulative, Forgetting, LastRound

    if isinstance(model.memory, Cumulative):
        return 1.0, False
    if isinstance(model.memory, LastRound):
        return 0.0, True
    if isinstance(model.memory, Forgetting):
        return model.memory.keep, not model.memory.prior_fades
    return None, False


def _matrix(graph: Graph, model: DebateModel) -> Any:
    n = graph.n_agents
    own = np.array(np.broadcast_to(np.asarray(model.self_weight, dtype=np.float64), (n,)))
    peers = np.array(np.broadcast_to(np.asarray(model.peer_weight, dtype=np.float64), (n,)))
    if model.stubborn is not None:
        deaf = list(model.stubborn.agents)
        own[deaf] = peers[deaf] = 0.0
    if n <= _LARGEST_DENSE or graph.n_edges > 0.2 * n * n:
        return peers[:, None] * graph.to_array() + np.diag(own)
    from scipy.sparse import csr_array, diags_array

    matrix = csr_array(diags_array(peers) @ graph.to_sparse() + diags_array(own))
    matrix.eliminate_zeros()
    return matrix
