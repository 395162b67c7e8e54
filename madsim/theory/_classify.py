"""Which beliefs are martingales given everybody's past: a closed form in O(edges).

Let C be the influence matrix, r its row sums, A the masses, ``Q = diag(r)^-1 C`` the walk on agents, ``kappa = A / r``. The belief of
every agent is a martingale from round 0 on, for every history, if and only if, among the agents that hear somebody (themselves included),

1. an agent has the same kappa as everybody it hears, and hears nobody who hears nobody;
2. Q is idempotent: everybody heard belongs to a group whose members all hear exactly that group, with the same shares; an agent that is
   heard by nobody may hear several whole groups, in any mixture;
3. the prior beliefs satisfy ``p = Q p``: equal within a group.

Sketch. The drift of agent i is ``sum_j C_ij (p_j - p_i) / A_i``. After t rounds ``p_j = (a_j + sum_k C_jk Y_k) / (A_j + t r_j)``, and
every Y in {0, ..., t}^N has positive probability, so each coefficient must vanish:
``sum_j Q_ij C_jk / (A_j + t r_j) = C_ik / (A_i + t r_i)`` for all k and t. Summed over k this says that ``1 / (kappa_i + t)`` is the
Q-average of the ``1 / (kappa_j + t)``; as functions of t these are linearly independent for different kappa, hence 1, and then ``Q Q = Q``,
which is 2. The constant terms give 3. For weights 1 and equal masses this is the rule "everybody in a component hears the same
agents", and with everybody hearing itself "every component is a clique".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A square matrix by rows of (columns, values above 0)."""

    columns: list[NDArray[np.int64]]
    values: list[NDArray[np.float64]]

    @classmethod
    def of(cls, matrix: Any) -> Rows:
        """From a dense or SciPy sparse matrix."""
        if isinstance(matrix, np.ndarray):
            columns = [np.flatnonzero(row) for row in matrix]
            return cls(columns=columns, values=[row[c] for row, c in zip(matrix, columns, strict=True)])
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        bounds = list(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True))
        return cls(
            columns=[matrix.indices[low:high].astype(np.int64) for low, high in bounds],
            values=[matrix.data[low:high].astype(np.float64) for low, high in bounds],
        )


def per_agent_obstacle(matrix: Any, mass: NDArray[np.float64], belief: NDArray[np.float64]) -> str | None:
    """Why some agent's belief is not a martingale given everybody's past, in words; None where all are."""
    rows = Rows.of(matrix)
    heard = np.array([values.sum() for values in rows.values])
    shares = [values / total if total > 0 else values for values, total in zip(rows.values, heard, strict=True)]
    for agent, columns in enumerate(rows.columns):
        obstacle = _mass_or_belief_obstacle(agent, columns, shares[agent], heard, mass, belief)
        if obstacle:
            return obstacle
    group_of = _groups(rows.columns, shares)
    if isinstance(group_of, str):
        return group_of
    for agent, columns in enumerate(rows.columns):
        obstacle = _mixture_obstacle(agent, columns, shares, group_of, rows.columns)
        if obstacle:
            return obstacle
    return None


def _mass_or_belief_obstacle(
    agent: int,
    columns: NDArray[np.int64],
    shares: NDArray[np.float64],
    heard: NDArray[np.float64],
    mass: NDArray[np.float64],
    belief: NDArray[np.float64],
) -> str | None:
    if not len(columns):
        return None
    if abs(shares @ belief[columns] - belief[agent]) > _TOLERANCE:
        return f"agent {agent} does not start from the average belief of those it hears"
    silent = columns[heard[columns] == 0]
    if len(silent):
        return f"agent {agent} hears agent {silent[0]}, who hears nobody and so never changes its belief"
    other = columns[
        np.abs(mass[columns] * heard[agent] - mass[agent] * heard[columns]) > _TOLERANCE * mass[agent] * heard[columns]
    ]
    if len(other):
        return f"agent {agent} and agent {other[0]}, whom it hears, have different mass relative to what they hear"
    return None


def _groups(columns: list[NDArray[np.int64]], shares: list[NDArray[np.float64]]) -> NDArray[np.int64] | str:
    """Group of every agent that is heard (its lowest member), -1 for agents that nobody hears; or what stands in the way."""
    is_heard = np.zeros(len(columns), dtype=bool)
    for row in columns:
        is_heard[row] = True
    group_of = np.full(len(columns), -1, dtype=np.int64)
    for agent in np.flatnonzero(is_heard):
        row = columns[agent]
        first = row[0]
        same = len(row) == len(columns[first]) and (row == columns[first]).all()
        if not same or np.abs(shares[agent] - shares[first]).max() > _TOLERANCE:
            return f"agents {agent} and {first}: the one hears the other, yet they do not hear the same agents alike"
        if agent not in row:
            return f"agent {agent} is heard by others but not by those whom it hears"
        group_of[agent] = first
    return group_of


def _mixture_obstacle(
    agent: int,
    columns: NDArray[np.int64],
    shares: list[NDArray[np.float64]],
    group_of: NDArray[np.int64],
    all_columns: list[NDArray[np.int64]],
) -> str | None:
    for group in np.unique(group_of[columns]):
        members = columns[group_of[columns] == group]
        whole = all_columns[group]
        if len(members) != len(whole):
            return f"agent {agent} hears a part of the group of agent {group}, not all of it"
        part = shares[agent][group_of[columns] == group]
        if np.abs(part - part.sum() * shares[group]).max() > _TOLERANCE:
            return f"agent {agent} hears the group of agent {group} in other shares than the group hears itself"
    return None
