"""Who hears what: a graph, and what is shown of a heard agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from madsim.graphs import Graph
from madsim.protocols._document import Document

Shown = Literal["last", "all", "answers", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """Whom each agent hears, and what it is shown of them.

    Attributes
    ----------
    graph : one graph for every round, a tuple of graphs for rounds 1, 2, ... in turn, or None for the complete graph
    show : ``"last"`` the heard agents' replies of the last round, ``"all"`` every earlier reply, ``"answers"`` their extracted answers
        only, ``"summary"`` a summariser's words about the replies of the last round
    documents : the form of typed documents, for types that have one: a reply that is published under such a type is shown to others only
        where it has that form. Who publishes and receives which type is said by the debaters themselves.
    """

    graph: Graph | tuple[Graph, ...] | None = None
    show: Shown = "last"
    documents: tuple[Document, ...] = ()

    def __post_init__(self) -> None:
        if self.show not in get_args(Shown):
            raise ValueError(f"show must be one of {', '.join(get_args(Shown))}; got {self.show!r}")
        graphs = self.graph if isinstance(self.graph, tuple) else (self.graph,)
        if not graphs or any(not isinstance(graph, Graph) for graph in graphs if graph is not None):
            raise TypeError(f"graph must be a Graph, a tuple of Graphs, or None; got {self.graph!r}")
        if isinstance(self.graph, tuple) and any(graph is None for graph in self.graph):
            raise TypeError("a tuple of graphs must hold Graphs only")
        if len({graph.n_agents for graph in graphs if graph is not None}) > 1:
            raise ValueError("all graphs of a protocol must have the same number of agents")

        documents = tuple(Document(**one) if isinstance(one, Mapping) else one for one in self.documents)
        if any(not isinstance(one, Document) for one in documents):
            raise TypeError(f"documents must be Document objects, got {self.documents!r}")
        types = [one.type for one in documents]
        if len(set(types)) != len(types):
            raise ValueError(f"every type of document is described once, got {', '.join(types)}")
        object.__setattr__(self, "documents", documents)

    def document(self, type: str) -> Document | None:
        """The form of a type of document, None where any reply will do."""
        return next((one for one in self.documents if one.type == type), None)

    @property
    def n_agents(self) -> int | None:
        """Number of agents that the graph is made for; None for the complete graph of any size."""
        first = self.graph[0] if isinstance(self.graph, tuple) else self.graph
        return None if first is None else first.n_agents
