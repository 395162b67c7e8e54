"""Four properties that are all called "the martingale" and must not be confused: which of them hold, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.theory._classify import per_agent_obstacle
from madsim.theory._drift import first_links, own_history_links
from madsim.theory._influence import Influence, influence_of
from madsim.theory._moments import steps

if TYPE_CHECKING:
    from madsim.models import DebateModel

_TOLERANCE = 1e-9
_LARGEST_DENSE = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class MartingaleProperty:
    """Whether one of the four properties holds, and the reason in words.

    Attributes
    ----------
    holds : True or False; None where it could not be decided
    quantity : what would be a martingale
    given : what is known when the next step is expected
    reason : why, for people
    """

    holds: bool | None
    quantity: str
    given: str
    reason: str

    def __bool__(self) -> bool:
        raise TypeError("a property has three states (True, False, None); ask for .holds")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MartingaleProperties:
    """The four properties of a debate model.

    Attributes
    ----------
    unconditional : every agent's mean belief stays at its prior
    per_agent : every agent's belief is a martingale given everybody's past
    own_history : every agent's belief is a martingale given its own past beliefs
    collective : a fixed weighted mean of the beliefs is a martingale given everybody's past
    weights : the weights of that mean, shape (agent,); None where there is none
    """

    unconditional: MartingaleProperty
    per_agent: MartingaleProperty
    own_history: MartingaleProperty
    collective: MartingaleProperty
    weights: NDArray[np.float64] | None

    def _repr_html_(self) -> str:
        """What a notebook shows: each property, whether it holds, and why."""
        from madsim._core.tables import shown

        names = ("unconditional", "per_agent", "own_history", "collective")
        words = {True: "holds", False: "fails", None: "undecided"}
        rows = [
            {"property": name, "of": one.quantity, "given": one.given, "": words[one.holds], "because": one.reason}
            for name in names
            for one in [getattr(self, name)]
        ]
        return shown(rows, caption="Martingale properties")

    def __str__(self) -> str:
        words = {True: "holds", False: "fails", None: "undecided"}
        return "\n".join(
            f"{name:14s}{words[prop.holds]:10s}{prop.reason}"
            for name, prop in (
                ("unconditional", self.unconditional),
                ("per_agent", self.per_agent),
                ("own_history", self.own_history),
                ("collective", self.collective),
            )
        )


def martingale_properties(model: DebateModel, n_rounds: int | None = None, *, answer: int = 0) -> MartingaleProperties:
    """Which of the four martingale properties hold for `model`, each with the reason in words.

    A graph that stays the same is judged for debates of any length, a sequence of graphs for `n_rounds` rounds (by default the
    protocol's).

    Examples
    --------
    >>> from madsim import graphs
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import Protocol, Visibility
    >>> ring = Protocol(visibility=Visibility(graph=graphs.ring(5)))
    >>> found = martingale_properties(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0, protocol=ring))
    >>> found.unconditional.holds, found.per_agent.holds, found.own_history.holds, found.collective.holds
    (True, False, False, True)
    """
    shortest = 1 if isinstance(model.protocol.visibility.graph, tuple) else 2
    n_rounds = max(shortest, as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds"))
    influence = influence_of(model, n_rounds)
    belief = influence.belief(as_count(answer, name="answer", maximum=model.concentration.shape[1] - 1))
    unconditional = _unconditional(influence, belief, n_rounds)
    per_agent = _per_agent(influence, belief, n_rounds)
    collective, weights = _collective(influence, n_rounds)
    return MartingaleProperties(
        unconditional=unconditional,
        per_agent=per_agent,
        own_history=_own_history(influence, n_rounds, answer, unconditional, per_agent),
        collective=collective,
        weights=None if weights is None else readonly(weights),
    )


def _unconditional(influence: Influence, belief: NDArray[np.float64], n_rounds: int) -> MartingaleProperty:
    def said(holds: bool, reason: str) -> MartingaleProperty:
        return MartingaleProperty(holds=holds, quantity="belief of every agent", given="nothing", reason=reason)

    if np.ptp(belief) <= _TOLERANCE:
        return said(True, "all agents start from the same mean belief, so every mean stays there, on any graph")
    for update in range(1, 2 if influence.is_static else n_rounds + 1):
        matrix = influence.matrix(update)
        drift = np.asarray(matrix @ belief) - influence.heard(update) * belief
        moved = np.flatnonzero(np.abs(drift) > _TOLERANCE * np.maximum(1.0, influence.heard(update)))
        if len(moved):
            return said(
                False, f"prior beliefs differ and agent {moved[0]} does not start from the average of those it hears"
            )
    return said(True, "prior beliefs differ, but every agent starts from the average of those it hears")


def _per_agent(influence: Influence, belief: NDArray[np.float64], n_rounds: int) -> MartingaleProperty:
    def said(holds: bool, reason: str) -> MartingaleProperty:
        return MartingaleProperty(
            holds=holds, quantity="belief of every agent", given="everybody's past", reason=reason
        )

    if influence.is_static:
        obstacle = per_agent_obstacle(influence.matrices[0], influence.mass, belief)
        if obstacle is None:
            return said(
                True,
                "whoever is heard belongs to a group that hears itself alike, with equal beliefs and mass in proportion to what is heard",
            )
        return said(False, f"{obstacle}; so after some votes an expected belief moves")
    grown = influence.masses(n_rounds)
    for update in range(1, n_rounds + 1):
        # drift before this update as a linear function of the prior and of the votes of every earlier round
        matrix, heard, before = influence.matrix(update), influence.heard(update), grown[update - 1]
        sources = [influence.mass * belief] + [influence.matrix(earlier) for earlier in range(1, update)]
        for source in sources:
            scaled = _times(source, 1 / before)
            drift = matrix @ scaled - _times(scaled, heard)
            if abs(drift).max() > _TOLERANCE * abs(scaled).max() * max(1.0, heard.max()):
                return said(
                    False, f"given the past, some agent's expected belief changes from round {update - 1} to {update}"
                )
    return said(
        True, f"checked for each of the {n_rounds} graphs: no vote of any earlier round moves an expected belief"
    )


def _own_history(
    influence: Influence,
    n_rounds: int,
    answer: int,
    unconditional: MartingaleProperty,
    per_agent: MartingaleProperty,
) -> MartingaleProperty:
    def said(holds: bool | None, reason: str) -> MartingaleProperty:
        return MartingaleProperty(
            holds=holds, quantity="belief of every agent", given="the agent's own past beliefs", reason=reason
        )

    if per_agent.holds:
        return said(True, "beliefs are martingales given everybody's past, so also given less")
    if not unconditional.holds:
        return said(False, "even the unconditional means move")
    if influence.n_agents > _LARGEST_DENSE:
        links, offset = np.abs(first_links(influence, answer))[None, None], 1
    else:
        links, offset = np.abs(own_history_links(influence, n_rounds, answer)), 0
    if links.max() > _TOLERANCE:
        t, s, agent = (int(index) for index in np.unravel_index(int(links.argmax()), links.shape))
        step = f"from round {t + offset} to {t + offset + 1}"
        return said(
            False, f"the change of agent {agent} {step} is correlated with its own belief in round {s + offset}"
        )
    return said(
        None,
        f"no change is correlated with an agent's own earlier beliefs within {n_rounds} rounds; that does not prove it",
    )


def _collective(influence: Influence, n_rounds: int) -> tuple[MartingaleProperty, NDArray[np.float64] | None]:
    def said(holds: bool | None, reason: str) -> MartingaleProperty:
        return MartingaleProperty(
            holds=holds, quantity="weighted mean of the beliefs", given="everybody's past", reason=reason
        )

    if not influence.is_static:
        return _collective_in_turn(influence, n_rounds, said)
    heard, mass = influence.heard(1), influence.mass
    groups = closed_groups(influence.matrices[0])
    fitting = []
    for group in groups:
        ratio = mass[group] * heard[group[0]] - mass[group[0]] * heard[group]  # 0 where mass / heard is the same
        if np.abs(ratio).max() <= _TOLERANCE * mass[group].max() * max(1.0, heard[group].max()):
            fitting.append(group)
    if not fitting:
        return said(
            False, "mass is not proportional to the weight heard in the group that everybody listens to in the end"
        ), None
    moving = [group for group in fitting if heard[group].any()]
    weights = np.zeros(influence.n_agents)
    for group in moving or fitting:
        weights[group] = stationary_law(influence.matrices[0], group) * len(group)
    weights /= weights.sum()
    if not moving:
        return said(
            True, "trivially: the beliefs of agents who hear nobody never move, those of the others drift"
        ), weights
    if len(groups) == 1 and len(groups[0]) == influence.n_agents and np.ptp(weights) <= _TOLERANCE:
        return said(
            True, "mass is proportional to the weight heard and the stationary law is uniform: the plain mean"
        ), weights
    return said(
        True, "mass is proportional to the weight heard, weighted by the stationary law of who listens to whom"
    ), weights


def _collective_in_turn(
    influence: Influence, n_rounds: int, said: Any
) -> tuple[MartingaleProperty, NDArray[np.float64] | None]:
    """For a sequence of graphs: a common left fixed vector of every step, by the singular value decomposition."""
    n = influence.n_agents
    if n > _LARGEST_DENSE:
        return said(None, f"not looked for with more than {_LARGEST_DENSE} agents and graphs that change"), None
    walks = [walk if isinstance(walk, np.ndarray) else walk.toarray() for walk, _, _ in steps(influence, n_rounds)]
    stacked = np.concatenate([(walk - np.eye(n)).T for walk in walks])
    _, sizes, directions = np.linalg.svd(stacked, full_matrices=False)
    fixed = directions[sizes <= _TOLERANCE * sizes[0]]
    for vector in fixed:
        weights = vector * np.sign(vector.sum() or 1.0)
        if len(fixed) == 1 and weights.min() >= -_TOLERANCE:
            weights = weights.clip(min=0)
            return said(True, f"one weighting is kept by each of the {n_rounds} steps"), weights / weights.sum()
    if len(fixed) > 1:
        return said(None, f"{len(fixed)} independent weightings are kept by every step; none is singled out"), None
    return said(False, f"no weighting of the beliefs is kept by all {n_rounds} steps"), None


def closed_groups(matrix: Any) -> list[NDArray[np.int64]]:
    """The groups of agents who, all of them, hear each other directly or indirectly and nobody outside: the agents of each, ascending."""
    if isinstance(matrix, np.ndarray):
        reach = (matrix > 0) | np.eye(len(matrix), dtype=bool)
        for _ in range(max(1, len(matrix) - 1).bit_length()):
            reach = reach @ reach
        label = (reach & reach.T).argmax(axis=1)
        is_open = (reach & ~reach.T).any(axis=1)
        return [np.flatnonzero(label == first) for first in np.unique(label[~is_open])]
    from scipy.sparse.csgraph import connected_components

    n_groups, label = connected_components(matrix, connection="strong")
    entries = matrix.tocoo()
    leaves = label[entries.row] != label[entries.col]
    is_open = np.zeros(n_groups, dtype=bool)
    is_open[label[entries.row[leaves]]] = True
    order = np.argsort(label, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(label, minlength=n_groups))[:-1])
    return [group for group, is_out in zip(members, is_open, strict=True) if not is_out]


def stationary_law(matrix: Any, group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Stationary law of ``diag(r)^-1 C`` within a closed group, shape (member,); proportional to degree on an undirected graph."""
    inner = matrix[np.ix_(group, group)] if isinstance(matrix, np.ndarray) else matrix[group][:, group]
    heard = np.asarray(inner.sum(axis=1)).ravel()
    if len(group) == 1 or not heard.any():
        return np.full(len(group), 1 / len(group))
    symmetric = abs(inner - inner.T).max() == 0
    if symmetric:
        return heard / heard.sum()
    if isinstance(inner, np.ndarray):
        system = (inner / heard[:, None]).T - np.eye(len(group))
        system[-1] = 1.0
        return np.linalg.solve(system, np.eye(len(group))[-1])
    from scipy.sparse import diags_array, eye_array
    from scipy.sparse.linalg import spsolve

    # fix the first weight at 1 and solve the balance of the others
    system = ((diags_array(1 / heard) @ inner).T - eye_array(len(group))).tocsc()
    rest = spsolve(system[1:][:, 1:], -system[1:][:, [0]].toarray().ravel())
    law = np.append(1.0, np.asarray(rest, dtype=np.float64))
    return law / law.sum()


def _times(array: Any, factors: NDArray[np.float64]) -> Any:
    """Rows of a vector, matrix or sparse matrix multiplied by factors."""
    if isinstance(array, np.ndarray):
        return array * (factors if array.ndim == 1 else factors[:, None])
    from scipy.sparse import diags_array

    return (diags_array(factors) @ array).tocsr()
