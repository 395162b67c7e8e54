"""Whom an agent of a swarm hears before it decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from madsim._core.arrays import as_count
from madsim.graphs import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Everybody:
    """The whole swarm, the agent itself included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearSome:
    """A few others, drawn anew without replacement every time an agent decides.

    Attributes
    ----------
    n_heard : how many, at least 1 and fewer than the agents
    """

    n_heard: int

    def __post_init__(self) -> None:
        as_count(self.n_heard, name="n_heard", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HearGroup:
    """The swarm is shuffled into disjoint groups every round; an agent hears its own group, itself included.

    Attributes
    ----------
    size : agents in a group; must divide the number of agents
    """

    size: int

    def __post_init__(self) -> None:
        as_count(self.size, name="size", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HearGraph:
    """The neighbours on a graph, weighted by its edges; an agent without neighbours never changes.

    Attributes
    ----------
    graph : who hears whom
    self_weight : weight with which an agent hears itself
    """

    graph: Graph
    self_weight: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.graph, Graph):
            raise TypeError(f"graph must be a madsim.graphs.Graph, got {self.graph!r}")
        if not 0 <= self.self_weight < float("inf"):
            raise ValueError(f"self_weight must be finite and at least 0, got {self.self_weight!r}")


Hearing: TypeAlias = Everybody | HearSome | HearGroup | HearGraph


def check_hearing(hearing: Hearing, n_agents: int) -> None:
    """Refuse a way of hearing that does not fit `n_agents`."""
    if isinstance(hearing, HearSome) and hearing.n_heard >= n_agents:
        raise ValueError(
            f"an agent can hear at most the {n_agents - 1} others, got n_heard={hearing.n_heard}; "
            "Everybody() hears the whole swarm, itself included"
        )
    if isinstance(hearing, HearGroup) and n_agents % hearing.size:
        raise ValueError(f"groups of {hearing.size} do not divide {n_agents} agents; the size must be a divisor")
    if isinstance(hearing, HearGraph) and hearing.graph.n_agents != n_agents:
        raise ValueError(f"the graph has {hearing.graph.n_agents} agents, the swarm {n_agents}")
    if not isinstance(hearing, Hearing):
        raise TypeError(
            f"hearing must be Everybody(), HearSome(...), HearGroup(...) or HearGraph(...), got {hearing!r}"
        )
