"""A protocol: the one object that simulators and the engine both run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from madsim import graphs
from madsim.graphs import Graph
from madsim.protocols._phases import Phases
from madsim.protocols._reduction import REDUCTIONS, Majority, Reduction
from madsim.protocols._schedule import SCHEDULES, Schedule, Simultaneous
from madsim.protocols._stopping import Convergence
from madsim.protocols._visibility import Visibility

MOST_ROUNDS = 100_000
"""More rounds than any debate has: what is longer is a slip of the pen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Who speaks when, who hears what, how answers become one.

    Attributes
    ----------
    rounds : rounds after the independent round 0; an agent answers up to ``rounds + 1`` times, and ``rounds=0`` is a plain vote
    schedule : order of speaking within the rounds after round 0
    visibility : whom an agent hears and what it is shown
    reduction : how the last round's answers become one
    convergence : early stop at agreement, or None (runs meant for checks)
    on_missing : what counts for an agent that was asked and gave no reply: ``"drop"`` nothing (it sits the round out), ``"carry"`` its
        last reply
    """

    rounds: int = 2
    schedule: Schedule = field(default_factory=Simultaneous)
    visibility: Visibility = field(default_factory=Visibility)
    reduction: Reduction = field(default_factory=Majority)
    convergence: Convergence | None = None
    on_missing: Literal["drop", "carry"] = "drop"

    def __post_init__(self) -> None:
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, int) or not 0 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"rounds must be an integer from 0 to {MOST_ROUNDS}, got {self.rounds!r}")
        if self.on_missing not in ("drop", "carry"):
            raise ValueError(f"on_missing must be 'drop' or 'carry', got {self.on_missing!r}")
        if isinstance(self.schedule, Phases):
            if self.rounds != self.schedule.turns - 1:
                raise ValueError(
                    f"these phases take {self.schedule.turns} turns, each a round of its own: rounds must be "
                    f"{self.schedule.turns - 1}, got {self.rounds}"
                )
            if self.visibility.graph is not None:
                raise ValueError("phases themselves say who hears whom: leave the graph of the visibility out")

    def graph(self, n_agents: int, round: int = 1) -> Graph:
        """The graph over `n_agents` agents in a round (rounds count from 1; round 0 hears nobody).

        Raises
        ------
        ValueError
            If the protocol's graph is made for another number of agents, or a sequence of graphs has none for this round.
        """
        if self.visibility.n_agents not in (None, n_agents):
            raise ValueError(f"the protocol's graph has {self.visibility.n_agents} agents, the panel has {n_agents}")
        graph = self.visibility.graph
        if graph is None:
            return graphs.complete(n_agents)
        if isinstance(graph, Graph):
            return graph
        if not 1 <= round <= len(graph):
            raise ValueError(f"the protocol has graphs for rounds 1 to {len(graph)}; round {round} has none")
        return graph[round - 1]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`protocol_from_dict`."""
        graph = self.visibility.graph
        many = isinstance(graph, tuple)
        documents = self.visibility.documents
        return {
            "rounds": self.rounds,
            "schedule": _part(self.schedule),
            "visibility": {
                "graph": [one.to_dict() for one in graph] if many else graph.to_dict() if graph is not None else None,
                "show": self.visibility.show,
                **({"documents": [one.to_dict() for one in documents]} if documents else {}),
            },
            "reduction": _part(self.reduction),
            "convergence": None if self.convergence is None else _part(self.convergence),
            "on_missing": self.on_missing,
        }


_PARTS: dict[str, type] = {part.__name__: part for part in (*SCHEDULES, *REDUCTIONS, Convergence)}


def protocol_from_dict(plain: dict[str, Any]) -> Protocol:
    """Read back what :meth:`Protocol.to_dict` wrote.

    Raises
    ------
    ValueError
        If a part is missing or unknown, with the names that are known.
    """
    try:
        graph = plain["visibility"]["graph"]
        if isinstance(graph, list):
            graph = tuple(graphs.from_dict(one) for one in graph)
        elif graph is not None:
            graph = graphs.from_dict(graph)
        return Protocol(
            rounds=plain["rounds"],
            schedule=_build(plain["schedule"]),
            visibility=Visibility(
                graph=graph, show=plain["visibility"]["show"], documents=tuple(plain["visibility"].get("documents", ()))
            ),
            reduction=_build(plain["reduction"]),
            convergence=None if plain["convergence"] is None else _build(plain["convergence"]),
            on_missing=plain.get("on_missing", "drop"),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is not a protocol record: {error}") from error


def _part(part: Any) -> dict[str, Any]:
    fields = (
        part.to_dict() if isinstance(part, Phases) else {n: getattr(part, n) for n in type(part).__dataclass_fields__}
    )
    return {"type": type(part).__name__, **fields}


def _build(plain: dict[str, Any]) -> Any:
    known = dict(plain)
    name = known.pop("type")
    if name not in _PARTS:
        raise ValueError(f"unknown protocol part {name!r}; known are {', '.join(sorted(_PARTS))}")
    return _PARTS[name](**known)
