"""A debate as a frozen description: beliefs, who hears whom with which weight, and every departure from the plain model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_positive, as_probabilities, readonly
from madsim._core.canonical import digest, to_jsonable
from madsim.models._intervention import Intervention
from madsim.models._memory import Cumulative, Memory
from madsim.models._response import Matching, Response
from madsim.models._summary import Stubborn, Summary
from madsim.protocols import OneAgent, Protocol

_MOST_NUMBERS = 10_000_000

MOST_ANSWERS = 255


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateModel:
    """A Dirichlet-multinomial debate (Choi, Zhu and Li 2025, "Debate or Vote", arXiv 2508.17536) and its variants.

    Agent i holds a concentration ``a_i``. In every round it answers k with probability ``a_ik / sum(a_i)``, all agents at once, and
    then adds the answers that it heard to its concentration, each with its weight. Answer 0 is the target. The defaults of everything
    below `peer_weight` are the plain model.

    Attributes
    ----------
    concentration : float64 (agent, answer), above 0; belief is each row divided by its sum, mass is the sum
    protocol : rounds, schedule, graph, reduction, early stop
    self_weight : what an agent's own answer adds to its concentration: one number, or one an agent; 0: it does not hear itself
    peer_weight : factor on the graph's weights: one number, or one an agent (the hearer)
    response : from belief to answer
    memory : what is kept of the answers heard
    conformity : exponent on the counts heard before they are added (their total is kept): above 1 a large majority counts for more
        than its share, 1 is the plain model
    answer_weights : factor on a heard answer by its number, shape (answer,); ``(1.5, 1)`` lets right answers weigh more
    similarity : float64 (answer, answer), rows sum to 1; an answer k heard counts for every answer j with ``similarity[k, j]``
    stubborn : agents whose belief never moves
    summary : all agents hear one summary of the last round instead of each other
    intervention : a rule that keeps, copies or locks answers
    wrong_answers_agree : whether unanimity on a wrong answer ends a debate whose protocol stops early
    """

    concentration: NDArray[np.float64]
    protocol: Protocol = field(default_factory=Protocol)
    self_weight: float | tuple[float, ...] = 1.0
    peer_weight: float | tuple[float, ...] = 1.0
    response: Response = field(default_factory=Matching)
    memory: Memory = field(default_factory=Cumulative)
    conformity: float = 1.0
    answer_weights: tuple[float, ...] | None = None
    similarity: NDArray[np.float64] | None = None
    stubborn: Stubborn | None = None
    summary: Summary | None = None
    intervention: Intervention | None = None
    wrong_answers_agree: bool = True

    def __post_init__(self) -> None:
        concentration = as_positive(self.concentration, name="concentration")
        if concentration.ndim != 2 or concentration.shape[0] < 1 or not 2 <= concentration.shape[1] <= MOST_ANSWERS:
            raise ValueError(
                f"concentration must have the axes (agent, answer) with 2 to {MOST_ANSWERS} answers, got shape {concentration.shape}"
            )
        n_agents, n_answers = concentration.shape
        set_field = object.__setattr__
        set_field(self, "concentration", concentration)
        set_field(self, "self_weight", _weight(self.self_weight, n_agents, "self_weight"))
        set_field(self, "peer_weight", _weight(self.peer_weight, n_agents, "peer_weight"))
        if not isinstance(self.protocol, Protocol):
            raise TypeError(f"protocol must be a Protocol, got {self.protocol!r}")
        expected = self.protocol.visibility.n_agents
        if expected not in (None, n_agents):
            raise ValueError(f"the protocol's graph has {expected} agents, the concentration has {n_agents}")
        reduction = self.protocol.reduction
        if isinstance(reduction, OneAgent) and reduction.agent >= n_agents:
            raise ValueError(f"the reduction names agent {reduction.agent}, the panel has agents 0 to {n_agents - 1}")
        if not 0 < self.conformity < float("inf"):
            raise ValueError(f"conformity must be finite and above 0, got {self.conformity!r}")
        if self.answer_weights is not None:
            weights = as_positive(self.answer_weights, name="answer_weights", allow_zero=True)
            if weights.shape != (n_answers,):
                raise ValueError(
                    f"answer_weights needs one number for each of {n_answers} answers, got shape {weights.shape}"
                )
            set_field(self, "answer_weights", tuple(weights.tolist()))
        if self.similarity is not None:
            as_probabilities(self.similarity, name="similarity")
            similarity = as_positive(self.similarity, name="similarity", allow_zero=True)  # as given, to the last bit
            if similarity.shape != (n_answers, n_answers):
                raise ValueError(f"similarity must have shape {(n_answers, n_answers)}, got {similarity.shape}")
            set_field(self, "similarity", similarity)
        if self.stubborn is not None and max(self.stubborn.agents) >= n_agents:
            raise ValueError(
                f"stubborn names agent {max(self.stubborn.agents)}, the panel has agents 0 to {n_agents - 1}"
            )

    @classmethod
    def homogeneous(
        cls,
        *,
        n_agents: int = 5,
        belief: float | ArrayLike = 0.7,
        mass: float = 2.0,
        n_answers: int | None = None,
        protocol: Protocol | None = None,
        **options: Any,
    ) -> Self:
        """Agents that all start alike.

        Parameters
        ----------
        n_agents : size of the panel
        belief : belief in the target, in (0, 1), the rest split evenly over the other answers; or the belief in every answer
        mass : sum of the concentration, above 0
        n_answers : number of answers; by default 2, or as many as `belief` names
        protocol : by default ``Protocol()``
        options : any other field of the model

        Raises
        ------
        ValueError
            If a belief is 0 or 1 (an answer that can never be given, or always), or `n_answers` and `belief` disagree.
        """
        n_agents = as_count(n_agents, name="n_agents", minimum=1, maximum=_MOST_NUMBERS)
        shares = np.atleast_1d(np.asarray(belief, dtype=np.float64))
        if shares.ndim != 1:
            raise ValueError(f"belief must be one number or one for each answer, got shape {shares.shape}")
        if np.ndim(belief) == 0:
            n_answers = as_count(
                2 if n_answers is None else n_answers, name="n_answers", minimum=2, maximum=_MOST_NUMBERS
            )
            others = n_answers - 1
            if not 0 < shares[0] < 1:
                raise ValueError(f"belief in the target must lie strictly between 0 and 1, got {belief!r}")
            shares = np.concatenate([shares, np.full(others, (1 - shares[0]) / others)])
        else:
            shares = as_probabilities(shares, name="belief")
            if n_answers is not None and n_answers != len(shares):
                raise ValueError(f"belief names {len(shares)} answers, n_answers is {n_answers}")
        if n_agents * len(shares) > _MOST_NUMBERS:
            raise ValueError(
                f"{n_agents} agents with {len(shares)} answers are {n_agents * len(shares)} numbers, more than {_MOST_NUMBERS}; take fewer "
                "agents or answers"
            )
        total = as_positive(mass, name="mass")
        if total.ndim:
            raise ValueError(f"mass must be one number, got shape {total.shape}; give concentration for unequal agents")
        concentration = np.broadcast_to(shares * float(total), (n_agents, len(shares)))
        return cls(concentration=concentration, protocol=Protocol() if protocol is None else protocol, **options)

    @property
    def n_agents(self) -> int:
        """Size of the panel."""
        return self.concentration.shape[0]

    @property
    def n_answers(self) -> int:
        """Number of answers."""
        return self.concentration.shape[1]

    @property
    def mass(self) -> NDArray[np.float64]:
        """Sum of each agent's concentration before round 0, shape (agent,)."""
        return readonly(self.concentration.sum(axis=1))

    @property
    def belief(self) -> NDArray[np.float64]:
        """Each agent's belief in each answer before round 0, shape (agent, answer)."""
        return readonly(self.concentration / self.concentration.sum(axis=1, keepdims=True))

    @property
    def departures(self) -> tuple[str, ...]:
        """The fields, and parts of the protocol, in which this model departs from the plain one; empty for the plain model."""
        plain = {
            "response": isinstance(self.response, Matching),
            "memory": isinstance(self.memory, Cumulative),
            "conformity": self.conformity == 1.0,
            "answer_weights": self.answer_weights is None or set(self.answer_weights) == {1.0},
            "similarity": self.similarity is None or np.array_equal(self.similarity, np.eye(self.n_answers)),
            "stubborn": self.stubborn is None,
            "summary": self.summary is None,
            "intervention": self.intervention is None,
            "protocol.schedule": type(self.protocol.schedule).__name__ == "Simultaneous",
            "protocol.convergence": self.protocol.convergence is None,
        }
        return tuple(name for name, is_plain in plain.items() if not is_plain)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`debate_from_dict`; agents that all start alike take one row."""
        rows = self.concentration
        alike = len(rows) > 1 and bool((rows == rows[0]).all())
        plain = {
            name: to_jsonable(getattr(self, name))
            for name in self.__slots__
            if name not in ("concentration", "protocol")
        }
        plain["concentration"] = {"alike": len(rows), "row": rows[0].tolist()} if alike else rows.tolist()
        return {"type": "DebateModel", **plain, "protocol": self.protocol.to_dict()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DebateModel):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(digest(self.to_dict()))

    def __repr__(self) -> str:
        beliefs = self.concentration[:, 0] / self.concentration.sum(axis=1)
        spread = f"{beliefs.min():.3g}" if np.ptp(beliefs) < 1e-12 else f"{beliefs.min():.3g} to {beliefs.max():.3g}"
        variant = f", {', '.join(self.departures)}" if self.departures else ""
        graph = self.protocol.visibility.graph
        name = "complete" if graph is None else f"{len(graph)} graphs" if isinstance(graph, tuple) else graph.name
        return f"DebateModel({self.n_agents} agents, {self.n_answers} answers, belief {spread}, {name}{variant})"


def _weight(value: Any, n_agents: int, name: str) -> float | tuple[float, ...]:
    weights = as_positive(value, name=name, allow_zero=True)
    if weights.ndim == 0:
        return float(weights)
    if weights.shape != (n_agents,):
        raise ValueError(f"{name} must be one number or one for each of {n_agents} agents, got shape {weights.shape}")
    return tuple(weights.tolist())
