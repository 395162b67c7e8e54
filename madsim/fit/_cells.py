"""What the likelihood of a debate needs of its votes: who was right, after hearing how many right answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from madsim.graphs import Graph
from madsim.transcripts import State, Votes

Memory = Literal["cumulative", "last"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Distinct debates, put together by question.

    A cell is a set of agents in one round that have heard the same; a debate is a row of cells; a question is a set of debates. Each
    distinct cell, row and question is kept once.

    Attributes
    ----------
    heard_right, heard : float64 (cell,); weight of the right answers heard so far, and of all
    right, asked : float64 (cell,); agents right, agents asked
    later : bool (cell,); whether the cell lies after round 0
    cell_of : int64 (row, place); the cells of each distinct debate
    row_of : int64 (question, place); which row each debate of a question is, -1 beyond its last
    weights : float64 (question,); how many questions are the same set of rows
    first_right, first_asked : totals of round 0 over all questions
    """

    heard_right: NDArray[np.float64]
    heard: NDArray[np.float64]
    right: NDArray[np.float64]
    asked: NDArray[np.float64]
    later: NDArray[np.bool_]
    cell_of: NDArray[np.int64]
    row_of: NDArray[np.int64]
    weights: NDArray[np.float64]
    first_right: float
    first_asked: float

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return int(self.weights.sum())

    def padded(self) -> Cells:
        """The same with all numbers brought up to rounder ones, by empty cells, rows of them, and questions of weight 0.

        Compiled likelihoods are made for one shape; padding keeps the number of shapes small.
        """
        cells, rows, questions = (_rounded(len(one) + 1) for one in (self.right, self.cell_of, self.weights))

        def fill(array: NDArray[Any], size: int, value: int = 0) -> NDArray[Any]:
            return np.pad(array, [(0, size - len(array)), *[(0, 0)] * (array.ndim - 1)], constant_values=value)

        return replace(
            self,
            heard_right=fill(self.heard_right, cells),
            heard=fill(self.heard, cells),
            right=fill(self.right, cells),
            asked=fill(self.asked, cells),
            later=fill(self.later, cells),
            cell_of=fill(self.cell_of, rows, cells - 1),
            row_of=fill(np.where(self.row_of < 0, rows - 1, self.row_of), questions, rows - 1),
            weights=fill(self.weights, questions),
        )


def cells_of(
    votes: Votes, *, graph: Graph | None = None, self_weight: float = 1.0, memory: Memory = "cumulative"
) -> Cells:
    """The cells of a run; samples without a target are left out.

    Rounds in which an agent was not asked say nothing, so debates that stopped early need no special treatment: whether a debate stops
    depends on its answers alone.

    Parameters
    ----------
    graph : who hears whom; None for everybody
    self_weight : of an agent's own answers among those heard (its peers' weigh 1, or as the graph says)
    memory : ``"cumulative"`` all answers heard so far count, ``"last"`` those of the last round

    Raises
    ------
    ValueError
        If no sample has a target, or the graph has another number of agents.
    """
    known = votes.has_target
    if not known.any():
        raise ValueError("no sample has a target, so right and wrong cannot be told")
    if graph is not None and graph.n_agents != votes.n_agents:
        raise ValueError(f"the graph has {graph.n_agents} agents, the run has {votes.n_agents}")
    asked = (votes.state[known] != State.NOT_ASKED).astype(np.float64)
    right = (votes.answers[known] == 0) * asked
    heard_right, heard = (_heard(part, graph, self_weight, memory) for part in (right, asked))
    n_rounds = right.shape[1]
    if (graph is None or graph.is_complete) and self_weight == 1.0:
        heard_right, heard = heard_right[:, :, :1], heard[:, :, :1]
        right, asked = right.sum(axis=2, keepdims=True), asked.sum(axis=2, keepdims=True)
    later = np.broadcast_to((np.arange(n_rounds) > 0)[:, None], right.shape)
    table = np.stack([later, heard_right, heard, right, asked], axis=-1).reshape(len(right), -1, 5)
    table *= table[..., 4:] > 0  # where nobody was asked, what was heard does not tell debates apart
    rows, row_of = np.unique(table.reshape(len(table), -1), axis=0, return_inverse=True)
    cells, cell_of = np.unique(rows.reshape(-1, 5), axis=0, return_inverse=True)
    row_of, weights = _distinct_questions(row_of.ravel(), votes.cluster[known])
    return Cells(
        later=cells[:, 0] > 0,
        heard_right=cells[:, 1],
        heard=cells[:, 2],
        right=cells[:, 3],
        asked=cells[:, 4],
        cell_of=cell_of.reshape(len(rows), -1),
        row_of=row_of,
        weights=weights,
        first_right=float(right[:, 0].sum()),
        first_asked=float(asked[:, 0].sum()),
    )


def _heard(given: NDArray[np.float64], graph: Graph | None, self_weight: float, memory: Memory) -> NDArray[np.float64]:
    """Weight heard before each round: (sample, round, agent)."""
    n = given.shape[2]
    if graph is None:
        influence = np.ones((n, n))
    else:
        influence = np.zeros((n, n))
        influence[np.repeat(np.arange(n), graph.degrees), graph.heard] = graph.weights
    np.fill_diagonal(influence, self_weight)
    each = given @ influence.T
    before = np.zeros_like(each)
    before[:, 1:] = np.cumsum(each, axis=1)[:, :-1] if memory == "cumulative" else each[:, :-1]
    return before


def _distinct_questions(
    row_of: NDArray[np.int64], cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Questions with the same set of debates as one question with a weight."""
    order = np.lexsort((row_of, cluster))
    starts = np.flatnonzero(np.diff(cluster[order], prepend=cluster[order][0] - 1))
    sets: dict[tuple[int, ...], int] = {}
    for part in np.split(row_of[order], starts[1:]):
        key = tuple(part.tolist())
        sets[key] = sets.get(key, 0) + 1
    table = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int64)
    for place, key in enumerate(sets):
        table[place, : len(key)] = key
    return table, np.array(list(sets.values()), dtype=np.float64)


def _rounded(n: int) -> int:
    """The least of 64, 128, 256 and the multiples of 256 that is at least n."""
    return next((size for size in (64, 128, 256) if n <= size), -(-n // 256) * 256)
